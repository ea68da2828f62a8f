"""Graded similarity: cosines of pairs, and their rank correlation with human (or constructed) scores.

Pairs that share a word are not independent, so what is resampled is words, and a pair counts as often as the product
of its two words' counts (`word_weights`, after owen2007). That errs on the wide side. Pairs of sentences that share a
sentence are drawn together (`components`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.stats import rankdata

from ..scores.intervals import counts
from .geometry import unit

_CELLS = 4_000_000  # ranks held at once


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cosine of each pair of vectors: (..., H) and (..., H) -> (...)."""
    return (unit(a) * unit(b)).sum(-1)


def halves(n: int, seed: int) -> np.ndarray:
    """A random half of n items as a mask: what is chosen on it (a layer) is scored on the other."""
    mask = np.zeros(n, bool)
    mask[np.random.default_rng(seed).permutation(n)[: n // 2]] = True
    return mask


def rank_correlations(gold: Sequence[float] | np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Spearman of `gold` (n,) with each column of `scores` (n, k), shape (k,); nan where either does not vary.

    Examples
    --------
    >>> rank_correlations([1, 2, 3], np.array([[1, 3], [2, 2], [9, 1]])).tolist()
    [1.0, -1.0]
    """
    gold, scores = _checked(gold, scores)
    x, y = rankdata(gold), rankdata(scores, axis=0)
    x, y = x - x.mean(), y - y.mean(0)
    lengths = np.sqrt((x**2).sum() * (y**2).sum(0))
    return np.divide(x @ y, lengths, out=np.full(len(lengths), np.nan), where=lengths > 0)


def rank_correlation_draws(gold: Sequence[float] | np.ndarray, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """`rank_correlations` of resampled items, (draws, k); the columns share each resample, so they compare in pairs.

    Parameters
    ----------
    weights : array (draws, n)
        How often each item counts in each resample: `intervals.counts`, `word_weights` or `unit_weights`.
    """
    gold, scores = _checked(gold, scores)
    weights = np.asarray(weights, float)
    if weights.ndim != 2 or weights.shape[1] != len(gold):
        raise ValueError(f"{weights.shape} weights for {len(gold)} items")
    out = np.empty((len(weights), scores.shape[1]))
    step = max(1, _CELLS // len(gold))
    for start in range(0, len(weights), step):
        w = weights[start : start + step]
        x = centred_ranks(gold, w)
        xx = (w * x**2).sum(1)
        for k, column in enumerate(scores.T):
            y = centred_ranks(column, w)
            lengths = np.sqrt(xx * (w * y**2).sum(1))
            dot = (w * x * y).sum(1)
            out[start : start + step, k] = np.divide(dot, lengths, out=np.full(len(w), np.nan), where=lengths > 1e-9)
    return out


def centred_ranks(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Mid-ranks among items that count `weights` times, less their weighted mean: (n,), (b, n) -> (b, n)."""
    order = np.argsort(values, kind="stable")
    tied = np.unique(values, return_inverse=True)[1]  # the class of equal values of each item, in order
    starts = np.flatnonzero(np.diff(tied[order], prepend=-1))
    held = np.add.reduceat(weights[:, order], starts, axis=1)  # (b, classes)
    ranks = (np.cumsum(held, 1) - held / 2)[:, tied]
    return ranks - ((weights * ranks).sum(1) / np.maximum(weights.sum(1), 1))[:, None]


def _checked(gold: Sequence[float] | np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    gold, scores = np.asarray(gold, float), np.asarray(scores, float)
    if gold.ndim != 1 or scores.ndim != 2 or len(gold) != len(scores):
        raise ValueError(f"{gold.shape} gold scores for {scores.shape} measured ones")
    return gold, scores


def word_weights(a: Sequence[int] | np.ndarray, b: Sequence[int] | np.ndarray, *, draws: int, seed: int) -> np.ndarray:
    """How often each pair of words (by their numbers from 0) counts when words are drawn: (draws, pairs)."""
    a, b = np.asarray(a), np.asarray(b)
    drawn = counts(int(max(a.max(), b.max())) + 1, draws, seed)
    return drawn[:, a] * drawn[:, b]


def unit_weights(units: Sequence[int] | np.ndarray, *, draws: int, seed: int) -> np.ndarray:
    """How often each item counts when its units (numbers from 0) are drawn whole: (draws, items)."""
    units = np.asarray(units)
    return counts(int(units.max()) + 1, draws, seed)[:, units]


def components(a: Sequence[str], b: Sequence[str]) -> np.ndarray:
    """A number for each pair, the same for pairs that share a text, directly or by way of others: (pairs,).

    Examples
    --------
    >>> components(["x", "y", "p"], ["y", "z", "q"]).tolist()
    [0, 0, 1]
    """
    place = {t: k for k, t in enumerate(dict.fromkeys([*a, *b]))}
    rows, columns = [place[t] for t in a], [place[t] for t in b]
    graph = coo_matrix((np.ones(len(rows)), (rows, columns)), (len(place), len(place)))
    label = connected_components(graph, directed=False)[1][rows]
    return np.unique(label, return_inverse=True)[1]
