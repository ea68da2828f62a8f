"""Intervals: no number leaves an experiment without one.

One bootstrap for everything: what is independent is resampled (`resampling`), the draws are widened for few units, and
their central 95 % is the interval. Few units: the percentile interval of hesterberg2015, with Student's t for the units'
effective number. Shares have Wilson's interval and never a width of zero (`proportions`). Every function gives an
`Interval`: (value, low, high) with the `draws`, which pair with those of another subject on the same items, and with
the number of `clusters`.

`groups` is a sequence of labels, one an item, or a mapping, data frame or list of several such factors, which are crossed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from scipy.stats import t as student

from ..settings import Settings
from .proportions import Z, constant, discordant, independent_items, wilson
from .resampling import Resample, counts, factors, resamples
from .rows import COLUMNS, Interval, combine, records, row, table

__all__ = [
    "COLUMNS", "LEVEL", "Interval", "Means", "Resample", "bootstrap", "bootstrap_sums", "combine", "correlation",
    "counts", "difference", "fitted", "interval", "mean_interval", "means", "proportion", "ratio", "records",
    "resamples", "row", "seeds_by_items", "spearman", "table", "trend", "unpaired",
]  # fmt: skip

LEVEL = 95.0
_FEW = 400  # draws of the one-way bootstraps that set the width of a crossed one


def widening(clusters: float, effective: float | None = None) -> float:
    """By what a percentile bootstrap of so many units is too narrow: sqrt(G / (G - 1)) t / z; infinite for one unit."""
    df = (clusters if effective is None else effective) - 1
    if clusters < 2 or df <= 0:
        return float("inf")
    return float(np.sqrt(clusters / (clusters - 1)) * student.ppf(0.975, df) / Z)


def _percentiles(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tail = (100 - LEVEL) / 2
    draws = np.asarray(draws, float)
    if not np.isnan(draws).any():
        return tuple(np.percentile(draws, [tail, 100 - tail], axis=0))
    known = ~np.isnan(draws).all(0)  # of a statistic that no draw has, nothing can be said
    out = np.full((2, *draws.shape[1:]), np.nan)
    if known.any():
        out[:, known] = np.nanpercentile(draws[:, known], [tail, 100 - tail], axis=0)
    return out[0], out[1]


def _finish(
    value, draws: np.ndarray, clusters: int | None, wide=1.0, bounds=(-np.inf, np.inf), signed=False
) -> Interval:
    """An `Interval` from a value (...) and its draws (draws, ...), widened about the value, inside bounds."""
    value, draws = np.asarray(value, float), np.asarray(draws, float)
    if not np.all(np.isfinite(wide)):  # one unit: no resample differs
        nan = np.full(value.shape, np.nan)[()]
        return Interval(value[()], nan, nan, clusters=clusters)
    draws = np.clip(value + (draws - value) * wide, *bounds)
    low, high = (np.array(x) for x in _percentiles(draws))
    flat = (np.nanmax(draws, 0) == np.nanmin(draws, 0)) & ~np.isnan(value) if clusters else np.zeros(value.shape, bool)
    for index in zip(*np.nonzero(np.atleast_1d(flat))):
        index = index if value.ndim else ()
        low[index], high[index] = np.clip(constant(float(value[index]), clusters, signed), *bounds)
        draws[(slice(None), *index)] = _noise(float(value[index]), float(low[index]), float(high[index]), len(draws))
    return Interval(value[()], low[()], high[()], draws=draws, clusters=clusters)


def _noise(value: float, low: float, high: float, draws: int, seed: int = 0) -> np.ndarray:
    """Draws of a figure that no resample moves, so that differences from it keep a width."""
    e = np.random.default_rng([seed, draws, int(abs(value) * 1e6) % 2**32]).standard_normal(draws)
    return value + np.where(e < 0, (value - low) * e, (high - value) * e) / Z


def fitted(value: float, limits: tuple[float, float], draws: np.ndarray, clusters: int, seed: int) -> Interval:
    """An `Interval` of given limits; the draws below and above the value are stretched to agree with them."""
    low, high = limits
    quantiles, noise = _percentiles(draws), _noise(value, low, high, len(draws), seed)
    out = np.array(draws, float)
    for side, limit, quantile in ((-1, low, quantiles[0]), (1, high, quantiles[1])):
        beyond = side * (draws - value) > 0
        if side * (quantile - value) > 1e-12:
            out[beyond] = value + (draws[beyond] - value) * (limit - value) / (quantile - value)
        else:  # (nearly) no resample lies on this side
            still = ~(side * (draws - value) < 0) & (side * (noise - value) > 0)
            out[still] = noise[still]
    return Interval(value, low, high, draws=out, clusters=clusters)


def interval(value: float, drawn: np.ndarray, *, clusters: int | None = None, signed: bool = False) -> Interval:
    """A value with the central 95 % of its draws, widened for the number of clusters where that is given.

    Only where it is given has a figure that no draw moves a width; `signed`: it may be negative.
    """
    drawn = np.asarray(drawn, float)
    return _finish(float(value), drawn, clusters, 1.0 if clusters is None else widening(clusters), signed=signed)


def bootstrap(
    arrays: np.ndarray | Sequence[np.ndarray],
    statistic: Callable[..., np.ndarray | float],
    *,
    seed: int = 0,
    draws: int = 2000,
    groups=None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Interval:
    """Value and 95 % interval of a statistic of items (first axis), resampled together (so: paired).

    Parameters
    ----------
    arrays : array (n, ...) or several of them with the same n
    statistic : callable
        Takes the (resampled) arrays, gives a number or an array.
    groups : sequence of n labels, or several
        Items of equal label are drawn together; several factors are crossed (owen2007).
    bounds : (float, float)
        The least and the greatest that the statistic can be.

    Returns
    -------
    Interval
        value, low, high of the statistic's shape (`Interval.at` gives one element's); draws (draws, ...).

    Raises
    ------
    ValueError
        If there is no item, or the arrays differ in length.

    Examples
    --------
    >>> x = np.arange(30.0)
    >>> value, low, high = bootstrap(x, np.median, groups=np.arange(30) // 2)
    >>> bool(low < value < high)
    True
    """
    arrays = [np.asarray(a) for a in (arrays if isinstance(arrays, (list, tuple)) else [arrays])]
    n = len(arrays[0])
    if not n or any(len(a) != n for a in arrays):
        raise ValueError(f"needs items, as many in each array; there are {[len(a) for a in arrays]}")
    value = np.asarray(statistic(*arrays), float)
    sample = Resample(n, groups, seed=seed, draws=draws)
    return _calibrated(value, sample, lambda s: _replicates(arrays, statistic, s, value.shape), bounds)


def _calibrated(
    value: np.ndarray, sample: Resample, replicates: Callable[[Resample], np.ndarray], bounds=(-np.inf, np.inf)
) -> Interval:
    """An `Interval` from what a statistic is in the resamples, as wide as the number of units asks.

    Crossed: the pigeonhole draws are too wide where it is the items themselves that vary, so they are scaled to the
    variance that one-way bootstraps of each factor and of their cells give together.
    """
    drawn = replicates(sample)
    if not sample.crossed:
        return _finish(value, drawn, sample.clusters, widening(sample.clusters, sample.effective()[0]), bounds)
    parts = []
    for codes in sample.units:
        one = Resample(sample.n, codes, seed=sample.seed + 1, draws=min(sample.draws, _FEW))
        parts.append(np.nanvar(replicates(one), 0) * one.clusters / max(one.clusters - 1, 1))
    wide, have = np.ones(value.shape), np.nanvar(drawn, 0)
    for index in np.ndindex(value.shape):
        variance, t = sample.pooled([float(p[index]) for p in parts])
        if have[index] > 0:
            wide[index] = np.sqrt(variance / have[index]) * t / Z
    return _finish(value, drawn, sample.clusters, wide, bounds)


def bootstrap_sums(columns: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray], sample: Resample) -> Interval:
    """A statistic of sums over items, fast: `statistic` takes sums (..., c) of the `columns` (n, c), gives (...)."""
    columns = np.asarray(columns, float)
    return _calibrated(np.asarray(statistic(columns.sum(0)), float), sample, lambda s: statistic(s.sums(columns)))


def _replicates(arrays: list[np.ndarray], statistic: Callable, sample: Resample, shape: tuple) -> np.ndarray:
    """The statistic of each resample, (draws, ...); nan where nothing is drawn."""
    out = np.full((sample.draws, *shape), np.nan)
    places, k = np.arange(sample.n), 0
    for block in sample.weights():
        for weights in block:
            index = np.repeat(places, weights)
            if len(index):
                out[k] = statistic(*(a[index] for a in arrays))
            k += 1
    return out


def ratio(
    top: Sequence[float],
    bottom: Sequence[float],
    *,
    seed: int = 0,
    draws: int = 2000,
    groups=None,
    signed: bool = False,
) -> Interval:
    """Sum of `top` by sum of `bottom` (n,), and its interval: fast, by matrix products.

    An item that says nothing has 0 above and below. `signed`: the figure may be negative, though it is not here.
    """
    top, bottom = np.asarray(top, float), np.asarray(bottom, float)
    if not len(top) or top.shape != bottom.shape:
        raise ValueError(f"needs items, as many above as below; there are {top.shape} and {bottom.shape}")
    return _ratio(top, bottom, Resample(len(top), groups, seed=seed, draws=draws), signed)


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
        return _finish(value, drawn, sample.clusters, wide, signed=signed)
    variance, t = sample.spread((top - value * bottom) / total, bottom)
    half = t * np.sqrt(variance) if variance > 0 else 0.0
    if not 0 < half < np.inf:
        return _finish(value, drawn, sample.clusters, 1.0 if half == 0 else np.inf, signed=signed)
    # of three seeds or so the draws have few values, and their percentiles say little: Student's limits, and draws to fit
    return fitted(value, (value - half, value + half), drawn, sample.clusters, sample.seed)


def mean_interval(
    values: Sequence[float], *, seed: int = 0, draws: int = 2000, groups=None, signed: bool = False
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
        raise ValueError("the mean of no item")
    return _mean(values, Resample(len(values), groups, seed=seed, draws=draws), signed)


def _mean(values: np.ndarray, sample: Resample, signed: bool = False) -> Interval:
    if not np.isin(values, (-1, 0, 1)).all():
        return _ratio(values, np.ones(len(values)), sample, signed)
    share = not signed and (values >= 0).all()
    value, n = float(values.mean()), len(values)
    drawn = sample.sums(np.stack([values, np.ones(n)], 1))
    drawn = np.divide(drawn[:, 0], drawn[:, 1], out=np.full(len(drawn), value), where=drawn[:, 1] > 0)
    n = n if sample.levels == (n,) else _independent(values, value, sample)
    found = fitted(value, _share_limits(values, value, n, share), drawn, sample.clusters, sample.seed)
    # Wilson's limits are drawn towards a half; a difference of two shares is not, and needs the width before that
    found.draws = value + (found.draws - value) * (1 + Z**2 / n)
    return found


def _share_limits(values: np.ndarray, value: float, n: float, share: bool) -> tuple[float, float]:
    return wilson(value, n) if share else discordant(float((values > 0).mean()), float((values < 0).mean()), n)


def _independent(values: np.ndarray, value: float, sample: Resample) -> float:
    """So many independent items would say as much about a share as these."""
    n = len(values)
    variance, t = sample.spread((values - value) / n)
    commonest = max((-1, 0, 1), key=lambda v: (values == v).sum())
    odd = min(len(np.unique(codes[values != commonest])) for codes in sample.codes)
    single = ((values - value) ** 2).sum() / n**2
    return independent_items(variance, single, n, t=t, odd=odd, most=n / min(sample.effective()))


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
        """The means of the resamples, (draws,), as they are: `interval` widens them if told the clusters."""
        sums = self.sample.sums(np.stack([np.asarray(values, float), np.ones(self.sample.n)], 1))
        return sums[:, 0] / sums[:, 1]


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
    a: Sequence[float], b: Sequence[float], *, seed: int = 0, draws: int = 2000, paired: bool = True, groups=None
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
    known = [x.clusters for x in (a, b) if getattr(x, "clusters", None)]
    clusters = min(known) if known else None
    one, two = (getattr(x, "draws", None) for x in (a, b))
    if one is None or two is None or len(one) != len(two) or np.isnan([low, high]).any():
        return Interval(float(value), float(low), float(high), clusters=clusters)
    other = np.random.default_rng(len(two)).permutation(two)  # the same seed gave both: their order says nothing
    return fitted(float(value), (float(low), float(high)), one - other, clusters, 0)


def proportion(right: int, n: int, clusters: int | None = None) -> Interval:
    """Share right of n where the items are not at hand; no draws, so that it pairs with nothing.

    With `clusters`, as if all the items of a cluster had been alike: the most cautious reading.

    Examples
    --------
    >>> [round(x, 3) for x in proportion(80, 100)]
    [0.8, 0.711, 0.867]
    """
    if not 0 <= right <= n or n < 1:
        raise ValueError(f"{right} right of {n} items")
    return Interval(
        right / n, *wilson(right / n, n if clusters is None else min(n, clusters)), clusters=clusters or int(n)
    )


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Rank correlation; nan where one side does not vary."""
    return pearson(rankdata(x), rankdata(y))


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Correlation; nan where one side does not vary."""
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))


def correlation(
    x: Sequence[float],
    y: Sequence[float],
    method: str = "spearman",
    *,
    seed: int = 0,
    draws: int = 2000,
    groups=None,
) -> Interval:
    """Correlation of two item values (n,), by rank or Pearson's, with its interval on Fisher's scale.

    At -1 or 1 exactly, where no resample differs, the limit is that of a correlation half an item short of it.
    """
    x, y, of = np.asarray(x, float), np.asarray(y, float), {"spearman": spearman, "pearson": pearson}[method]
    if x.shape != y.shape or not len(x):
        raise ValueError(f"needs items, as many on each side; there are {x.shape} and {y.shape}")
    value, sample = of(x, y), Resample(len(x), groups, seed=seed, draws=draws)
    if np.isnan(value):
        return Interval(value, value, value, clusters=sample.clusters)
    z = _calibrated(
        np.arctanh(_inside(value, sample.clusters)),
        sample,
        lambda s: np.arctanh(_inside(_weighted(x, y, s, ranks=method == "spearman"), sample.clusters)),
    )
    if z.draws is None:
        return Interval(value, z[1], z[2], clusters=z.clusters)
    low, high = min(value, float(np.tanh(z[1]))), max(value, float(np.tanh(z[2])))
    if abs(value) > 1 - 1e-9:  # then the draws say nothing: the normal approximation of bonett2000
        half = Z * np.sqrt(1.5 / max(z.clusters - 3, 0.5))
        low, high = (float(v) for v in np.sort([value, np.tanh(z[0] - np.sign(value) * half)]))
        return fitted(value, (low, high), np.full(draws, value), z.clusters, seed)
    return Interval(value, low, high, draws=np.tanh(z.draws), clusters=z.clusters)


def _weighted(x: np.ndarray, y: np.ndarray, sample: Resample, *, ranks: bool) -> np.ndarray:
    """Correlation in each resample, (draws,); nan where a side does not vary."""
    out = []
    for block in sample.weights():
        w = block.astype(float)  # (k, n)
        total = np.maximum(w.sum(1, keepdims=True), 1)
        a, b = (_ranks(v, w) if ranks else np.broadcast_to(v, w.shape) for v in (x, y))
        a, b = (v - (w * v).sum(1, keepdims=True) / total for v in (a, b))
        length = np.sqrt((w * a * a).sum(1) * (w * b * b).sum(1))
        found = np.divide((w * a * b).sum(1), length, out=np.full(len(w), np.nan), where=length > 1e-9 * total[:, 0])
        out.append(np.clip(found, -1, 1))
    return np.concatenate(out)


def _ranks(x: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mean rank of each item (k, n) where it stands `weights` (k, n) times in the sample; ties share theirs."""
    _, codes = np.unique(x, return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(codes.max() + 1))
    held = np.add.reduceat(weights[:, order], starts, axis=1)  # (k, kinds)
    return (np.cumsum(held, 1) - held / 2 + 0.5)[:, codes]


def _inside(r: float | np.ndarray, n: int) -> np.ndarray:
    """Correlations, kept off -1 and 1 by half an item, so that Fisher's transformation is finite."""
    edge = 1 - 1 / (2 * n)
    return np.clip(np.asarray(r, float), -edge, edge)


def trend(
    per_item: np.ndarray, *, x: Sequence[float] | None = None, seed: int = 0, draws: int = 2000, groups=None
) -> Interval:
    """Spearman of position (layer, distance, ...) with the mean over items; `per_item` is (n, positions).

    The interval is over items: would the order of the layers stand with other sentences?
    """
    per_item = np.asarray(per_item, float)
    x = np.arange(per_item.shape[1]) if x is None else np.asarray(x)
    return bootstrap(
        per_item, lambda a: spearman(x, np.nanmean(a, 0)), seed=seed, draws=draws, groups=groups, bounds=(-1.0, 1.0)
    )


def seeds_by_items(scores: np.ndarray, *, seed: int = 0, draws: int = 2000, groups=None) -> Interval:
    """Mean of (seeds, items) scores; seeds and items both could have been others.

    Seeds and items (or their `groups`) are crossed; each part of the variance has the Student's t of its own units, so
    that three seeds count as three where seeds matter. (One t with satterthwaite1946's degrees of freedom for all
    parts covers .92 there.) One seed alone says nothing about seeds: then the interval is over items.
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 2 or not scores.size:
        raise ValueError(f"needs a (seeds, items) array, not {scores.shape}")
    s, n = scores.shape
    if s == 1:
        return mean_interval(scores[0], seed=seed, draws=draws, groups=groups)
    crossed = [np.repeat(np.arange(s), n), *(np.tile(codes, s) for codes in factors(groups, n))]
    return mean_interval(scores.ravel(), seed=seed, draws=draws, groups=crossed)
