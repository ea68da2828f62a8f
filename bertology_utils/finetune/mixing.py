"""All layers in place of the last: a learnt weighted mean of their states under the usual head (su2019, kondratyuk2019)."""

from __future__ import annotations

import torch
from torch import nn

from ..subject.encode import Batch
from ..subject.models import Subject
from .classes import ClassHead

FAST = 150.0  # what gates or the weights of layers are made of moves so many times as far in a step as a weight


def all_states(subject: Subject, batch: Batch, embeddings: torch.Tensor | None = None) -> torch.Tensor:
    """States of all layers, the embeddings first, with gradients: (B, T, H, L + 1)."""
    found = subject.base(**batch.inputs(embeddings), output_hidden_states=True)
    return torch.stack(found.hidden_states, -1)


class Mixture(nn.Module):
    """The weighted mean (B, T, H) of states (B, T, H, K); the weights add up to one and start equal.

    Their logarithms learn `fast` times as fast as other weights. While it learns, each layer is left out with probability
    `drop` (kondratyuk2019), so that none is leant on alone.

    Examples
    --------
    >>> Mixture(2).eval()(torch.tensor([[[[1.0, 3.0]]]]))
    tensor([[[2.]]], grad_fn=<SqueezeBackward1>)
    """

    def __init__(self, n: int, drop: float = 0.1, fast: float = 1.0):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(n))
        self.drop, self.fast = drop, fast

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.scores
        if self.training and self.drop:
            out = torch.rand_like(scores) < self.drop
            scores = scores.masked_fill(out & ~out.all(), -1e4)
        return (states @ (scores * self.fast).softmax(0)[:, None]).squeeze(-1)


class MixedHead(ClassHead):
    """The usual head over the mixture of all layers, for `read=all_states`."""

    def __init__(self, subject: Subject, n_classes: int, fast: float = 1.0):
        super().__init__(subject, n_classes)
        self.mixture = Mixture(subject.n_layers + 1, fast=fast)

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits (B, C) from states (B, T, H, L + 1)."""
        return super().forward(self.mixture(hidden[:, :1]))
