"""An encoder whose every matrix is in few bits is a small file, near the original, and comes back from the file."""

from __future__ import annotations

import numpy as np
import torch
from support import tiny

from bertology_pretrain.family import whole
from bertology_utils import Settings
from bertology_utils.data.items import Labelled
from bertology_utils.finetune import ClassHead, Classifier

TEXTS = ("the dog sleeps .", "the old key near the cabinets was small .", "she likes the young cats .")
ITEMS = [Labelled(id=str(k), split="test", text=t, label=str(k % 2)) for k, t in enumerate(TEXTS)]


def classifier():
    torch.manual_seed(0)
    return Classifier(tiny(), ClassHead(tiny(), 2).eval().requires_grad_(False), ("0", "1"))


def test_a_whole_encoder_in_few_bits_is_a_small_file_and_near_the_original():
    one = classifier()
    sizes = {32: whole.bytes_of(one)} | {bits: whole.bytes_of(whole.encoder(one, bits)) for bits in (8, 4, 2)}
    assert sizes[2] < sizes[4] < sizes[8] < sizes[32]
    words = one.subject.base.get_input_embeddings().weight
    less = {bits: whole.encoder(one, bits).subject.base.get_input_embeddings().weight for bits in (8, 2)}
    far = {bits: float((w - words).abs().mean()) for bits, w in less.items()}
    assert 0 < far[8] < far[2] / 10, "embeddings are in few bits too"
    apart = {
        b: abs(whole.encoder(one, b).logits(ITEMS, Settings()) - one.logits(ITEMS, Settings())).max() for b in (8, 2)
    }
    assert 0 < apart[8] < apart[2]


def test_what_a_file_holds_is_all_that_there_is():
    made, blank = whole.encoder(classifier(), 4), whole.encoder(classifier(), 4)
    for held in blank.subject.base.state_dict().values():
        held.zero_()
    assert not np.allclose(blank.logits(ITEMS, Settings()), made.logits(ITEMS, Settings()))
    blank.subject.base.load_state_dict(made.subject.base.state_dict())
    assert np.array_equal(blank.logits(ITEMS, Settings()), made.logits(ITEMS, Settings()))
