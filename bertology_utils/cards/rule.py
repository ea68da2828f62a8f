"""Rules in plain words: what kind of statement a clause makes, and when its test holds."""

from __future__ import annotations

from ..claims.clauses import ABSENCE, LEARNED, PROPERTY, Test

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
    return f"the whole 95% interval of {test.measure}{f' ({where})' if where else ''} {how}{needed}"


def _where(key: str, value: object, each: bool) -> str:
    if not isinstance(value, (list, tuple)):
        return f"{key}: {value}"
    return f"{key}: {'each of ' if each else ''}{(', ' if each else ' or ').join(map(str, value))}"
