"""Association tests with answers that follow from how they are made."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_utils.vectors import associations

EAST, NORTH = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])


def test_association_is_a_difference_of_cosines():
    targets = np.array([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    np.testing.assert_allclose(associations.association(targets, EAST, NORTH), [1, -1, 0], atol=1e-12)


def test_effect_size_of_opposite_sets():
    """n values of 1 against n of -1: difference 2, standard deviation sqrt(2n / (2n - 1))."""
    for n in (4, 8, 50):
        assert associations.effect_size(np.ones(n), -np.ones(n)) == pytest.approx(2 / np.sqrt(2 * n / (2 * n - 1)))
    assert associations.effect_size(-np.ones(4), np.ones(4)) < -1.8
    assert np.isnan(associations.effect_size(np.ones(3), np.ones(3)))
    with pytest.raises(ValueError):
        associations.effect_size(np.ones(1), np.ones(1))


def test_exact_permutation_p():
    """Only one of the 70 splits of eight values has the four largest on one side."""
    x, y = np.array([5.0, 6, 7, 8]), np.array([1.0, 2, 3, 4])
    assert associations.permutation_p(x, y) == pytest.approx((1 / 70,) * 3)
    assert associations.permutation_p(y, x)[0] == 1.0


def test_sampled_permutation_p_encloses_the_exact_one(monkeypatch):
    rng = np.random.default_rng(3)
    x, y = rng.standard_normal(7) + 0.8, rng.standard_normal(7)
    exact, *_ = associations.permutation_p(x, y)
    monkeypatch.setattr(associations, "EXACT", 0)
    p, low, high = associations.permutation_p(x, y)
    assert low < exact < high and abs(p - exact) < 0.01 and 0 < exact < 0.5
    assert associations.permutation_p(x + 50, y)[0] > 0, "a sampled p is never 0"


def test_p_is_uniform_without_an_effect():
    rng = np.random.default_rng(0)
    p = [associations.permutation_p(rng.standard_normal(6), rng.standard_normal(6))[0] for _ in range(200)]
    assert 0.02 <= np.mean(np.array(p) < 0.1) <= 0.18 and 0.4 < np.mean(p) < 0.6


def test_groups_are_drawn_whole():
    x, y = np.repeat([1.0, 3.0], 10), np.repeat([0.0, -1.0], 10)
    groups = [str(v) for v in (*x,)], [str(v) for v in (*y,)]
    drawn = associations.effect_size_draws(x, y, *groups, draws=400, seed=0)
    assert len(set(np.round(drawn[np.isfinite(drawn)], 9))) <= 9, "two words a side: three mixtures each"
    single = associations.effect_size_draws(x, y, list(range(20)), list(range(20)), draws=400, seed=0)
    assert np.nanstd(drawn) > 2 * np.nanstd(single), "fewer independent items, wider intervals"
    with pytest.raises(ValueError):
        associations.effect_size_draws(x, y, ["a"], list(y), draws=2, seed=0)
