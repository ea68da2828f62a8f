"""Stretches of the depth: where a curve over blocks has its peak, and by how much that stands out."""

from __future__ import annotations

import numpy as np


def stretches(n_blocks: int) -> dict[str, np.ndarray]:
    """Which blocks belong to the first third of the depth, to its middle (a quarter to 85 %) and to its last third.

    >>> {name: int(inside.sum()) for name, inside in stretches(12).items()}
    {'the first third': 4, 'the middle': 7, 'the last third': 4}
    """
    depth = np.arange(1, n_blocks + 1) / n_blocks
    middle = (depth > 0.25) & (depth < 0.85)
    return {"the first third": depth <= 1 / 3 + 1e-9, "the middle": middle, "the last third": depth > 2 / 3 + 1e-9}


def inside_lead(means: np.ndarray, inside: np.ndarray) -> float:
    """The highest of the blocks inside less the highest of the others."""
    return float(means[inside].max() - means[~inside].max())
