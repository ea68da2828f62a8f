"""Deciding: what tidy rows say of a claim's clauses.

Each row is checked by itself (`checks`); here rows make tests, tests make clauses, clauses make a claim's outcome. A
`learned` clause must also beat the untrained twin by the smallest effect, by a paired interval. A gate that does not hold
gives "untestable", whatever the tests say. One pass gives the verdict and everything it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from .checks import Check, Rows, RuleError, checks, figure
from .clauses import ABSENCE, LEARNED, UNTESTED, Clause, Test

HOLDS, MIXED, FAILS, OPEN, UNTESTABLE = "holds", "mixed", "does not hold", "open", "untestable"
UNTRAINED_TOO, TAUGHT = "holds, untrained too", "holds, learned"  # with a badge: what training has to do with it
NOT_RERUN = "not rerun"
OUTCOMES = (HOLDS, MIXED, FAILS, OPEN, UNTESTABLE)
LABELS = (TAUGHT, UNTRAINED_TOO, *OUTCOMES, NOT_RERUN)


@dataclass(frozen=True)
class ClauseOutcome:
    """How one clause came out, with the checks of its tests and of its gates."""

    name: str
    says: str
    kind: str
    outcome: str
    reason: str
    checks: tuple[Check, ...] = ()
    gates: tuple[Check, ...] = ()
    cases: tuple[int, int] | None = None  # of how many cases how many must hold, where records have a few of them each


@dataclass(frozen=True)
class Decision:
    """A claim's outcome on one record, clause by clause; `twin`: whether an untrained twin was there to be beaten."""

    outcome: str
    clauses: tuple[ClauseOutcome, ...]
    twin: bool = False

    @property
    def checks(self) -> tuple[Check, ...]:
        """Every row that decided something, without the gates."""
        return tuple(check for clause in self.clauses for check in clause.checks)

    @property
    def tested(self) -> tuple[ClauseOutcome, ...]:
        return tuple(c for c in self.clauses if c.outcome != UNTESTED)

    @property
    def reason(self) -> str:
        """The clauses' reasons in one line."""
        return "; ".join(f"{c.says}: {c.outcome}" + (f" ({c.reason})" if c.reason else "") for c in self.tested)

    @property
    def label(self) -> str:
        """The outcome, with its badge where an untrained twin was asked too."""
        learned = self.twin and self.outcome == HOLDS and any(c.kind == LEARNED for c in self.tested)
        return TAUGHT if learned else self.outcome


def decide(
    clauses: Sequence[Clause],
    rows: pd.DataFrame | Rows,
    over_twin: pd.DataFrame | Rows | None = None,
    source: str | None = None,
    over: Mapping[str, int] | None = None,
    *,
    partial: bool = False,
) -> Decision:
    """What rows say of the clauses of a claim.

    Parameters
    ----------
    clauses : sequence of Clause
    rows : data frame, or sequence of mappings
        Tidy rows of one subject on one source; as mappings, which is what a record has, they are decided ten times as fast.
    over_twin : as rows, optional
        Differences subject - twin as `intervals.paired` gives them. None: there is no twin to beat (the real BERT's
        released outputs, the twin itself), and a learned clause is decided by its threshold alone.
    source : str, optional
        The data source, for tests that name theirs.
    over : mapping, optional
        Clause -> number of sources of which any will do: intervals are those of 1 - .05 over that number.
    partial : bool
        Leave a clause untested whose test or gate finds no row: a reader's own items may lack its condition.

    Raises
    ------
    RuleError
        If a test or gate finds no row, or no clause can be tested on this source; neither where `partial`.
    """
    own, twin = _plain(rows), None if over_twin is None else _plain(over_twin)
    decided = _partly if partial else _clause
    found = tuple(decided(clause, own, twin, source, (over or {}).get(clause.name, 1)) for clause in clauses)
    if not partial and all(c.outcome == UNTESTED for c in found):
        raise RuleError(f"no clause speaks of data {source!r}")
    return Decision(combine([c.outcome for c in found]), found, over_twin is not None)


def _plain(rows: pd.DataFrame | Rows) -> Rows:
    """Rows as mappings that all have the same keys, as those of a data frame do: None where one lacks a key."""
    if isinstance(rows, pd.DataFrame):
        return rows.to_dict("records")
    keys = dict.fromkeys(key for row in rows for key in row)
    return rows if all(len(row) == len(keys) for row in rows) else [{**dict.fromkeys(keys), **row} for row in rows]


