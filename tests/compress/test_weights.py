"""Pruned weights are zero, as many as asked for, and stay zero in training."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.compress import movement, sizes, weights
from bertology_utils.data.items import Labelled
from bertology_utils.finetune import Recipe, classify, duplicate

RECIPE = Recipe(epochs=2, batch=4, rate=1e-3)


def items(n=16):
    words = ("the dog sleeps", "the cat runs", "a robin likes keys", "old men run")
    return [
        Labelled(id=str(k), split="train", text=f"{words[k % 4]} {'.' * (k % 3)}", label=str(k % 2)) for k in range(n)
    ]


@pytest.mark.parametrize("how", weights.METHODS)
def test_as_many_weights_go_as_asked_for(how):
    masks = weights.find_masks(tiny(), 0.4, how)
    assert weights.density(masks) == pytest.approx(0.6, abs=1e-3)


def test_magnitude_keeps_the_largest_and_its_opposite_the_smallest():
    layers = weights.matrices(tiny())
    size = {how: [] for how in weights.METHODS}
    for how in weights.METHODS:
        masks = weights.find_masks(tiny(), 0.5, how)
        size[how] = torch.cat([layers[n].weight[m].abs() for n, m in masks.items()])
    middle = torch.cat([m.weight.abs().flatten() for m in layers.values()]).median()
    assert size["magnitude"].min() >= middle - 1e-6 and size["smallest stay"].max() <= middle + 1e-6
    assert size["random"].mean() == pytest.approx(
        float(size["magnitude"].mean() + size["smallest stay"].mean()) / 2, rel=0.05
    )


def test_pruning_in_rounds_only_ever_takes_more():
    first = weights.find_masks(tiny(), 0.3, "random", seed=1)
    second = weights.find_masks(tiny(), 0.6, within=first)
    assert weights.density(second) == pytest.approx(0.4, abs=1e-3)
    assert not any((second[n] & ~first[n]).any() for n in first)
    with pytest.raises(ValueError, match="gone already"):
        weights.find_masks(tiny(), 0.2, within=second)
    with pytest.raises(ValueError, match="by 'taste'"):
        weights.find_masks(tiny(), 0.2, "taste")


def test_zeros_stay_zeros_in_training_and_the_rest_learns():
    masks = weights.find_masks(tiny(), 0.5)
    tuned = classify(weights.masked(tiny(), masks), items(), RECIPE)
    subject = weights.permanent(tuned.subject)
    before, after = weights.matrices(tiny()), weights.matrices(subject)
    for name, mask in masks.items():
        assert (after[name].weight[~mask] == 0).all()
        assert not torch.equal(after[name].weight[mask], before[name].weight[mask])
    assert weights.density({n: m.weight != 0 for n, m in after.items()}) == pytest.approx(0.5, abs=1e-3)
    duplicate(subject)  # a plain subject again: it can be copied
    assert all((m.weight != 0).all() for m in before.values())


def test_a_sparse_file_is_smaller_from_some_sparsity_on():
    dense = torch.ones(100, 100)
    sparse = torch.zeros(100, 100)
    sparse[:10] = 1
    assert sizes.sparse_bytes([sparse]) == 1000 * 4 + 1250
    assert sizes.sparse_bytes([dense]) > dense.numel() * 4


@pytest.mark.parametrize("how", ["movement", "magnitude"])
def test_pruning_while_tuning_ends_at_the_sparsity_in_every_matrix(how):
    found = movement.prune_while_tuning(tiny(), items(), 0.75, how, RECIPE)
    for module in weights.matrices(found.subject).values():
        assert float((module.weight == 0).float().mean()) == pytest.approx(0.75, abs=0.01)
    assert set(found.predict(items())) <= {"0", "1"}
    duplicate(found.subject)


def test_movement_keeps_weights_that_grow_and_drops_those_that_shrink():
    torch.manual_seed(0)
    weight = torch.full((1, 4), 0.5)
    moving = movement.Moving(weight, movement.Schedule(0.5, 10, 10))
    wanted = torch.tensor([[1.0, 1.0, 0.0, 0.0]])  # the loss would have two weights grow and two shrink
    optimiser = torch.optim.SGD(moving.parameters(), 0.1)
    for _ in range(3):
        moving.schedule.step = 0  # nothing is off yet
        ((moving(weight) - wanted) ** 2).sum().backward()
        optimiser.step()
        optimiser.zero_grad()
    moving.schedule.step = 10
    assert np.array_equal((moving(weight) != 0).int().numpy(), [[1, 1, 0, 0]])
