"""Verdicts come out each way, by intervals alone."""

from __future__ import annotations

import pytest

from bertology_utils.claims import rules
from bertology_utils.claims.rules import AllOf, Compare, RuleError, above, all_of, below, decide
from bertology_utils.runs import registered
from bertology_utils.scores import intervals


def rows(*intervals, measure="accuracy", **keys):
    return intervals.table(
        [intervals.row(measure, ((a + b) / 2, a, b), 10, k=i, **keys) for i, (a, b) in enumerate(intervals)]
    )


@pytest.mark.parametrize(
    ("intervals", "label"),
    [
        ([(0.6, 0.7), (0.8, 0.9)], "replicated"),
        ([(0.6, 0.7), (0.4, 0.49)], "partly"),
        ([(0.3, 0.4), (0.4, 0.49)], "not replicated"),
        ([(0.3, 0.7)], "inconclusive"),
        ([(0.6, 0.7), (0.3, 0.7)], "inconclusive"),
        ([(0.6, 0.7), (0.4, 0.49), (0.4, 0.49), (0.4, 0.49)], "not replicated"),  # one of four is what luck gives
    ],
)
def test_all_rows(intervals, label):
    assert decide(above("accuracy", 0.5), rows(*intervals)).label == label


def test_margin_makes_a_tight_interval_around_chance_a_refutation():
    tight = rows((0.49, 0.51))
    assert decide(above("accuracy", 0.5), tight).label == "inconclusive"
    assert decide(above("accuracy", 0.5, margin=0.02), tight).label == "not replicated"
    assert decide(above("accuracy", 0.5, margin=0.02), rows((0.501, 0.53))).label == "replicated"


def test_below_mirrors_above():
    assert decide(below("rho", 0.0), rows((-0.9, -0.5), measure="rho")).label == "replicated"
    assert decide(below("rho", 0.0), rows((0.1, 0.5), measure="rho")).label == "not replicated"
    assert decide(below("rho", 0.0, margin=0.2), rows((-0.1, 0.1), measure="rho")).label == "not replicated"


@pytest.mark.parametrize(
    ("need", "label"),
    [("any", "replicated"), (2, "replicated"), (3, "partly"), ("all", "partly"), (0.5, "replicated"), (0.75, "partly")],
)
def test_how_many_rows_are_needed(need, label):
    frame = rows((0.6, 0.7), (0.6, 0.7), (0.3, 0.4), (0.3, 0.4))
    assert decide(above("accuracy", 0.5, need=need), frame).label == label


def test_several_comparisons():
    frame = intervals.combine(rows((0.6, 0.7)), rows((0.1, 0.2), measure="gap"))
    assert decide(all_of(above("accuracy", 0.5), above("gap", 0)), frame).label == "replicated"
    assert decide(all_of(above("accuracy", 0.5), below("gap", 0)), frame).label == "partly"
    assert decide(all_of(below("accuracy", 0.5), below("gap", 0)), frame).label == "not replicated"


def test_where_selects_and_nothing_is_an_error():
    frame = rows((0.6, 0.7), (0.3, 0.4))
    assert decide(above("accuracy", 0.5, where={"k": 0}), frame).label == "replicated"
    assert decide(above("accuracy", 0.5, where={"k": [0, 1]}), frame).label == "partly"
    for rule in (above("f1", 0.5), above("accuracy", 0.5, where={"k": 9}), above("accuracy", 0.5, where={"layer": 1})):
        with pytest.raises(RuleError):
            decide(rule, frame)


def test_no_interval_decides_nothing():
    nan = float("nan")
    frame = intervals.table([intervals.row("accuracy", (0.9, nan, nan), 0)])
    assert decide(above("accuracy", 0.5), frame).label == "inconclusive"


def test_a_verdict_says_why_in_words():
    verdict = decide(above("accuracy", 0.5), rows((0.6, 0.7)))
    assert "0.650 [0.600, 0.700]" in verdict.reason and "above 0.5" in verdict.rule
    with pytest.raises(ValueError):
        rules.Verdict("maybe", "", "")


def synthetic(rule: Compare, side: str):
    """Rows on which one comparison clearly holds, clearly fails, or is open."""
    sign = 1 if rule.side == "above" else -1
    centre = {"holds": sign, "fails": -sign, "open": 0}[side] * (2 + 2 * rule.margin)
    half = {"holds": 0.5, "fails": 0.5, "open": 3 + 3 * rule.margin}[side]
    keys = {k: (v[0] if isinstance(v, (list, tuple)) else v) for k, v in rule.where.items()}
    count = rule.need if isinstance(rule.need, int) else 1
    mid = rule.threshold + centre
    return [intervals.row(rule.measure, (mid, mid - half, mid + half), 9, **keys) for _ in range(count)]


@pytest.mark.parametrize("id", list(registered()))
def test_every_claims_rule_can_come_out_each_way(id):
    rule = registered()[id].predict
    parts = rules.parts(rule)
    seen = {
        side: decide(rule, intervals.table([r for p in parts for r in synthetic(p, side)])).label
        for side in ("holds", "fails", "open")
    }
    assert seen == {"holds": "replicated", "fails": "not replicated", "open": "inconclusive"}
    if isinstance(rule, AllOf):
        mixed = synthetic(parts[0], "holds") + [r for p in parts[1:] for r in synthetic(p, "fails")]
        assert decide(rule, intervals.table(mixed)).label == "partly"
