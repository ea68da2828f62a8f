"""Measures of released results: from counts, ranked lists and per-layer figures.

Where only counts were released (so many right of so many), the interval is Wilson's, or what joins two of them; F1 from
counts is drawn from a multinomial, which is the bootstrap over items without the items. All intervals: 95 %.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import binomtest, rankdata

from .intervals import Interval, counts, proportion, spearman, unpaired
from .intervals import interval as percentiles

__all__ = [
    "DRAWS", "Interval", "accuracy_difference", "centre_of_gravity", "column_means", "expected_layer", "f1", "f1_draws",
    "kl_from_uniform", "mcnemar", "mean_ranks", "negative_steps", "only", "overlap", "pareto_area", "percentiles",
    "profile_correlation", "proportion", "trend",
]  # fmt: skip

DRAWS = 2000


def only(value: float) -> Interval:
    """A figure released as an aggregate: no interval can be had."""
    return Interval(float(value), float("nan"), float("nan"))


def accuracy_difference(right_a: int, right_b: int, n: int) -> Interval:
    """Difference of two accuracies on n items each, as if independent: which items were right is not known.

    newcombe1998's interval, from Wilson's of each.
    """
    return unpaired(proportion(right_a, n), proportion(right_b, n))


def mcnemar(a: np.ndarray, b: np.ndarray) -> float:
    """Exact two-sided p of McNemar's test: items that only `a` has right against those only `b` has right."""
    a, b = np.asarray(a, bool), np.asarray(b, bool)
    only_a, only_b = int((a & ~b).sum()), int((b & ~a).sum())
    return 1.0 if only_a + only_b == 0 else float(binomtest(only_a, only_a + only_b, 0.5).pvalue)


def column_means(values: np.ndarray, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Means of (n, k) values over the n items and (draws, k) bootstrapped means, items drawn whole."""
    values = np.asarray(values, float)
    return values.mean(0), counts(len(values), DRAWS, seed) @ values / len(values)


def f1(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    """F1 = 2 TP / (2 TP + FP + FN); 0 where there is nothing to find and nothing was found."""
    tp, fp, fn = (np.asarray(x, float) for x in (tp, fp, fn))
    whole = 2 * tp + fp + fn
    return np.divide(2 * tp, whole, out=np.zeros_like(whole), where=whole > 0)


def f1_draws(tp: int, fp: int, fn: int, tn: int, seed: int = 0) -> np.ndarray:
    """(draws,) F1 of resampled decisions."""
    cells = np.array([tp, fp, fn, tn], float)
    drawn = np.random.default_rng(seed).multinomial(int(cells.sum()), cells / cells.sum(), size=DRAWS)
    return f1(drawn[:, 0], drawn[:, 1], drawn[:, 2])


def expected_layer(scores: np.ndarray) -> np.ndarray:
    """Layer at which a probe's score is gained on average, from cumulative scores of layers 0..L (tenney2019a).

    The gain at layer l = 1..L is s(l) - s(l-1); the result is the mean of l weighted by the gains, which may be
    negative. `scores` is (..., L+1).
    """
    gains = np.diff(np.asarray(scores, float), axis=-1)
    layers = np.arange(1, gains.shape[-1] + 1)
    return (gains * layers).sum(-1) / gains.sum(-1)


def centre_of_gravity(weights: ArrayLike) -> float:
    """Mean layer under mixing weights of layers 0..L that sum to one (tenney2019a)."""
    shares = np.asarray(weights, float)
    return float((shares * np.arange(len(shares))).sum() / shares.sum())


def kl_from_uniform(weights: Sequence[float] | np.ndarray) -> float:
    """KL divergence of the mixing weights from uniform ones, in bits: 0 where all layers matter alike (tenney2019a)."""
    p = np.asarray(weights, float) / np.sum(weights)
    p = p[p > 0]
    return float((p * np.log2(p * len(weights))).sum())


def negative_steps(scores: Sequence[float] | np.ndarray) -> int:
    """How often adding one more layer lowered a cumulative score."""
    return int((np.diff(np.asarray(scores, float)) < 0).sum())


def profile_correlation(a: ArrayLike, b: ArrayLike) -> float:
    """Pearson r of two layer profiles after stretching both to depth 0..1 (linear interpolation on the finer one)."""
    both = np.asarray(a, float), np.asarray(b, float)
    grid = np.linspace(0, 1, max(map(len, both)))
    one, other = (np.interp(grid, np.linspace(0, 1, len(x)), x) for x in both)
    return float(np.corrcoef(one, other)[0, 1])


def overlap(a: Sequence[str], b: Sequence[str], k: int) -> float:
    """Share of the first k entries that two ranked lists have in common."""
    return len(set(a[:k]) & set(b[:k])) / k


def pareto_area(complexity: Sequence[float], score: Sequence[float], *, most: float) -> float:
    """Area under the best score within a complexity budget that grows from 0 to `most`, scaled to 0..1 (pimentel2020).

    A step function: nothing (score 0) below the simplest probe, then the best score so far. A representation from which
    even simple probes do well has a larger area than one that needs a complex probe for the same final score.
    """
    order = np.argsort(complexity, kind="stable")
    x, y = np.asarray(complexity, float)[order], np.maximum.accumulate(np.asarray(score, float)[order])
    x, y = x[x <= most], y[: int((x <= most).sum())]
    widths = np.diff(np.append(x, most))
    return float((widths * y).sum() / most)


def trend(values: Sequence[float] | np.ndarray) -> float:
    """Spearman of layer with a per-layer figure."""
    return spearman(np.arange(len(values)), np.asarray(values, float))


def mean_ranks(table: np.ndarray) -> np.ndarray:
    """Mean rank of each column (layer) over rows (tasks); rank 1 is the highest score, ties share their mean rank."""
    return rankdata(-np.asarray(table, float), axis=1).mean(0)
