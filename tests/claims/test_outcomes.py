"""The table of outcomes: fresh, and its smallest detectable effects are found in 80 of 100 draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bertology_utils.claims import outcomes
from bertology_utils.claims.checks import Check, checks
from bertology_utils.claims.clauses import Test
from bertology_utils.scores import intervals


def test_the_stored_table_is_that_of_the_shipped_records():
    assert outcomes.STORED.read_text(encoding="utf-8") == outcomes.text(outcomes.shipped()), "bertology outcomes"


def drawn(share: float, n: int, rng) -> dict:
    found = intervals.mean_interval((rng.random(n) < share).astype(float), draws=200)
    return dict(measure="accuracy", value=found[0], low=found[1], high=found[2], n=n, clusters=n)


@pytest.mark.parametrize("n", [100, 400])
def test_the_smallest_effect_is_found_in_80_of_100_draws_at_its_n(n):
    """The least true share that simulated items at this n are found with four times in five, against the formula."""
    rng = np.random.default_rng(n)
    test = Test(measure="accuracy", above=0.5, by=0.05, unit="share of items", why="")
    (check,) = checks(test, [drawn(0.65, n, rng)], absence=False)
    effect, needs = outcomes.detectable(test, check, absence=False)
    found = [checks(test, [drawn(0.5 + effect, n, rng)], absence=False)[0].holds is True for _ in range(200)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.12) and needs == 0


@pytest.mark.parametrize(("half", "effect", "needs"), [(0.01, 0.03 - 0.0143, 0), (0.06, 0.03 - 0.0858, 818)])
def test_an_absence_whose_bound_no_effect_can_meet_says_how_many_it_needs(half, effect, needs):
    """Within three points of nothing, known to six: 1.43 half-widths fit 2.86 times, so 8.2 times as many items."""
    test = Test(measure="accuracy lost", below=0.0, by=0.03, unit="share of items", why="")
    check = Check("accuracy lost", "", 0.0, -half, half, 100, 0.03, "below", None)
    found = outcomes.detectable(test, check, absence=True)
    assert found[0] == pytest.approx(effect, abs=1e-3) and found[1] == pytest.approx(needs, abs=2)


def test_a_row_without_an_interval_has_no_smallest_effect():
    test = Test(measure="accuracy", above=0.5, by=0.05, unit="share of items", why="")
    check = Check("accuracy", "", 0.6, math.nan, math.nan, 100, 0.55, "above", None)
    assert math.isnan(outcomes.detectable(test, check, absence=False)[0])
