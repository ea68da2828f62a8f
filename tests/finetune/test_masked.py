"""Masks filled in further training: what is hidden is learnt, and the subject stays as it was."""

import torch
from support import tiny

from bertology_utils.finetune import Recipe, masked
from bertology_utils.subject import encode

WORDS = ["the", "dog", "near", "the", "bird"]


def test_what_is_hidden_is_learnt_and_the_subject_is_as_before():
    subject, before = tiny(), tiny().sha256
    (row,) = encode.tokenize(subject, [WORDS])
    place = row.words.index(1)
    tuned, head = masked.fill(subject, [row] * 64, [[place]] * 64, Recipe(epochs=3, batch=8, rate=1e-3))
    shown = row.masked([place], subject.tokenizer.mask_token_id)
    (batch,) = encode.batches(tuned, [shown], 512)
    with torch.inference_mode():
        hidden = encode.forward(tuned, batch).last_hidden_state
        said = head(hidden[0, place]).argmax()
        untaught = subject.predict(encode.forward(subject, batch).last_hidden_state[0, place]).argmax()
    assert said == row.ids[place] != untaught
    assert subject.sha256 == before
