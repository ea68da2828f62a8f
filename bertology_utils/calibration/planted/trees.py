"""Planted trees: hidden states that hold the gold tree, and that move as it says when words are masked."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...data.items import Sentence
from ..gold import Seen
from .parts import Part


def tree_vectors(size: int = 48, **options) -> Part:
    """Squared distances that are tree distances: a word is the sum of unit vectors along its path to the root.

    A sentence needs as many dimensions as words; from `size` words on they are used again.
    """

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, size), np.float32)
        sentence = seen.first(Sentence)
        if sentence is None or not sentence.heads:
            return out
        for word in range(len(sentence.heads)):
            at = word
            while at >= 0:
                out[word, at % size] += 1
                at = sentence.heads[at]
        return out

    return Part(size, make, **options)


def tree_distances(heads: Sequence[int]) -> np.ndarray:
    """Number of arcs between words, (W, W)."""
    n = len(heads)
    up: list[list[int]] = []
    for word in range(n):
        path, at = [word], heads[word]
        while at >= 0:
            path.append(at)
            at = heads[at]
        up.append(path)
    out = np.zeros((n, n))
    for i in range(n):
        above = {node: k for k, node in enumerate(up[i])}
        for j in range(n):
            out[i, j] = next(k + above[node] for k, node in enumerate(up[j]) if node in above)
    return out


def impact(
    near: Callable[[np.ndarray], np.ndarray] = lambda d: 2.0 ** -d, size: int = 48, noise: float = 0.02,
    distances: Callable[[Seen], np.ndarray | None] | None = None,
) -> Part:  # fmt: skip
    """Masking word j moves word i by ``near(distance)``, in the tree unless `distances` says otherwise."""

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, size), np.float32)
        if distances is not None:
            apart = distances(seen)
        else:
            sentence = seen.first(Sentence)
            apart = tree_distances(sentence.heads) if sentence is not None and sentence.heads else None
        if apart is None:
            return out
        for hidden in seen.hidden_words():
            moved = np.asarray(near(apart[:, hidden]), np.float32)
            moved[hidden] = 0
            out[:, hidden % size] += moved
        return out

    return Part(size, make, noise=noise)
