"""The impact matrix equals the definition, word by word, and sees no word that the model does not look at."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import torch
from support import tiny

from bertology_utils.settings import Settings
from bertology_utils.subject.perturb import impact, impacts

WORDS = ("the", "dogs", "dable", "sleep", ".")  # the third has several pieces


def vector(subject, words, hidden, of):
    """Mean last-layer vector of word `of` with the words in `hidden` masked, by the tokenizer alone."""
    encoded = subject.tokenizer(list(words), is_split_into_words=True, return_tensors="pt")
    ids, owner = encoded["input_ids"].clone(), encoded.word_ids()
    for t, w in enumerate(owner):
        if w in hidden:
            ids[0, t] = subject.tokenizer.mask_token_id
    with torch.no_grad():
        states = subject.base(input_ids=ids).last_hidden_state[0]
    return states[[t for t, w in enumerate(owner) if w == of]].mean(0).numpy()


def test_two_stage_masking_by_definition():
    subject = tiny()
    found = impact(subject, WORDS, Settings.of(batch_tokens=24))  # several batches
    assert found.shape == (5, 5) and np.all(np.diag(found) == 0) and found.max() > 0.01
    assert len(subject.tokenizer(["dable"], is_split_into_words=True, add_special_tokens=False)["input_ids"]) > 1
    for i in range(5):
        for j in range(5):
            if i != j:
                expected = vector(subject, WORDS, {i}, i) - vector(subject, WORDS, {i, j}, i)
                assert np.isclose(found[i, j], np.linalg.norm(expected), atol=1e-4)


def test_without_attention_nothing_has_an_impact():
    subject = tiny()
    blind = replace(subject, model=copy.deepcopy(subject.model))
    for layer in blind.layers:
        layer.attention.output.dense.weight.data.zero_()
    assert impact(blind, WORDS).max() < 1e-5 < impact(subject, WORDS).max()


def test_a_stream_in_order():
    sentences = [("dogs", "sleep"), ("the", "old", "man", "runs"), ("birds",)]
    found = list(impacts(tiny(), sentences))
    assert [i for i, _ in found] == [0, 1, 2] and [m.shape for _, m in found] == [(2, 2), (4, 4), (1, 1)]
    assert np.allclose(found[1][1], impact(tiny(), sentences[1]), atol=1e-5)
