"""The Pareto front: what nothing else beats in two respects at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def front(x: Sequence[float] | np.ndarray, y: Sequence[float] | np.ndarray) -> np.ndarray:
    """Which points have no other that is at least as high in both respects and higher in one, (n,) bool.

    A point with a coordinate that is no number is never on the front.

    Raises
    ------
    ValueError
        If there are not as many of one as of the other.

    Examples
    --------
    >>> front([1, 2, 4, 2], [1.0, 0.9, 0.5, 0.4]).tolist()
    [True, True, True, False]
    """
    a, b = np.asarray(x, float), np.asarray(y, float)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"needs two figures of each point, not {a.shape} and {b.shape}")
    known = ~(np.isnan(a) | np.isnan(b))
    beaten = (a[:, None] <= a) & (b[:, None] <= b) & ((a[:, None] < a) | (b[:, None] < b)) & known
    return known & ~beaten.any(1)
