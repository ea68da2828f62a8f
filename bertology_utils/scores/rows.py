"""Tidy rows: one measured figure each, with its interval.

A frame of rows has any key columns (`layer`, `condition`, ...), then ``measure, value, low, high, n``, then what only
memory holds besides: `clusters`, how many independent units were resampled, and `draws`, the bootstrap replicates, from
which differences of two frames are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..errors import TooFew

COLUMNS = ("measure", "value", "low", "high", "n", "clusters", "draws")
BASE = COLUMNS[:5]


class Interval(tuple):
    """A value with its 95 % interval: a tuple (value, low, high) that also knows where it comes from.

    Attributes
    ----------
    draws : float array (draws, ...) or None
        Bootstrap replicates, widened for few units: their central 95 % is the interval, and that of the difference of two
        figures' draws is the interval of their difference. (Those of a share reach a little beyond Wilson's limits.)
    clusters : int or None
        How many independent units were resampled; of crossed factors, the levels of the one that has fewest.

    Examples
    --------
    >>> value, low, high = Interval(0.8, 0.7, 0.9, clusters=60)
    >>> high
    0.9
    """

    draws: np.ndarray | None
    clusters: int | None

    def __new__(cls, value, low, high, *, draws=None, clusters=None) -> Interval:
        self = super().__new__(cls, (value, low, high))
        self.draws, self.clusters = draws, clusters
        return self

    def __reduce__(self):
        return _again, (*self, self.draws, self.clusters)

    def at(self, *index) -> Interval:
        """The interval of one element, where the statistic is an array."""
        draws = None if self.draws is None else self.draws[(slice(None), *index)]
        return Interval(*(float(x[index]) for x in self), draws=draws, clusters=self.clusters)

    def scaled(self, by: float) -> Interval:
        """The same figure in another unit: all times `by`, which is positive."""
        draws = None if self.draws is None else self.draws * by
        return Interval(*(x * by for x in self), draws=draws, clusters=self.clusters)


def _again(value, low, high, draws, clusters) -> Interval:
    return Interval(value, low, high, draws=draws, clusters=clusters)


def row(measure: str, interval: Sequence[float], n: int, **keys: Any) -> dict:
    """One tidy row from an `Interval`, or from a bare (value, low, high) without draws."""
    value, low, high = (float(x) for x in interval)
    clusters, draws = getattr(interval, "clusters", None), getattr(interval, "draws", None)
    figures = {"measure": measure, "value": value, "low": low, "high": high, "n": int(n)}
    return {**keys, **figures, "clusters": None if clusters is None else int(clusters), "draws": draws}


def table(rows: Iterable[dict], notes: Sequence[str] = ()) -> pd.DataFrame:
    """Tidy rows as a data frame: key columns first, then `COLUMNS`; notes travel in ``attrs["notes"]``.

    `clusters` and `draws` are columns only where a row has them.
    """
    rows = list(rows)
    if not rows:
        raise TooFew("nothing was measured: no item is left")
    frame = pd.DataFrame([{k: v for k, v in r.items() if k not in ("clusters", "draws")} for r in rows])
    keys = [c for c in frame.columns if c not in COLUMNS]
    for c in keys:  # a layer must not become "3.0" because another row has none
        if frame[c].dtype.kind == "f" and (frame[c].dropna() % 1 == 0).all():
            frame[c] = pd.Series([v if pd.isna(v) else int(v) for v in frame[c]], frame.index, dtype=object)
    frame = frame[[*keys, *BASE]]
    for name in ("clusters", "draws"):
        held = [_there(r.get(name)) for r in rows]
        if any(h is not None for h in held):
            column = np.empty(len(rows), object)
            column[:] = held
            frame[name] = pd.Series(column, frame.index, dtype=object)
    frame.attrs["notes"] = [n for n in notes if n]
    return frame


def _there(value: Any) -> Any:
    """None for what is missing, however a data frame says so."""
    return value if isinstance(value, np.ndarray) or not pd.isna(value) else None


def combine(*frames: pd.DataFrame) -> pd.DataFrame:
    """Tidy frames one below the other, with all their notes."""
    notes = list(dict.fromkeys(n for f in frames for n in f.attrs.get("notes", [])))
    return table([r for f in frames for r in f.to_dict("records")], notes)


def matching(frame: pd.DataFrame, measure: str, where: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of one measure and key values: none where the frame has no such column."""
    if not {"measure", *where} <= set(frame.columns):
        return frame.iloc[:0]
    chosen = frame[frame["measure"] == measure]
    for column, value in where.items():
        chosen = chosen[chosen[column] == value]
    return chosen


def records(frame: pd.DataFrame) -> list[dict]:
    """The rows as dictionaries that can be written as JSON: without draws, with `clusters` where they are known."""
    rows = ({k: v for k, v in r.items() if k != "draws"} for r in frame.to_dict("records"))
    return [{k: v for k, v in r.items() if k != "clusters" or _there(v) is not None} for r in rows]
