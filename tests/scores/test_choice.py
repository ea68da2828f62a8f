"""Choices that a last bit cannot turn."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_utils.scores.choice import TIE, choose, choose_each


def test_the_first_of_equals_is_chosen_whatever_rounding_does_to_them():
    scores = np.array([0.2, 0.7, 0.7, 0.69, 0.7])
    for seed in range(20):
        assert choose(scores + 1e-6 * np.random.default_rng(seed).normal(size=5)) == 1


def test_a_better_score_is_chosen_and_nan_never_is():
    assert choose([0.7, 0.7 + 2 * TIE, 0.6]) == 1 and choose([0.7, 0.7 + 0.5 * TIE]) == 0
    assert choose([0.5, 0.6, 0.62], margin=0.05) == 1
    assert choose([np.nan, -3.0, np.nan]) == 1
    assert choose(np.array([[0.1, 0.2], [0.9, 0.3]])) == 2  # through the flattened array, as argmax does
    for nothing in ([], [np.nan]):
        with pytest.raises(ValueError, match="nothing to choose from"):
            choose(nothing)


def test_many_choices_at_once():
    scores = np.random.default_rng(0).random((50, 7))
    assert (choose_each(scores) == [choose(row) for row in scores]).all()
