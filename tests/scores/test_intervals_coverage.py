"""95 % intervals hold the truth about 95 times in a hundred, where it is known; and finds by luck are as rare as said.

Shares come in steps: no interval of theirs has 95 % everywhere, and those near the ends are the cautious ones. So the
limits below are 93 to 97 %, and up to 98.5 % where a share's steps or a handful of clusters ask for caution.
"""

from __future__ import annotations

import coverage_of_intervals as coverage
import numpy as np
import pytest
from scipy.stats import binom, binomtest

from bertology_utils.claims import checks
from bertology_utils.scores import intervals, pairs
from bertology_utils.scores.proportions import discordant, wilson

SCENARIOS = {s.name: s for s in coverage.scenarios()}
CASES = [
    ("mean, normal, n = 20", 2000, 0.97),
    ("mean, exponential, n = 60", 2000, 0.97),
    ("share 0.98, n = 100", 2000, 0.97),
    ("mean, 15 clusters, alike 0.3", 1500, 0.97),
    ("share 0.9, 15 clusters, alike 0.3", 1500, 0.97),
    ("share 0.98, 40 clusters, alike 0.3", 1000, 0.985),
    ("crossed 24 x 10, (1, 1, 1)", 600, 0.97),
    ("crossed 40 x 8, (1, 0, 1)", 600, 0.97),
    ("crossed 24 x 10, (0, 0, 1)", 600, 0.985),
    ("difference of items, 0.9 - 0.5, 40 clusters", 600, 0.97),
    ("difference of rows, 0.9 - 0.5, 15 clusters", 600, 0.97),
    ("difference of rows, 0.98 - 0.97, n = 300", 600, 0.97),
    ("3 seeds x 60 items, (1, 1, 1)", 600, 0.97),
    ("3 seeds x 60 items, (0, 1, 1)", 600, 0.97),
    ("5 seeds x 60 items, (0.1, 1, 1)", 600, 0.97),
    ("3 seeds x 100 items, 0.02 either way, alike 0.05", 600, 0.99),
    ("5 seeds x 100 items, 0.02 one way, alike 0.3", 600, 0.985),
    ("5 seeds x 1000 items, 0.4 one way, alike 0.01", 300, 0.97),
]
LONG = CASES[-1:]  # as long as eight others: for `make weekly`


@pytest.mark.parametrize(
    ("name", "repeats", "most"),
    [pytest.param(*c, id=c[0], marks=pytest.mark.weekly if c in LONG else ()) for c in CASES],
)
def test_intervals_hold_the_truth_as_often_as_they_say(name, repeats, most):
    found = coverage.cover(SCENARIOS[name], repeats=repeats, draws=500)
    slack = 1.5 * np.sqrt(0.95 * 0.05 / repeats)  # of the simulation itself
    assert 0.93 - slack <= found["covers"] <= most + slack, found


@pytest.mark.parametrize("p", [0.5, 0.9, 0.98])
def test_shares_are_covered_over_all_sizes(p):
    """Exactly, from the binomial distribution, for every n from 20 to 300."""
    held = []
    for n in range(20, 301):
        limits = np.array([wilson(k / n, n) for k in range(n + 1)])
        inside = (limits[:, 0] <= p) & (p <= limits[:, 1])
        held.append(binom.pmf(np.arange(n + 1), n, p)[inside].sum())
    assert 0.93 <= np.mean(held) <= 0.97 and np.min(held) > 0.89
    assert np.mean(np.array(held) < 0.92) < 0.05  # what the steps of a share do to single sizes


def test_three_seeds_that_differ_a_lot_are_covered_nine_times_in_ten():
    """Their rates are as skewed as three values allow; 15 in a hundred would be too many for the methods page."""
    assert (
        coverage.cover(SCENARIOS["3 seeds x 100 items, 0.1 one way, alike 0.3"], repeats=600, draws=60)["covers"] > 0.88
    )


def flipped(*flips: int) -> intervals.Interval:
    """Three seeds of 200 items each, of which so many came out otherwise in each seed."""
    scores = np.zeros((3, 200))
    for seed, k in enumerate(flips):
        scores[seed, 10 * seed : 10 * seed + k] = 1
    groups = [x.ravel() for x in np.indices(scores.shape)]
    return intervals.mean_interval(scores.ravel(), groups=groups, signed=True, draws=200)


def test_few_exceptions_in_one_of_three_seeds_do_not_leave_everything_open():
    """Four of two hundred items in one seed: its items are not all alike. Where all two hundred are, anything may be."""
    one, four, whole = flipped(1, 0, 0), flipped(4, 0, 0), flipped(200, 0, 0)
    assert one[2] < 0.05 and 0.03 < four[2] < 0.15 and whole[2] > 0.9
    assert flipped(1, 1, 1)[2] < 0.05


