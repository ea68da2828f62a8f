"""Intervals and rank statistics against analytic answers."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, norm, pearsonr, spearmanr
from scipy.stats import t as student

from bertology_utils.scores import intervals, pairs, power
from bertology_utils.scores.intervals import Interval, Means, Resample
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


def test_resamples_are_those_that_counts_count():
    drawn = np.concatenate(list(intervals.resamples(7, 50, seed=3)))
    counted = np.array([np.bincount(d, minlength=7) for d in drawn])
    np.testing.assert_array_equal(counted, intervals.counts(7, 50, seed=3))


def test_crossed_weights_are_products():
    verb, template = [0, 0, 1, 1], ["a", "b", "a", "b"]
    sample = Resample(4, {"verb": verb, "template": template}, seed=1, draws=200)
    (weights,) = sample.weights()
    one, two = (Resample(4, g, seed=s, draws=200) for g, s in ((verb, 1), (template, 1 + 7919)))
    np.testing.assert_array_equal(weights, next(one.weights()) * next(two.weights()))
    assert sample.clusters == 2 and sample.crossed and (weights.sum(1) == 4).all()  # 2 x 2 levels, all crossed
    np.testing.assert_allclose(sample.sums(np.arange(4.0)[:, None])[:, 0], weights @ np.arange(4.0))


def test_crossing_is_wider_than_one_factor_and_no_wider_than_the_items_ask():
    rng = np.random.default_rng(0)
    verb, template = (x.ravel() for x in np.indices((20, 20)))
    both = rng.normal(size=20)[verb] + rng.normal(size=20)[template]
    crossed, single = (np.ptp(intervals.mean_interval(both, groups=g)[1:]) for g in ([verb, template], verb))
    assert crossed / single == pytest.approx(np.sqrt(2), rel=0.25)  # two variances of a kind, not one
    items = rng.normal(size=400)
    crossed, free = (np.ptp(intervals.mean_interval(items, groups=g)[1:]) for g in ([verb, template], None))
    assert crossed / free < 1.35  # the pigeonhole alone would be sqrt(3) times as wide
    general = np.ptp(intervals.bootstrap(items, np.mean, groups=[verb, template], draws=500)[1:])
    assert general / crossed == pytest.approx(1, abs=0.15)


def test_groups_as_list_of_labels_mapping_and_frame_agree():
    x, g = np.random.default_rng(0).random(30), [f"v{k // 3}" for k in range(30)]
    h = [k % 5 for k in range(30)]
    assert intervals.mean_interval(x, groups=g) == intervals.mean_interval(x, groups={"verb": g})
    crossed = [intervals.mean_interval(x, groups=c) for c in ([g, h], {"a": g, "b": h}, pd.DataFrame({"a": g, "b": h}))]
    assert crossed[0] == crossed[1] == crossed[2] and crossed[0].clusters == 5
    with pytest.raises(ValueError, match="as many group labels"):
        intervals.mean_interval(x, groups=g[:-1])
    with pytest.raises(ValueError, match="1 missing"):
        intervals.mean_interval(x, groups=[None, *g[1:]])


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
    assert np.ptp(intervals.proportion(90, 100, clusters=10)[1:]) > 2 * np.ptp(intervals.proportion(90, 100)[1:])


def test_independent_shares_have_newcombes_difference():
    """56 of 70 against 48 of 80: the worked example of newcombe1998, method 10 without continuity correction."""
    found = intervals.unpaired(intervals.proportion(56, 70), intervals.proportion(48, 80))
    assert found[1:] == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_draws_pair_over_the_same_items():
    rng = np.random.default_rng(0)
    a = rng.normal(0, 5, 100)
    one, two = (intervals.mean_interval(x, seed=4) for x in (a + 1, a))
    np.testing.assert_allclose(one.draws - two.draws, 1)
    sub = intervals.bootstrap(a, np.median, seed=4)
    assert np.corrcoef(sub.draws, two.draws)[0, 1] > 0.5 and sub.clusters == 100


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


def test_three_seeds_count_as_three():
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 1, (3, 1)) + np.zeros((3, 100)) + rng.normal(0, 1e-3, (3, 100))
    value, low, high = found = intervals.seeds_by_items(scores)
    half = student.ppf(0.975, 2) * scores.mean(1).std(ddof=1) / np.sqrt(3)
    assert high - value == pytest.approx(half, rel=0.02) and value - low == pytest.approx(half, rel=0.02)
    assert found.clusters == 3
    single = intervals.seeds_by_items(scores[:1])
    assert single == intervals.mean_interval(scores[0])


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


def test_subject_less_twin_row_by_row():
    rng = np.random.default_rng(0)
    options = {"draws": 200}
    base = rng.normal(size=80)

    def rows(shift, best):
        made = [
            intervals.row("accuracy", intervals.mean_interval(base + shift * k, **options), 80, layer=k) for k in (0, 1)
        ]
        gain = intervals.mean_interval(base + shift, **options)
        return intervals.table(
            [*made, intervals.row("gain", gain, 80, layer=best), intervals.row(f"only {shift}", gain, 1)]
        )

    found = pairs.over(rows(2, 5), rows(1, 3)).set_index("measure")
    assert found.index.tolist() == ["accuracy", "accuracy", "gain"] and found["layer"].tolist() == [0, 1, 5]
    assert found["value"].tolist() == pytest.approx([0, 1, 1]) and found["twin_value"].iloc[2] == pytest.approx(
        1 + base.mean()
    )
    # the same figures: nothing tells them apart, and the width stays that of independent ones
    assert not found["paired"].any() and (found["high"] > found["low"]).all()
    noisy = rows(2, 5).assign(draws=None)
    assert not pairs.over(noisy, rows(1, 3))["paired"].any()


def test_differences_of_rows_are_paired():
    rng = np.random.default_rng(0)
    base = rng.normal(0, 5, 80)
    ours, twins = (
        intervals.table([intervals.row("m", intervals.mean_interval(x, draws=300), 80, layer=1)])
        for x in (base + 1 + rng.normal(0, 0.1, 80), base)
    )
    found = pairs.over(ours, twins).iloc[0]
    assert found["paired"] and found["value"] == pytest.approx(1, abs=0.1) and found["high"] - found["low"] < 0.1
    loose = pairs.over(ours, twins.assign(n=79)).iloc[0]
    assert not loose["paired"] and loose["high"] - loose["low"] > 2


def test_smallest_detectable_effect_is_found_four_times_in_five():
    rng = np.random.default_rng(0)
    effect = np.mean([power.smallest_detectable(intervals.mean_interval(rng.normal(size=40))) for _ in range(20)])
    found = [intervals.mean_interval(rng.normal(effect, 1, 40), draws=300)[1] > 0 for _ in range(500)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.05)


def test_p_is_as_large_as_the_interval_says():
    assert power.p_value(Interval(0.6, 0.5, 0.8), 0.5) == pytest.approx(0.025)
    assert power.p_value(Interval(0.6, 0.5, 0.8), 0.8, "below") == pytest.approx(0.025)
    assert power.p_value(Interval(0.4, 0.3, 0.5), 0.5) == pytest.approx(0.975)
    assert np.isnan(power.p_value(Interval(1, np.nan, np.nan), 0))
    with pytest.raises(ValueError, match="above or below"):
        power.p_value(Interval(0, -1, 1), 0, "beside")


def test_a_statistic_that_noise_moves_one_way_keeps_its_value_inside():
    """Ranks of resampled means fall short of the highest rank: the limit is the value, not the draws' percentile."""
    value, low, high = intervals.interval(5.0, np.linspace(1.0, 4.0, 101), clusters=50)
    assert low < 1.5 and high == value == 5.0


def test_a_resample_without_an_item_has_no_mean_and_says_nothing():
    """Two groups crossed, of which few pairs occur: some draws meet none. (Warnings are errors here.)"""
    mean = Means({"noun": ["a", "b", "c"], "verb": ["x", "y", "z"]}, draws=400)
    drawn = mean.draws(np.array([1.0, 0.0, 1.0]))
    assert 0 < np.isnan(drawn).sum() < 400 and set(drawn[~np.isnan(drawn)] >= 0) == {True}
