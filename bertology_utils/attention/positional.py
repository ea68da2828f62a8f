"""What position alone explains of a head's attention.

A head that looks one word back, or at what is near, seems to know of anything that tends to stand there. Its profile,
the mean attention from a word to the word so many places on, whatever the words, is what it would do without knowing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import torch

from ..settings import Settings
from ..subject.models import Subject
from .maps import maps


def profile(
    subject: Subject, sentences: Iterable[Sequence[str]], reach: int, settings: Settings | None = None
) -> np.ndarray:
    """Mean attention by offset, over all pairs of words; (2 * reach + 1, L * A), offset 0 in the middle row."""
    total = np.zeros((2 * reach + 1, subject.n_layers * subject.n_heads))
    count = np.zeros(2 * reach + 1)
    for batch in maps(subject, sentences, settings=settings):
        word = batch.words >= 0
        pairs = (word[:, :, None] & word[:, None]).to(batch.weights.dtype)  # (B, U, U)
        most = min(reach, batch.weights.shape[-1] - 1)
        for offset in range(-most, most + 1):
            real = torch.diagonal(pairs, offset, -2, -1)  # (B, U - |offset|)
            given = torch.diagonal(batch.weights, offset, -2, -1) * real[:, None, None]
            total[offset + reach] += given.sum((0, -1)).flatten().double().cpu().numpy()
            count[offset + reach] += float(real.sum())
    return total / np.maximum(count, 1)[:, None]


def at(table: np.ndarray, offsets: Sequence[int]) -> np.ndarray:
    """What a head gives, on average, to words at these offsets: (offsets, L * A) of a `profile`."""
    reach = len(table) // 2
    return table[[min(max(o, -reach), reach) + reach for o in offsets]]
