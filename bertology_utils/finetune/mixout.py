"""Mixout: at each step a random part of the weights is as it was before tuning (lee2019).

Dropout mixes weights with zero; mixout mixes them with the pretrained ones, and scales the difference so that the mean
is the tuned weight. With probability 1 nothing is tuned.
"""

from __future__ import annotations

import torch
from torch import nn
from torch.nn.utils import parametrize

from ..subject.models import Subject
from .loop import Way


class Mixed(nn.Module):
    """The weight in use, (any shape): in training, each entry is the pretrained one with probability `p`.

    Examples
    --------
    >>> before, now = torch.zeros(3), torch.ones(3)
    >>> Mixed(before, 1.0)(now)
    tensor([0., 0., 0.])
    >>> Mixed(before, 0.5).eval()(now)
    tensor([1., 1., 1.])
    """

    def __init__(self, pretrained: torch.Tensor, p: float):
        super().__init__()
        if not 0 <= p <= 1:
            raise ValueError(f"a probability of {p}")
        self.register_buffer("pretrained", pretrained.detach().clone())
        self.p = p

    def forward(self, weight: torch.Tensor) -> torch.Tensor:
        before = self.get_buffer("pretrained")
        if not self.training or self.p == 0:
            return weight
        if self.p == 1:
            return before
        # not `bernoulli_`: it takes three times as long, and draws otherwise on another make of processor
        kept = (torch.rand_like(weight) >= self.p).to(weight.dtype).div_(1 - self.p)
        return before.lerp(weight, kept)


def mixout(p: float) -> Way:
    """The way of tuning in which every weight matrix of the layers goes through mixout, in place of dropout."""

    def matrices(subject: Subject) -> list[nn.Linear]:
        return [m for layer in subject.layers for m in layer.modules() if isinstance(m, nn.Linear)]

    def prepare(subject: Subject) -> list[nn.Parameter]:
        for module in subject.base.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0
        for linear in matrices(subject):
            parametrize.register_parametrization(linear, "weight", Mixed(linear.weight, p))
        learning = [q for part in (subject.base.embeddings, *subject.layers) for q in part.parameters()]
        for parameter in learning:
            parameter.requires_grad_(True)
        return learning

    def finish(subject: Subject) -> None:
        for linear in matrices(subject):  # in eval mode: the tuned weights
            parametrize.remove_parametrizations(linear, "weight")

    return Way(prepare, finish)
