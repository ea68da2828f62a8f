"""Can a record be true? Its fields have the right kinds, its intervals hold their values, known shares lie within 0 and 1."""

from __future__ import annotations

import math
from typing import Any

PARTS = ("value", "low", "high")
ROUNDED = 1e-5  # records keep six significant digits
# The least that a measure of that very name can be, where the most is 1; others have no bounds that hold for every claim.
_SHARES = (
    "accuracy", "accuracy by gold class", "accuracy by language", "accuracy left", "accuracy, first language",
    "accuracy, majority", "accuracy, second language", "alignment F1", "balanced accuracy", "balanced accuracy, best layer",
    "balanced accuracy, the model's own head", "cloze accuracy", "control accuracy",
    "cumulative accuracy", "F1", "F1 by layer", "F1, layer 0", "F1, lookup", "F1, majority",
    "heterogeneous, all heads", "heterogeneous, survivors", "kNN accuracy", "LAS",
    "majority", "masked-LM accuracy", "mean accuracy", "minimal-pair accuracy", "overlap of top 10", "P@1",
    "root accuracy", "share of heads surviving", "share of maps", "share of the norms",
    "share of the weights", "test accuracy", "top-5 overlap", "UAS",
    "UUAS", "zero-shot accuracy",
)  # fmt: skip
_SIGNED = (
    "accuracy over chance", "accuracy over majority", "accuracy over majority, by task", "accuracy over majority, first stage",
    "adjusted Rand index",
    "depth Spearman", "distance Spearman", "F1 over embeddings", "F1 over majority", "P@1 over majority object",
    "Spearman", "Spearman by layer", "UAS over chain", "UUAS over baseline",
)  # fmt: skip
LOWEST = {**dict.fromkeys(_SHARES, 0.0), **dict.fromkeys(_SIGNED, -1.0)}


def check(raw: dict[str, Any]) -> None:
    """Refuse a record, as read from JSON, that cannot be true.

    Raises
    ------
    ValueError
        Naming the field or the row.
    """
    for name in ("claim", "model", "data", "kind"):
        if not isinstance(raw.get(name), str) or not raw[name]:
            raise ValueError(f"{name} is {raw.get(name)!r}, not a text")
    if not isinstance(raw.get("rows"), list) or not raw["rows"]:
        raise ValueError("it has no rows")
    if not isinstance(raw.get("over_twin"), (list, type(None))) or not isinstance(raw.get("provenance", {}), dict):
        raise ValueError("over_twin is no list, or provenance no mapping")
    if not all(isinstance(note, str) for note in raw.get("notes", ())):
        raise ValueError("a note is not a text")
    for row in raw["rows"]:
        _row(row, interval=raw["kind"] == "rerun")
        _bounded(row)
    for row in raw.get("over_twin") or ():
        _row(row, interval=True)


def _row(row: Any, interval: bool) -> None:
    """Kinds of a row's fields, and its value between the ends of its interval."""
    if not isinstance(row, dict) or not isinstance(row.get("measure"), str):
        raise ValueError(f"a row without a measure: {str(row)[:80]}")
    n = row.get("n")
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise ValueError(f"n is {n!r} ({row['measure']})")
    for part in PARTS:
        number = row.get(part)
        if number is not None and (
            isinstance(number, bool) or not isinstance(number, (int, float)) or not math.isfinite(number)
        ):
            raise ValueError(f"{part} is {number!r} ({row['measure']})")
    value, low, high = (row.get(part) for part in PARTS)
    if not interval or value is None or low is None or high is None:
        return
    slack = ROUNDED * max(1.0, abs(value))
    if not low - slack <= value <= high + slack:
        raise ValueError(f"{row['measure']} {value:g} lies outside its interval [{low:g}, {high:g}]")


def _bounded(row: dict[str, Any]) -> None:
    low = LOWEST.get(row["measure"])
    value = row.get("value")
    if low is not None and value is not None and not low - ROUNDED <= value <= 1 + ROUNDED:
        raise ValueError(f"{row['measure']} is {value:g}; it lies within {low:g} and 1")


def within(measure: str, *figures: float, difference: bool = False) -> tuple[float, ...]:
    """Figures of a measure, no farther than it can reach: widening for few units takes an interval beyond a share's ends.

    Parameters
    ----------
    difference : bool
        Whether they are of the difference of two such figures.

    Examples
    --------
    >>> within("accuracy", -0.02, 1.01), within("accuracy", -0.02, difference=True), within("nats", 7.5)
    ((0.0, 1.0), (-0.02,), (7.5,))
    """
    if (low := LOWEST.get(measure)) is None:
        return figures
    low, high = (low - 1.0, 1.0 - low) if difference else (low, 1.0)
    # min and max would take nan for a number
    return tuple(low if f < low else high if f > high else f for f in figures)
