"""Intervals: no number leaves an experiment without one.

One bootstrap for everything: what is independent is resampled (`resampling`), the draws are widened for few units, and
their central 95 % is the interval. Few units: the percentile interval of hesterberg2015, with Student's t for the units'
effective number. Shares have Wilson's interval and never a width of zero (`proportions`). Every function gives an
`Interval`: (value, low, high) with the `draws`, which pair with those of another subject on the same items, and with
the number of `clusters`.

`groups` is a sequence of labels, one an item, or a mapping, data frame or list of several such factors, which are crossed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..errors import TooFew
from ..settings import Settings
from .correlations import spearman
from .proportions import Z, discordant, independent_items, wilson
from .replicates import LEVEL, bootstrap, bootstrap_sums, finish, fitted, interval, widening
from .resampling import Resample, counts, crossed, resamples
from .rows import COLUMNS, Interval, combine, records, row, table

__all__ = [
    "COLUMNS", "LEVEL", "Interval", "Means", "Resample", "Rows", "bootstrap", "bootstrap_sums", "combine", "counts",
    "crossed", "difference", "fitted", "interval", "mean_interval", "mean_row", "means", "proportion", "ratio", "records",
    "resamples", "row", "seeds_by_items", "spearman", "table", "unpaired",
]  # fmt: skip

FEWEST = 1.5  # effective units that a ratio's bottom is of, for it to have an interval


def ratio(
    top: Sequence[float] | np.ndarray,
    bottom: Sequence[float] | np.ndarray,
    *,
    seed: int = 0,
    draws: int = 2000,
    groups=None,
    signed: bool = False,
) -> Interval:
    """Sum of `top` by sum of `bottom` (n,), and its interval: fast, by matrix products.

    An item that says nothing has 0 above and below. `signed`: the figure may be negative, though it is not here. Where
    nearly all of `bottom` is one unit's there is no interval: a ratio has no bounds, and with half a degree of freedom
    Student's t is 165, with less up to 10^150.

    Examples
    --------
    >>> ratio([1.0, 2.0], [1.0, 1e-6])[1:]
    (nan, nan)
    """
    top, bottom = np.asarray(top, float), np.asarray(bottom, float)
    if not len(top) or top.shape != bottom.shape:
        raise TooFew(f"needs items, as many above as below; there are {top.shape} and {bottom.shape}")
    sample = Resample(len(top), groups, seed=seed, draws=draws)
    found = _ratio(top, bottom, sample, signed)
    if min(sample.effective(bottom)) >= FEWEST:
        return found
    return Interval(found[0], float("nan"), float("nan"), clusters=found.clusters)


def _ratio(top: np.ndarray, bottom: np.ndarray, sample: Resample, signed: bool = False) -> Interval:
    total = bottom.sum()
    value = float(top.sum() / total) if total else float("nan")
    sums = sample.sums(np.stack([top, bottom], 1))
    drawn = np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] != 0)
    if np.ptp(top) == 0 and np.ptp(bottom) == 0:
        drawn = np.where(np.isnan(drawn), np.nan, value)  # exactly, whatever the rounding
    if np.isnan(value):
        return Interval(value, value, value, clusters=sample.clusters)
    if not sample.crossed:
        wide = widening(sample.clusters, sample.effective(bottom)[0])
        return finish(value, drawn, sample.clusters, wide, signed=signed)
    variance, t = sample.spread((top - value * bottom) / total, bottom)
    half = t * np.sqrt(variance) if variance > 0 else 0.0
    if not 0 < half < np.inf:
        return finish(value, drawn, sample.clusters, 1.0 if half == 0 else np.inf, signed=signed)
    # of three seeds or so the draws have few values, and their percentiles say little: Student's limits, and draws to fit
    return fitted(value, (value - half, value + half), drawn, sample.clusters, sample.seed)


def mean_interval(
    values: Sequence[float] | np.ndarray, *, seed: int = 0, draws: int = 2000, groups=None, signed: bool = False
) -> Interval:
    """Mean of item values (n,) and its 95 % interval.

    Values that are all 0 or 1 are a share and have Wilson's interval; with -1 among them they are differences of two
    paired shares and have bonett2012's, and so they have with `signed`, where no item happens to be -1.

    Examples
    --------
    >>> value, low, high = mean_interval([True] * 20)
    >>> (value, round(low, 3), high)
    (1.0, 0.839, 1.0)
    """
    values = np.asarray(values, float)
    if not len(values):
        raise TooFew("the mean of no item")
    return _mean(values, Resample(len(values), groups, seed=seed, draws=draws), signed)


def _mean(values: np.ndarray, sample: Resample, signed: bool = False) -> Interval:
    if not np.isin(values, (-1, 0, 1)).all():
        return _ratio(values, np.ones(len(values)), sample, signed)
    share = not signed and bool((values >= 0).all())
    value, n = float(values.mean()), float(len(values))
    drawn = sample.sums(np.stack([values, np.ones(len(values))], 1))
    drawn = np.divide(drawn[:, 0], drawn[:, 1], out=np.full(len(drawn), value), where=drawn[:, 1] > 0)
    n = n if sample.levels == (len(values),) else _independent(values, value, sample)
    found = fitted(value, _share_limits(values, value, n, share), drawn, sample.clusters, sample.seed)
    # Wilson's limits are drawn towards a half; a difference of two shares is not, and needs the width before that
    assert found.draws is not None
    found.draws = value + (found.draws - value) * (1 + Z**2 / n)
    return found


def _share_limits(values: np.ndarray, value: float, n: float, share: bool) -> tuple[float, float]:
    return wilson(value, n) if share else discordant(float((values > 0).mean()), float((values < 0).mean()), n)


def _independent(values: np.ndarray, value: float, sample: Resample) -> float:
    """So many independent items would say as much about a share as these."""
    n = len(values)
    variance, t = sample.spread((values - value) / n)
    rare = values != max((-1, 0, 1), key=lambda v: (values == v).sum())
    held, size = min(
        ((np.bincount(codes, rare), np.bincount(codes)) for codes in sample.codes), key=lambda c: np.count_nonzero(c[0])
    )
    odd = held > 0
    within = max((wilson(k / m, m)[1] for k, m in zip(held[odd], size[odd])), default=1.0)
    single = ((values - value) ** 2).sum() / n**2
    most = n / min(sample.effective())
    return independent_items(variance, single, n, t=t, odd=int(odd.sum()), most=most, within=within)


class Means:
    """Means over the same items, time and again: the groups are read once.

    Examples
    --------
    >>> mean = Means(["a", "a", "b", "c"], draws=100)
    >>> mean([1, 0, 1, 1])[0]
    0.75
    """

    def __init__(self, groups, *, seed: int = 0, draws: int = 500) -> None:
        n = len(next(iter(groups.values()))) if isinstance(groups, dict) else len(groups)
        self.sample = Resample(n, groups, seed=seed, draws=draws)

    @property
    def clusters(self) -> int:
        """How many independent units there are."""
        return self.sample.clusters

    def __call__(self, values: np.ndarray, *, signed: bool = False) -> Interval:
        """Mean of values (n,) and its 95 % interval; see `mean_interval`."""
        return _mean(np.asarray(values, float), self.sample, signed)

    def draws(self, values: np.ndarray) -> np.ndarray:
        """The means of the resamples, (draws,), as they are: `interval` widens them if told the clusters.

        A resample of few crossed groups may draw no item at all: its mean is nan.
        """
        sums = self.sample.sums(np.stack([np.asarray(values, float), np.ones(self.sample.n)], 1))
        return np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] != 0)


def means(
    frame: pd.DataFrame,
    value: str,
    *,
    by: str | Sequence[str] | None = None,
    measure: str | None = None,
    settings: Settings,
    groups: str | Sequence[str] | None = None,
    note: str = "",
    signed: bool = False,
) -> pd.DataFrame:
    """Mean of a column with its interval, in each group of `by` (a column or several), as tidy rows.

    `groups` names a column whose equal values are resampled together, or several that cross.
    """
    keys = [by] if isinstance(by, str) else list(by or [])
    parts = frame.groupby(keys, sort=True, observed=True) if keys else [((), frame)]
    rows = []
    for key, part in parts:
        units = None if groups is None else part[[groups] if isinstance(groups, str) else list(groups)]
        found = mean_interval(part[value], seed=settings.seed, draws=settings.draws, groups=units, signed=signed)
        rows.append(row(measure or value, found, len(part), **dict(zip(keys, key))))
    return table(rows, [note])


def difference(
    a: Sequence[float] | np.ndarray,
    b: Sequence[float] | np.ndarray,
    *,
    seed: int = 0,
    draws: int = 2000,
    paired: bool = True,
    groups=None,
) -> Interval:
    """mean(a) - mean(b) with its interval; items are drawn together if `paired`, else independently.

    `groups` are those of the pairs; of two samples, a tuple of the groups of each. Two samples are joined by zou2008's
    rule: the distance of each limit from its mean, squared and added.
    """
    a, b = np.asarray(a, float), np.asarray(b, float)
    if paired:
        if a.shape != b.shape:
            raise ValueError(f"paired, but {a.shape} against {b.shape} values")
        return mean_interval(a - b, seed=seed, draws=draws, groups=groups, signed=True)
    of = groups if isinstance(groups, tuple) else (groups, groups)
    first, second = (mean_interval(x, seed=seed + k, draws=draws, groups=of[k]) for k, x in enumerate((a, b)))
    return unpaired(first, second)


def unpaired(a: Interval, b: Interval) -> Interval:
    """a - b of two independent figures from their intervals (zou2008); draws where both have as many."""
    value = a[0] - b[0]
    low, high = value - np.hypot(a[0] - a[1], b[2] - b[0]), value + np.hypot(a[2] - a[0], b[0] - b[1])
    known = [count for x in (a, b) if (count := getattr(x, "clusters", None))]
    clusters = min(known) if known else None
    one, two = (getattr(x, "draws", None) for x in (a, b))
    if one is None or two is None or len(one) != len(two) or np.isnan([low, high]).any():
        return Interval(float(value), float(low), float(high), clusters=clusters)
    other = np.random.default_rng(len(two)).permutation(two)  # the same seed gave both: their order says nothing
    return fitted(float(value), (float(low), float(high)), one - other, clusters, 0)


def proportion(right: int, n: int) -> Interval:
    """Share right of n where the items are not at hand; no draws, so that it pairs with nothing.

    Examples
    --------
    >>> [round(x, 3) for x in proportion(80, 100)]
    [0.8, 0.711, 0.867]
    """
    if not 0 <= right <= n or n < 1:
        raise ValueError(f"{right} right of {n} items")
    return Interval(right / n, *wilson(right / n, n), clusters=int(n))


def seeds_by_items(
    scores: np.ndarray, *, seed: int = 0, draws: int = 2000, groups=None, signed: bool = False
) -> Interval:
    """Mean of (seeds, items) scores; seeds and items both could have been others.

    Seeds and items (or their `groups`) are crossed; each part of the variance has the Student's t of its own units, so
    that three seeds count as three where seeds matter. (One t with satterthwaite1946's degrees of freedom for all
    parts covers .92 there.) One seed alone says nothing about seeds: then the interval is over items. `signed`: of
    differences, as in `mean_interval`; without it those that happen to have no -1 pass for shares, and never reach below 0.

    Examples
    --------
    >>> gains = np.zeros((5, 180)); gains[0, 0] = 1  # one answer of nine hundred is better than before
    >>> [bool(seeds_by_items(gains, signed=s)[1] > 0) for s in (False, True)]
    [True, False]
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"needs a (seeds, items) array, not {scores.shape}")
    s, n = scores.shape
    if s == 1:
        return mean_interval(scores[0], seed=seed, draws=draws, groups=groups, signed=signed)
    return mean_interval(scores.ravel(), seed=seed, draws=draws, groups=crossed(s, n, groups), signed=signed)


