"""One row under one test: its interval against the bound, and against the untrained twin.

A row decides by its *interval*: it holds if the whole interval lies beyond the bound (the threshold and the smallest
effect of interest), fails if the whole interval falls short of it, and is undecided otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pandas as pd
from scipy.stats import norm
from scipy.stats import t as student

from ..scores.pairs import CHOSEN
from ..scores.proportions import Z, wilson, wilson_items
from ..scores.rows import COLUMNS
from ..scores.sameness import decimals
from .believable import within
from .clauses import Test

Rows = Sequence[dict[str, Any]]

ANSWERS = {"True": "yes", "False": "no"}


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
        Of a learned clause: whether the paired difference is the smallest effect at least; None: open, or no twin.
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


def select(test: Test, rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that a test speaks of.

    Raises
    ------
    RuleError
        If there is none.
    """
    return rows.iloc[_matching(test, rows.to_dict("records"))]


def _matching(test: Test, rows: Rows) -> list[int]:
    """Places of the rows that a test speaks of; errors as of `select`."""
    wanted = {k: v if isinstance(v, (list, tuple, set, frozenset)) else [v] for k, v in test.where.items()}
    found = [
        i
        for i, row in enumerate(rows)
        if row["measure"] == test.measure and all(k in row and row[k] in values for k, values in wanted.items())
    ]
    if not found:
        measures = sorted({row["measure"] for row in rows})
        raise RuleError(f"no row with measure {test.measure!r} and {dict(test.where)}; measures: {measures}")
    return found


def checks(test: Test, rows: Rows, *, absence: bool, over_twin: Rows | None = None, over: int = 1) -> list[Check]:
    """Every row that a test speaks of, and how it comes out; `over` sources, any of which will do, widen its interval.

    Rows are plain mappings here, as `DataFrame.to_dict("records")` gives them: a thousand decisions look at some ten
    rows each, and a data frame takes longer to look into than to read.
    """
    chosen = [rows[i] for i in _matching(test, rows)]
    # any of k rows or sources will do: each must hold at 1 - .05/k, or one of many holds by luck
    k = over * (len(chosen) if test.need == "any" else 1)
    twins = None if over_twin is None else [row for row in over_twin if row["measure"] == test.measure]
    out = []
    for record in chosen:
        value, low, high = (_number(record[part]) for part in ("value", "low", "high"))
        clusters = None if missing(record.get("clusters")) else int(record["clusters"])
        widen = _wider(k, clusters)
        if widen > 1:
            low, high = within(test.measure, *_widened(value, low, high, widen))
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
            clusters=clusters,
        )
        out.append(check if twins is None else _against(check, test, record, twins, absence, widen))
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


def _against(check: Check, test: Test, record: dict, over_twin: Rows, absence: bool, widen: float) -> Check:
    """A check with what its row has over the twin's: beaten by the smallest effect, by less, or neither for sure."""
    partner = _partner(record, over_twin)
    if partner is None:
        return check
    value = _number(partner["value"])
    low, high = _widened(value, _number(partner["low"]), _number(partner["high"]), widen)
    sign = -1 if test.side == "below" else 1
    near, far = sorted((sign * low, sign * high))
    beats = None if pd.isna(near) or pd.isna(far) else True if near > test.by else False if far <= test.by else None
    twin = _side(test, _number(partner["twin_low"]), _number(partner["twin_high"]), absence)
    return replace(check, beats_twin=beats, twin_holds=twin, over_twin=(value, low, high))


@cache
def _wider(k: int, clusters: int | None) -> float:
    """How many times as long an interval is at 1 - .05/k as at 95 %: of few clusters, whose interval is Student's, more."""
    of = student(clusters - 1) if clusters and clusters > 1 else norm
    return float(of.ppf(1 - 0.025 / k) / of.ppf(0.975))


def _widened(value: float, low: float, high: float, by: float) -> tuple[float, float]:
    """An interval for so many times the standard errors: of a share by its own formula, else with halves so much longer."""
    if (n := wilson_items(value, low, high)) is not None:
        return wilson(value, n, Z * by)
    return value - by * (value - low), value + by * (high - value)


def _partner(record: dict, over_twin: Rows) -> dict | None:
    """The difference, of those of its measure, that belongs to a row; a chosen layer or head may be another in the twin."""
    keys = {k: v for k, v in record.items() if k not in COLUMNS and not missing(v)}
    for ignored in ((), CHOSEN):
        asked = {k: v for k, v in keys.items() if k not in ignored}
        found = [row for row in over_twin if all(row[k] == v for k, v in asked.items() if k in row)]
        if len(found) == 1:
            return found[0]
    return None


def _number(value: float | None) -> float:
    """A figure; what was not measured is None in a record and NaN in a data frame."""
    return float("nan") if value is None else float(value)


def missing(value: object) -> bool:
    """Whether a record's or a data frame's cell is empty."""
    return value is None or (isinstance(value, float) and value != value)


def _key(record: dict) -> str:
    return ", ".join(f"{k} {readable(v)}" for k, v in record.items() if k not in COLUMNS and not missing(v))


def readable(value: object) -> str:
    """A key's value for a reader; a truth value, which a record may hold as text, is yes or no.

    >>> readable("True"), readable(0.95), readable("dobj")
    ('yes', '0.95', 'dobj')
    """
    if str(value) in ANSWERS:
        return ANSWERS[str(value)]
    return f"{value:g}" if isinstance(value, float) else str(value)


def figure(value: float, low: float, high: float, digits: int = 3) -> str:
    """``0.931 [0.918, 0.944]``, with more decimals if the interval is narrow; without one the bare value, said to be so.

    >>> figure(0.9312, 0.918, 0.944)
    '0.931 [0.918, 0.944]'
    >>> figure(-0.0001, -0.015, 0.014)
    '0.000 [-0.015, 0.014]'
    """
    if pd.isna(value):
        return "not measured"
    if pd.isna(low) or pd.isna(high):
        return f"{round(value, digits) + 0.0:.{digits}f} (no interval)"
    digits = decimals(low, high, digits)
    value, low, high = (round(x, digits) + 0.0 for x in (value, low, high))  # 0 has no sign
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"
