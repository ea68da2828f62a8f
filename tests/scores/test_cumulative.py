"""Cumulative scores with known steps."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_utils.scores import cumulative
from bertology_utils.scores.profiles import Profile
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=300)


def profile(chance, n=2000, seed=0):
    right = np.random.default_rng(seed).random((len(chance), n)) < np.asarray(chance)[:, None]
    return Profile.of(right, np.arange(n), SETTINGS)


def exact(values, spread=0.0):
    """A profile of given scores, with draws as wide as `spread`."""
    noise = np.random.default_rng(0).normal(0, spread, (300, len(values)))
    return Profile(np.array(values, float), np.array(values) + noise, 100)


def test_a_single_step_is_where_the_expected_layer_lies():
    value, drawn = cumulative.expected(profile([0.2, 0.2, 0.2, 0.9]))
    assert abs(value - 3) < 0.1 and np.nanpercentile(drawn, 2.5) < value < np.nanpercentile(drawn, 97.5)


def test_a_falling_curve_keeps_its_expected_layer_inside_the_stack():
    assert (
        cumulative.expected(exact([0.5, 0.9, 0.8, 0.7, 0.6]))[0] == 1
    )  # unclipped: (1 * .4 - .1 * (2 + 3 + 4)) / .1 < 0
    assert cumulative.expected_depth(exact([0.5, 0.7, 0.6, 0.9, 0.9]))[0] == pytest.approx(0.5)


def test_without_a_gain_there_is_no_expected_layer():
    for figure in (cumulative.expected, cumulative.kl_of_gains):
        value, drawn = figure(profile([0.5, 0.5, 0.5]))
        assert np.isnan(value) and np.isnan(drawn).all()


def test_gains_below_and_above_a_third():
    p = exact([0.1, 0.3, 0.6, 0.7])
    assert cumulative.gain(p)[0] == pytest.approx(0.6)
    assert cumulative.low_less_high(p)[0] == pytest.approx(0.2 - 0.4)
    assert cumulative.high_less_low(p)[0] == pytest.approx(0.2)
    assert cumulative.above_third(p)[0] == pytest.approx(0.4)


def test_equal_steps_are_spread_evenly_and_one_step_is_not():
    assert cumulative.spread(np.array([0.1, 0.2, 0.3, 0.4, 0.5])) == pytest.approx(0)
    assert cumulative.spread(np.array([0.1, 0.5, 0.5, 0.5, 0.5])) == pytest.approx(2)
    assert np.isnan(cumulative.spread(np.array([0.5, 0.4, 0.3])))


def test_draws_of_a_biased_figure_lie_around_it():
    value, drawn = cumulative.kl_of_gains(exact([0.1, 0.5, 0.5, 0.5, 0.5], spread=0.02))
    assert value == pytest.approx(2) and np.median(drawn) == pytest.approx(2)


def test_pairs_in_order():
    def at(x, spread=0.0):
        return x, x + np.random.default_rng(int(10 * x)).normal(0, spread, 300)

    share, n = cumulative.in_order([at(1), at(2), at(3), at(4), at(5)])
    assert share[0] == 1 and n == 10 and share[1] < 0.75 < share[2]  # ten pairs, not certainty
    share, _ = cumulative.in_order([at(5), at(4), at(3)])
    assert share[0] == 0 and share[2] > 0
    share, _ = cumulative.in_order([at(1, 2), at(1.1, 2), at(1.2, 2)])
    assert share[1] == 0 and share[2] == 1
    assert np.isnan(cumulative.in_order([at(1), (np.nan, np.full(300, np.nan)), at(2)])[0][0])


def test_means_leave_out_what_has_no_meaning():
    known, missing = (1.0, np.ones(3)), (np.nan, np.full(3, np.nan))
    assert cumulative.mean_of([known, missing])[0] == 1 and cumulative.mean_of([missing]) is None
