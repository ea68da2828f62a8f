"""Erasing what a linear probe can tell, and asking whether the model misses it (elazar2020, ravfogel2020).

Iterative null-space projection: a linear probe is trained, the directions it uses are projected out, and again, until
nothing is left to be told. Erasing as many random directions is the control. `erased` does it inside the running
model, after one layer; the layers above and the masked-LM head then work with what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
import torch

from ..subject.encode import Row, batches, forward
from ..subject.hooks import changed_states
from ..subject.models import Subject
from .linear import fit


@dataclass(frozen=True, eq=False)
class Erasure:
    """What `inlp` found.

    Attributes
    ----------
    directions : float array (k, H)
        Orthonormal rows: what is projected out.
    accuracy : tuple of float
        Of the probe on the held-out vectors, before each step and after the last.
    majority : float
        Accuracy of the most frequent training label there.
    """

    directions: np.ndarray
    accuracy: tuple[float, ...]
    majority: float

    @property
    def projection(self) -> np.ndarray:
        """The symmetric projection (H, H) onto what is left."""
        return project_out(self.directions)


def project_out(directions: np.ndarray) -> np.ndarray:
    """I - Q^T Q for orthonormal rows Q (k, H)."""
    return np.eye(directions.shape[1], dtype=directions.dtype) - directions.T @ directions


def inlp(
    x: np.ndarray,
    labels: Sequence[str] | np.ndarray,
    held_out: np.ndarray,
    held_out_labels: Sequence[str] | np.ndarray,
    *,
    most: int | None = None,
    tolerance: float = 0.02,
    l2: float = 1e-2,
    device: torch.device | str = "cpu",
) -> Erasure:
    """Project out linear information on the labels until a probe is within `tolerance` of the majority.

    Parameters
    ----------
    x, held_out : float arrays (N, H), (M, H)
    most : int, optional
        Directions at most; half of H by default, since a projection that leaves next to nothing shows nothing.
    """
    labels, held_out_labels = np.asarray(labels), np.asarray(held_out_labels)
    kinds, counts = np.unique(labels, return_counts=True)
    majority = float((held_out_labels == kinds[counts.argmax()]).mean())
    x, held_out = np.asarray(x, np.float64), np.asarray(held_out, np.float64)
    size = x.shape[1]
    most = size // 2 if most is None else most
    basis = np.zeros((0, size))
    history = []
    while True:
        left = project_out(basis)
        probe = fit(x @ left, labels, l2=l2, device=device)
        history.append(float((probe.predict(held_out @ left) == held_out_labels).mean()))
        if history[-1] <= majority + tolerance or len(basis) >= most:
            return Erasure(basis, tuple(history), majority)
        new = probe.weight @ left
        new = new[np.linalg.norm(new, axis=1) > 1e-8] - new.mean(
            0
        )  # a direction common to all classes tells none apart
        _, strength, rows = np.linalg.svd(new, full_matrices=False)
        rows = rows[strength > 1e-4 * strength[0]][: most - len(basis)] @ left
        basis = np.linalg.qr(np.concatenate([basis, rows]).T)[0].T


def random_directions(size: int, k: int, seed: int = 0) -> np.ndarray:
    """k orthonormal rows (k, size), uniformly at random."""
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(size, k)))[0].T.astype(np.float32)


def erased(subject: Subject, layer: int, projection: np.ndarray) -> AbstractContextManager[Subject]:
    """Within the context every vector leaving `layer` (0: the embeddings, l: transformer layer l - 1) is projected.

    Raises
    ------
    IndexError
        If there is no such layer.
    """
    matrix = torch.as_tensor(projection, dtype=subject.model.dtype, device=subject.device)
    return changed_states(subject, layer, lambda hidden: hidden @ matrix)


def at_masks(subject: Subject, rows: Sequence[Row], budget: int) -> Iterator[tuple[int, torch.Tensor]]:
    """Natural-log probabilities (M, V) at the masks of each row, streamed with the row's place; on the device."""
    mask = subject.tokenizer.mask_token_id
    for batch in batches(subject, rows, budget):
        hidden = forward(subject, batch).last_hidden_state  # (B, T, H)
        with torch.inference_mode():
            for k, i in enumerate(batch.index):
                where = batch.ids[k] == mask
                yield i, subject.predict(hidden[k][where]).float().log_softmax(-1)
