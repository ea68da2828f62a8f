"""Intervals against analytic answers: means, shares, differences and ratios, and the rows they are written in."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, norm

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


def test_unequal_pairs_and_empty_samples_are_refused():
    with pytest.raises(ValueError, match="paired"):
        intervals.difference([1, 2], [1])
    with pytest.raises(ValueError):
        intervals.mean_interval([])
    with pytest.raises(ValueError, match="as many"):
        intervals.bootstrap([np.ones(3), np.ones(2)], lambda a, b: 0.0)


def test_means_give_tidy_rows_with_counts_and_notes():
    frame = pd.DataFrame({"kind": ["b", "a", "a"], "right": [True, True, False]})
    rows = intervals.means(frame, "right", by="kind", measure="accuracy", settings=Settings(), note="3 of 4 items")
    assert rows.columns.tolist() == ["kind", *intervals.COLUMNS]
    assert rows.set_index("kind").loc["a", ["value", "n"]].tolist() == [0.5, 2]
    assert intervals.combine(rows, rows).attrs["notes"] == ["3 of 4 items"]


@pytest.mark.parametrize("values", [[True] * 20, [0.0] * 20, [0.25] * 20, [3.0] * 20, [-1.0] * 20])
def test_no_interval_is_without_width(values):
    value, low, high = found = intervals.mean_interval(values)
    assert low <= value <= high and high - low > 0.02 and np.ptp(found.draws) > 0
    assert intervals.mean_interval(values, groups=np.arange(20) // 5)[1] <= low + 1e-12  # 4 units say less than 20


def test_a_signed_zero_lies_between_both_sides():
    assert intervals.mean_interval([0.0] * 50)[1] == 0  # a share: none of 50
    value, low, high = intervals.mean_interval([0.0] * 50, signed=True)
    assert value == 0 and low == pytest.approx(-high) and 0.03 < high < 0.08
    assert intervals.difference([1, 0, 1], [1, 0, 1])[1] < 0 < intervals.difference([1, 0, 1], [1, 0, 1])[2]


def test_one_unit_has_no_interval():
    value, low, high = found = intervals.mean_interval([0.3, 0.5], groups=["a", "a"])
    assert value == 0.4 and np.isnan(low) and np.isnan(high) and found.draws is None


def test_shares_agree_with_scipys_wilson():
    for right, n in ((0, 12), (9, 10), (49, 50), (300, 300)):
        expected = binomtest(right, n).proportion_ci(method="wilson")
        assert intervals.proportion(right, n)[1:] == pytest.approx((expected.low, expected.high), abs=1e-9)
        items = intervals.mean_interval(np.arange(n) < right)
        assert items[1:] == pytest.approx((expected.low, expected.high), abs=1e-9)


def test_independent_shares_have_newcombes_difference():
    """56 of 70 against 48 of 80: the worked example of newcombe1998, method 10 without continuity correction."""
    found = intervals.unpaired(intervals.proportion(56, 70), intervals.proportion(48, 80))
    assert found[1:] == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_vector_statistics_give_an_interval_each():
    x = np.random.default_rng(0).random((40, 3))
    whole = intervals.bootstrap(x, lambda a: a.mean(0), seed=5)
    for k in range(3):
        np.testing.assert_allclose(whole.at(k), intervals.mean_interval(x[:, k], seed=5), atol=1e-12)
        assert whole.at(k).draws.shape == (2000,)


def test_intervals_survive_pickling_and_scaling():
    found = intervals.mean_interval([1.0, 2, 4, 5], draws=50)
    again = pickle.loads(pickle.dumps(found))
    assert again == found and again.clusters == 4 and (again.draws == found.draws).all()
    assert found.scaled(0.5) == tuple(x / 2 for x in found)


def test_a_ratio_is_that_of_the_sums():
    top, bottom = np.array([1.0, 0, 3, 2]), np.array([2.0, 0, 3, 5])
    assert intervals.ratio(top, bottom)[0] == 0.6
    free = intervals.ratio(np.ones(50), np.full(50, 2.0))
    assert free[0] == 0.5 and free[1] < 0.5 < free[2]


def test_rows_keep_clusters_and_draws_through_filters():
    frame = pd.DataFrame({"kind": list("aabb") * 5, "verb": np.arange(20) // 2, "right": [True, False] * 10})
    rows = intervals.means(frame, "right", by="kind", settings=Settings(draws=30), groups="verb")
    other = intervals.table([intervals.row("UAS", (0.5, np.nan, np.nan), 3, layer=2)])
    both = intervals.combine(rows, other)
    kept = both[both["kind"] == "b"].iloc[0]
    assert kept["clusters"] == 5 and kept["draws"].shape == (30,)
    assert both["draws"].iloc[2] is None and both["clusters"].iloc[2] is None and both["layer"].iloc[2] == 2
    assert "draws" not in other and "draws" not in intervals.records(both)[0]
    assert [r.get("clusters") for r in intervals.records(both)] == [5, 5, None]


def test_a_statistic_that_noise_moves_one_way_keeps_its_value_inside():
    """Ranks of resampled means fall short of the highest rank: the limit is the value, not the draws' percentile."""
    value, low, high = intervals.interval(5.0, np.linspace(1.0, 4.0, 101), clusters=50)
    assert low < 1.5 and high == value == 5.0
