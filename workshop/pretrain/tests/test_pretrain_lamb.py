"""LAMB on cases that can be worked out, and its groups."""

from __future__ import annotations

import pytest
import torch
from pretrain_corpus import configuration
from training_runs import WORLD

from bertology_pretrain.lamb import Lamb
from bertology_pretrain.step import Step, build


def parameter(values: list[float], gradient: list[float]) -> torch.nn.Parameter:
    p = torch.nn.Parameter(torch.tensor(values))
    p.grad = torch.tensor(gradient)
    return p


def test_a_step_is_the_rate_s_share_of_the_weight_s_norm():
    """Weight (3, 4), first update (1, -1): the ratio is 5 / sqrt(2), so the weight moves by 0.1 of its norm."""
    p = parameter([3.0, 4.0], [0.02, -7.0])
    Lamb([p], lr=0.1, eps=0.0).step()
    torch.testing.assert_close(p.detach(), torch.tensor([3.0, 4.0]) - 0.5 * torch.tensor([1.0, -1.0]) / 2**0.5)


def test_decay_is_part_of_what_is_scaled():
    p = parameter([3.0, 4.0], [1.0, 1.0])
    Lamb([p], lr=0.1, eps=0.0, weight_decay=1.0).step()
    update = torch.tensor([1.0 + 3.0, 1.0 + 4.0])
    torch.testing.assert_close(p.detach(), torch.tensor([3.0, 4.0]) - 0.1 * 5 * update / update.norm())


@pytest.mark.parametrize("start", [[0.0, 0.0], [3.0, 4.0]])
def test_without_the_ratio_it_is_adamw(start):
    """Where the ratio is 1: weights of norm 0 at their first step, groups that are not adapted always."""
    gradients = torch.randn(4, 2, generator=torch.Generator().manual_seed(0))
    one, two = (torch.nn.Parameter(torch.tensor(start)) for _ in range(2))
    options = {"lr": 0.01, "betas": (0.9, 0.98), "eps": 1e-6, "weight_decay": 0.0}
    group = {"params": [one], "adapt": False}
    ours, theirs = Lamb([group], **options), torch.optim.AdamW([two], **options)
    for gradient in gradients:
        one.grad, two.grad = gradient.clone(), gradient.clone()
        ours.step()
        theirs.step()
    torch.testing.assert_close(one, two)
    if not any(start):
        three = parameter(start, gradients[0].tolist())
        Lamb([three], lr=0.01, eps=0.0).step()
        torch.testing.assert_close(three.detach(), -0.01 * gradients[0].sign())


def test_matrices_are_adapted_and_vectors_are_not():
    model = build(configuration())
    (lamb,) = Step(model, configuration(optimiser="lamb", weight_decay=0.1), WORLD).optimisers
    assert [(g["adapt"], g["weight_decay"], {p.ndim for p in g["params"]}) for g in lamb.param_groups] == [
        (True, 0.1, {2}),
        (False, 0.0, {1}),
    ]
