"""Measures of released results against answers known beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_utils.scores import counts


def test_proportion_covers_like_a_binomial():
    value, low, high = counts.proportion(80, 100)
    assert value == 0.8
    half = 1.96 * np.sqrt(0.8 * 0.2 / 100)
    assert abs(low - (0.8 - half)) < 0.02 and abs(high - (0.8 + half)) < 0.02
    value, low, high = counts.proportion(7, 7)
    assert value == high == 1 and low == pytest.approx(7 / (7 + 1.959964**2), abs=1e-6)  # Wilson's, never [1, 1]
    with pytest.raises(ValueError, match="8 right of 7"):
        counts.proportion(8, 7)


def test_difference_of_equal_accuracies_is_about_zero():
    value, low, high = counts.accuracy_difference(50, 50, 100)
    assert value == 0 and low < 0 < high and abs(low + high) < 0.02


def test_mcnemar_counts_only_the_items_that_differ():
    a = np.array([1] * 8 + [0] * 1 + [1] * 500)
    b = np.array([0] * 8 + [1] * 1 + [1] * 500)
    assert counts.mcnemar(a, b) == pytest.approx(2 * (1 + 9) / 2**9)
    assert counts.mcnemar(a, a) == 1.0


def test_column_means_has_the_standard_error():
    values = np.random.default_rng(1).normal(size=(400, 3)) + np.array([0.0, 5.0, 10.0])
    mean, draws = counts.column_means(values)
    assert np.allclose(mean, values.mean(0)) and draws.shape == (counts.DRAWS, 3)
    assert np.allclose(draws.std(0), values.std(0) / 20, rtol=0.1)


def test_f1_from_counts_and_draws():
    assert counts.f1(6, 2, 2) == pytest.approx(0.75)
    assert counts.f1(0, 0, 0) == 0
    draws = counts.f1_draws(600, 200, 200, 1000)
    assert abs(draws.mean() - 0.75) < 0.005 and 0.005 < draws.std() < 0.03


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


def test_overlap_looks_at_the_first_k():
    assert counts.overlap(["a", "b", "c"], ["b", "x", "a"], 2) == 0.5
    assert counts.overlap(["a", "b"], ["b", "a"], 2) == 1


def test_pareto_area_of_steps():
    assert counts.pareto_area([0.0, 5.0], [0.4, 0.8], most=10) == pytest.approx(0.6)
    assert counts.pareto_area([5.0, 0.0, 7.0], [0.8, 0.4, 0.1], most=10) == pytest.approx(
        0.6
    )  # a worse probe adds nothing
    assert counts.pareto_area([5.0], [0.8], most=10) == pytest.approx(0.4)  # and nothing below the simplest one


def test_trend():
    assert counts.trend([1, 2, 3]) == 1 and counts.trend([3, 2, 1]) == -1


def test_mean_ranks():
    assert counts.mean_ranks(np.array([[0.9, 0.1, 0.5], [0.9, 0.5, 0.1]])).tolist() == [1, 2.5, 2.5]
