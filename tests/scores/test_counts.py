"""Measures from counts and per layer against answers known beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_utils.scores import counts, intervals


def test_proportion_covers_like_a_binomial():
    value, low, high = intervals.proportion(80, 100)
    assert value == 0.8
    half = 1.96 * np.sqrt(0.8 * 0.2 / 100)
    assert abs(low - (0.8 - half)) < 0.02 and abs(high - (0.8 + half)) < 0.02
    value, low, high = intervals.proportion(7, 7)
    assert value == high == 1 and low == pytest.approx(7 / (7 + 1.959964**2), abs=1e-6)  # Wilson's, never [1, 1]
    with pytest.raises(ValueError, match="8 right of 7"):
        intervals.proportion(8, 7)


def test_f1_from_counts():
    assert counts.f1(6, 2, 2) == pytest.approx(0.75)
    assert counts.f1(0, 0, 0) == 0


def test_expected_layer_of_a_single_step_is_that_layer():
    scores = np.array([0.1, 0.1, 0.1, 0.9, 0.9])
    assert counts.expected_layer(scores) == pytest.approx(3)
    assert counts.expected_layer(np.linspace(0, 1, 5)) == pytest.approx(2.5)  # the mean of 1, 2, 3, 4
    assert counts.expected_layer(np.stack([scores, scores])).tolist() == pytest.approx([3, 3])


def test_centre_of_gravity_and_kl():
    assert counts.centre_of_gravity([0, 0, 1, 0]) == 2
    assert counts.kl_from_uniform([0.25] * 4) == pytest.approx(0)
    assert counts.kl_from_uniform([0, 0, 1, 0]) == pytest.approx(2)  # bits


def test_negative_steps():
    assert counts.negative_steps([1, 2, 1.5, 1.5, 3, 2]) == 2


def test_a_stretched_profile_is_the_same_profile():
    shallow = np.array([0.0, 1, 4, 2])
    deep = np.interp(np.linspace(0, 1, 13), np.linspace(0, 1, 4), shallow)
    assert counts.profile_correlation(shallow, deep) == pytest.approx(1)
    assert counts.profile_correlation(shallow, -deep) == pytest.approx(-1)


def test_mean_ranks():
    assert counts.mean_ranks(np.array([[0.9, 0.1, 0.5], [0.9, 0.5, 0.1]])).tolist() == [1, 2.5, 2.5]
