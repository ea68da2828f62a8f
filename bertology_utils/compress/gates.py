"""Gates on heads that are learnt and pushed shut: which heads does a task hold on to longest (voita2019b)?

Own code: torch's pruning has no learnt masks. A gate is a number between 0 and 1 drawn from a stretched and cut-off
sigmoid (the hard concrete distribution), so that it can be exactly 0 or 1 and still has a derivative; the penalty is the
expected number of open gates. The head's order of survival is that of the gates' locations at the end.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from ..data.items import Labelled
from ..finetune import Classifier, Recipe, text_rows, train
from ..finetune.mixing import FAST
from ..subject.encode import Batch
from ..subject.hooks import head_outputs, scaled

BETA, LOW, HIGH = 2 / 3, -0.1, 1.1  # temperature, and how far the sigmoid is stretched


class Gates(nn.Module):
    """Gates (L, A) beside a classifier's head, so that both learn together."""

    def __init__(self, head: nn.Module, n_layers: int, n_heads: int):
        super().__init__()
        self.head = head
        self.place = nn.Parameter(torch.full((n_layers, n_heads), 2.0 / FAST))

    @property
    def location(self) -> torch.Tensor:
        """Large where a gate is open, (L, A)."""
        return self.place * FAST

    def draw(self, layer: int) -> torch.Tensor:
        """The gates (A,) of a layer: drawn in training, at their medians else."""
        where = self.location[layer]
        if self.training:
            u = torch.rand_like(where).clamp(1e-6, 1 - 1e-6)
            where = (u.log() - (1 - u).log() + where) / BETA
        return (where.sigmoid() * (HIGH - LOW) + LOW).clamp(0, 1)

    def open(self) -> torch.Tensor:
        """Expected share of gates that are not shut."""
        return (self.location - BETA * float(np.log(-LOW / HIGH))).sigmoid().mean()


def survival(classifier: Classifier, items: Sequence[Labelled], recipe: Recipe, *, penalty: float = 0.5) -> np.ndarray:
    """Locations (L, A) of the gates after tuning on with a penalty on open ones: the higher, the longer a head survives.

    Parameters
    ----------
    classifier : Classifier
        Tuned already; it is copied.
    penalty : float
        Loss, in nats, of all gates being open against all being shut.
    """
    subject = classifier.subject
    gates = Gates(copy.deepcopy(classifier.head).requires_grad_(True), subject.n_layers, subject.n_heads)
    gold = torch.tensor([classifier.classes.index(i.label) for i in items], device=subject.device)

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        return F.cross_entropy(gates.head(hidden.float()), gold[batch.index]) + penalty * gates.open()

    with scaled([head_outputs(subject, k) for k in range(subject.n_layers)], gates.draw):
        # the copy that is trained takes the hooks along
        train(subject, text_rows(subject, items), gates, loss, replace(recipe, decay=0.0))
    return gates.location.detach().cpu().numpy()