def combine(outcomes: Iterable[str]) -> str:
    """The outcome of several clauses together; untested ones say nothing.

    *Mixed* takes one that holds and one that does not. Where some hold and the rest are open or untestable, the claim is
    open: the card says which part is, and why.

    >>> combine([HOLDS, FAILS]), combine([HOLDS, OPEN]), combine([HOLDS, UNTESTABLE]), combine([FAILS, OPEN])
    ('mixed', 'open', 'open', 'does not hold')
    """
    seen = {o for o in outcomes if o != UNTESTED}
    if seen <= {UNTESTABLE}:
        return UNTESTABLE
    good = seen & {HOLDS, UNTRAINED_TOO}
    if MIXED in seen or (good and FAILS in seen):
        return MIXED
    if FAILS in seen:
        return FAILS
    if OPEN in seen or UNTESTABLE in seen:
        return OPEN
    return UNTRAINED_TOO if UNTRAINED_TOO in good else HOLDS


def pooled(decisions: Sequence[Decision]) -> Decision:
    """One decision from several sources, clause by clause.

    A clause holds if it holds on one source and fails on none, fails if it fails on one and holds on none, is mixed if
    both occur, and is open otherwise. Any of several sources will do, so that each must have been decided at a level that
    makes up for it (`over` of `decide`; `evidence.together` does both). Sources whose gate failed are left out where others
    are left.
    """
    names = list(dict.fromkeys(c.name for d in decisions for c in d.clauses))
    merged = []
    for name in names:
        every = [c for d in decisions for c in d.clauses if c.name == name]
        tested = [c for c in every if c.outcome != UNTESTED]
        able = [c for c in tested if c.outcome != UNTESTABLE]
        outcome = UNTESTED if not tested else UNTESTABLE if not able else _over_sources(able)
        used = able or tested or every
        merged.append(
            replace(
                used[0],
                outcome=outcome,
                reason=used[0].reason if len(used) == 1 else _tally([c.outcome for c in used]),
                checks=tuple(k for c in used for k in c.checks),
                gates=tuple(k for c in used for k in c.gates),
            )
        )
    return Decision(combine([c.outcome for c in merged]), tuple(merged), all(d.twin for d in decisions))


def _over_sources(able: Sequence[ClauseOutcome]) -> str:
    if able[0].cases is not None:
        wanted, among = able[0].cases
        met = [c.holds for clause in able for c in clause.checks]
        return HOLDS if met.count(True) >= wanted else FAILS if met.count(False) > among - wanted else OPEN
    outcomes = [c.outcome for c in able]
    good = {HOLDS, UNTRAINED_TOO} & set(outcomes)
    if MIXED in outcomes or (good and FAILS in outcomes):
        return MIXED
    if good:
        return UNTRAINED_TOO if UNTRAINED_TOO in good else HOLDS
    return FAILS if FAILS in outcomes else OPEN


def _tally(outcomes: list[str]) -> str:
    return ", ".join(f"{o} in {outcomes.count(o)} of {len(outcomes)} records" for o in dict.fromkeys(outcomes))


def _partly(clause: Clause, rows: Rows, over_twin: Rows | None, source: str | None, over: int) -> ClauseOutcome:
    """As `_clause`; untested where there is no row for it."""
    try:
        return _clause(clause, rows, over_twin, source, over)
    except RuleError as error:
        reason = f"nothing in these items decides it: {error}"
        return ClauseOutcome(clause.name, clause.says, clause.kind, UNTESTED, reason)


