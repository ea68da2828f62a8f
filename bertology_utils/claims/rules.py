"""Predictions as code: what must be measured for a claim to count as replicated.

A rule looks only at tidy rows and decides each row it speaks of by its *interval*: it holds if the whole interval is
on the predicted side, fails if the whole interval falls short of it (by `margin`, the smallest effect worth the
name), and is open otherwise. The verdict follows from the counts, and each is stated in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import pandas as pd

from ..scores.intervals import COLUMNS

REPLICATED, PARTLY, NOT_REPLICATED, INCONCLUSIVE, NOT_RERUN = (
    "replicated",
    "partly",
    "not replicated",
    "inconclusive",
    "not rerun",
)
LABELS = (REPLICATED, PARTLY, NOT_REPLICATED, INCONCLUSIVE, NOT_RERUN)


class RuleError(LookupError):
    """The rows have nothing a rule speaks of."""


@dataclass(frozen=True)
class Verdict:
    """A label, the reason (counts and figures in words) and the rule in words."""

    label: str
    reason: str
    rule: str

    def __post_init__(self) -> None:
        if self.label not in LABELS:
            raise ValueError(f"verdict {self.label!r} is none of {LABELS}")


@dataclass(frozen=True)
class Check:
    """One row under a rule: its key in words, its interval; whether it holds (True), fails (False) or is open (None)."""

    key: str
    measure: str
    value: float
    low: float
    high: float
    holds: bool | None


@dataclass(frozen=True)
class Compare:
    """`measure` above (or below) `threshold`, in all the rows it selects, in any, or in at least so many.

    Attributes
    ----------
    need : "all", "any", int or float
        An int is a count of rows, a float below 1 a share of them.
    margin : float
        Smallest effect of interest: a row whose whole interval lies short of threshold + margin fails, since even
        its best case would not matter. 0 asks the interval to lie on the wrong side altogether.
    where : mapping
        Column -> value (or collection of values) that rows must have.
    """

    measure: str
    threshold: float
    side: Literal["above", "below"] = "above"
    margin: float = 0.0
    need: str | int | float = "all"
    where: Mapping[str, Any] = field(default_factory=dict)

    def select(self, rows: pd.DataFrame) -> pd.DataFrame:
        chosen = rows[rows["measure"] == self.measure]
        for column, wanted in self.where.items():
            values = wanted if isinstance(wanted, (list, tuple, set, frozenset)) else [wanted]
            chosen = chosen[chosen[column].isin(values)] if column in chosen else chosen.iloc[:0]
        if chosen.empty:
            raise RuleError(
                f"no row with measure {self.measure!r} and {dict(self.where)}; measures: {sorted(set(rows['measure']))}"
            )
        return chosen

    def checks(self, rows: pd.DataFrame) -> list[Check]:
        sign = 1 if self.side == "above" else -1
        out = []
        for record in self.select(rows).to_dict("records"):
            near, far = sorted((sign * record["low"], sign * record["high"]))
            bound = sign * self.threshold
            holds = True if near > bound else False if far <= bound or far < bound + self.margin else None
            key = ", ".join(f"{k} {v}" for k, v in record.items() if k not in COLUMNS and not pd.isna(v))
            out.append(Check(key, self.measure, record["value"], record["low"], record["high"], holds))
        return out

    def needed(self, n: int) -> int:
        if self.need == "all":
            return n
        if self.need == "any":
            return 1
        return int(self.need) if isinstance(self.need, int) else max(1, -int(-self.need * n // 1))

    @property
    def words(self) -> str:
        where = ", ".join(f"{k} {v}" for k, v in self.where.items())
        if isinstance(self.need, str):
            scope = {"all": "in every row", "any": "somewhere"}[self.need]
        else:
            scope = f"in at least {self.need}" if isinstance(self.need, int) else f"in at least {self.need:.0%}"
        side = "above" if self.side == "above" else "below"
        return (
            f"{self.measure}{f' ({where})' if where else ''} {side} {self.threshold:g}, 95% interval included, {scope}"
        )


@dataclass(frozen=True)
class AllOf:
    """Several comparisons that must all come out."""

    parts: tuple[Compare, ...]

    @property
    def words(self) -> str:
        return "; and ".join(part.words for part in self.parts)


Rule = Compare | AllOf


def above(measure: str, threshold: float, **options: Any) -> Compare:
    """`measure` > threshold by its interval; options as of `Compare`."""
    return Compare(measure, threshold, "above", **options)


def below(measure: str, threshold: float, **options: Any) -> Compare:
    """`measure` < threshold by its interval; options as of `Compare`."""
    return Compare(measure, threshold, "below", **options)


def all_of(*rules: Compare) -> AllOf:
    """All the comparisons together."""
    return AllOf(tuple(rules))


def parts(rule: Rule) -> tuple[Compare, ...]:
    return rule.parts if isinstance(rule, AllOf) else (rule,)


def _outcome(rule: Compare, checks: list[Check]) -> tuple[bool | None, bool]:
    """(met, failed or open; whether at least half of the rows needed hold although the whole is not met).

    Half, not one: of twenty rows at chance, one holds by luck.
    """
    held, failed = sum(c.holds is True for c in checks), sum(c.holds is False for c in checks)
    needed = rule.needed(len(checks))
    if held >= needed:
        return True, True
    return (False if len(checks) - failed < needed else None), 2 * held >= needed


def decide(rule: Rule, rows: pd.DataFrame) -> Verdict:
    """The verdict of a rule on tidy rows.

    `replicated`: every comparison is met. `partly`: some comparison is met, or at least half of the rows it needs hold,
    and another fails. `not replicated`: a comparison fails and less than that holds. `inconclusive`: nothing fails, but
    an interval is too wide.

    Raises
    ------
    RuleError
        If a comparison finds no row.
    """
    outcomes, reasons = [], []
    for part in parts(rule):
        checks = part.checks(rows)
        outcomes.append(_outcome(part, checks))
        reasons.append(_reason(part, checks))
    met = [m for m, _ in outcomes]
    if all(m is True for m in met):
        label = REPLICATED
    elif any(m is False for m in met):
        label = PARTLY if any(some for _, some in outcomes) else NOT_REPLICATED
    else:
        label = INCONCLUSIVE
    return Verdict(label, "; ".join(reasons), rule.words)


def _reason(rule: Compare, checks: list[Check]) -> str:
    held, failed = sum(c.holds is True for c in checks), sum(c.holds is False for c in checks)
    if len(checks) == 1:
        c = checks[0]
        how = {True: "holds", False: "fails", None: "is open"}[c.holds]
        return f"{rule.measure} {figure(c.value, c.low, c.high)} {how}"
    least = min(checks, key=lambda c: c.value if rule.side == "above" else -c.value)
    return (
        f"{rule.measure}: {held} of {len(checks)} rows hold, {failed} fail, {len(checks) - held - failed} open; "
        f"least {figure(least.value, least.low, least.high)}{f' at {least.key}' if least.key else ''}"
    )


def figure(value: float, low: float, high: float, digits: int = 3) -> str:
    """``0.931 [0.918, 0.944]``; without an interval the bare value, said to be so."""
    if pd.isna(low) or pd.isna(high):
        return f"{value:.{digits}f} (no interval)"
    return f"{value:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def shown(rule: Rule, rows: pd.DataFrame) -> Iterable[Check]:
    """Every row a rule speaks of, for a card."""
    for part in parts(rule):
        yield from part.checks(rows)
