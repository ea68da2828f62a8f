"""Rules in plain words: what kind of statement a clause makes, and when its test holds."""

from __future__ import annotations

from ..claims.clauses import ABSENCE, LEARNED, PROPERTY, Clause, Test
from . import words

KIND = {
    LEARNED: "training should have taught it: an untrained network must do worse",
    PROPERTY: "a fact about the model: an untrained network may pass too",
    ABSENCE: "something is not there: every interval must stay inside the smallest effect that would matter",
}


def rule(test: Test, absence: bool = False) -> str:
    """When a test holds, in plain words.

    >>> rule(Test(measure="accuracy", above=0.5, by=0.05, unit="share of items", why="less is luck"))
    'the whole 95% interval of accuracy is above 0.55'
    """
    where = ", ".join(_where(k, v, test.need == "all") for k, v in test.where.items())
    if test.side == "within":
        how = f"stays within {test.by:g} of {test.threshold:g}"
    else:
        how = f"is {test.side} {test.bound(absence):g}"
    if test.need == "all":
        needed = ""
    elif test.need == "any":
        needed = ", in at least one row (intervals widened for the number of rows)"
    else:
        needed = f", in at least {test.need if isinstance(test.need, int) else f'{test.need:.0%}'} of the rows"
    if test.among:
        needed += f"; of {test.among} cases, counted over all data sets, those without a row are undecided"
    return f"the whole 95% interval of {test.measure}{f' ({where})' if where else ''} {how}{needed}"


def conditions(clause: Clause) -> list[str]:
    """When a clause holds, in plain words: once for all data, or by data where not all are asked the same.

    >>> told = {"unit": "share", "why": "less is luck"}
    >>> f1 = Test(measure="F1", above=0.5, by=0.0, **told)
    >>> lead = Test(measure="lead", above=0.0, by=0.1, sources=("wic",), **told)
    >>> for part in conditions(Clause(name="tagged", says="tags are found", kind=LEARNED, tests=(f1, lead))):
    ...     print(part)
    on all data if the whole 95% interval of F1 is above 0.5
    on WiC also if the whole 95% interval of lead is above 0.1
    """
    rules: dict[tuple[str, ...], list[str]] = {}
    for test in clause.tests:
        rules.setdefault(test.sources, []).append(rule(test, absence=clause.kind == ABSENCE))
    told = {data: "if " + "; and if ".join(every) for data, every in rules.items()}
    if len(told) < 2:
        return list(told.values())
    also = "also " if () in told else ""
    names = {data: ", ".join(dict.fromkeys(map(words.data_name, data))) for data in told}
    return [f"on {names[d]} {also}{told[d]}" if d else f"on all data {told[d]}" for d in sorted(told, key=bool)]


def _where(key: str, value: object, each: bool) -> str:
    if not isinstance(value, (list, tuple)):
        return f"{key}: {value}"
    return f"{key}: {'each of ' if each else ''}{(', ' if each else ' or ').join(map(str, value))}"