def _clause(clause: Clause, rows: Rows, over_twin: Rows | None, source: str | None, over: int) -> ClauseOutcome:
    plain, clause = (clause.name, clause.says, clause.kind), clause.on(source)
    if not clause.tests:
        return ClauseOutcome(*plain, UNTESTED, clause.reason or "not measured on these data")
    passed = [(g, checks(g, rows, absence=False)) for g in clause.gates]
    seen = tuple(c for _, found in passed for c in found)
    options: dict[str, Any] = {"absence": clause.kind == ABSENCE, "over_twin": over_twin, "over": over}
    judged = [(t, checks(t, rows, **options)) for t in clause.tests]
    every = tuple(c for _, found in judged for c in found)
    for gate, found in passed:
        if _met(gate, [c.holds for c in found]) is not True:
            return ClauseOutcome(*plain, UNTESTABLE, f"{gate.says}: {_figures(found)}", every, seen)
    learned = clause.kind == LEARNED and over_twin is not None
    cases = next(((needed(t, t.among), t.among) for t in clause.tests if t.among), None)
    outcome = combine_tests([_test_outcome(t, found, learned) for t, found in judged], joint=clause.joint)
    return ClauseOutcome(*plain, outcome, "; ".join(_words(t, f) for t, f in judged), every, seen, cases)


def combine_tests(outcomes: Sequence[str], *, joint: bool = False) -> str:
    """All tests of a clause must hold; one met and another failed is mixed, or fails where they say one thing together.

    >>> combine_tests([HOLDS, FAILS]), combine_tests([HOLDS, FAILS], joint=True), combine_tests([HOLDS, OPEN], joint=True)
    ('mixed', 'does not hold', 'open')
    """
    if joint and FAILS in outcomes:
        return FAILS
    if all(o in (HOLDS, UNTRAINED_TOO) for o in outcomes):
        return UNTRAINED_TOO if UNTRAINED_TOO in outcomes else HOLDS
    if FAILS in outcomes or MIXED in outcomes:
        return MIXED if any(o in (HOLDS, UNTRAINED_TOO, MIXED) for o in outcomes) else FAILS
    return OPEN


def _test_outcome(test: Test, found: list[Check], learned: bool) -> str:
    met = _met(test, [c.holds for c in found])
    if met is False:
        held = sum(c.holds is True for c in found)
        # half, not one: of twenty rows at chance, one holds by luck
        return MIXED if 2 * held >= needed(test, max(test.among, len(found))) and held else FAILS
    if met is None:
        return OPEN
    if not learned:
        return HOLDS
    holding = [c for c in found if c.holds is True]
    wanted = needed(test, len(found))
    beaten = sum(c.beats_twin is True for c in holding)
    if beaten >= wanted:
        return HOLDS
    if beaten + sum(c.beats_twin is None and c.twin_holds is not True for c in holding) >= wanted:
        return OPEN
    # where several rows must hold, and training explains some of them only, the sentence is learned in part
    alike = sum(c.beats_twin is False or c.twin_holds is True for c in holding)
    return UNTRAINED_TOO if alike >= wanted or not beaten else MIXED


def needed(test: Test, n: int) -> int:
    """How many of n rows a test asks for."""
    if test.need == "all":
        return n
    if test.need == "any":
        return 1
    return int(test.need) if isinstance(test.need, int) else max(1, -int(-float(test.need) * n // 1))


def _met(test: Test, holds: Sequence[bool | None]) -> bool | None:
    holds = [*holds, *[None] * (test.among - len(holds))]  # what was not measured may be either
    wanted = needed(test, len(holds))
    if sum(h is True for h in holds) >= wanted:
        return True
    return False if len(holds) - sum(h is False for h in holds) < wanted else None


def _words(test: Test, found: list[Check]) -> str:
    if len(found) == 1:
        c = found[0]
        how = {True: "beyond", False: "short of", None: "across"}[c.holds]
        alone = f", in one case of {test.among}" if test.among > 1 else ""
        twin = ""
        if c.over_twin and c.holds and not c.beats_twin:
            twin = f", but {figure(*c.over_twin)} over the untrained twin, where {test.by:.3g} is asked for surely"
        return f"{test.measure} {figure(c.value, c.low, c.high)} is {how} {c.bound:.3g}{alone}{twin}"
    held, failed = sum(c.holds is True for c in found), sum(c.holds is False for c in found)
    least = min(found, key=lambda c: -c.value if test.side == "below" else c.value)
    return (
        f"{test.measure}: {held} of {len(found)} rows beyond {least.bound:.3g}, {failed} short of it; "
        f"least {figure(least.value, least.low, least.high)}{f' at {least.key}' if least.key else ''}"
    )


def _figures(found: list[Check]) -> str:
    return "; ".join(f"{c.measure} {figure(c.value, c.low, c.high)}, needed {c.side} {c.bound:.3g}" for c in found[:3])
