"""The Pareto front is what nothing beats in both respects."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_utils.scores.frontier import front


def test_what_another_beats_in_both_is_not_on_it():
    assert front([1, 2, 3, 1.5], [3, 2, 1, 2.5]).all()
    assert front([1, 2], [1, 2]).tolist() == [False, True]


def test_equals_are_both_on_it_and_a_tie_in_one_is_beaten():
    assert front([2, 2], [1, 1]).all()
    assert front([2, 2], [1, 3]).tolist() == [False, True]


def test_what_is_no_number_is_neither_on_it_nor_beats():
    assert front([1, np.nan, 5], [1, 9, np.nan]).tolist() == [True, False, False]


def test_of_random_points_every_other_one_is_beaten_by_one_on_it():
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 60))
    on = front(x, y)
    for k in np.flatnonzero(~on):
        assert ((x[on] >= x[k]) & (y[on] >= y[k])).any()
    with pytest.raises(ValueError, match="two figures"):
        front([1, 2], [1])
