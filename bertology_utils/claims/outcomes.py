"""Every outcome in one table, clause by clause, with the smallest true effect that its test could have found.

A bound that no true effect can meet is no test. For the row that a clause hangs on, the table has what a true effect must be
for an interval as wide as this one to find it in 80 of 100 cases (`scores.power.smallest_detectable`), and where that is
beyond any effect there can be, how many items would find one. The table is reviewed as text: a change of an outcome is a
changed line.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import pandas as pd
from scipy.stats import false_discovery_control, norm

from .. import files
from ..scores.power import smallest_detectable
from ..scores.rows import Interval
from . import ledger
from .checks import Check, checks
from .clauses import ABSENCE, LEARNED, UNTESTED, Clause, Test
from .evidence import SHIPPED, Evidence, find
from .rules import HOLDS, UNTESTABLE, needed

STORED = Path(str(resources("bertology_utils") / "assets" / "outcomes.csv"))
# how the names of units begin that are 1 at most, and 0 where there is nothing
WITHIN_ONE = ("share", "accuracy", "F1", "UUAS", "UAS", "P@1", "area under", "average precision", "adjusted Rand", "cosine",
              "normalised mutual", "Spearman", "rank correlation", "correlation", "partial correlation", "attention")  # fmt: skip


def table(records: Iterable[Evidence]) -> pd.DataFrame:
    """One line per tested clause of each record.

    Returns
    -------
    data frame
        claim, subject, data, clause, outcome; measure, figure, low, high, n and bound of the row that the clause hangs on;
        `effect`: the smallest true effect, from the threshold and in the measure's unit, that is found in 80 of 100 draws at
        this n, over an untrained twin too where the clause asks for a lead over it (of an absence, the greatest that is
        still found to be absent: below 0, not even none would be);
        `needs`: the n that would find the greatest effect there can be, or none, where this n does not; 0 where it does,
        -1 where no n would: an untrained twin is as good already.
    """
    found = [line for record in records for line in lines(record)]
    return pd.DataFrame(found).sort_values(["claim", "subject", "data"], kind="stable", ignore_index=True)


def lines(record: Evidence) -> Iterator[dict[str, Any]]:
    """A record's part of the table."""
    if record.decision is None:
        return
    clauses = {c.name: c.on(record.data) for c in ledger.row(record.claim).clauses}
    for outcome in record.decision.clauses:
        if outcome.outcome == UNTESTED:
            continue
        clause = clauses[outcome.name]
        test, check = _hangs_on(clause, record)
        effect, n = detectable(test, check, absence=clause.kind == ABSENCE)
        yield {
            "claim": record.claim,
            "subject": record.model,
            "data": record.data,
            "clause": clause.name,
            "outcome": outcome.outcome,
            "measure": check.measure,
            "figure": check.value,
            "low": check.low,
            "high": check.high,
            "n": check.n,
            "bound": check.bound,
            "effect": effect,
            "needs": n,
        }


def _hangs_on(clause: Clause, record: Evidence) -> tuple[Test, Check]:
    """Of the test that is furthest from holding, the row that would have to hold: the least, or the k-th best of k that must."""
    found = []
    over_twin = record.over_twin if clause.kind == LEARNED else None
    for test in clause.tests:
        every = checks(test, record.rows, absence=clause.kind == ABSENCE, over_twin=over_twin)
        rows = sorted(every, key=lambda c: -_margin(test, c))
        found.append((test, rows[needed(test, len(rows)) - 1]))
    return min(found, key=lambda pair: _margin(*pair))


def _margin(test: Test, check: Check) -> float:
    """How far a figure lies on the side of holding; what was not measured lies furthest from it."""
    if math.isnan(check.value):
        return -math.inf
    if test.side == "within":
        return test.by - abs(check.value - test.threshold)
    return (check.value - check.bound) * (-1 if test.side == "below" else 1)


def discoveries(records: Iterable[Evidence], rate: float = 0.05) -> tuple[int, int, int]:
    """How many clauses hold, how many of these at a false discovery rate (Benjamini and Hochberg's), and of how many decided.

    Parameters
    ----------
    records : iterable of Evidence
        Whatever is looked at side by side. A gate that fails decides nothing, and counts for nothing.
    """
    found = []  # the chance of a figure so far beyond its bound where the truth is at it; whether the clause holds
    for record in records:
        clauses = {c.name: c.on(record.data) for c in ledger.row(record.claim).clauses}
        for outcome in record.decision.clauses if record.decision else ():
            if outcome.outcome not in (UNTESTED, UNTESTABLE):
                found.append((_chance(*_hangs_on(clauses[outcome.name], record)), outcome.outcome.startswith(HOLDS)))
    adjusted = false_discovery_control([chance for chance, _ in found]) if found else []
    left = sum(holds and p <= rate for p, (_, holds) in zip(adjusted, found))
    return sum(holds for _, holds in found), int(left), len(found)


