"""Intervals: no number leaves an experiment without one.

Percentile bootstrap, 95 %, seeded, over the items (and over seeds x items where there are seeds; paired where the
comparison is). Rows are tidy: ``measure, value, low, high, n`` and any key columns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from ..settings import Settings

COLUMNS = ("measure", "value", "low", "high", "n")
LEVEL = 95.0
_CELLS = 4_000_000  # drawn indices held at once


def _percentiles(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tail = (100 - LEVEL) / 2
    low, high = np.nanpercentile(draws, [tail, 100 - tail], axis=0)
    return low, high


def resamples(n: int, draws: int, seed: int, groups: Sequence | None = None):
    """Yield arrays (k, n) of resampled indices, `draws` rows in all.

    With `groups`, whole groups are drawn (the items of one sentence stand or fall together) and lists of index
    arrays come instead, since their lengths differ.
    """
    rng = np.random.default_rng(seed)
    if groups is None:
        step = max(1, _CELLS // max(n, 1))
        for start in range(0, draws, step):
            yield rng.integers(0, n, (min(step, draws - start), n))
        return
    codes = pd.factorize(np.asarray(groups))[0]
    order = np.argsort(codes, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(codes))[:-1])
    for _ in range(draws):
        yield [np.concatenate([members[g] for g in rng.integers(0, len(members), len(members))])]


def bootstrap(
    arrays: np.ndarray | Sequence[np.ndarray],
    statistic: Callable[..., np.ndarray | float],
    *,
    seed: int = 0,
    draws: int = 2000,
    groups: Sequence | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Value and 95 % interval of a statistic of items (first axis), resampled together (so: paired).

    Parameters
    ----------
    arrays : array (n, ...) or several of them with the same n
    statistic : callable
        Takes the (resampled) arrays, gives a number or an array.

    Returns
    -------
    value, low, high : arrays of the statistic's shape

    Raises
    ------
    ValueError
        If there is no item, or the arrays differ in length.
    """
    arrays = [np.asarray(a) for a in (arrays if isinstance(arrays, (list, tuple)) else [arrays])]
    n = len(arrays[0])
    if not n or any(len(a) != n for a in arrays):
        raise ValueError(f"needs items, as many in each array; there are {[len(a) for a in arrays]}")
    value = np.asarray(statistic(*arrays), float)
    drawn = [statistic(*(a[i] for a in arrays)) for block in resamples(n, draws, seed, groups) for i in block]
    return value, *_percentiles(np.asarray(drawn, float))


def mean_interval(
    values: Sequence[float], *, seed: int = 0, draws: int = 2000, groups: Sequence | None = None
) -> tuple[float, float, float]:
    """Mean and 95 % interval, fast: the same as `bootstrap(values, np.mean)`."""
    values = np.asarray(values, float)
    if not len(values):
        raise ValueError("the mean of no item")
    if groups is not None:  # whole groups are drawn: of each only the sum and the size matter
        codes = pd.factorize(np.asarray(groups))[0]
        drawn = counts(codes.max() + 1, draws, seed) @ np.stack([np.bincount(codes, values), np.bincount(codes)], 1)
        return interval(values.mean(), drawn[:, 0] / drawn[:, 1])
    drawn = np.concatenate([values[block].mean(1) for block in resamples(len(values), draws, seed)])
    return float(values.mean()), *map(float, _percentiles(drawn))


