"""The rows of a card's tables: whose figure, of what, with its interval, from how many items of which data."""

from __future__ import annotations

from typing import NamedTuple

from ..claims.checks import figure, missing, readable
from ..claims.evidence import Evidence
from ..scores.rows import COLUMNS
from . import words
from .standing import Slot, Standing

_ORDER = {"released": 0, "rerun": 1, "paper": 2}


class Row(NamedTuple):
    """One line of a table, in a reader's words."""

    who: str
    what: str
    figure: str
    n: str
    data: str


def headline(slot: Slot) -> str:
    """The figure that a slot's outcome stands on, and how many more decide."""
    if (c := slot.leading) is None or slot.decision is None:
        return ""
    more = f" and {n - 1} more" if (n := len(slot.decision.checks)) > 1 else ""
    return f"{c.measure}{_key(c.key)} {figure(c.value, c.low, c.high, 2)}{more}"


def deciding(s: Standing, clause: str) -> list[Row]:
    """The rows that decided a clause, for each slot."""
    return [
        Row(name, f"{c.measure}{_key(c.key)}", figure(c.value, c.low, c.high), words.count(c.n), _data(record))
        for name, slot in s.slots
        for record in slot.records
        for outcome in (record.decision.clauses if record.decision else ())
        if outcome.name == clause
        for c in outcome.checks
    ]


def every(s: Standing) -> list[Row]:
    """All rows of all records: released ones first, then reruns, then what papers state."""
    records = sorted(s.records, key=lambda r: (_ORDER[r.kind], r.is_twin, r.data, r.model))
    return [row for record in records for row in _every(record)]


def _every(record: Evidence) -> list[Row]:
    keys = [k for k in dict.fromkeys(k for r in record.rows for k in r) if k not in COLUMNS]
    who = words.model_name(record.model)
    if record.kind == "released":
        who += f" ({words.RELEASED.get(record.label, record.label)})"
    out = []
    for r in record.rows:
        if missing(r["value"]):
            continue
        key = ", ".join(f"{k} {readable(r[k])}" for k in keys if not missing(r.get(k)))
        n = words.count(int(r["n"]))
        out.append(Row(who, f"{r['measure']}{_key(key)}", figure(r["value"], r["low"], r["high"]), n, _data(record)))
    return out


def _key(key: str) -> str:
    return f" ({key})" if key else ""


def _data(record: Evidence) -> str:
    return words.data_name(record.data)
