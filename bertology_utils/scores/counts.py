"""Small measures of layers and counts: where scores are gained, how layers are mixed, how profiles resemble one another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata


def f1(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray) -> np.ndarray:
    """F1 = 2 TP / (2 TP + FP + FN); 0 where there is nothing to find and nothing was found."""
    tp, fp, fn = (np.asarray(x, float) for x in (tp, fp, fn))
    whole = 2 * tp + fp + fn
    return np.divide(2 * tp, whole, out=np.zeros_like(whole), where=whole > 0)


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


def mean_ranks(table: np.ndarray) -> np.ndarray:
    """Mean rank of each column (layer) over rows (tasks); rank 1 is the highest score, ties share their mean rank."""
    return rankdata(-np.asarray(table, float), axis=1).mean(0)
