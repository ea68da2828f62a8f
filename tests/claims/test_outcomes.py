"""The table of outcomes: fresh, and its smallest detectable effects are found in 80 of 100 draws."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bertology_utils.claims import evidence, ledger, outcomes
from bertology_utils.claims.checks import Check, checks
from bertology_utils.claims.clauses import ABSENCE, UNTESTED, Test
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings


def test_the_stored_table_is_that_of_the_shipped_records():
    assert outcomes.STORED.read_text(encoding="utf-8") == outcomes.text(outcomes.shipped()), "bertology outcomes"


def test_discoveries_are_of_the_clauses_that_hold_and_fewer_at_a_lower_rate():
    records = evidence.find(settings=Settings(evidence=evidence.SHIPPED))
    holds, left, tested = outcomes.discoveries(records)
    assert 0 < left <= holds < tested
    assert outcomes.discoveries(records, 1e-9)[1] < left <= outcomes.discoveries(records, 0.5)[1] <= holds
    assert outcomes.discoveries([]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("distance", "half", "chance"), [(0.0, 1.0, 0.5), (1.0, 1.0, 0.025), (-1.0, 1.0, 0.975), (1.0, 0.0, 0.0)]
)
def test_the_chance_of_a_figure_is_that_of_its_distance_in_half_widths(distance, half, chance):
    assert outcomes._beyond(distance, half) == pytest.approx(chance, abs=1e-3)


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


def test_a_bare_bound_leaves_what_lies_between_it_and_nothing():
    """Nine points of .8 are found to be short of it where the interval is a point wide; at .78 nothing could be."""
    test = Test(measure="UUAS", below=0.8, by=0.0, unit="UUAS", why="")
    check = Check("UUAS", "", 0.5, 0.49, 0.51, 100, 0.8, "below", None)
    assert outcomes.detectable(test, check, absence=True) == (pytest.approx(0.8 - 0.0143, abs=1e-3), 0)
    wide = replace(check, low=-0.1, high=1.1)
    assert outcomes.detectable(test, wide, absence=True)[1] == pytest.approx(100 * (0.858 / 0.8) ** 2, abs=1)


@pytest.mark.parametrize(
    ("twin", "effect", "needs"), [(0.3, 0.193, 0), (0.6, 0.293, 0), (0.9, 0.593, 820), (0.97, 0.663, -1)]
)
def test_a_lead_over_a_good_twin_takes_more_and_over_a_perfect_one_is_out_of_reach(twin, effect, needs):
    """Ten points to either side: .05 of the threshold's .5 and .143, from where the twin is if that is above."""
    test = Test(measure="accuracy", above=0.5, by=0.05, unit="share of items", why="")
    over = (0.7 - twin, 0.6 - twin, 0.8 - twin)
    check = Check("accuracy", "", 0.7, 0.6, 0.8, 100, 0.55, "above", None, over_twin=over)
    found = outcomes.detectable(test, check, absence=False)
    assert found[0] == pytest.approx(effect, abs=1e-3) and found[1] == pytest.approx(needs, abs=3)


def likely(test: Test, check: Check, *, absence: bool) -> float:
    """How often the best figure that there can be is found, and over the twin that there is, in 400 draws as wide as a row."""
    way, half = -1 if test.side == "below" else 1, (check.high - check.low) / 2
    best = test.threshold if absence and test.by else test.threshold + way * outcomes.most(test)
    noise = np.random.default_rng(0).normal(size=400) / 1.96
    drawn = best + half * noise
    if test.side == "within":
        return float(np.mean(abs(drawn - test.threshold) + half < test.by))
    beyond = way * (drawn - check.bound) > half
    if check.over_twin is not None and not math.isnan(check.over_twin[0]):
        lead, low, high = check.over_twin
        wide = (high - low) / 2
        beyond &= way * (best - check.value + lead) + wide * noise - wide > test.by
    return float(np.mean(beyond))


def test_no_deciding_clause_is_out_of_reach_in_silence():
    """Where the best figure there can be is found in fewer than 60 of 100 draws, the table says how many items it takes."""
    silent, known = [], 0
    for record in evidence.find(settings=Settings(evidence=evidence.SHIPPED)):
        told = {line["clause"]: line for line in outcomes.lines(record)}
        for outcome in record.decision.clauses if record.decision else ():
            if outcome.outcome == UNTESTED or math.isnan(told[outcome.name]["effect"]):
                continue
            clause = next(c for c in ledger.row(record.claim).clauses if c.name == outcome.name).on(record.data)
            test, check = outcomes._hangs_on(clause, record)
            if math.isinf(outcomes.most(test)) and clause.kind != ABSENCE:
                continue  # an effect has no end
            if likely(test, check, absence=clause.kind == ABSENCE) < 0.6:
                known += 1
                silent += [] if told[clause.name]["needs"] else [(record.claim, record.model, record.data, clause.name)]
    assert not silent and known > 50


def test_a_row_without_an_interval_has_no_smallest_effect():
    test = Test(measure="accuracy", above=0.5, by=0.05, unit="share of items", why="")
    check = Check("accuracy", "", 0.6, math.nan, math.nan, 100, 0.55, "above", None)
    assert math.isnan(outcomes.detectable(test, check, absence=False)[0])
