"""Deciding: what tidy rows say of a claim's clauses.

A row decides by its *interval*: it holds if the whole interval lies beyond the bound (the threshold and the smallest
effect of interest), fails if the whole interval falls short of it, and is undecided otherwise. A `learned` clause must
also beat the untrained twin by a paired interval. A gate that does not hold gives "cannot be tested here", whatever the
tests say. One pass gives the verdict and everything it rests on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd
from scipy.stats import norm

from ..scores.sameness import decimals
from .clauses import ABSENCE, LEARNED, UNTESTED, Clause, Test

HOLDS, PART, FAILS, UNDECIDED, UNTESTABLE = "holds", "in part", "does not hold", "undecided", "cannot be tested here"
UNTRAINED_TOO, TAUGHT, NOT_FOUND, NOT_RERUN = "holds, untrained too", "learned", "not found at this size", "not rerun"
OUTCOMES = (HOLDS, PART, FAILS, UNDECIDED, UNTESTABLE)
LABELS = (TAUGHT, UNTRAINED_TOO, *OUTCOMES, NOT_FOUND, NOT_RERUN)
PLAIN = ("measure", "value", "low", "high", "n", "clusters", "draws")  # columns of a row that are no key
CHOSEN = ("layer", "head", "block", "direction", "offset")  # what a model's own best may differ in


class RuleError(LookupError):
    """The rows have nothing a test speaks of."""


@dataclass(frozen=True)
class Check:
    """One row under a test.

    Attributes
    ----------
    key : str
        The row's key columns in words.
    value, low, high : float
        The interval as the test takes it (widened where any of several rows would do).
    bound : float
        Where holding begins.
    holds : bool or None
        None: undecided.
    beats_twin : bool or None
        Of a learned clause: whether the paired difference lies on the predicted side; None: undecided, or no twin.
    twin_holds : bool or None
        Whether the twin's own row is beyond the bound.
    over_twin : (float, float, float) or None
        Subject minus twin.
    """

    measure: str
    key: str
    value: float
    low: float
    high: float
    n: int
    bound: float
    side: str
    holds: bool | None
    beats_twin: bool | None = None
    twin_holds: bool | None = None
    over_twin: tuple[float, float, float] | None = None
    clusters: int | None = None


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


@dataclass(frozen=True)
class Decision:
    """A claim's outcome on one record, clause by clause."""

    outcome: str
    clauses: tuple[ClauseOutcome, ...]

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

    def label(self, *, ours: bool) -> str:
        """The outcome in the words for our own models, or as it is."""
        if not ours:
            return HOLDS if self.outcome == UNTRAINED_TOO else self.outcome
        if self.outcome == HOLDS and any(c.kind == LEARNED for c in self.tested):
            return TAUGHT
        return NOT_FOUND if self.outcome == FAILS else self.outcome

    def plain(self) -> dict[str, Any]:
        """As JSON's own types."""
        return asdict(self)


def decide(
    clauses: Sequence[Clause], rows: pd.DataFrame, over_twin: pd.DataFrame | None = None, source: str | None = None
) -> Decision:
    """What rows say of the clauses of a claim.

    Parameters
    ----------
    clauses : sequence of Clause
    rows : data frame
        Tidy rows of one subject on one source.
    over_twin : data frame, optional
        Differences subject - twin as `intervals.paired` gives them. None: there is no twin to beat (the real BERT's
        released outputs, the twin itself), and a learned clause is decided by its threshold alone.
    source : str, optional
        The data source, for tests that name theirs.

    Raises
    ------
    RuleError
        If a test or gate finds no row, or no clause can be tested on this source.
    """
    found = tuple(_clause(clause, rows, over_twin, source) for clause in clauses)
    if all(c.outcome == UNTESTED for c in found):
        raise RuleError(f"no clause speaks of data {source!r}")
    return Decision(combine([c.outcome for c in found]), found)


def combine(outcomes: Iterable[str]) -> str:
    """The outcome of several clauses together; untested ones say nothing."""
    seen = [o for o in outcomes if o != UNTESTED]
    if not seen:
        return UNTESTABLE
    able = [o for o in seen if o != UNTESTABLE]
    if not able:
        return UNTESTABLE
    if UNTESTABLE in seen and set(able) <= {HOLDS, UNTRAINED_TOO}:
        return PART
    if len(set(able)) == 1:
        return able[0]
    if set(able) == {HOLDS, UNTRAINED_TOO}:
        return UNTRAINED_TOO
    good = any(o in (HOLDS, UNTRAINED_TOO, PART) for o in able)
    if good:
        return PART
    return FAILS if FAILS in able else UNDECIDED


