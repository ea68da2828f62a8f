"""Two subjects on the same items: differences row by row, paired where both rows were drawn alike.

The same items resampled from the same seed give the same draws, so the difference of two rows' draws is the paired
bootstrap of their difference, whatever the statistic.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from . import intervals

PLAIN = ("measure", "value", "low", "high", "n", "clusters", "draws")
CHOSEN = ("layer", "head", "block", "direction", "offset")  # what each subject's own best may differ in


def over(rows: pd.DataFrame, twin: pd.DataFrame) -> pd.DataFrame:
    """Subject - twin for every row that has its like in the twin's.

    Returns
    -------
    data frame
        The subject's key columns; ``measure``; ``value, low, high`` of the difference; ``twin_value, twin_low,
        twin_high``; ``paired``: whether the draws were the same items (else the two intervals are taken as
        independent, which is the wider of the two).
    """
    keys = [c for c in rows.columns if c not in PLAIN]
    shared = [c for c in keys if c in twin.columns]
    exact, loose = _index(twin, shared), _index(twin, [c for c in shared if c not in CHOSEN])
    mine = _index(rows, [c for c in shared if c not in CHOSEN])
    out = []
    for record in rows.to_dict("records"):
        partner = exact.get(_key(record, shared), [])
        if len(partner) != 1:
            key = _key(record, [c for c in shared if c not in CHOSEN])
            partner = loose.get(key, []) if len(mine[key]) == 1 else []
        if len(partner) == 1:
            out.append(_difference(record, partner[0], keys))
    return pd.DataFrame(out)


def _index(frame: pd.DataFrame, keys: list[str]) -> dict[tuple, list[dict]]:
    found: dict[tuple, list[dict]] = {}
    for record in frame.to_dict("records"):
        found.setdefault(_key(record, keys), []).append(record)
    return found


def _key(record: dict, keys: list[str]) -> tuple:
    return record["measure"], *(None if pd.isna(record[k]) else record[k] for k in keys)


def _difference(mine: dict, other: dict, keys: list[str]) -> dict:
    a, b = mine.get("draws"), other.get("draws")
    paired = isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape and mine["n"] == other["n"]
    value = mine["value"] - other["value"]
    if paired:
        _, low, high = intervals.interval(value, a - b)
    else:
        low = value - np.hypot(mine["value"] - mine["low"], other["high"] - other["value"])
        high = value + np.hypot(mine["high"] - mine["value"], other["value"] - other["low"])
    twin = {f"twin_{k}": other[k] for k in ("value", "low", "high")}
    where = {k: mine[k] for k in keys}
    return {**where, "measure": mine["measure"], "value": value, "low": low, "high": high, **twin, "paired": paired}
