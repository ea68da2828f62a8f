"""Masked pieces of running text: which they are, and the states there."""

from __future__ import annotations

import numpy as np
from support import tiny

from bertology_utils.probes import masks
from bertology_utils.settings import Settings

SETTINGS = Settings(batch_tokens=64)
WORDS = ["dog", "cat", "man", "woman", "key", "bird"]


def sentences(n=60):
    rng = np.random.default_rng(0)
    return [["the", str(rng.choice(WORDS)), "sees", "the", str(rng.choice(WORDS)), "."] for _ in range(n)]


def test_masks_lie_on_words_and_are_what_stood_there():
    text = [*sentences(8), ["unsleepsing", "."]]
    rows, positions, pieces = masks.mask_rows(tiny(), text, share=0.4)
    for row, at, were in zip(rows, positions, pieces):
        assert [row.ids[t] for t in at] == [tiny().tokenizer.mask_token_id] * len(at)
        assert all(row.words[t] >= 0 for t in at) and tiny().tokenizer.mask_token_id not in were
        assert len(at) == max(1, round(0.4 * sum(w >= 0 for w in row.words)))


def test_states_do_not_depend_on_batching():
    rows, positions, _ = masks.mask_rows(tiny(), sentences(12))
    one, many = (masks.states_at(tiny(), rows, positions, Settings(batch_tokens=b)) for b in (8, 4096))
    assert one.shape == (tiny().n_layers + 1, sum(map(len, positions)), tiny().hidden_size)
    assert np.allclose(one, many, atol=1e-5)
