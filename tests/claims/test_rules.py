"""Decisions come out each way, by intervals alone."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bertology_utils.claims.checks import RuleError, figure
from bertology_utils.claims.clauses import Clause, Test
from bertology_utils.claims.rules import (
    FAILS,
    HOLDS,
    MIXED,
    OPEN,
    TAUGHT,
    UNTESTABLE,
    UNTESTED,
    UNTRAINED_TOO,
    combine,
    decide,
    pooled,
)


def rows(*intervals, measure="accuracy", n=100, **keys):
    return pd.DataFrame(
        [
            {"k": i, **keys, "measure": measure, "value": (a + b) / 2, "low": a, "high": b, "n": n}
            for i, (a, b) in enumerate(intervals)
        ]
    )


def that(measure="accuracy", by=0.0, **options):
    return Test(measure=measure, by=by, unit="share", why="for the test", **options)


def clause(*tests, kind="property", gates=(), name="main"):
    return Clause(name=name, says="it does", kind=kind, tests=tests, gates=gates)


def outcome(*args, **options):
    return decide(*args, **options).outcome


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((0.56, 0.7), HOLDS),
        ((0.54, 0.7), OPEN),
        ((0.51, 0.54), FAILS),  # surely above chance, but by less than would matter
        ((0.3, 0.4), FAILS),
    ],
)
def test_a_row_holds_beyond_the_effect_and_fails_short_of_it(interval, expected):
    assert outcome([clause(that(above=0.5, by=0.05))], rows(interval)) == expected
    low, high = interval
    mirrored = rows((1 - high, 1 - low))
    assert outcome([clause(that(below=0.5, by=0.05))], mirrored) == expected


def test_the_bound_itself_is_not_beyond_it():
    assert outcome([clause(that(above=0.5, by=0.25))], rows((0.75, 0.75))) == FAILS


@pytest.mark.parametrize(("interval", "expected"), [((-0.05, 0.08), HOLDS), ((0.05, 0.2), OPEN), ((0.12, 0.3), FAILS)])
def test_an_absence_is_an_equivalence(interval, expected):
    gate = that(measure="instrument", above=0.0, by=0.1, says="the instrument sees a planted lead")
    frame = pd.concat([rows(interval), rows((0.4, 0.5), measure="instrument")])
    assert outcome([clause(that(below=0.0, by=0.1), kind="absence", gates=(gate,))], frame) == expected
    blind = pd.concat([rows(interval), rows((0.0, 0.5), measure="instrument")])
    assert outcome([clause(that(below=0.0, by=0.1), kind="absence", gates=(gate,))], blind) == UNTESTABLE


@pytest.mark.parametrize(
    ("interval", "expected"),
    [((-0.05, 0.05), HOLDS), ((-0.2, 0.05), OPEN), ((-0.3, -0.1), FAILS), ((0.1, 0.3), FAILS)],
)
def test_within_holds_near_the_threshold_on_both_sides(interval, expected):
    gate = that(measure="accuracy", above=-9.0, says="always")
    equal = clause(that(within=0.0, by=0.1), kind="absence", gates=(gate,))
    assert outcome([equal], rows(interval)) == expected


@pytest.mark.parametrize(
    ("need", "expected"), [("any", HOLDS), (2, HOLDS), (3, MIXED), ("all", MIXED), (0.5, HOLDS), (0.75, MIXED)]
)
def test_how_many_rows_are_needed(need, expected):
    frame = rows((0.6, 0.7), (0.6, 0.7), (0.3, 0.4), (0.3, 0.4))
    assert outcome([clause(that(above=0.5, need=need))], frame) == expected


def test_one_of_four_is_what_luck_gives():
    frame = rows((0.6, 0.7), (0.4, 0.49), (0.4, 0.49), (0.4, 0.49))
    assert outcome([clause(that(above=0.5))], frame) == FAILS


def test_any_of_many_is_corrected_for_their_number():
    """Thirteen rows at chance: some 95 % interval excludes chance in 31 % of cases, a corrected one in about 3."""
    rng = np.random.default_rng(0)
    once = clause(that(above=0.0, need="any", least=1))
    held = 0
    for _ in range(300):
        value = rng.normal(size=13)
        held += outcome([once], rows(*zip(value - 1.96, value + 1.96), measure="accuracy")) == HOLDS
    assert held / 300 < 0.05


def test_few_items_decide_nothing():
    assert outcome([clause(that(above=0.5))], rows((0.8, 0.9), n=19)) == OPEN
    assert outcome([clause(that(above=0.5, least=5))], rows((0.8, 0.9), n=19)) == HOLDS
    assert outcome([clause(that(above=0.5))], rows((float("nan"), float("nan")))) == OPEN


def over(*differences, twin=(0.4, 0.6), measure="accuracy"):
    return pd.DataFrame(
        [
            {
                "k": i,
                "measure": measure,
                "value": (a + b) / 2,
                "low": a,
                "high": b,
                "twin_value": sum(twin) / 2,
                "twin_low": twin[0],
                "twin_high": twin[1],
                "paired": True,
            }
            for i, (a, b) in enumerate(differences)
        ]
    )


@pytest.mark.parametrize(
    ("difference", "twin", "expected"),
    [
        ((0.1, 0.2), (0.4, 0.6), HOLDS),
        ((-0.1, 0.2), (0.4, 0.6), OPEN),
        ((-0.1, 0.2), (0.6, 0.8), UNTRAINED_TOO),  # the twin passes by itself, and is not beaten
        ((0.05, 0.2), (0.6, 0.8), HOLDS),  # the twin passes, and is beaten
        ((-0.3, -0.1), (0.8, 0.9), UNTRAINED_TOO),
    ],
)
def test_what_training_taught_beats_the_twin(difference, twin, expected):
    learned = [clause(that(above=0.5), kind="learned")]
    assert outcome(learned, rows((0.7, 0.8)), over_twin=over(difference, twin=twin)) == expected
    assert outcome(learned, rows((0.7, 0.8))) == HOLDS  # released outputs have no twin
    assert outcome(learned, rows((0.2, 0.3)), over_twin=over(difference, twin=twin)) == FAILS


@pytest.mark.parametrize(
    ("differences", "expected"),
    [
        (((0.1, 0.2), (0.1, 0.2)), HOLDS),
        (((0.1, 0.2), (-0.1, 0.02)), MIXED),  # of two rows that must hold the twin does as much in one
        (((-0.1, 0.2), (-0.1, 0.02)), UNTRAINED_TOO),
        (((-0.1, 0.02), (-0.1, 0.02)), UNTRAINED_TOO),
        (((0.1, 0.2), (-0.1, 0.2)), OPEN),
    ],
)
def test_what_training_explains_in_part_is_mixed(differences, expected):
    learned = [clause(that(above=0.5, by=0.05), kind="learned")]
    assert outcome(learned, rows((0.7, 0.8), (0.7, 0.8)), over_twin=over(*differences, twin=(0.4, 0.6))) == expected


def test_without_a_twins_row_nothing_was_learned_for_sure():
    learned = [clause(that(above=0.5), kind="learned")]
    assert outcome(learned, rows((0.7, 0.8)), over_twin=pd.DataFrame()) == OPEN


def test_the_twins_best_layer_may_be_another():
    learned = [clause(that(above=0.5), kind="learned")]
    mine = rows((0.7, 0.8)).assign(layer=3)
    other = over((0.1, 0.2)).assign(layer=5)
    assert outcome(learned, mine, over_twin=other) == HOLDS


def test_rows_of_a_record_are_decided_as_those_of_a_frame():
    """A record may leave out a key that a row lacks, and has None where a frame has NaN."""
    learned = [clause(that(above=0.5), kind="learned")]
    mine = [
        {"k": 0, "measure": "accuracy", "value": 0.75, "low": 0.7, "high": 0.8, "n": 100},
        {"measure": "gap", "value": 0.1, "low": None, "high": None, "n": 100},
    ]
    twins = {"twin_value": 0.4, "twin_low": 0.3, "twin_high": 0.5, "n": 100}
    beaten = [
        {"k": 0, "measure": "accuracy", "value": 0.3, "low": 0.2, "high": 0.4, **twins},
        {
            "measure": "accuracy",
            "value": 0.0,
            "low": None,
            "high": None,
            **twins,
        },  # it lacks a key
    ]
    plain, framed = decide(learned, mine, beaten), decide(learned, pd.DataFrame(mine), pd.DataFrame(beaten))
    assert plain == framed and plain.outcome == HOLDS and plain.checks[0].over_twin == (0.3, 0.2, 0.4)
    unsure = decide([clause(that("gap", above=0.0))], mine)
    assert unsure.outcome == OPEN and unsure.checks[0].low != unsure.checks[0].low


def test_an_outcome_has_its_badge_only_where_an_untrained_twin_was_asked():
    learned = [clause(that(above=0.5), kind="learned")]
    taught = decide(learned, rows((0.7, 0.8)), over((0.1, 0.2)))
    assert taught.label == TAUGHT and decide(learned, rows((0.7, 0.8))).label == HOLDS
    assert (
        pooled([taught, taught]).label == TAUGHT and pooled([taught, decide(learned, rows((0.7, 0.8)))]).label == HOLDS
    )
    anyway = decide([clause(that(above=0.5))], rows((0.7, 0.8)), over((0.1, 0.2)))
    assert anyway.label == HOLDS
    failed = decide([clause(that(above=0.5))], rows((0.1, 0.2)))
    assert failed.label == FAILS


def test_several_clauses():
    frame = pd.concat([rows((0.6, 0.7)), rows((0.1, 0.2), measure="gap")])
    accurate, gap = clause(that(above=0.5)), clause(that("gap", above=0.0), name="gap")
    assert outcome([accurate, gap], frame) == HOLDS
    assert outcome([accurate, clause(that("gap", below=0.0), name="gap")], frame) == MIXED
    assert outcome([clause(that(below=0.5)), clause(that("gap", below=0.0), name="gap")], frame) == FAILS
    silent = Clause(name="rest", says="the rest", kind="untested", reason="no data")
    decision = decide([accurate, silent], frame)
    assert decision.outcome == HOLDS and [c.outcome for c in decision.clauses] == [HOLDS, UNTESTED]


def test_where_selects_and_nothing_is_an_error():
    frame = rows((0.6, 0.7), (0.3, 0.4))
    assert outcome([clause(that(above=0.5, where={"k": 0}))], frame) == HOLDS
    assert outcome([clause(that(above=0.5, where={"k": [0, 1]}))], frame) == MIXED
    for wrong in (that("acuracy", above=0.5), that(above=0.5, where={"k": 7}), that(above=0.5, where={"x": 0})):
        with pytest.raises(RuleError, match="no row with measure"):
            decide([clause(wrong)], frame)


def test_a_source_may_lack_a_measure_only_if_the_test_says_so():
    both = [clause(that(above=0.5)), clause(that("extra", above=0.0, sources=("other",)), name="extra")]
    assert outcome(both, rows((0.6, 0.7)), source="builtin") == HOLDS
    with pytest.raises(RuleError):
        decide(both, rows((0.6, 0.7)), source="other")


def test_sources_are_pooled_clause_by_clause():
    rule = [clause(that(above=0.5))]
    good, bad, wide = (decide(rule, rows(i)) for i in ((0.6, 0.7), (0.3, 0.4), (0.3, 0.7)))
    assert pooled([good, wide]).outcome == HOLDS
    assert pooled([good, bad]).outcome == MIXED
    assert pooled([bad, wide]).outcome == FAILS
    assert pooled([wide]).outcome == OPEN
    gate = that("competence", above=0.5, says="it can do the task")
    gated = [clause(that(above=0.5), gates=(gate,))]
    lame = decide(gated, pd.concat([rows((0.6, 0.7)), rows((0.4, 0.6), measure="competence")]))
    assert lame.outcome == UNTESTABLE and "it can do the task" in lame.reason
    assert pooled([lame, bad]).outcome == FAILS and pooled([lame]).outcome == UNTESTABLE


def test_a_decision_says_why_in_words():
    decision = decide([clause(that(above=0.5, by=0.1))], rows((0.7, 0.8)))
    assert "accuracy 0.750 [0.700, 0.800] is beyond 0.6" in decision.reason
    assert figure(0.5, float("nan"), 1) == "0.500 (no interval)"


@pytest.mark.parametrize("seed", range(3))
def test_nulls_hold_no_more_often_than_they_may(seed):
    """Scores at chance with honest intervals: one test, a share of rows, any row, and two clauses."""
    rng = np.random.default_rng(seed)
    forms = (
        [clause(that(above=0.0))],
        [clause(that(above=0.0, need=0.5))],
        [clause(that(above=0.0, need="any"))],
        [clause(that(above=0.0)), clause(that("gap", below=0.0), name="gap")],
    )
    for form in forms:
        held = 0
        for _ in range(200):
            value = rng.normal(size=6)
            frame = rows(*zip(value - 1.96, value + 1.96))
            held += outcome(form, pd.concat([frame, frame.assign(measure="gap")])) == HOLDS
        assert held / 200 <= 0.05


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ((HOLDS, FAILS), MIXED),
        ((HOLDS, FAILS, OPEN), MIXED),
        ((HOLDS, OPEN), OPEN),  # some parts hold and the rest is open: no part fails
        ((HOLDS, UNTESTABLE), OPEN),
        ((UNTRAINED_TOO, HOLDS), UNTRAINED_TOO),
        ((FAILS, OPEN), FAILS),
        ((FAILS, UNTESTABLE), FAILS),
        ((OPEN, UNTESTABLE), OPEN),
        ((UNTESTABLE, UNTESTED), UNTESTABLE),
    ],
)
def test_mixed_takes_a_part_that_holds_and_one_that_does_not(outcomes, expected):
    assert combine(outcomes) == expected


@pytest.mark.parametrize(
    ("difference", "expected"), [((0.06, 0.1), HOLDS), ((0.01, 0.04), UNTRAINED_TOO), ((0.01, 0.08), OPEN)]
)
def test_what_was_learned_leads_the_twin_by_the_smallest_effect(difference, expected):
    learned = [clause(that(above=0.5, by=0.05), kind="learned")]
    assert outcome(learned, rows((0.7, 0.8)), over_twin=over(difference, twin=(0.4, 0.6))) == expected


def test_any_of_two_sources_must_hold_at_half_the_level():
    """.6 with .07 to either side lies beyond .525; of two sources any of which will do, 1.14 times as wide, it does not."""
    rule = [clause(that(above=0.525))]
    assert decide(rule, rows((0.53, 0.67))).outcome == HOLDS
    assert decide(rule, rows((0.53, 0.67)), over={"main": 2}).outcome == OPEN
    wide = decide(rule, rows((0.53, 0.67)), over={"main": 2}).checks[0]
    assert wide.low == pytest.approx(0.6 - 0.07 * 2.2414 / 1.95996, abs=1e-4)
