"""Training under perturbed embeddings, and accuracy under them (zhu2019).

A perturbation of a text's piece embeddings climbs the loss for a few steps inside a ball; the gradients of all its steps
are averaged (FreeLB). The ball's radius is a share of the norm of the text's embeddings, so that it means the same
in models of any width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..data.items import Labelled
from ..settings import Settings
from ..subject.encode import Batch, batches
from ..subject.models import Subject
from .classes import Classifier, text_rows
from .loop import Loss, Read, states


@dataclass(frozen=True)
class Ball:
    """How far a text is moved: `radius` as a share of its embeddings' norm, in so many `steps` of the same length."""

    radius: float = 0.2
    steps: int = 2

    def project(self, moved: torch.Tensor, around: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Perturbations (B, T, E) put back into the balls about embeddings (B, T, E); padding (B, T) is not moved.

        Examples
        --------
        >>> around, mask = torch.ones(1, 4, 4), torch.ones(1, 4)
        >>> round(float(Ball(0.5).project(100 * around, around, mask).norm()), 4)  # half of 4
        2.0
        """
        moved = moved * mask[..., None]
        most = self.radius * _norm(around * mask[..., None])
        return moved * (most / _norm(moved).clamp(min=1e-12)).clamp(max=1)

    def climb(self, moved: torch.Tensor, gradient: torch.Tensor, around: torch.Tensor, mask: torch.Tensor):
        """One step up the loss's gradient (B, T, E), then back into the ball."""
        length = 1.5 * self.radius / self.steps * _norm(around * mask[..., None])
        gradient = gradient * mask[..., None]
        return self.project(moved + length * gradient / _norm(gradient).clamp(min=1e-12), around, mask)


def _norm(x: torch.Tensor) -> torch.Tensor:
    """Norms of whole texts, (B, 1, 1)."""
    return x.flatten(1).norm(dim=1)[:, None, None]


def freelb(ball: Ball):
    """The step of training that averages gradients over `ball.steps` growing perturbations."""

    def step(subject: Subject, batch: Batch, loss: Loss, read: Read) -> torch.Tensor:
        mask = batch.mask.float()
        table = subject.base.get_input_embeddings()
        with torch.no_grad():
            around = table(batch.ids)
            moved = ball.project(torch.randn_like(around), around, mask) * torch.rand(1, device=around.device)
        total = torch.zeros((), device=around.device)
        for _ in range(ball.steps):
            moved = moved.detach().requires_grad_(True)
            value = loss(read(subject, batch, table(batch.ids) + moved), batch) / ball.steps
            value.backward()
            assert moved.grad is not None
            moved = ball.climb(moved.detach(), moved.grad, around, mask)
            total += value.detach()
        return total

    return step


def right_under(
    classifier: Classifier, items: Sequence[Labelled], ball: Ball, settings: Settings | None = None
) -> np.ndarray:
    """Whether each item is classified rightly after its own worst perturbation found in the ball, (n,) bool.

    The search starts where the text is and follows the gradient of the model that is asked, so each model meets an
    attack of its own.
    """
    subject, budget = classifier.subject, (settings or Settings.of()).budget
    table = subject.base.get_input_embeddings()
    gold = torch.tensor([classifier.classes.index(i.label) for i in items], device=subject.device)
    right = np.empty(len(items), bool)
    for batch in batches(subject, text_rows(subject, items), budget):
        mask, wanted = batch.mask.float(), gold[batch.index]
        around = table(batch.ids).detach()
        moved = torch.zeros_like(around)
        for _ in range(ball.steps):
            moved.requires_grad_(True)
            logits = classifier.head(states(subject, batch, around + moved).float())
            loss = torch.nn.functional.cross_entropy(logits, wanted, reduction="sum")
            (gradient,) = torch.autograd.grad(loss, moved)
            moved = ball.climb(moved.detach(), gradient, around, mask)
        with torch.no_grad():
            logits = classifier.head(states(subject, batch, around + moved).float())
        right[batch.index] = (logits.argmax(1) == wanted).cpu().numpy()
    return right
