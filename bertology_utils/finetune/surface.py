"""The loss about a tuned model: along random directions, each filter's scaled to the norm of its weights (li2018surface).

Without that scaling a network with large weights would look flat. Sharpness is the rise of the training loss at a radius,
as a share of one plus the loss (keskar2017), so that a loss of next to nothing does not make every rise immense.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from torch import nn

from ..data.items import Labelled
from ..settings import Settings
from .classes import Classifier

Weights = list[torch.Tensor]


def matrices(classifier: Classifier) -> list[nn.Parameter]:
    """The weight matrices that are moved: those of the embeddings, layers and head; biases and norms stay.

    The embeddings are moved too: a random start may fit through them alone, over layers that matter as little when moved.
    """
    parts = (classifier.subject.base.embeddings, *classifier.subject.layers, classifier.head)
    return [p for part in parts for p in part.parameters() if p.ndim == 2]


def direction(weights: Sequence[torch.Tensor], generator: torch.Generator) -> Weights:
    """A random direction, each row of it (the weights of one unit) as long as that row of the weights.

    Examples
    --------
    >>> weights = [torch.tensor([[3.0, 4.0], [0.0, 0.0]])]
    >>> found = direction(weights, torch.Generator().manual_seed(0))[0]
    >>> [round(float(x), 4) for x in found.norm(dim=1)]
    [5.0, 0.0]
    """
    out = []
    for w in weights:
        drawn = torch.randn(w.shape, generator=generator).to(w)
        out.append(drawn * w.norm(dim=1, keepdim=True) / drawn.norm(dim=1, keepdim=True))
    return out


@contextmanager
def moved(weights: Sequence[torch.Tensor], steps: Sequence[tuple[float, Weights]]) -> Iterator[None]:
    """Within the context the weights are off by these multiples of these directions; then exactly as they were."""
    before = [w.detach().clone() for w in weights]
    try:
        with torch.no_grad():
            for factor, along in steps:
                for w, d in zip(weights, along):
                    w.add_(d, alpha=factor)
        yield
    finally:
        with torch.no_grad():
            for w, b in zip(weights, before):
                w.copy_(b)


def rises(
    loss: Callable[[], np.ndarray], weights: Sequence[torch.Tensor], *, radius: float, directions: int, seed: int = 0
) -> np.ndarray:
    """By item, the rise of the loss at the radius, mean over directions both ways, as a share of 1 + the mean loss: (n,).

    Parameters
    ----------
    loss : callable
        Losses (n,) in nats, one per item, at the weights as they are.
    weights : sequence of tensors
        Moved in place, and put back.
    """
    generator = torch.Generator().manual_seed(seed)
    start = loss()
    found = []
    for _ in range(directions):
        along = direction(weights, generator)
        for sign in (1, -1):
            with moved(weights, [(sign * radius, along)]):
                found.append(loss() - start)
    return np.mean(found, 0) / (1 + start.mean())


def losses(classifier: Classifier, items: Sequence[Labelled], settings: Settings | None = None) -> np.ndarray:
    """Cross-entropy (nats) of each item's class, (n,)."""
    logits = torch.from_numpy(classifier.logits(items, settings)).double()
    gold = torch.tensor([classifier.classes.index(i.label) for i in items])
    return nn.functional.cross_entropy(logits, gold, reduction="none").numpy()


def surface(
    classifier: Classifier,
    start: Classifier | Sequence[torch.Tensor],
    items: Sequence[Labelled],
    along: Sequence[float],
    across: Sequence[float],
    *,
    seed: int = 0,
    settings: Settings | None = None,
) -> np.ndarray:
    """Losses (along, across, n) on a plane through the way that tuning went (hao2019).

    Parameters
    ----------
    start : Classifier or sequence of tensors
        The model before tuning with its first head, or its weights (`matrices`): 0 along the plane is there, 1 the tuned model.
    across : sequence of float
        Multiples of a random filter-normalised direction.
    """
    weights = matrices(classifier)
    before = start if not isinstance(start, Classifier) else matrices(start)
    way = [w.detach() - b.detach() for w, b in zip(weights, before, strict=True)]
    other = direction(weights, torch.Generator().manual_seed(seed))
    out = np.empty((len(along), len(across), len(items)))
    for i, a in enumerate(along):
        for k, b in enumerate(across):
            with moved(weights, [(a - 1, way), (b, other)]):
                out[i, k] = losses(classifier, items, settings)
    return out
