"""From draws to an interval: any statistic of resampled items, widened for few units, never without width.

The interval is the central 95 % of the draws. Those of few units are too narrow by sqrt((G - 1) / G), and their
percentiles are the normal distribution's where Student's t would be right (hesterberg2015): both are made good by
stretching the draws about the value. Resamples of a statistic that noise moves one way only (a rank, a running maximum)
can lie wholly on one side of its value: the interval is then extended to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.stats import t as student

from .proportions import Z, constant
from .resampling import Resample
from .rows import Interval

LEVEL = 95.0
_FEW = 400  # draws of the one-way bootstraps that set the width of a crossed one


def widening(clusters: float, effective: float | None = None) -> float:
    """By what a percentile bootstrap of so many units is too narrow: sqrt(G / (G - 1)) t / z; infinite for one unit."""
    df = (clusters if effective is None else effective) - 1
    if clusters < 2 or df <= 0:
        return float("inf")
    return float(np.sqrt(clusters / (clusters - 1)) * student.ppf(0.975, df) / Z)


def percentiles(draws: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    tail = (100 - LEVEL) / 2
    draws = np.asarray(draws, float)
    if not np.isnan(draws).any():
        return tuple(np.percentile(draws, [tail, 100 - tail], axis=0))
    known = ~np.isnan(draws).all(0)  # of a statistic that no draw has, nothing can be said
    out = np.full((2, *draws.shape[1:]), np.nan)
    if known.any():
        out[:, known] = np.nanpercentile(draws[:, known], [tail, 100 - tail], axis=0)
    return out[0], out[1]


def finish(
    value, draws: np.ndarray, clusters: int | None, wide=1.0, bounds=(-np.inf, np.inf), signed=False
) -> Interval:
    """An `Interval` from a value (...) and its draws (draws, ...), widened about the value, inside bounds."""
    value, draws = np.asarray(value, float), np.asarray(draws, float)
    if not np.all(np.isfinite(wide)):  # one unit: no resample differs
        nan = np.full(value.shape, np.nan)[()]
        return Interval(value[()], nan, nan, clusters=clusters)
    draws = np.clip(value + (draws - value) * wide, *bounds)
    low, high = percentiles(draws)
    # draws of a biased statistic miss its value
    low, high = np.array(np.minimum(low, value)), np.array(np.maximum(high, value))
    still = (np.fmax.reduce(draws) == np.fmin.reduce(draws)) & ~np.isnan(value)
    flat = still if clusters else np.zeros(value.shape, bool)
    for index in zip(*np.nonzero(np.atleast_1d(flat))):
        index = index if value.ndim else ()
        low[index], high[index] = np.clip(np.array(constant(float(value[index]), clusters or 1, signed)), *bounds)
        draws[(slice(None), *index)] = _noise(float(value[index]), float(low[index]), float(high[index]), len(draws))
    return Interval(value[()], low[()], high[()], draws=draws, clusters=clusters)


def _noise(value: float, low: float, high: float, draws: int, seed: int = 0) -> np.ndarray:
    """Draws of a figure that no resample moves, so that differences from it keep a width."""
    e = np.random.default_rng([seed, draws, int(abs(value) * 1e6) % 2**32]).standard_normal(draws)
    return value + np.where(e < 0, (value - low) * e, (high - value) * e) / Z


def fitted(value: float, limits: tuple[float, float], draws: np.ndarray, clusters: int | None, seed: int) -> Interval:
    """An `Interval` of given limits; the draws below and above the value are stretched to agree with them."""
    low, high = limits
    quantiles, noise = percentiles(draws), _noise(value, low, high, len(draws), seed)
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
    return finish(float(value), drawn, clusters, 1.0 if clusters is None else widening(clusters), signed=signed)


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
    return calibrated(value, sample, lambda s: _replicates(arrays, statistic, s, value.shape), bounds)


def calibrated(
    value: np.ndarray, sample: Resample, replicates: Callable[[Resample], np.ndarray], bounds=(-np.inf, np.inf)
) -> Interval:
    """An `Interval` from what a statistic is in the resamples, as wide as the number of units asks.

    Crossed: the pigeonhole draws are too wide where it is the items themselves that vary, so they are scaled to the
    variance that one-way bootstraps of each factor and of their cells give together.
    """
    drawn = replicates(sample)
    if not sample.crossed:
        return finish(value, drawn, sample.clusters, widening(sample.clusters, sample.effective()[0]), bounds)
    parts = []
    for codes in sample.units:
        one = Resample(sample.n, codes, seed=sample.seed + 1, draws=min(sample.draws, _FEW))
        parts.append(np.nanvar(replicates(one), 0) * one.clusters / max(one.clusters - 1, 1))
    wide, have = np.ones(value.shape), np.nanvar(drawn, 0)
    for index in np.ndindex(value.shape):
        variance, t = sample.pooled([float(p[index]) for p in parts])
        if have[index] > 0:
            wide[index] = np.sqrt(variance / have[index]) * t / Z
    return finish(value, drawn, sample.clusters, wide, bounds)


def bootstrap_sums(
    columns: np.ndarray, statistic: Callable[[np.ndarray], np.ndarray], sample: Resample, bounds=(-np.inf, np.inf)
) -> Interval:
    """A statistic of sums over items, fast: `statistic` takes sums (..., c) of the `columns` (n, c), gives (...)."""
    columns = np.asarray(columns, float)
    value = np.asarray(statistic(columns.sum(0)), float)
    return calibrated(value, sample, lambda s: statistic(s.sums(columns)), bounds)


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
