"""Multiplications counted against what torch counts, and budgets made equal."""

from __future__ import annotations

import pytest
import torch
from bertology_pretrain import masking, objectives, replaced
from bertology_pretrain.step import build
from pretrain_corpus import configuration
from torch.utils.flop_counter import FlopCounterMode

from bertology_utils.family import compute
from bertology_utils.family.config import Phase

SHAPE = {
    "layers": 2,
    "hidden": 64,
    "heads": 4,
    "ffn": 256,
    "phases": (Phase(length=32, share=1.0),),
    "max_positions": 32,
}


@pytest.mark.parametrize("objective", ["mlm", "rtd"])
def test_multiplications_are_those_that_torch_counts(objective):
    """Of full rows; torch counts an addition with each multiplication, and the pooler and the pairs' head besides."""
    config = configuration(**SHAPE, objective=objective, pair="none")
    rng = torch.Generator().manual_seed(0)
    ids = torch.randint(5, config.vocab, (8, 32), generator=rng)
    types = torch.zeros_like(ids)
    batch = masking.mask(ids, types, types == 0, types[:, 0], config.mask_rate, config.vocab, rng)
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        (replaced if objective == "rtd" else objectives).losses(build(config), batch)
    beside = 8 * (64**2 + 2 * 64) if objective == "mlm" else 0
    expected = ids.numel() * compute.per_piece(config, 2, 32) + beside
    assert counter.get_total_flops() / 2 == pytest.approx(expected, rel=1e-6)


def test_equal_budgets_compute_the_same():
    masked, detecting = (configuration(**SHAPE, objective=o, pair="none") for o in ("mlm", "rtd"))
    tokens = compute.equal(detecting, masked)
    assert tokens < masked.tokens  # the generator costs more than the larger model's output saves
    again = configuration(**SHAPE, objective="rtd", pair="none", tokens=tokens)
    assert compute.total(again) == pytest.approx(compute.total(masked), rel=1e-4)
    assert compute.equal(masked, masked) == masked.tokens


def test_shallow_phases_cost_less():
    halves = (Phase(length=32, share=0.5, layers=1), Phase(length=32, share=0.5))
    whole, stacked = configuration(**SHAPE), configuration(**SHAPE | {"phases": halves})
    one, two = (compute.per_piece(whole, n, 32) for n in (1, 2))
    assert compute.total(stacked) / compute.total(whole) == pytest.approx((one + two) / (2 * two))
