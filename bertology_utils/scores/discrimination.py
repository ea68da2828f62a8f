"""How well scores tell two classes apart: area under the curve, and F1 of a decision."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from .intervals import Interval, Resample, bootstrap, bootstrap_sums


def auc(scores: np.ndarray, labels: np.ndarray) -> float:
    """Share of (true, false) pairs in which the true one scores higher, ties half; nan without both classes.

    >>> auc(np.array([3.0, 1.0, 2.0, 0.0]), np.array([1, 1, 0, 0]))
    0.75
    """
    labels = np.asarray(labels, bool)
    many, few = int(labels.sum()), int((~labels).sum())
    if not many or not few:
        return float("nan")
    return float((rankdata(scores)[labels].sum() - many * (many + 1) / 2) / (many * few))


def auc_within(scores: np.ndarray, labels: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """`auc` within each group, (G,); nan where a group lacks a class. Who knows groups alone, not items, has a half.

    Parameters
    ----------
    scores : float array (n,)
    labels : bool array (n,)
    groups : int array (n,)
        Codes from 0.

    Examples
    --------
    >>> auc_within(np.array([3.0, 1.0, 9.0, 9.0]), np.array([1, 0, 1, 0]), np.array([0, 0, 1, 1]))
    array([1. , 0.5])
    """
    labels, groups = np.asarray(labels, bool), np.asarray(groups)
    levels = np.unique(scores, return_inverse=True)[1]
    ranks = rankdata(groups * (len(scores) + 1) + levels)  # over all: a group behind the other
    every, many = np.bincount(groups), np.bincount(groups, labels)
    before = np.cumsum(every) - every
    over = np.bincount(groups, ranks * labels) - many * before - many * (many + 1) / 2
    pairs = many * (every - many)
    return np.divide(over, pairs, out=np.full(len(every), np.nan), where=pairs > 0)


def auc_interval(scores: np.ndarray, labels: np.ndarray, *, seed: int, draws: int, groups=None) -> Interval:
    """`auc` of scores (n,), or of each column of scores (n, k), with its interval."""
    scores, labels = np.asarray(scores, float), np.asarray(labels, bool)

    def statistic(x: np.ndarray, y: np.ndarray):
        return auc(x, y) if x.ndim == 1 else np.array([auc(column, y) for column in x.T])

    return bootstrap((scores, labels), statistic, seed=seed, draws=draws, groups=groups, bounds=(0.0, 1.0))


def auc_difference(a: np.ndarray, b: np.ndarray, labels: np.ndarray, *, seed: int, draws: int, groups=None) -> Interval:
    """`auc` of scores a less that of scores b on the same items, paired."""
    return bootstrap(
        (np.asarray(a, float), np.asarray(b, float), np.asarray(labels, bool)),
        lambda x, y, right: auc(x, right) - auc(y, right),
        seed=seed, draws=draws, groups=groups, bounds=(-1.0, 1.0),
    )  # fmt: skip


def f1(sums: np.ndarray) -> np.ndarray:
    """F1 of the class 1 from sums (..., 3): hits, those predicted to be 1, those that are 1. 0 where nothing is either.

    >>> float(f1(np.array([2, 3, 5])))
    0.5
    """
    hits, predicted, true = sums[..., 0], sums[..., 1], sums[..., 2]
    return np.divide(2 * hits, predicted + true, out=np.zeros(np.shape(hits)), where=predicted + true > 0)


def f1_columns(predicted: np.ndarray, true: np.ndarray) -> np.ndarray:
    """Columns (n, 3) whose sums `f1` takes."""
    predicted, true = np.asarray(predicted, bool), np.asarray(true, bool)
    return np.stack([predicted & true, predicted, true], 1).astype(float)


def f1_interval(predicted: np.ndarray, true: np.ndarray, *, seed: int, draws: int, groups=None) -> Interval:
    """F1 of decisions (n,) against labels (n,), with its interval."""
    return bootstrap_sums(f1_columns(predicted, true), f1, Resample(len(true), groups, seed=seed, draws=draws))


def f1_difference(a: np.ndarray, b: np.ndarray, true: np.ndarray, *, seed: int, draws: int, groups=None) -> Interval:
    """F1 of decisions a less that of decisions b on the same items, paired."""
    columns = np.concatenate([f1_columns(a, true), f1_columns(b, true)], 1)  # (n, 6)
    sample = Resample(len(true), groups, seed=seed, draws=draws)
    return bootstrap_sums(columns, lambda s: f1(s[..., :3]) - f1(s[..., 3:]), sample)
