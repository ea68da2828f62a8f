"""Graded similarity: cosines of pairs, and their rank correlation with human (or constructed) scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from scipy.stats import rankdata

from ..scores import choice
from ..scores.intervals import resamples
from .geometry import unit


def cosines(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Cosine of each pair of vectors: (..., H) and (..., H) -> (...)."""
    return (unit(a) * unit(b)).sum(-1)


def halves(n: int, seed: int) -> np.ndarray:
    """A random half of n items as a mask: what is chosen on it (a layer) is scored on the other."""
    mask = np.zeros(n, bool)
    mask[np.random.default_rng(seed).permutation(n)[: n // 2]] = True
    return mask


def rank_correlations(gold: Sequence[float], scores: np.ndarray) -> np.ndarray:
    """Spearman of `gold` (n,) with each column of `scores` (n, k), shape (k,); nan where either does not vary."""
    gold, scores = np.asarray(gold, float), np.asarray(scores, float)
    if gold.ndim != 1 or scores.ndim != 2 or len(gold) != len(scores):
        raise ValueError(f"{gold.shape} gold scores for {scores.shape} measured ones")
    return _correlate(rankdata(gold)[None], rankdata(scores, axis=0).T[None])[0]


def rank_correlation_draws(gold: Sequence[float], scores: np.ndarray, *, draws: int, seed: int) -> np.ndarray:
    """`rank_correlations` of resampled items, (draws, k): the columns share each resample, so they compare in pairs."""
    gold, scores = np.asarray(gold, float), np.asarray(scores, float)
    out: list[np.ndarray] = []
    for block in _blocks(len(gold), draws, seed):
        ranks = np.stack([rankdata(column[block], axis=1) for column in scores.T], 1)  # (b, k, n)
        out.append(_correlate(rankdata(gold[block], axis=1), ranks))
    return np.concatenate(out)


def _blocks(n: int, draws: int, seed: int) -> Iterator[np.ndarray]:
    for block in resamples(n, draws, seed):
        yield from np.array_split(block, max(1, len(block) * n // 1_000_000))


def _correlate(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Pearson of (b, n) with each of (b, k, n), shape (b, k)."""
    x, y = x - x.mean(-1, keepdims=True), y - y.mean(-1, keepdims=True)
    lengths = np.sqrt((x**2).sum(-1))[:, None] * np.sqrt((y**2).sum(-1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(lengths > 0, np.einsum("bn,bkn->bk", x, y) / lengths, np.nan)


def choose(score: Callable[[np.ndarray], np.ndarray], dev: np.ndarray) -> int:
    """The column that `score` puts first on the items of the mask `dev`; one without a score comes last."""
    return choice.choose(np.nan_to_num(score(dev), nan=-np.inf))