def counts(n: int, draws: int, seed: int) -> np.ndarray:
    """How often each of n items is drawn in each resample, (draws, n): a bootstrap by matrix products."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=draws)


def interval(value: float, drawn: np.ndarray) -> tuple[float, float, float]:
    """A value with the central 95 % of its draws."""
    low, high = _percentiles(np.asarray(drawn, float))
    return float(value), float(low), float(high)


def row(measure: str, interval: tuple, n: int, **keys) -> dict:
    """One tidy row from a (value, low, high)."""
    value, low, high = (float(x) for x in interval)
    return {**keys, "measure": measure, "value": value, "low": low, "high": high, "n": int(n)}


def table(rows: Sequence[dict], notes: Sequence[str] = ()) -> pd.DataFrame:
    """Tidy rows as a data frame: key columns first, then `COLUMNS`; notes travel in ``attrs["notes"]``."""
    frame = pd.DataFrame(list(rows))
    keys = [c for c in frame.columns if c not in COLUMNS]
    for c in keys:  # a layer must not become "3.0" because another row has none
        if frame[c].dtype.kind == "f" and (frame[c].dropna() % 1 == 0).all():
            frame[c] = pd.Series([v if pd.isna(v) else int(v) for v in frame[c]], frame.index, dtype=object)
    frame = frame[[*keys, *COLUMNS]]
    frame.attrs["notes"] = [n for n in notes if n]
    return frame


def combine(*frames: pd.DataFrame) -> pd.DataFrame:
    """Tidy frames one below the other, with all their notes."""
    notes = list(dict.fromkeys(n for f in frames for n in f.attrs.get("notes", [])))
    return table([r for f in frames for r in f.to_dict("records")], notes)


def means(
    frame: pd.DataFrame,
    value: str,
    *,
    by: str | Sequence[str] | None = None,
    measure: str | None = None,
    settings: Settings,
    groups: str | None = None,
    note: str = "",
) -> pd.DataFrame:
    """Mean of a column with its interval, in each group of `by` (a column or several).

    `groups` names a column whose equal values are resampled together.
    """
    keys = [by] if isinstance(by, str) else list(by or [])
    parts = frame.groupby(keys, sort=True, observed=True) if keys else [((), frame)]
    rows = []
    for key, part in parts:
        interval = mean_interval(
            part[value], seed=settings.seed, draws=settings.draws, groups=part[groups] if groups else None
        )
        rows.append(row(measure or value, interval, len(part), **dict(zip(keys, key))))
    return table(rows, [note])


def difference(
    a: Sequence[float], b: Sequence[float], *, seed: int = 0, draws: int = 2000, paired: bool = True
) -> tuple[float, float, float]:
    """mean(a) - mean(b) with its interval; items are drawn together if `paired`, else independently."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    if paired:
        if a.shape != b.shape:
            raise ValueError(f"paired, but {a.shape} against {b.shape} values")
        return mean_interval(a - b, seed=seed, draws=draws)
    drawn = [
        np.concatenate([x[block].mean(1) for block in resamples(len(x), draws, seed + k)]) for k, x in enumerate((a, b))
    ]
    return float(a.mean() - b.mean()), *map(float, _percentiles(drawn[0] - drawn[1]))


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Rank correlation; nan where one side does not vary."""
    rx, ry = rankdata(x), rankdata(y)
    if np.ptp(rx) == 0 or np.ptp(ry) == 0:
        return float("nan")
    return float(np.corrcoef(rx, ry)[0, 1])


def trend(
    per_item: np.ndarray,
    *,
    x: Sequence[float] | None = None,
    seed: int = 0,
    draws: int = 2000,
    groups: Sequence | None = None,
) -> tuple[float, float, float]:
    """Spearman of position (layer, distance, …) with the mean over items; `per_item` is (n, positions).

    The interval is over items: would the order of the layers stand with other sentences?
    """
    per_item = np.asarray(per_item, float)
    x = np.arange(per_item.shape[1]) if x is None else np.asarray(x)
    value, low, high = bootstrap(
        per_item, lambda a: spearman(x, np.nanmean(a, 0)), seed=seed, draws=draws, groups=groups
    )
    return float(value), float(low), float(high)


def seeds_by_items(scores: np.ndarray, *, seed: int = 0, draws: int = 2000) -> tuple[float, float, float]:
    """Mean of (seeds, items) scores; seeds and items are both resampled, since both could have been others."""
    scores = np.asarray(scores, float)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"needs a (seeds, items) array, not {scores.shape}")
    rng = np.random.default_rng(seed)
    s, n = scores.shape
    drawn = [scores[np.ix_(rng.integers(0, s, s), rng.integers(0, n, n))].mean() for _ in range(draws)]
    return float(scores.mean()), *map(float, _percentiles(np.asarray(drawn)))
