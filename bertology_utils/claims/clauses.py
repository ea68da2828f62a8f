"""Clauses: what exactly is tested of the survey's sentence, and how much of it would matter.

A clause is of one of four kinds. ``learned``: training taught it, so the subject must do it *and* beat its untrained
twin on the same items. ``property``: true of what BERT is; the twin may pass. ``absence``: something is not there,
which takes an equivalence test and a gate that shows the instrument could have seen it. ``untested``: not tested, with
the reason; no part of the survey's sentence is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

from .strict import STRICT, LedgerError

LEARNED, PROPERTY, ABSENCE, UNTESTED = "learned", "property", "absence", "untested"
KINDS = (LEARNED, PROPERTY, ABSENCE, UNTESTED)
SIDES = ("above", "below", "within")
LEAST = 20  # scored items under which a row decides nothing, unless a test says otherwise


@dataclass(frozen=True, kw_only=True)
class Test:
    """One comparison of a measure with a threshold, by the smallest effect that would matter.

    Attributes
    ----------
    measure : str
    above, below, within : float or None
        The threshold; exactly one of the three. `within` (absence only): nearer to the threshold than `by`.
    by : float
        The smallest effect of interest, in `unit`.
    unit, why : str
        The effect's unit; why a smaller one would not matter.
    where : mapping
        Column -> value, or list of values, that rows must have.
    need : "all", "any", int or float
        In how many of the rows: a count, or a share below 1.
    among : int
        Of how many cases (tasks, say) the sentence speaks where it says "some" or "most", of a property in a clause of one test.
        Those without a row are undecided; records on several sources have their rows counted together.
    least : int
        Rows with fewer scored items decide nothing.
    sources : tuple of str
        Data sources that have the measure; empty: all.
    says : str
        Of a gate: what it shows, in words.
    """

    __test__: ClassVar = False  # pytest: not a test of ours
    __pydantic_config__: ClassVar = STRICT

    measure: str
    by: float
    unit: str
    why: str
    above: float | None = None
    below: float | None = None
    within: float | None = None
    where: Mapping[str, Any] = field(default_factory=dict, hash=False)
    need: int | float | Literal["all", "any"] = "all"
    among: int = 0
    least: int = LEAST
    sources: tuple[str, ...] = ()
    says: str = ""

    @property
    def side(self) -> str:
        return next(side for side in SIDES if getattr(self, side) is not None)

    @property
    def threshold(self) -> float:
        return float(getattr(self, self.side))

    def speaks_of(self, source: str | None) -> bool:
        """Whether a data source has the measure; None: any has."""
        return not self.sources or source is None or source in self.sources

    def bound(self, absence: bool = False) -> float:
        """Where holding begins: the threshold moved by the effect; towards the other side for an absence."""
        sign = {"above": 1, "below": -1, "within": 0}[self.side]
        return self.threshold + (-sign if absence else sign) * self.by


@dataclass(frozen=True, kw_only=True)
class Clause:
    """One part of the survey's sentence.

    Attributes
    ----------
    name : str
        Unique in the row.
    says : str
        The part of the sentence, in plain words.
    kind : str
        One of `KINDS`.
    tests : tuple of Test
        All of them must hold.
    gates : tuple of Test
        Competence and manipulation checks; one that does not hold gives "untestable".
    reason : str or None
        Why an `untested` clause is not tested.
    joint : bool
        The tests say one thing together, so that one that fails refutes it; else one that fails and one that holds are mixed.
    """

    __pydantic_config__: ClassVar = STRICT

    name: str
    says: str
    kind: Literal["learned", "property", "absence", "untested"]
    tests: tuple[Test, ...] = ()
    gates: tuple[Test, ...] = ()
    reason: str | None = None
    joint: bool = False

    def on(self, source: str | None) -> Clause:
        """The clause with the tests and gates alone that speak of a data source; None: with all of them."""
        tests, gates = (tuple(t for t in them if t.speaks_of(source)) for them in (self.tests, self.gates))
        return replace(self, tests=tests, gates=gates)


def check(clause: Clause, where: str) -> None:
    """What the kinds of the fields alone do not say.

    Raises
    ------
    LedgerError
        Naming row, clause and field.
    """
    for test in (*clause.tests, *clause.gates):
        _check(test, where)
    untested = clause.kind == UNTESTED
    trouble = {
        "tests": untested is bool(clause.tests),
        "reason": untested is not bool(clause.reason),
        "gates": (untested and bool(clause.gates)) or any(not g.says for g in clause.gates),
        "joint": clause.joint and len(clause.tests) < 2,
    }
    for name, bad in trouble.items():
        if bad:
            raise LedgerError(f"{where}: {name} does not fit (kind: {clause.kind}): {getattr(clause, name)!r}")
    if clause.kind == ABSENCE and not clause.gates:
        raise LedgerError(f"{where}: gates: an absence needs a gate that shows the instrument could have seen it")
    if any(t.among for t in clause.tests) and (len(clause.tests) > 1 or clause.kind != PROPERTY):
        raise LedgerError(
            f"{where}: among: only the cases of a property, in a clause of one test, are counted over sources"
        )
    if any(t.side == "within" for t in clause.tests) and clause.kind != ABSENCE:
        raise LedgerError(f"{where}: within: only an absence is an equivalence")


def _check(test: Test, where: str) -> None:
    sides = [side for side in SIDES if getattr(test, side) is not None]
    if len(sides) != 1:
        raise LedgerError(f"{where}: needs exactly one of {', '.join(SIDES)}; it has {sides}")
    if test.by < 0 or (test.by == 0 and test.side == "within"):
        raise LedgerError(f"{where}: by: the smallest effect of interest is {test.by}")
    if not isinstance(test.need, str) and (test.need <= 0 or (isinstance(test.need, float) and test.need >= 1)):
        raise LedgerError(f"{where}: need is {test.need!r}; a count is positive, a share lies between 0 and 1")
    if test.among < 0 or (test.among and test.need == "all"):
        raise LedgerError(f"{where}: among is {test.among}; of how many cases, where not all are needed")