def mean_row(
    measure: str,
    values: Sequence[float] | np.ndarray,
    settings: Settings,
    /,
    *,
    groups=None,
    signed: bool = False,
    **keys,
) -> dict:
    """A tidy row of a mean: of items (n,), or of items by seed (seeds, n), which could both have been others.

    `groups` and `signed` are those of `mean_interval`; `n` is the number of items.

    Examples
    --------
    >>> found = mean_row("accuracy", np.ones((3, 20)), Settings(), layer=2)
    >>> found["layer"], found["value"], found["n"]
    (2, 1.0, 20)
    """
    values = np.asarray(values, float)
    made = mean_interval if values.ndim == 1 else seeds_by_items
    found = made(values, seed=settings.seed, draws=settings.draws, groups=groups, signed=signed)
    return row(measure, found, values.shape[-1], **keys)


class Rows(list[dict]):
    """Tidy rows, one after the other, on one seed and one number of draws.

    Examples
    --------
    >>> rows = Rows(Settings(), groups=["a", "a", "b", "c"])
    >>> rows.mean("accuracy", [1, 0, 1, 1], layer=2)
    >>> rows.add("layers", (3, 3, 3), 1)
    >>> [r["value"] for r in rows]
    [0.75, 3.0]
    """

    def __init__(self, settings: Settings, *, groups=None) -> None:
        super().__init__()
        self.settings, self.groups = settings, groups

    def add(self, measure: str, interval: Sequence[float], n: int, /, **keys) -> None:
        """A figure with its interval, as `row` takes them."""
        self.append(row(measure, interval, n, **keys))

    def mean(self, measure: str, values: Sequence[float] | np.ndarray, /, *, groups=None, **keys) -> None:
        """A mean, as `mean_row` takes it; by the table's own groups where none are given."""
        self.append(mean_row(measure, values, self.settings, groups=self.groups if groups is None else groups, **keys))
