"""Intervals and rank statistics against analytic answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, spearmanr

from bertology_utils.scores import intervals
from bertology_utils.settings import Settings


def test_interval_of_a_mean_matches_the_normal_approximation():
    x = np.random.default_rng(0).normal(3.0, 2.0, 4000)
    value, low, high = intervals.mean_interval(x, seed=1)
    half = norm.ppf(0.975) * x.std() / np.sqrt(len(x))
    assert value == pytest.approx(x.mean())
    assert low == pytest.approx(value - half, abs=half / 10) and high == pytest.approx(value + half, abs=half / 10)


def test_coverage_is_about_95_percent():
    """Of intervals from 400 samples of 60 coins, 95% (within four standard errors) hold the true 0.3."""
    rng = np.random.default_rng(2)
    inside = 0
    for k in range(400):
        _, low, high = intervals.mean_interval(rng.random(60) < 0.3, seed=k, draws=400)
        inside += low <= 0.3 <= high
    assert abs(inside / 400 - 0.95) < 4 * np.sqrt(0.95 * 0.05 / 400)


def test_general_bootstrap_agrees_with_the_fast_one():
    x = np.random.default_rng(1).random(50)
    np.testing.assert_allclose(intervals.bootstrap(x, np.mean, seed=5), intervals.mean_interval(x, seed=5), atol=1e-12)


def test_same_seed_same_interval_other_seed_other():
    x = np.random.default_rng(0).random(40)
    assert (
        intervals.mean_interval(x, seed=3) == intervals.mean_interval(x, seed=3) != intervals.mean_interval(x, seed=4)
    )


def test_groups_widen_the_interval_of_repeated_items():
    x = np.repeat(np.random.default_rng(0).random(20), 50)
    _, low, high = intervals.mean_interval(x)
    _, wide_low, wide_high = intervals.mean_interval(x, groups=np.repeat(np.arange(20), 50))
    assert (wide_high - wide_low) > 4 * (high - low)  # the effective sample is 20, not 1000: sqrt(50) = 7 times wider


def test_pairing_narrows_the_interval():
    rng = np.random.default_rng(0)
    base = rng.normal(0, 5, 300)
    a, b = base + 1 + rng.normal(0, 0.1, 300), base
    value, low, high = intervals.difference(a, b)
    _, loose_low, loose_high = intervals.difference(a, b, paired=False)
    assert low < value < high and high - low < (loose_high - loose_low) / 10
    assert value == pytest.approx((a - b).mean())


def test_unequal_pairs_and_empty_samples_are_refused():
    with pytest.raises(ValueError, match="paired"):
        intervals.difference([1, 2], [1])
    with pytest.raises(ValueError):
        intervals.mean_interval([])
    with pytest.raises(ValueError, match="as many"):
        intervals.bootstrap([np.ones(3), np.ones(2)], lambda a, b: 0.0)


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


def test_seeds_by_items_is_wider_than_items_alone():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, (5, 1)) + rng.normal(0, 0.1, (5, 200))  # seeds differ, items hardly
    value, low, high = intervals.seeds_by_items(scores)
    _, item_low, item_high = intervals.mean_interval(scores.mean(0))
    assert value == pytest.approx(scores.mean()) and high - low > 10 * (item_high - item_low)


def test_means_give_tidy_rows_with_counts_and_notes():
    frame = pd.DataFrame({"kind": ["b", "a", "a"], "right": [True, True, False]})
    rows = intervals.means(frame, "right", by="kind", measure="accuracy", settings=Settings(), note="3 of 4 items")
    assert rows.columns.tolist() == ["kind", *intervals.COLUMNS]
    assert rows.set_index("kind").loc["a", ["value", "n"]].tolist() == [0.5, 2]
    assert intervals.combine(rows, rows).attrs["notes"] == ["3 of 4 items"]
