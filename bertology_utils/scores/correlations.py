"""Correlations over items, and of position with a mean over items, with their intervals."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from .proportions import Z
from .replicates import bootstrap, calibrated, fitted
from .resampling import Resample
from .rows import Interval


def spearman(x: np.ndarray, y: np.ndarray) -> float:
    """Rank correlation; nan where one side does not vary."""
    return pearson(rankdata(x), rankdata(y))


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Correlation; nan where one side does not vary."""
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        return float("nan")
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1, 1))


def correlation(
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
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
    z = calibrated(
        np.arctanh(_inside(value, sample.clusters)),
        sample,
        lambda s: np.arctanh(_inside(_weighted(x, y, s, ranks=method == "spearman"), sample.clusters)),
    )
    if z.draws is None:
        return Interval(value, z[1], z[2], clusters=z.clusters)
    low, high = min(value, float(np.tanh(z[1]))), max(value, float(np.tanh(z[2])))
    if abs(value) > 1 - 1e-9:  # then the draws say nothing: the normal approximation of bonett2000
        half = Z * np.sqrt(1.5 / max(sample.clusters - 3, 0.5))
        low, high = (float(v) for v in np.sort([value, np.tanh(z[0] - np.sign(value) * half)]))
        return fitted(value, (low, high), np.full(draws, value), sample.clusters, seed)
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
    places = np.arange(per_item.shape[1]) if x is None else np.asarray(x)
    return bootstrap(
        per_item,
        lambda a: spearman(places, np.nanmean(a, 0)),
        seed=seed,
        draws=draws,
        groups=groups,
        bounds=(-1.0, 1.0),
    )