def _chance(test: Test, check: Check) -> float:
    """Of a normal figure with the check's interval; of a learned clause that of the lead over the twin, if it is greater."""
    chances = [_beyond(_margin(test, check), (check.high - check.low) / 2)]
    if check.over_twin is not None and check.twin_holds is not True:
        value, low, high = check.over_twin
        chances.append(_beyond(value * (-1 if test.side == "below" else 1) - test.by, (high - low) / 2))
    return max(chances)


def _beyond(distance: float, half: float) -> float:
    if math.isnan(half) or math.isinf(distance):
        return 1.0
    return float(norm.sf(1.96 * distance / half)) if half > 0 else float(distance <= 0)


def detectable(test: Test, check: Check, *, absence: bool) -> tuple[float, int]:
    """The smallest true effect that a test finds in 80 of 100 draws at the n of a row, and the n that it needs (`table`).

    Parameters
    ----------
    test : Test
    check : Check
        Its interval is what matters, not its figure; with one over the twin, a lead over that must be found too.
    absence : bool

    Examples
    --------
    Twenty points to either side take an effect of .05 + .286 over one half, which is .84:

    >>> test = Test(measure="accuracy", above=0.5, by=0.05, unit="share of items", why="")
    >>> check = Check("accuracy", "", 0.6, 0.4, 0.8, 24, 0.55, "above", None)
    >>> effect, needs = detectable(test, check, absence=False)
    >>> round(effect, 3), needs
    (0.336, 0)
    """
    short = smallest_detectable(Interval(check.value, check.low, check.high, clusters=check.clusters))
    if math.isnan(short):
        return math.nan, 0
    if absence:
        room = test.by or most(test)  # a bare bound leaves as much as the figure can be away from it
        return room - short, _needed(check.n, short, room)
    effect, needs = test.by + short, _needed(check.n, short, most(test) - test.by)
    if check.over_twin is not None and not math.isnan(lead := _lead(check)):
        has = (check.value - check.over_twin[0] - test.threshold) * (-1 if test.side == "below" else 1)
        ahead = max(has, 0.0) + test.by  # of the threshold, where a lead over the twin begins to count
        effect, needs = max(effect, ahead + lead), _more(needs, _needed(check.n, lead, most(test) - ahead))
    return effect, needs


def _lead(check: Check) -> float:
    """The smallest lead over the twin, beyond the one that counts, that is found in 80 of 100 draws."""
    return smallest_detectable(Interval(*(check.over_twin or ()), clusters=check.clusters))


def _needed(n: int, short: float, room: float) -> int:
    """The n at which an effect has room to be found, where n has not: 0 where it has, -1 where none would.

    >>> _needed(100, 0.1, 0.2), _needed(100, 0.4, 0.2), _needed(100, 0.4, 0.0)
    (0, 400, -1)
    """
    return 0 if short < room else math.ceil(n * (short / room) ** 2) if room > 0 else -1


def _more(one: int, other: int) -> int:
    """What two conditions need together: no n is enough for both if it is not for one."""
    return min(one, other) if min(one, other) < 0 else max(one, other)


def most(test: Test) -> float:
    """The greatest effect there can be, from the threshold: of what reaches 1 at most, up to 1 or down to 0, else without end.

    >>> most(Test(measure="accuracy", above=0.5, by=0.05, unit="share of items", why=""))
    0.5
    >>> most(Test(measure="F1 lost", below=0.0, by=0.05, unit="F1", why=""))
    1.0
    """
    if not test.unit.startswith(WITHIN_ONE):
        return math.inf
    return (
        1.0 - test.threshold if test.side == "above" else test.threshold if test.threshold > 0 else 1.0 + test.threshold
    )


def shipped() -> pd.DataFrame:
    """The table of the records that come with the package."""
    from ..settings import Settings

    return table(find(settings=Settings(evidence=SHIPPED)))


def text(found: pd.DataFrame) -> str:
    """The table as comma-separated values, figures to four digits."""
    return found.to_csv(index=False, float_format="%.4g", lineterminator="\n")


def write(path: Path = STORED) -> Path:
    """Store the table of the shipped records, all or nothing.

    Raises
    ------
    CannotWrite
        As of `files.write`.
    """
    return files.write(path, text(shipped()))
