"""Measures of released results against answers known beforehand."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_rescore import counts


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


def test_f1_is_drawn_around_that_of_the_counts():
    draws = counts.f1_draws(600, 200, 200, 1000)
    assert abs(draws.mean() - 0.75) < 0.005 and 0.005 < draws.std() < 0.03
