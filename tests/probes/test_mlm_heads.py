"""Masked-LM heads on every layer: positions, agreement with the model's own head, and fitting."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support import tiny, write_model

from bertology_utils.probes import mlm_heads
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze
from bertology_utils.subject.models import ModelUnsuitable, load

SETTINGS = Settings(batch_tokens=64)
WORDS = ["dog", "cat", "man", "woman", "key", "bird"]


def sentences(n=60):
    rng = np.random.default_rng(0)
    return [["the", str(rng.choice(WORDS)), "sees", "the", str(rng.choice(WORDS)), "."] for _ in range(n)]


def test_masks_lie_on_words_and_are_what_stood_there():
    text = [*sentences(8), ["unsleepsing", "."]]
    rows, positions, pieces = mlm_heads.mask_rows(tiny(), text, share=0.4)
    for row, at, were in zip(rows, positions, pieces):
        assert [row.ids[t] for t in at] == [tiny().tokenizer.mask_token_id] * len(at)
        assert all(row.words[t] >= 0 for t in at) and tiny().tokenizer.mask_token_id not in were
        assert len(at) == max(1, round(0.4 * sum(w >= 0 for w in row.words)))


def test_the_identity_on_the_last_layer_is_the_models_own_head():
    texts = ["the [MASK] sees the dog .", "the old cat [MASK] ."]
    rows, at = zip(*(cloze.gap_row(tiny(), t) for t in texts))
    states = mlm_heads.states_at(tiny(), rows, [[a] for a in at], SETTINGS)
    size = tiny().hidden_size
    head = mlm_heads.LayerHead(tiny(), torch.eye(size), torch.zeros(size))
    own = dict(cloze.log_probabilities(tiny(), texts, SETTINGS))
    assert np.allclose(head.log_probs(states[-1]), [own[0], own[1]], atol=1e-4)
    assert head.top(states[-1], rows=1).tolist() == [own[i].argmax() for i in (0, 1)]
    few = head.log_probs(states[-1], [7, 8, 9])
    assert few.shape == (2, 3) and np.allclose(np.exp(few).sum(1), 1, atol=1e-5)


def test_states_do_not_depend_on_batching():
    rows, positions, _ = mlm_heads.mask_rows(tiny(), sentences(12))
    one, many = (mlm_heads.states_at(tiny(), rows, positions, Settings(batch_tokens=b)) for b in (8, 4096))
    assert one.shape == (tiny().n_layers + 1, sum(map(len, positions)), tiny().hidden_size)
    assert np.allclose(one, many, atol=1e-5)


def test_a_layer_that_tells_the_piece_is_fitted_and_one_of_noise_is_not():
    rng = np.random.default_rng(0)
    size, n = tiny().hidden_size, 300
    ids = np.array([cloze.filler_id(tiny(), w) for w in WORDS])
    pieces = rng.choice(ids, n)
    telling = 3 * rng.normal(size=(len(ids), size))[np.searchsorted(np.sort(ids), pieces)]
    states = np.stack([rng.normal(size=(n, size)), telling]).astype(np.float32)
    heads = mlm_heads.fit_heads(tiny(), states[:, :200], pieces[:200], SETTINGS, steps=200, rate=0.01)
    right = [(h.top(s[200:]) == pieces[200:]).mean() for h, s in zip(heads, states)]
    assert right[1] > 0.95 and right[0] < 0.5


def test_a_linear_image_of_the_last_layer_reads_as_the_last_layer_before_any_step():
    rows, positions, pieces = mlm_heads.mask_rows(tiny(), sentences(), share=0.5)
    last = mlm_heads.states_at(tiny(), rows, positions, SETTINGS)[-1]
    turned = last @ np.linalg.qr(np.random.default_rng(0).normal(size=(last.shape[1],) * 2))[0].astype(np.float32)
    flat = [p for row in pieces for p in row]
    a, b = mlm_heads.fit_heads(tiny(), np.stack([turned, last]), flat, SETTINGS, steps=0)
    assert np.allclose(a.log_probs(turned), b.log_probs(last), atol=1e-2)


def test_what_cannot_be_fitted_is_refused(tmp_path):
    states = np.zeros((2, 3, tiny().hidden_size), np.float32)
    with pytest.raises(ValueError, match="3 masked positions but 2"):
        mlm_heads.fit_heads(tiny(), states, [1, 2], SETTINGS)
    headless = load(str(write_model(tmp_path / "headless", mlm=False)))
    with pytest.raises(ModelUnsuitable, match="no masked-language-model head"):
        mlm_heads.fit_heads(headless, states, [1, 2, 3], SETTINGS)
