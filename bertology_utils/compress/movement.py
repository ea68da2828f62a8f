"""Pruning while tuning: the weights that go are chosen by size, or by where training moves them (sanh2020).

Own code: torch's pruning has masks, but none that is learnt. A score per weight gathers the gradient of the mask, weight
times gradient, straight through the choice of the highest scores; where the loss would shrink a weight its score falls.
The share that goes grows with the third power of the steps, for both ways alike, so that they differ in the choice alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrize

from ..data.items import Labelled
from ..finetune import ClassHead, Classifier, Recipe, duplicate, seeded, text_rows, train
from ..subject.encode import Batch
from ..subject.models import Subject
from .weights import matrices


@dataclass(eq=False)
class Schedule:
    """How much is pruned at a step: 0 in the first tenth, then by the third power up to `final` at seven tenths."""

    final: float
    steps: int
    step: int = 0

    def now(self) -> float:
        """Share of the weights that is off.

        Examples
        --------
        >>> [round(Schedule(0.9, 100, step).now(), 2) for step in (0, 10, 40, 70, 100)]
        [0.0, 0.0, 0.79, 0.9, 0.9]
        """
        done = min(max((self.step / max(self.steps, 1) - 0.1) / 0.6, 0.0), 1.0)
        return self.final * (1 - (1 - done) ** 3)

    def __deepcopy__(self, memo) -> Schedule:  # all copies of a model are pruned by one schedule
        return self


class _Highest(torch.autograd.Function):
    """A mask of the highest scores, (n,) alike; the gradient goes straight through to the scores."""

    @staticmethod
    def forward(ctx, scores: torch.Tensor, share_off: float) -> torch.Tensor:
        off = round(share_off * scores.numel())
        mask = torch.ones_like(scores)
        if off:
            mask.view(-1)[scores.view(-1).topk(off, largest=False, sorted=False).indices] = 0
        return mask

    @staticmethod
    def backward(ctx, *gradients: torch.Tensor) -> tuple[torch.Tensor, None]:
        return gradients[0], None


class Moving(nn.Module):
    """A parametrization: the weights with the highest learnt scores stay."""

    def __init__(self, weight: torch.Tensor, schedule: Schedule):
        super().__init__()
        self.scores, self.schedule = nn.Parameter(torch.zeros_like(weight)), schedule

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * _Highest.apply(self.scores, self.schedule.now())


class Sized(nn.Module):
    """A parametrization: the largest weights stay, chosen afresh at every step."""

    def __init__(self, weight: torch.Tensor, schedule: Schedule):
        super().__init__()
        self.schedule = schedule

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        return weight * _Highest.apply(weight.detach().abs(), self.schedule.now())


WAYS: dict[str, type[Moving] | type[Sized]] = {"movement": Moving, "magnitude": Sized}


def prune_while_tuning(
    subject: Subject, items: Sequence[Labelled], sparsity: float, how: str, recipe: Recipe
) -> Classifier:
    """Tune a copy to tell classes apart while the share of zeros in each of the encoder's matrices grows to `sparsity`.

    Raises
    ------
    KeyError
        If `how` is neither ``movement`` nor ``magnitude``.
    """
    kind, classes = WAYS[how], tuple(sorted({i.label for i in items}))
    steps = recipe.epochs * -(-len(items) // recipe.batch)
    schedule = Schedule(sparsity, steps)
    copied = duplicate(subject)
    for linear in matrices(copied).values():
        parametrize.register_parametrization(linear, "weight", kind(linear.weight.detach(), schedule))
    gold = torch.tensor([classes.index(i.label) for i in items], device=subject.device)
    with seeded(recipe.seed, subject.device):
        head = ClassHead(subject, len(classes)).to(subject.device)

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        schedule.step += 1
        return F.cross_entropy(head(hidden.float()), gold[batch.index])

    tuned, losses = train(copied, text_rows(subject, items), head, loss, recipe)
    for linear in matrices(tuned).values():
        parametrize.remove_parametrizations(linear, "weight", leave_parametrized=True)
    return Classifier(tuned, head, classes, losses)
