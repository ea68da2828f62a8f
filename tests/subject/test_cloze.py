"""Predictions at a gap, checked against the plain forward pass."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.data.items import ForcedChoice, ItemError, MinimalPair
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze, encode
from bertology_utils.subject.encode import TooLong

ITEMS = [
    ForcedChoice(id="1", text="The keys to the cabinet [MASK] old.", good="are", bad="is"),
    ForcedChoice(id="2", text="A dog [MASK].", good="sleeps", bad="sleep"),
]


def logs(text: str) -> np.ndarray:
    """Log-probabilities at the mask by the whole model, one text at a time."""
    subject = tiny()
    ids = subject.tokenizer(text, return_tensors="pt", split_special_tokens=False)["input_ids"]
    with torch.no_grad():
        logits = subject.model(input_ids=ids).prediction_logits[0]
    at = ids[0].tolist().index(subject.tokenizer.mask_token_id)
    return torch.log_softmax(logits[at], -1).numpy()


def test_choice_is_the_difference_of_log_probabilities():
    vocab = tiny().tokenizer.get_vocab()
    want = [logs(i.text)[vocab[i.good]] - logs(i.text)[vocab[i.bad]] for i in ITEMS]
    np.testing.assert_allclose(cloze.choose(tiny(), ITEMS), want, atol=1e-4)


def test_fillers_of_several_pieces_are_filtered_and_counted():
    items = [*ITEMS, ForcedChoice(id="3", text="A [MASK].", good="dog", bad="unable")]
    kept, note = cloze.single_piece(tiny(), items)
    assert kept == ITEMS and note.startswith("2 of 3 items")
    with pytest.raises(ItemError, match="unable"):
        cloze.choose(tiny(), items)


def test_unknown_word_is_no_filler():
    assert cloze.filler_id(tiny(), "猫") is None
    assert cloze.filler_id(tiny(), "Dog") == tiny().tokenizer.get_vocab()["dog"]


def test_top_k_begins_with_the_likeliest_piece():
    text = ITEMS[0].text
    best = cloze.top_k(tiny(), [text], 5)[0]
    assert int(np.argmax(logs(text))) == tiny().tokenizer.convert_tokens_to_ids(best[0])


def test_pseudo_log_likelihood_masks_each_piece_in_turn():
    words = ["unable", "dogs", "sleep"]  # un ##able | dogs | sleep
    rows = ["[MASK] [MASK] dogs sleep", "un [MASK] dogs sleep", "un ##able [MASK] sleep", "un ##able dogs [MASK]"]
    subject, vocab = tiny(), tiny().tokenizer.get_vocab()
    gold = [vocab[p] for p in ("un", "##able", "dogs", "sleep")]
    total = 0.0
    for k, row in enumerate(rows):
        ids = torch.tensor([[2, *(vocab[p] for p in row.split()), 3]])
        with torch.no_grad():
            logits = subject.model(input_ids=ids).prediction_logits[0, k + 1]
        total += float(torch.log_softmax(logits, -1)[gold[k]])
    np.testing.assert_allclose(cloze.pseudo_log_likelihood(subject, [words]), [total], atol=1e-4)


def test_a_sentence_scores_the_same_in_batches_of_any_size():
    texts = ["unable dogs sleep", "the dogs", "the unable dogs sleep and the dogs sleep"]
    few, many = (
        cloze.pseudo_log_likelihood(tiny(), texts, settings=Settings(batch_tokens=size)) for size in (12, None)
    )
    np.testing.assert_allclose(few, many, atol=3e-5)


def test_minimal_pairs_compare_whole_sentences():
    pair = MinimalPair(id="1", good="the dogs sleep", bad="the dogs sleeps")
    a, b = cloze.pseudo_log_likelihood(tiny(), [pair.good, pair.bad])
    np.testing.assert_allclose(cloze.compare(tiny(), [pair]).difference, [a - b], atol=1e-5)


def test_gaps_are_checked():
    with pytest.raises(ItemError):
        cloze.gap_row(tiny(), "no gap")
    with pytest.raises(TooLong):
        cloze.gap_row(tiny(), "[MASK] " + "dog " * 200)


def test_text_is_split_as_the_pre_tokenizer_does():
    (row,) = cloze.text_rows(tiny(), ["unable dogs sleep."])
    assert row.words == (-1, 0, 0, 1, 2, 3, -1)  # un ##able | dogs | sleep | .
    as_words = cloze.pseudo_log_likelihood(tiny(), [["unable", "dogs", "sleep", "."]])
    np.testing.assert_allclose(cloze.pseudo_log_likelihood(tiny(), ["unable dogs sleep."]), as_words, atol=1e-5)
    glued = cloze.pseudo_log_likelihood(tiny(), [["unable", "dogs", "sleep."]])  # the stop hidden with the word
    assert abs(glued - as_words) > 1e-3
    with pytest.raises(TypeError, match="some of each"):
        cloze.pseudo_log_likelihood(tiny(), ["dogs sleep", ["dogs", "sleep"]])


def test_lengths_stand_beside_every_sum():
    pairs = [
        MinimalPair(id="1", good="the dogs sleep.", bad="the unable dogs sleep."),
        MinimalPair(id="2", good="a dog sleeps", bad="a dog sleep"),
    ]
    frame = cloze.compare(tiny(), pairs)
    assert frame.good_pieces.tolist() == [4, 3] and frame.bad_pieces.tolist() == [6, 3]
    np.testing.assert_allclose(frame.difference, frame.good - frame.bad)
    np.testing.assert_allclose(frame.per_piece[0], frame.good[0] / 4 - frame.bad[0] / 6)


def test_a_filler_with_a_text_of_its_own_is_scored_there():
    vocab = tiny().tokenizer.get_vocab()
    item = ForcedChoice(id="1", text="A [MASK].", good="dog", bad="author", meta={"text_bad": "An [MASK]."})
    want = logs("A [MASK].")[vocab["dog"]] - logs("An [MASK].")[vocab["author"]]
    np.testing.assert_allclose(cloze.choose(tiny(), [item]), [want], atol=1e-4)


def test_a_pair_that_is_read_alike_is_left_out_and_counted():
    """The tiny vocabulary has no 猫 and no 犬: both sentences are "the [UNK] sleeps"; nor has it capitals."""
    pairs = [
        MinimalPair(id="1", good="the 猫 sleeps", bad="the 犬 sleeps"),
        MinimalPair(id="2", good="the Dog sleeps", bad="the dog sleeps"),
        MinimalPair(id="3", good="the dog sleeps", bad="the dog sleep"),
    ]
    kept, note = cloze.told_apart(tiny(), pairs)
    assert [p.id for p in kept] == ["3"] and note == [
        f"2 of 3 pairs left out: {tiny().name} reads both sentences alike"
    ]
    assert cloze.told_apart(tiny(), kept) == (kept, [])
    with pytest.raises(ItemError, match=r"reads both sentences alike.*id='1'"):
        cloze.compare(tiny(), pairs)


@pytest.mark.parametrize("text", ["", " ", "\u200b"])
def test_a_text_that_has_nothing_to_read_has_no_score(text):
    with pytest.raises(ItemError, match="reads nothing in"):
        cloze.pseudo_log_likelihood(tiny(), ["the dog sleeps", text])
    with pytest.raises(ItemError, match="two different texts"):
        MinimalPair(id="1", good="the dog sleeps", bad=text)


@pytest.mark.parametrize("of", [cloze.pseudo_log_likelihood, cloze.lengths, cloze.top_k, encode.hidden_states])
def test_one_text_is_no_list_of_sentences(of):
    with pytest.raises(TypeError, match="a list of sentences, not one text: 'the dog"):
        list(of(tiny(), "the dog [MASK]"))
