"""What is resampled: units, crossed factors, pairs; and draws that other figures can be paired with."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from bertology_utils.errors import TooFew
from bertology_utils.scores import intervals
from bertology_utils.scores.intervals import Means, Resample


def test_groups_widen_the_interval_of_repeated_items():
    x = np.repeat(np.random.default_rng(0).random(20), 50)
    _, low, high = intervals.mean_interval(x)
    _, wide_low, wide_high = intervals.mean_interval(x, groups=np.repeat(np.arange(20), 50))
    assert (wide_high - wide_low) > 4 * (high - low)  # the effective sample is 20, not 1000: sqrt(50) = 7 times wider


@pytest.mark.parametrize("crossed", [False, True])
def test_a_ratio_whose_bottom_is_nearly_all_of_one_unit_has_no_interval(crossed):
    rng = np.random.default_rng(0)
    top = rng.uniform(1, 2, 20)
    names = np.arange(20)
    groups = {"first": names // 2, "second": names % 10} if crossed else names
    for share, known in ((0.5, True), (0.95, False)):
        bottom = np.r_[share, np.full(19, (1 - share) / 19)]
        value, low, high = intervals.ratio(top, bottom, groups=groups)
        assert value == pytest.approx(top.sum())
        assert bool(low < value < high) is known and np.isnan([low, high]).all() != known


def test_pairing_narrows_the_interval():
    rng = np.random.default_rng(0)
    base = rng.normal(0, 5, 300)
    a, b = base + 1 + rng.normal(0, 0.1, 300), base
    value, low, high = intervals.difference(a, b)
    _, loose_low, loose_high = intervals.difference(a, b, paired=False)
    assert low < value < high and high - low < (loose_high - loose_low) / 10
    assert value == pytest.approx((a - b).mean())


def test_seeds_by_items_is_wider_than_items_alone():
    rng = np.random.default_rng(0)
    scores = rng.normal(0, 1, (5, 1)) + rng.normal(0, 0.1, (5, 200))  # seeds differ, items hardly
    value, low, high = intervals.seeds_by_items(scores)
    _, item_low, item_high = intervals.mean_interval(scores.mean(0))
    assert value == pytest.approx(scores.mean()) and high - low > 10 * (item_high - item_low)


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


def test_draws_pair_over_the_same_items():
    rng = np.random.default_rng(0)
    a = rng.normal(0, 5, 100)
    one, two = (intervals.mean_interval(x, seed=4) for x in (a + 1, a))
    np.testing.assert_allclose(one.draws - two.draws, 1)
    sub = intervals.bootstrap(a, np.median, seed=4)
    assert np.corrcoef(sub.draws, two.draws)[0, 1] > 0.5 and sub.clusters == 100


def test_three_seeds_count_as_three():
    rng = np.random.default_rng(1)
    scores = rng.normal(0, 1, (3, 1)) + np.zeros((3, 100)) + rng.normal(0, 1e-3, (3, 100))
    value, low, high = found = intervals.seeds_by_items(scores)
    half = student.ppf(0.975, 2) * scores.mean(1).std(ddof=1) / np.sqrt(3)
    assert high - value == pytest.approx(half, rel=0.02) and value - low == pytest.approx(half, rel=0.02)
    assert found.clusters == 3
    single = intervals.seeds_by_items(scores[:1])
    assert single == intervals.mean_interval(scores[0])


def test_a_resample_without_an_item_has_no_mean_and_says_nothing():
    """Two groups crossed, of which few pairs occur: some draws meet none. (Warnings are errors here.)"""
    mean = Means({"noun": ["a", "b", "c"], "verb": ["x", "y", "z"]}, draws=400)
    drawn = mean.draws(np.array([1.0, 0.0, 1.0]))
    assert 0 < np.isnan(drawn).sum() < 400 and set(drawn[~np.isnan(drawn)] >= 0) == {True}


def test_of_no_item_nothing_is_drawn_and_that_is_said():
    with pytest.raises(TooFew, match="no item is left"):
        Resample(0)


def test_seeds_cross_with_the_groups_of_items():
    seeds, group = intervals.crossed(2, 3, ["a", "b", "a"])
    assert seeds.tolist() == [0, 0, 0, 1, 1, 1] and group.tolist() == [0, 1, 0, 0, 1, 0]
    assert [c.tolist() for c in intervals.crossed(1, 3, ["a", "b", "a"])] == [
        [0, 1, 0]
    ]  # one seed says nothing of seeds
