"""Multiplications counted against what torch counts, and budgets made equal."""

from __future__ import annotations

import pytest
import torch
from pretrain_corpus import configuration
from torch.utils.flop_counter import FlopCounterMode

from bertology_pretrain import masking, objectives, replaced
from bertology_pretrain.checks import CHOICES
from bertology_pretrain.family.measure import PROBED
from bertology_pretrain.order import SORTED
from bertology_pretrain.step import build
from bertology_utils.family import compute
from bertology_utils.family.config import Phase
from bertology_utils.family.grid import members
from bertology_utils.family.record import PROBES

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
    tokens = round(detecting.tokens * compute.total(masked) / compute.total(detecting))
    assert tokens < masked.tokens  # the generator costs more than the larger model's output saves
    again = configuration(**SHAPE, objective="rtd", pair="none", tokens=tokens)
    assert compute.total(again) == pytest.approx(compute.total(masked), rel=1e-4)


def test_shallow_phases_cost_less():
    halves = (Phase(length=32, share=0.5, layers=1), Phase(length=32, share=0.5))
    whole, stacked = configuration(**SHAPE), configuration(**SHAPE | {"phases": halves})
    one, two = (compute.per_piece(whole, n, 32) for n in (1, 2))
    assert compute.total(stacked) / compute.total(whole) == pytest.approx((one + two) / (2 * two))


def test_weights_are_counted_without_a_model_as_the_model_has_them():
    """By hand for one: 2 layers of width 4 with 8 units between, 10 pieces, 8 places; and for every shape of the family."""
    size = {"layers": 2, "hidden": 4, "heads": 2, "ffn": 8, "vocab": 10, "max_positions": 8, "eval_length": 8}
    small = configuration(**size, phases=(Phase(length=8, share=1.0),))
    embeddings = (10 + 8 + 2) * 4 + 2 * 4  # pieces, places, segments; a norm
    layer = 4 * (16 + 4) + 2 * 4 + (4 * 8 + 8) + (8 * 4 + 4) + 2 * 4  # attention, its norm, feed-forward, its norm
    heads = (16 + 4) + (16 + 4) + 2 * 4 + 10 + (4 * 2 + 2)  # pooler; dense, norm and bias of the masks' head; pairs
    assert compute.parameters(small) == embeddings + 2 * layer + heads
    shape = ("layers", "hidden", "heads", "ffn", "symbols", "max_positions", "shared", "embedding", "language_ids")
    every = {tuple(getattr(m.config, k) for k in shape): m.config for m in members() if m.config.objective == "mlm"}
    assert len(every) > 15
    for config in every.values():
        with torch.random.fork_rng(devices=[]), torch.device("meta"):
            assert compute.parameters(config) == sum(p.numel() for p in build(config).parameters()), config.name


def test_what_the_package_has_names_for_is_done_here():
    assert tuple(PROBED) == PROBES and set(SORTED) == set(CHOICES["order"])
