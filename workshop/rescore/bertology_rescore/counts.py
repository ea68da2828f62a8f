"""Measures of released results that are counts, ranked lists or figures per layer.

Where only counts were released (so many right of so many), the interval is Wilson's, or what joins two of them; F1 from
counts is drawn from a multinomial, which is the bootstrap over items without the items. All intervals: 95 %.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import binomtest

from bertology_utils.scores.counts import f1
from bertology_utils.scores.intervals import Interval, counts, proportion, spearman, unpaired

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


def f1_draws(tp: int, fp: int, fn: int, tn: int, seed: int = 0) -> np.ndarray:
    """(draws,) F1 of resampled decisions."""
    cells = np.array([tp, fp, fn, tn], float)
    drawn = np.random.default_rng(seed).multinomial(int(cells.sum()), cells / cells.sum(), size=DRAWS)
    return f1(drawn[:, 0], drawn[:, 1], drawn[:, 2])


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
