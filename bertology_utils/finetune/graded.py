"""Scores of pairs of texts: regression under the usual head (STS-B, as devlin2019 tune it)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from ..data.items import ItemError, Labelled, ScoredPair
from ..settings import Settings
from ..subject.encode import Batch, batches
from ..subject.models import Subject
from .classes import ClassHead, text_rows
from .loop import Recipe, seeded, states, train


@dataclass(frozen=True, eq=False)
class Grader:
    """A tuned subject that scores pairs, in the training scores' unit; `mean` and `scale` are those of training."""

    subject: Subject
    head: nn.Module
    mean: float
    scale: float

    def score(self, items: Sequence[ScoredPair], settings: Settings | None = None) -> np.ndarray:
        """Predicted scores, (n,)."""
        out = np.empty(len(items))
        for batch in batches(self.subject, pair_rows(self.subject, items), (settings or Settings.of()).budget):
            with torch.inference_mode():
                out[batch.index] = self.head(states(self.subject, batch).float())[:, 0].cpu().numpy()
        return self.mean + self.scale * out


def pair_rows(subject: Subject, items: Sequence[ScoredPair]):
    """Model inputs of scored pairs; errors as of `text_rows`."""
    return text_rows(subject, [Labelled(id=i.id, text=i.a, text_b=i.b, label="") for i in items])


def grade(subject: Subject, items: Sequence[ScoredPair], recipe: Recipe) -> Grader:
    """Fine-tune a copy of the subject to score pairs of texts, by squared error of standardised scores.

    Raises
    ------
    ItemError
        If all scores are equal.
    """
    scores = np.array([i.score for i in items], float)
    if not len(scores) or np.ptp(scores) == 0:
        raise ItemError(f"nothing to learn from scores {sorted(set(scores.tolist()))}")
    mean, scale = float(scores.mean()), float(scores.std())
    gold = torch.tensor((scores - mean) / scale, dtype=torch.float32, device=subject.device)
    with seeded(recipe.seed, subject.device):
        head = ClassHead(subject, 1).to(subject.device)

    def loss(hidden: torch.Tensor, batch: Batch) -> torch.Tensor:
        return nn.functional.mse_loss(head(hidden.float())[:, 0], gold[batch.index])

    tuned, _ = train(subject, pair_rows(subject, items), head, loss, recipe)
    return Grader(tuned, head, mean, scale)
