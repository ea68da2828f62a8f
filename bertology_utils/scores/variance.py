"""How far runs lie apart, and what that is due to: deviations over seeds, and two crossed sources of variance.

Intervals are those of normal scores: a bootstrap of five or ten runs makes a deviation too small.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import chi2, f

from .rows import Interval

TAIL = 0.025


def deviation(scores: Sequence[float] | np.ndarray) -> Interval:
    """Standard deviation of runs (n,) and its chi-square interval; of runs that are all equal, (0, 0, 0).

    Raises
    ------
    ValueError
        If there are fewer than two runs.

    Examples
    --------
    >>> [round(x, 3) for x in deviation([1, 2, 3, 4, 5])]
    [1.581, 0.947, 4.543]
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 1 or len(scores) < 2:
        raise ValueError(f"the deviation of runs of shape {scores.shape}")
    value, df = float(scores.std(ddof=1)), len(scores) - 1
    low, high = (value * np.sqrt(df / chi2.ppf(p, df)) for p in (1 - TAIL, TAIL))
    return Interval(value, float(low), float(high), clusters=len(scores))


def components(scores: np.ndarray) -> tuple[Interval, Interval, float]:
    """Standard deviations by row, by column and of what is left, of scores (rows, columns), one run per cell.

    Two random factors, crossed. A component is what its means vary beyond what the rest of the runs lets expect; it is
    zero where they vary less. The interval is williams1962's: it keeps at least its level whatever the rest is.

    Raises
    ------
    ValueError
        If a factor has fewer than two levels.

    Examples
    --------
    >>> rows, columns, rest = components(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
    >>> (round(rows[0], 3), round(columns[0], 3), round(rest, 3))
    (2.0, 0.707, 0.0)
    """
    scores = np.asarray(scores, float)
    if scores.ndim != 2 or min(scores.shape) < 2:
        raise ValueError(f"two crossed factors need two levels each; there are {scores.shape}")
    r, c = scores.shape
    by_row, by_column = scores.mean(1), scores.mean(0)
    left = scores - by_row[:, None] - by_column[None] + scores.mean()
    df = (r - 1) * (c - 1)
    error = float((left**2).sum() / df)
    found = [
        _component(float(of * means.var(ddof=1)), error, len(means), of, df)
        for means, of in ((by_row, c), (by_column, r))
    ]
    return found[0], found[1], float(np.sqrt(error))


def _component(between: float, error: float, levels: int, of: int, df: int) -> Interval:
    """A component's deviation from two mean squares; each of the levels has `of` runs."""
    sum_ = (levels - 1) * between
    limits = []
    for p in (1 - TAIL, TAIL):
        beyond = sum_ - (levels - 1) * error * f.ppf(p, levels - 1, df)
        limits.append(np.sqrt(max(0.0, beyond / (of * chi2.ppf(p, levels - 1)))))
    value = np.sqrt(max(0.0, (between - error) / of))
    return Interval(float(value), float(limits[0]), float(max(limits[1], value)), clusters=levels)


def best_of(scores: np.ndarray, m: int) -> float:
    """The mean of the best of m of these runs (n,), drawn without being put back (dodge2020).

    Examples
    --------
    >>> best_of(np.array([1.0, 2.0, 3.0]), 1), best_of(np.array([1.0, 2.0, 3.0]), 3)
    (2.0, 3.0)
    """
    ordered, n = np.sort(np.asarray(scores, float)), len(scores)
    below = np.arange(n)  # runs that may stand beside the best one
    weight = np.ones(n)
    for k in range(m - 1):
        weight *= np.clip(below - k, 0, None) / (n - 1 - k)
    return float((ordered * weight).sum() * m / n)


def steps_saved(early: np.ndarray, final: np.ndarray, *, part: float, keep: int) -> float:
    """What stopping the runs (n,) that start badly saves at an equal best score, as a share of the steps of all runs.

    All runs go on for a part of their steps, the `keep` best by then to the end. Whole runs without stopping need to be
    as many as bring the same best score on average (`best_of`); the saving is against their steps. It is negative
    where a bad start says nothing.

    Examples
    --------
    >>> final = np.array([0.5, 0.6, 0.7, 0.8])
    >>> steps_saved(final, final, part=0.25, keep=1)  # the start says all: 1.75 runs for what takes 4
    0.5625
    >>> bool(steps_saved(-final, final, part=0.25, keep=1) < 0)
    True
    """
    early, final = np.asarray(early, float), np.asarray(final, float)
    n = len(final)
    spent = n * part + keep * (1 - part)
    reached = _kept_best(early, final, keep)
    curve = np.array([best_of(final, m) for m in range(1, n + 1)])
    rising = np.concatenate([[True], np.diff(curve) > 1e-12])  # the curve never falls; here without its flat parts
    runs = np.arange(1, n + 1)[rising]
    whole = 1.0 if reached <= curve[0] else float(np.interp(reached, curve[rising], runs))
    return float((whole - spent) / n)


def _kept_best(early: np.ndarray, final: np.ndarray, keep: int) -> float:
    """The best final score among the `keep` best starts, mean over which of equal starts are kept."""
    last = np.sort(early)[::-1][keep - 1]
    sure, tied = final[early > last], final[early == last]
    open_ = keep - len(sure)
    least = sure.max() if len(sure) else -np.inf
    return best_of(np.maximum(tied, least), open_)
