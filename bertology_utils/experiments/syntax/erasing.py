"""Erasing a property from vectors, in closed form: the least change after which no linear probe tells it (belrose2023).

Whitened vectors are projected off the directions that covary with the labels; as many directions drawn at random in the
same whitened space are the control. At most one direction per label is lost, where iterated projection would take half
of a small model's dimensions before a probe is at the majority.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
import torch

from ...subject.hooks import changed_states
from ...subject.models import Subject


@dataclass(frozen=True, eq=False)
class Eraser:
    """x -> x - (x - mean) P^T.

    Attributes
    ----------
    mean : float array (H,)
    projection : float array (H, H)
        P, of rank `rank`.
    """

    mean: np.ndarray
    projection: np.ndarray
    rank: int

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Vectors (..., H) without it."""
        return x - (x - self.mean) @ self.projection.T


class Whitened:
    """The whitening of training vectors (N, H); directions without variance are left alone."""

    def __init__(self, x: np.ndarray, least: float = 1e-4) -> None:
        x = np.asarray(x, np.float64)
        self.mean = x.mean(0)
        self.centred = x - self.mean
        values, vectors = np.linalg.eigh(self.centred.T @ self.centred / len(x))
        kept = values > least * values.max()
        root = np.sqrt(values[kept])
        self.white = (vectors[:, kept] / root).T  # (k, H)
        self.back = vectors[:, kept] * root  # (H, k)

    def without(self, labels: Sequence[str] | np.ndarray) -> Eraser:
        """The eraser of what a linear probe can tell of the labels."""
        kinds, codes = np.unique(np.asarray(labels), return_inverse=True)
        z = np.eye(len(kinds))[codes]
        z -= z.mean(0)
        together = self.white @ (self.centred.T @ z / len(z))  # (k, C)
        directions, strength, _ = np.linalg.svd(together, full_matrices=False)
        return self._off(directions[:, strength > 1e-8 * max(strength.max(initial=0.0), 1e-12)])

    def at_random(self, rank: int, seed: int) -> Eraser:
        """An eraser of `rank` directions drawn uniformly in the whitened space."""
        drawn = np.random.default_rng(seed).standard_normal((len(self.white), rank))
        return self._off(np.linalg.qr(drawn)[0])

    def _off(self, directions: np.ndarray) -> Eraser:
        return Eraser(self.mean, self.back @ directions @ directions.T @ self.white, directions.shape[1])


def erased(subject: Subject, layer: int, eraser: Eraser) -> AbstractContextManager[Subject]:
    """Within the context every vector leaving `layer` (0: the embeddings, l: block l) goes through the eraser.

    Raises
    ------
    IndexError
        If there is no such layer.
    """
    matrix, mean = (
        torch.as_tensor(a, dtype=subject.model.dtype, device=subject.device) for a in (eraser.projection.T, eraser.mean)
    )
    return changed_states(subject, layer, lambda hidden: hidden - (hidden - mean) @ matrix)
