"""Rank correlation."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Rank correlation; nan where one side does not vary."""
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.clip(np.corrcoef(rankdata(x), rankdata(y))[0, 1], -1, 1))
