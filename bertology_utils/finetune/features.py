"""Frozen features: the encoder is run once per text and does not learn; the head reads all its layers (peters2019b)."""

from __future__ import annotations

import torch

from ..subject.encode import Batch, batches
from ..subject.models import Subject
from .loop import Read, Way
from .mixing import all_states

FROZEN = Way(lambda subject: [])


def kept_features() -> Read:
    """A reader that gives each text's mean over its pieces, (B, 1, H, L + 1), and runs the encoder once per text."""
    kept: dict[tuple, torch.Tensor] = {}

    def read(subject: Subject, batch: Batch, embeddings: torch.Tensor | None = None) -> torch.Tensor:
        new = [row for row in batch.rows if (row.ids, row.types) not in kept]
        if new:
            training = subject.base.training
            subject.base.eval()
            with torch.no_grad():
                for part in batches(subject, new, 10**9):
                    mask = part.mask[..., None, None].float()
                    mean = (all_states(subject, part) * mask).sum(1) / mask.sum(1)  # (B, H, L + 1)
                    kept.update({(row.ids, row.types): found for row, found in zip(part.rows, mean)})
            subject.base.train(training)
        return torch.stack([kept[row.ids, row.types] for row in batch.rows])[:, None]

    return read
