"""Two subjects on the same items: differences row by row, paired where both rows were drawn alike.

The same items resampled from the same seed give the same draws, so the difference of two rows' draws is the paired
bootstrap of their difference, whatever the statistic.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from .intervals import unpaired
from .rows import COLUMNS, Interval, row, table

CHOSEN = ("layer", "head", "block", "direction", "offset")  # what each subject's own best may differ in


def over(rows: pd.DataFrame, twin: pd.DataFrame) -> pd.DataFrame:
    """Subject - twin for every row that has its like in the twin's.

    Rows match by measure and all key columns; a row that so has no single partner matches without the columns in
    `CHOSEN`, if that leaves one row on either side. A row without a partner is left out.

    Parameters
    ----------
    rows, twin : tidy frames
        Of two subjects on the same items, resampled from the same seed.

    Returns
    -------
    data frame
        Tidy rows: the subject's key columns; ``twin_value, twin_low, twin_high``; ``paired``: whether the draws were of
        the same items (else the two intervals are taken as independent, which is mostly the wider of the two);
        ``measure``; ``value, low, high`` of the difference; ``n``, the smaller one; clusters and draws.

    Examples
    --------
    >>> from bertology_utils.scores.intervals import mean_interval
    >>> ours = table([row("accuracy", mean_interval([1, 1, 1, 0] * 9), 36, layer=2)])
    >>> twins = table([row("accuracy", mean_interval([1, 0, 1, 0] * 9), 36, layer=2)])
    >>> over(ours, twins)[["layer", "value", "paired"]].values.tolist()
    [[2, 0.25, True]]
    """
    keys = [c for c in rows.columns if c not in COLUMNS]
    shared = [c for c in keys if c in twin.columns]
    fixed = [c for c in shared if c not in CHOSEN]
    passes = [(columns, _index(rows, columns), _index(twin, columns)) for columns in (shared, fixed)]
    out = []
    for record in rows.to_dict("records"):
        for columns, mine, theirs in passes:
            key = _key(record, columns)
            if len(mine[key]) == 1 and len(theirs.get(key, [])) == 1:
                out.append(_difference(record, theirs[key][0], keys))
                break
    return table(out) if out else pd.DataFrame()


def difference(a: Interval, b: Interval) -> tuple[Interval, bool]:
    """a - b, and whether it is paired: from the draws of both, which stand for the same resamples of the same items.

    Without draws, or with other numbers of them or of clusters, the two are joined as independent ones (zou2008). So they
    are where no resample tells them apart, since an interval without width would claim too much.
    """
    one, two = a.draws, b.draws
    if one is not None and two is not None and np.shape(one) == np.shape(two) and a.clusters == b.clusters:
        drawn, value = one - two, float(a[0] - b[0])
        if not np.isnan(drawn).all() and np.nanmax(drawn) - np.nanmin(drawn) > 1e-9 * np.nanmax(np.abs(one)):
            low, high = (float(x) for x in np.nanpercentile(drawn, [2.5, 97.5]))
            return Interval(value, min(low, value), max(high, value), draws=drawn, clusters=a.clusters), True
    return unpaired(*(Interval(*x, clusters=x.clusters) for x in (a, b))), False


def of_row(record: Mapping) -> Interval:
    """The `Interval` of a tidy row."""
    clusters, draws = record.get("clusters"), record.get("draws")
    return Interval(
        *(float(record[k]) for k in ("value", "low", "high")),
        draws=draws if isinstance(draws, np.ndarray) else None,
        clusters=None if clusters is None or pd.isna(clusters) else int(clusters),
    )


def _index(frame: pd.DataFrame, keys: list[str]) -> dict[tuple, list[dict]]:
    found: dict[tuple, list[dict]] = {}
    for record in frame.to_dict("records"):
        found.setdefault(_key(record, keys), []).append(record)
    return found


def _key(record: dict, keys: list[str]) -> tuple:
    return record["measure"], *(None if pd.isna(record[k]) else record[k] for k in keys)


def _difference(mine: dict, other: dict, keys: list[str]) -> dict:
    a, b = of_row(mine), of_row(other)
    if mine["n"] != other["n"]:
        b.draws = None
    found, together = difference(a, b)
    twin = {f"twin_{k}": float(other[k]) for k in ("value", "low", "high")}
    return row(
        mine["measure"], found, min(mine["n"], other["n"]), **{k: mine[k] for k in keys}, **twin, paired=together
    )
