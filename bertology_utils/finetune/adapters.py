"""Adapters: small networks between the layers learn, the layers stay as they were (houlsby2019).

Behind each of a layer's two output projections comes a bottleneck, down, GELU, up, beside a connection that skips it.
At the start the way up is zero, so the model is the pretrained one.
"""

from __future__ import annotations

import torch
from torch import nn

from ..subject.models import Subject
from .loop import Way


class Adapter(nn.Module):
    """``x + up(gelu(down(x)))`` of vectors (..., H) through a bottleneck of `size`.

    Examples
    --------
    >>> x = torch.randn(2, 3, 8)
    >>> torch.equal(Adapter(8, 2)(x), x)  # at the start
    True
    """

    def __init__(self, hidden_size: int, size: int):
        super().__init__()
        self.down, self.up = nn.Linear(hidden_size, size), nn.Linear(size, hidden_size)
        nn.init.normal_(self.down.weight, std=0.02)
        for zero in (self.down.bias, self.up.weight, self.up.bias):
            nn.init.zeros_(zero)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.up(nn.functional.gelu(self.down(x)))


def adapters(size: int, seed: int = 0) -> Way:
    """The way of tuning in which adapters of a bottleneck's size learn, and the layers' norms, beside the head."""

    def prepare(subject: Subject) -> list[nn.Parameter]:
        learning: list[nn.Parameter] = []
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            for block in subject.layers:
                for name in ("output", "outer"):
                    projection, norm = subject.part(block, name), subject.part(block, f"{name}_norm")
                    added = Adapter(subject.hidden_size, size).to(subject.device)
                    subject.exchange(block, name, nn.Sequential(projection, added))
                    learning += [*added.parameters(), *norm.parameters()]
        for parameter in learning:
            parameter.requires_grad_(True)
        return learning

    return Way(prepare)


def share_trained(subject: Subject, size: int) -> float:
    """Adapters' and norms' parameters as a share of the encoder's, without the head.

    Raises
    ------
    ValueError
        If the bottleneck has no unit.
    """
    if size < 1:
        raise ValueError(f"a bottleneck of {size} units")
    width = subject.hidden_size
    added = 2 * subject.n_layers * (2 * width * size + size + width + 2 * width)
    return added / sum(p.numel() for p in subject.base.parameters())
