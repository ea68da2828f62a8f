"""Micro-averaged F1 of labels, one or several per target, with intervals that pair.

Of one label per target, where every target gets one, micro F1 is accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from . import pairs
from .counts import f1
from .intervals import Interval, fitted, ratio


def parts(gold: np.ndarray, predicted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each target gives to 2 TP and to 2 TP + FP + FN; (..., N) each.

    Parameters
    ----------
    gold : bool array (N, C)
        Which of C labels each target has.
    predicted : bool array (..., N, C)
        Which it was given.

    Examples
    --------
    >>> parts(np.array([[1, 1, 0]], bool), np.array([[1, 0, 1]], bool))
    (array([2]), array([4]))
    """
    gold, predicted = np.asarray(gold, bool), np.asarray(predicted, bool)
    if gold.shape != predicted.shape[-2:]:
        raise ValueError(f"gold labels {gold.shape}, but given ones {predicted.shape}")
    top = 2 * (gold & predicted).sum(-1)
    return top, gold.sum(-1) + predicted.sum(-1)


def micro(gold: np.ndarray, predicted: np.ndarray) -> np.ndarray:
    """Micro F1 of (..., N, C) labels against (N, C) gold ones: a figure for each leading index.

    Examples
    --------
    >>> gold = np.eye(4, dtype=bool)
    >>> float(micro(gold, gold[[0, 1, 2, 0]]))
    0.75
    """
    gold, predicted = np.asarray(gold, bool), np.asarray(predicted, bool)
    true = (gold & predicted).sum((-2, -1))
    return f1(true, (predicted & ~gold).sum((-2, -1)), (gold & ~predicted).sum((-2, -1)))


def interval(gold: np.ndarray, predicted: np.ndarray, *, seed: int = 0, draws: int = 2000, groups=None) -> Interval:
    """Micro F1 with its interval; `groups` (N,) are drawn together.

    `predicted` may be (R, N, C), of R fits: F1 is that of all their answers together, and a drawn target brings all of them.
    """
    top, bottom = (x.reshape(-1, x.shape[-1]).sum(0) for x in parts(gold, predicted))
    return ratio(top, bottom, seed=seed, draws=draws, groups=groups)


def difference(a: Interval, b: Interval) -> Interval:
    """a - b, paired where both are of the same targets and the same seed.

    Has draws also where no resample tells the two apart, so that means of differences can be taken.

    Examples
    --------
    >>> gold = np.eye(2, dtype=bool)[np.arange(40) % 2]
    >>> same = interval(gold, gold, draws=100)
    >>> found = difference(same, same)
    >>> found[0], found.draws.shape, bool(found[1] < 0 < found[2])
    (0.0, (100,), True)
    """
    found = pairs.difference(a, b)[0]
    if found.draws is not None or a.draws is None or np.isnan(found[1:]).any():
        return found
    still = np.full(len(a.draws), found[0])
    return fitted(found[0], (found[1], found[2]), still, found.clusters or 1, 0)


def mean(figures: Sequence[Interval], seed: int = 0) -> Interval:
    """Mean of figures of different data: each one's draws in an order of its own, so that they count as independent.

    The order depends on seed and place alone, so the means of two subjects on the same data pair.
    """
    value = float(np.mean([f[0] for f in figures]))
    known_draws = [f.draws for f in figures if f.draws is not None]
    if len(known_draws) < len(figures):
        return Interval(value, float("nan"), float("nan"))
    drawn = [np.random.default_rng([seed, k]).permutation(draws) for k, draws in enumerate(known_draws)]
    low, high = np.percentile(np.mean(drawn, 0), [2.5, 97.5])
    known = [f.clusters for f in figures if f.clusters is not None]
    return Interval(
        value,
        min(float(low), value),
        max(float(high), value),
        draws=np.mean(drawn, 0),
        clusters=min(known, default=None),
    )
