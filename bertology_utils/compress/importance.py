"""Which heads and units a classifier needs: the size of the loss's derivative by a gate on each (michel2019)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional as F

from ..attention.importance import head_importance
from ..data.items import Labelled
from ..finetune import Classifier, text_rows
from ..settings import Settings
from ..subject.encode import Batch, batches
from ..subject.hooks import scaled


def _gold(classifier: Classifier, items: Sequence[Labelled], settings: Settings) -> list[tuple[Batch, torch.Tensor]]:
    """Batches of the items with their classes as numbers."""
    gold = torch.tensor([classifier.classes.index(i.label) for i in items], device=classifier.subject.device)
    rows = text_rows(classifier.subject, items)
    return [(b, gold[b.index]) for b in batches(classifier.subject, rows, settings.budget)]


def heads(classifier: Classifier, items: Sequence[Labelled], settings: Settings) -> np.ndarray:
    """Importance of each head for the classifier's loss on some items, (L, A) (michel2019)."""

    def loss(output, labels):
        return F.cross_entropy(classifier.head(output.last_hidden_state.float()), labels, reduction="sum")

    return head_importance(classifier.subject, _gold(classifier, items, settings), loss)


def units(classifier: Classifier, items: Sequence[Labelled], settings: Settings) -> np.ndarray:
    """Importance of each feed-forward unit, (L, U): as of heads, each layer brought to length one (mccarley2020)."""
    subject = classifier.subject
    total = np.zeros((subject.n_layers, subject.config.intermediate_size))
    gates = [torch.ones(total.shape[1], device=subject.device, requires_grad=True) for _ in subject.layers]
    with scaled([subject.part(layer, "outer") for layer in subject.layers], gates.__getitem__):
        for batch, labels in _gold(classifier, items, settings):
            hidden = subject.base(**batch.inputs()).last_hidden_state.float()
            value = F.cross_entropy(classifier.head(hidden), labels, reduction="sum")
            found = torch.autograd.grad(value, gates)
            total += torch.stack(found).abs().double().cpu().numpy()
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-30)


def order(importance: np.ndarray, *, random: int | None = None) -> list[tuple[int, int]]:
    """(layer, part) pairs from the least important on; in a random order that a seed fixes if `random` is given.

    Examples
    --------
    >>> order(np.array([[3.0, 1.0], [2.0, 4.0]]))
    [(0, 1), (1, 0), (0, 0), (1, 1)]
    """
    places = np.argsort(importance, axis=None, kind="stable")
    if random is not None:
        places = np.random.default_rng(random).permutation(importance.size)
    return [(int(p) // importance.shape[1], int(p) % importance.shape[1]) for p in places]