def test_three_runs_that_agree_on_many_items_leave_little_open():
    """Their interval follows the items; a floor under what runs may differ by kept it at a tenth, however many items."""
    rng = np.random.default_rng(0)
    wide = {}
    for n in (300, 3000):
        run = (rng.random(n) < 0.45).astype(float) - (rng.random(n) < 0.42)
        _, low, high = intervals.seeds_by_items(np.tile(run, (3, 1)), draws=100)
        wide[n] = high - low
        assert wide[n] < 2 * np.diff(intervals.mean_interval(run, draws=100)[1:])[0]
    assert wide[3000] < wide[300] / 2


def test_differences_between_runs_that_never_differ_are_open_on_both_sides():
    """No item told two ways of training apart: that is no share of items, which could only be larger."""
    same = np.zeros((3, 120))
    assert intervals.seeds_by_items(same, draws=100)[1] == 0
    _, low, high = intervals.seeds_by_items(same, draws=100, signed=True)
    assert low == pytest.approx(-high) and high > 0


def test_a_plain_percentile_would_fail_this_test():
    """The simulation can tell: the interval that the book used before covers too seldom near the end."""
    rng, held = np.random.default_rng(0), 0
    drawn = intervals.counts(100, 500, 0)
    for _ in range(1000):
        right = rng.random(100) < 0.98
        low, high = np.percentile(drawn @ right / 100, [2.5, 97.5])
        held += low <= 0.98 <= high
    assert held / 1000 < 0.90


def test_differences_of_shares_with_few_discordant_pairs_are_covered():
    rng, held = np.random.default_rng(1), 0
    for _ in range(2000):
        more, less = rng.multinomial(60, [0.08, 0.04, 0.88])[:2] / 60
        low, high = discordant(more, less, 60)
        held += low <= 0.04 <= high
    assert 0.93 <= held / 2000 <= 0.98


@pytest.mark.parametrize(
    "name", ["share 0.5, n = 100", "mean, 15 clusters, alike 0.3", "difference of rows, 0.9 - 0.5, n = 20"]
)
def test_a_bound_that_is_the_truth_is_passed_one_time_in_forty(name):
    found = coverage.cover(SCENARIOS[name], repeats=1000, draws=500)
    assert found["above"] <= 0.045 and found["below"] <= 0.045


def test_any_of_several_rows_is_found_by_luck_no_oftener_than_one():
    """13 rows at chance: one or the other passed .31 of the time before rows counted."""
    rng, lucky = np.random.default_rng(2), 0
    for _ in range(300):
        rows = [intervals.mean_interval(rng.normal(size=40), draws=200) for _ in range(13)]
        lucky += any(checks._widened(*r, checks._wider(13, None))[0] > 0 for r in rows)
    assert lucky / 300 <= 0.06


def test_neither_is_one_of_rows_of_four_clusters():
    """Stretched as a normal interval is, which is too little for Student's, twice as many pass."""
    rng, lucky = np.random.default_rng(4), {4: 0, None: 0}
    for _ in range(400):
        rows = [intervals.mean_interval(rng.normal(size=4), draws=200) for _ in range(13)]
        for clusters in lucky:
            lucky[clusters] += any(checks._widened(*r, checks._wider(13, clusters))[0] > 0 for r in rows)
    assert lucky[4] / 400 <= 0.07 < lucky[None] / 400


@pytest.mark.parametrize(("right", "n"), [(20, 20), (0, 34), (31, 34), (400, 1000)])
def test_a_share_is_stretched_as_wilson_has_it(right, n):
    """Halves times as long would end .05 short for 20 of 20; other intervals are stretched so."""
    stretched = checks._widened(right / n, *wilson(right / n, n), checks._wider(10, None))
    expected = binomtest(right, n).proportion_ci(confidence_level=1 - 0.05 / 10, method="wilson")
    assert stretched == pytest.approx((expected.low, expected.high), abs=1e-6)
    assert checks._widened(0.5, 0.4, 0.7, 2) == pytest.approx((0.3, 0.9))


def test_a_subject_like_its_twin_seldom_beats_it():
    rng, beats = np.random.default_rng(3), 0
    for _ in range(600):
        verb = np.repeat(np.arange(20), 6)
        ours, twins = (rng.random(120) < 0.5 + 0.1 * rng.normal(size=20)[verb] for _ in range(2))
        options = {"groups": verb, "draws": 300}
        found, _ = pairs.difference(*(intervals.mean_interval(x, **options) for x in (ours, twins)))
        beats += found[1] > 0
    assert beats / 600 <= 0.04
