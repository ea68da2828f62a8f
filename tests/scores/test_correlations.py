"""Rank statistics: those of scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import spearmanr

from bertology_utils.scores import intervals


def test_spearman_equals_scipy_with_ties():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, 30), rng.integers(0, 5, 30)
    assert intervals.spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)
    assert np.isnan(intervals.spearman([1, 1, 1], [1, 2, 3]))
