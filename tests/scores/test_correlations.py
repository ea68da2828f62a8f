"""Rank statistics and their intervals: those of scipy, and no certainty from a dozen points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from bertology_utils.scores import intervals
from bertology_utils.scores.intervals import Resample


def test_spearman_equals_scipy_with_ties():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 5, 30), rng.integers(0, 5, 30)
    assert intervals.spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)
    assert np.isnan(intervals.spearman([1, 1, 1], [1, 2, 3]))


def test_trend_of_a_rising_profile():
    rng = np.random.default_rng(0)
    rising = np.arange(8) + rng.normal(0, 0.5, (200, 8))
    assert intervals.trend(rising)[0] == pytest.approx(1.0)
    value, low, high = intervals.trend(rng.normal(0, 1, (200, 8)))
    assert low < 0 < high and low <= value <= high


@pytest.mark.parametrize("method", ["spearman", "pearson"])
def test_correlations_resample_as_the_index_way_does(method):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 6, 40).astype(float)
    y = x + rng.normal(0, 3, 40).round()
    groups = np.repeat(np.arange(20), 2)
    of = {"spearman": spearmanr, "pearson": pearsonr}[method]
    found = intervals.correlation(x, y, method, seed=2, draws=60, groups=groups)
    slow = [of(x[i], y[i]).statistic for w in Resample(40, groups, seed=2, draws=60).weights() for i in map(_index, w)]
    assert found[0] == pytest.approx(of(x, y).statistic) and found.clusters == 20
    # both are widened on Fisher's scale by the same factor
    z = (np.arctanh(found.draws) - np.arctanh(found[0])) / (np.arctanh(slow) - np.arctanh(found[0]))
    np.testing.assert_allclose(z, z[0], rtol=1e-6)


def _index(weights):
    return np.repeat(np.arange(len(weights)), weights)


def test_a_perfect_correlation_is_not_certain():
    x = np.arange(12.0)
    value, low, high = intervals.correlation(x, x)
    assert value == high == pytest.approx(1) and 0.6 < low < 0.95
    assert np.isnan(intervals.correlation(x, np.ones(12))[1])
