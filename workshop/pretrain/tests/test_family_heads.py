"""Dropout of attention weights apart from that of the rest, and what is measured of the heads it may make alike."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from support import tiny

from bertology_pretrain import load_config
from bertology_pretrain.family import measure
from bertology_pretrain.step import build
from bertology_utils import Settings
from bertology_utils.finetune import duplicate


@pytest.mark.parametrize("dropped", ["dropout", "attention_dropout"])
def test_only_what_is_asked_for_is_dropped(dropped):
    config = build(load_config("tiny", **{dropped: 0.25})).config
    rates = {"dropout": config.hidden_dropout_prob, "attention_dropout": config.attention_probs_dropout_prob}
    assert rates == {"dropout": 0.0, "attention_dropout": 0.0} | {dropped: 0.25}


@pytest.mark.parametrize("same", [True, False])
def test_heads_of_the_same_weights_are_not_apart_and_each_half_is_taken_out_once(same, monkeypatch):
    monkeypatch.setattr(measure, "ATTENDED", 12)
    subject = duplicate(tiny())
    size = subject.hidden_size // subject.n_heads
    for layer in subject.layers:
        for part in (layer.attention.self.query, layer.attention.self.key):
            if same:
                part.weight.data[:] = part.weight.data[:size].repeat(subject.n_heads, 1)
                part.bias.data[:] = part.bias.data[:size].repeat(subject.n_heads)
            else:
                part.weight.data *= 20
    seen = []

    def loss(model):
        layers = model.base_model.encoder.layer
        seen.append([getattr(layer.attention.self, "num_attention_heads", 0) for layer in layers])
        return np.array([float(len(seen)), 0.0])

    told = measure.heads(subject, loss, Settings(device="cpu"))
    ways = len(list(combinations(range(subject.n_heads), subject.n_heads // 2)))
    assert seen == [[n] * subject.n_layers for n in [subject.n_heads // 2] * ways + [0]] and ways > 1
    assert (
        told["loss"] == [(ways + 1) / 2, 0.0] and told["headless"] == [ways + 1, 0.0] and len(told["divergence"]) == 12
    )
    assert (max(told["divergence"]) < 1e-4) == same
