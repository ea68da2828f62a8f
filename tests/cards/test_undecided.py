"""Claims that nothing decided: what is said of them, and what it would take."""

import re

import pytest

from bertology_utils.book.folding import _decided
from bertology_utils.cards import layout
from bertology_utils.cards.standing import REPORTED, standing
from bertology_utils.cards.undecided import _settled, _times, known, table, takes
from bertology_utils.claims import ledger
from bertology_utils.claims.checks import Check
from bertology_utils.claims.clauses import Test

OPEN = [row.id for row in ledger.rows() if not _decided(row.id)]


def check(value, low, high, side="above", bound=0.6):
    return Check("accuracy", "", value, low, high, 50, bound, side, None)


@pytest.mark.parametrize("id", OPEN)
def test_every_such_claim_has_a_reason_and_what_it_would_take(id):
    s = standing(id)
    assert re.fullmatch(r"[A-Z][^{}]{10,}\.", takes(s)), takes(s)
    assert s.known != REPORTED or "eport" in known(s)


def test_a_figure_twice_as_far_from_its_bound_needs_a_quarter_of_the_sample():
    above = Test(measure="accuracy", above=0.5, by=0.1, unit="share of items", why="")
    near, far = (_times(check(value, value - 0.4, value + 0.4), above)[0] for value in (0.7, 0.8))
    assert near == pytest.approx(16) and far == pytest.approx(4)


def test_a_difference_that_should_be_small_must_leave_the_nearer_of_its_two_bounds():
    small = Test(measure="gain", within=0.0, by=0.03, unit="points", why="")
    times, bound = _times(check(-0.05, -0.15, 0.05, "within", 0.0), small)
    assert bound == -0.03 and times == pytest.approx((0.1 / 0.02) ** 2)


@pytest.mark.parametrize(
    ("need", "values", "holds", "times"),
    [
        ("all", (0.7, 0.8), True, 16),  # the least sure of those that hold
        ("all", (0.7, 0.4), False, 4),  # one that fails is enough, however unsure the other
        ("any", (0.7, 0.8), True, 4),  # the surest
        ("any", (0.4, 0.5), False, 16),  # all must fail
    ],
)
def test_a_part_is_decided_by_the_figure_that_would_settle_it_first(need, values, holds, times):
    """Of contrasts that must all hold the one furthest from being sure was named, though another fails before."""
    rows = [check(value, value - 0.4, value + 0.4) for value in values]
    found = _settled(Test(measure="accuracy", above=0.5, by=0.1, unit="share of items", why="", need=need), rows)
    assert found[0] is holds and found[1] == pytest.approx(times)


def test_a_line_has_the_claim_s_anchor_and_leads_to_its_page():
    html = table([standing("trn.nsp.liu2019b")])
    assert '<tr id="trn.nsp.liu2019b">' in html and 'href="../claims/trn.nsp.liu2019b.html"' in html


def test_what_several_claims_would_take_stands_once():
    html = table(map(standing, ["trn.nsp.liu2019b", "trn.knowledge.zhang2019", "trn.sentence_order.lan2020"]))
    lines, fold = html.split("</table>")
    assert lines.count("<tr id=") == 3 and lines.index("trn.sentence_order") < lines.index("trn.knowledge")
    assert fold.startswith("<details") and fold.count("<li>") == 2 and fold.count("<a ") == 3


def test_a_rule_that_no_effect_meets_says_how_much_more_it_takes():
    """Its line of the table has the n; runs are what a family lacks, and other claims items."""
    said = []
    for row in ledger.rows():
        for clause in (c for c in row.clauses if c.tests):
            text = layout._power(standing(row.id), clause)
            said += [text] if "that takes" in text else []
            assert "could not be shown" not in text or "times as many" in text, (row.id, clause.name)
    assert len(said) > 10 and any("as many runs" in t for t in said) and any("as many items" in t for t in said)
