"""Deviations over runs and crossed components: analytic values, intervals that cover, savings that only a telling start makes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bertology_utils.scores.variance import best_of, components, deviation, steps_saved


def runs(rng, rows, columns, rest, n=5):
    return rng.normal(0, rows, (n, 1)) + rng.normal(0, columns, (1, n)) + rng.normal(0, rest, (n, n))


def test_components_of_a_made_table():
    """Rows 0, 4 and columns -1, 1 without anything else: deviations sqrt(8) and sqrt(2)."""
    by_row, by_column, rest = components(np.array([[-1.0, 1.0], [3.0, 5.0]]))
    assert by_row[0] == pytest.approx(8**0.5) and by_column[0] == pytest.approx(2**0.5) and rest == 0
    by_row, by_column, rest = components(np.array([[1.0, -1.0], [-1.0, 1.0]]))  # interaction alone
    assert by_row[:2] == (0, 0) and by_column[:2] == (0, 0) and rest == pytest.approx(2.0)


def test_intervals_cover_what_is_there_and_rarely_find_what_is_not():
    rng = np.random.default_rng(0)
    covered, found = [], []
    for _ in range(600):
        by_row, by_column, _ = components(runs(rng, 0.02, 0.0, 0.02))
        covered.append(by_row[1] <= 0.02 <= by_row[2])
        found.append(by_column[1] > 0)
    assert np.mean(covered) > 0.93 and np.mean(found) < 0.05


def test_deviation_covers():
    rng = np.random.default_rng(1)
    covered = [d[1] <= 0.3 <= d[2] for d in (deviation(rng.normal(0, 0.3, 5)) for _ in range(800))]
    assert 0.93 < np.mean(covered) < 0.97
    assert deviation([0.5, 0.5, 0.5]) == (0, 0, 0)


def test_too_few_levels_are_refused():
    with pytest.raises(ValueError, match="two levels"):
        components(np.zeros((1, 4)))
    with pytest.raises(ValueError, match="shape"):
        deviation([1.0])


def test_best_of_is_the_mean_over_all_choices():
    scores = np.array([0.1, 0.7, 0.4, 0.4, 0.9])
    for m in range(1, 6):
        wanted = np.mean([max(chosen) for chosen in combinations(scores, m)])
        assert best_of(scores, m) == pytest.approx(wanted)


def test_stopping_pays_only_where_the_start_tells():
    rng = np.random.default_rng(2)
    telling, silent = [], []
    for _ in range(60):
        final = rng.normal(0.7, 0.05, 16)
        telling.append(steps_saved(final + rng.normal(0, 0.01, 16), final, part=0.2, keep=5))
        silent.append(steps_saved(rng.normal(0, 1, 16), final, part=0.2, keep=5))
    assert np.median(telling) > 0.3 > 0 > np.median(silent)
    assert steps_saved(np.zeros(4), np.zeros(4), part=0.25, keep=2) < 0  # runs that are all the same: one is enough