def pooled(decisions: Sequence[Decision]) -> Decision:
    """One decision from several sources, clause by clause.

    A clause holds if it holds on one source and fails on none, fails if it fails on one and holds on none, is in part
    if both occur, and is undecided otherwise. Sources whose gate failed are left out where others are left.
    """
    names = list(dict.fromkeys(c.name for d in decisions for c in d.clauses))
    merged = []
    for name in names:
        every = [c for d in decisions for c in d.clauses if c.name == name]
        tested = [c for c in every if c.outcome != UNTESTED]
        able = [c for c in tested if c.outcome != UNTESTABLE]
        outcome = UNTESTED if not tested else UNTESTABLE if not able else _over_sources([c.outcome for c in able])
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
    return Decision(combine([c.outcome for c in merged]), tuple(merged))


def _over_sources(outcomes: list[str]) -> str:
    good = {HOLDS, UNTRAINED_TOO} & set(outcomes)
    if PART in outcomes or (good and FAILS in outcomes):
        return PART
    if good:
        return UNTRAINED_TOO if UNTRAINED_TOO in good else HOLDS
    return FAILS if FAILS in outcomes else UNDECIDED


def _tally(outcomes: list[str]) -> str:
    return ", ".join(f"{o} on {outcomes.count(o)} of {len(outcomes)} data sets" for o in dict.fromkeys(outcomes))


def _clause(clause: Clause, rows: pd.DataFrame, over_twin: pd.DataFrame | None, source: str | None) -> ClauseOutcome:
    plain = (clause.name, clause.says, clause.kind)
    tests = [t for t in clause.tests if not t.sources or source is None or source in t.sources]
    if not tests:
        return ClauseOutcome(*plain, UNTESTED, clause.reason or "not measured on these data")
    gates = [g for g in clause.gates if not g.sources or source is None or source in g.sources]
    passed = [(g, checks(g, rows, absence=False)) for g in gates]
    seen = tuple(c for _, found in passed for c in found)
    judged = [(t, checks(t, rows, absence=clause.kind == ABSENCE, over_twin=over_twin)) for t in tests]
    every = tuple(c for _, found in judged for c in found)
    for gate, found in passed:
        if _met(gate, [c.holds for c in found]) is not True:
            return ClauseOutcome(*plain, UNTESTABLE, f"{gate.says}: {_figures(found)}", every, seen)
    learned = clause.kind == LEARNED and over_twin is not None
    outcome = combine_tests([_test_outcome(t, found, learned) for t, found in judged])
    return ClauseOutcome(*plain, outcome, "; ".join(_words(t, found) for t, found in judged), every, seen)


def combine_tests(outcomes: Sequence[str]) -> str:
    """All tests of a clause must hold; half of them met and another failed is "in part"."""
    if all(o in (HOLDS, UNTRAINED_TOO) for o in outcomes):
        return UNTRAINED_TOO if UNTRAINED_TOO in outcomes else HOLDS
    if FAILS in outcomes or PART in outcomes:
        return PART if any(o in (HOLDS, UNTRAINED_TOO, PART) for o in outcomes) else FAILS
    return UNDECIDED


def _test_outcome(test: Test, found: list[Check], learned: bool) -> str:
    met = _met(test, [c.holds for c in found])
    if met is False:
        held = sum(c.holds is True for c in found)
        # half, not one: of twenty rows at chance, one holds by luck
        return PART if 2 * held >= _needed(test, len(found)) and held else FAILS
    if met is None:
        return UNDECIDED
    if not learned:
        return HOLDS
    holding = [c for c in found if c.holds is True]
    needed = _needed(test, len(found))
    if sum(c.beats_twin is True for c in holding) >= needed:
        return HOLDS
    if sum(c.beats_twin is False or c.twin_holds is True for c in holding) > len(holding) - needed:
        return UNTRAINED_TOO
    return UNDECIDED


def _needed(test: Test, n: int) -> int:
    if test.need == "all":
        return n
    if test.need == "any":
        return 1
    return int(test.need) if isinstance(test.need, int) else max(1, -int(-float(test.need) * n // 1))


def _met(test: Test, holds: Sequence[bool | None]) -> bool | None:
    needed = _needed(test, len(holds))
    if sum(h is True for h in holds) >= needed:
        return True
    return False if len(holds) - sum(h is False for h in holds) < needed else None


def select(test: Test, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that a test speaks of.

    Raises
    ------
    RuleError
        If there is none.
    """
    chosen = rows[rows["measure"] == test.measure]
    for column, wanted in test.where.items():
        values = wanted if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted]
        chosen = chosen[chosen[column].isin(values)] if column in chosen else chosen.iloc[:0]
    if chosen.empty:
        raise RuleError(
            f"no row with measure {test.measure!r} and {dict(test.where)}; measures: {sorted(set(rows['measure']))}"
        )
    return chosen


def checks(test: Test, rows: pd.DataFrame, *, absence: bool, over_twin: pd.DataFrame | None = None) -> list[Check]:
    """Every row that a test speaks of, and how it comes out."""
    chosen = select(test, rows)
    # any of k rows will do: each must hold at 1 - .05/k, or one of many holds by luck
    widen = norm.ppf(1 - 0.025 / len(chosen)) / norm.ppf(0.975) if test.need == "any" else 1.0
    out = []
    for record in chosen.to_dict("records"):
        value, low, high = (float(record[k]) for k in ("value", "low", "high"))
        low, high = value - widen * (value - low), value + widen * (high - value)
        clusters = record.get("clusters")
        check = Check(
            test.measure,
            _key(record),
            value,
            low,
            high,
            int(record["n"]),
            test.bound(absence),
            test.side,
            _side(test, low, high, absence) if record["n"] >= test.least else None,
            clusters=None if clusters is None or pd.isna(clusters) else int(clusters),
        )
        out.append(check if over_twin is None else _against(check, test, record, over_twin, absence))
    return out


def _side(test: Test, low: float, high: float, absence: bool) -> bool | None:
    """Whether an interval lies wholly beyond the bound (True), wholly short of it (False), or neither."""
    if pd.isna(low) or pd.isna(high):
        return None
    if test.side == "within":
        near, far = test.threshold - test.by, test.threshold + test.by
        return True if near < low and high < far else False if high <= near or low >= far else None
    bound = test.bound(absence)
    if test.side == "below":
        low, high, bound = -high, -low, -bound
    return True if low > bound else False if high < bound or high == low == bound else None


def _against(check: Check, test: Test, record: dict, over_twin: pd.DataFrame, absence: bool) -> Check:
    partner = _partner(record, over_twin)
    if partner is None:
        return check
    low, high = float(partner["low"]), float(partner["high"])
    sign = -1 if test.side == "below" else 1
    near, far = sorted((sign * low, sign * high))
    beats = None if pd.isna(near) or pd.isna(far) else True if near > 0 else False if far <= 0 else None
    twin = _side(test, float(partner["twin_low"]), float(partner["twin_high"]), absence)
    return replace(check, beats_twin=beats, twin_holds=twin, over_twin=(float(partner["value"]), low, high))


def _partner(record: dict, over_twin: pd.DataFrame) -> dict | None:
    """The difference that belongs to a row; a chosen layer or head may be another in the twin."""
    same = over_twin[over_twin["measure"] == record["measure"]] if len(over_twin) else over_twin
    for ignored in ((), CHOSEN):
        found = same
        for column, value in record.items():
            if column in PLAIN or column in ignored or column not in found or _missing(value):
                continue
            found = found[found[column] == value]
        if len(found) == 1:
            return found.iloc[0].to_dict()
    return None


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _key(record: dict) -> str:
    return ", ".join(f"{k} {v}" for k, v in record.items() if k not in PLAIN and not _missing(v))


def _words(test: Test, found: list[Check]) -> str:
    if len(found) == 1:
        c = found[0]
        how = {True: "beyond", False: "short of", None: "across"}[c.holds]
        return f"{test.measure} {figure(c.value, c.low, c.high)} is {how} {c.bound:.3g}"
    held, failed = sum(c.holds is True for c in found), sum(c.holds is False for c in found)
    least = min(found, key=lambda c: -c.value if test.side == "below" else c.value)
    return (
        f"{test.measure}: {held} of {len(found)} rows beyond {least.bound:.3g}, {failed} short of it; "
        f"least {figure(least.value, least.low, least.high)}{f' at {least.key}' if least.key else ''}"
    )


def _figures(found: list[Check]) -> str:
    return "; ".join(f"{c.measure} {figure(c.value, c.low, c.high)}, needed {c.side} {c.bound:.3g}" for c in found[:3])


def figure(value: float, low: float, high: float, digits: int = 3) -> str:
    """``0.931 [0.918, 0.944]``, with more decimals if the interval is narrow; without one the bare value, said to be so.

    >>> figure(0.9312, 0.918, 0.944)
    '0.931 [0.918, 0.944]'
    """
    if pd.isna(value):
        return "not measured"
    if pd.isna(low) or pd.isna(high):
        return f"{value:.{digits}f} (no interval)"
    digits = decimals(low, high, digits)
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
