"""Cumulative scores: probes that may use layers 0..l, for each l, and what each added layer brings (tenney2019a).

A figure is a value with its bootstrap draws; nan where it has no meaning. Curves are read as the best score so far: with
more layers a mixture can always leave the last ones out, so a layer that lowers a score adds nothing, and an expected
layer lies inside the stack.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import norm

from . import intervals
from .counts import expected_layer, kl_from_uniform
from .intervals import Interval
from .profiles import UNDEFINED, Profile, interval, thirds

Figure = tuple[float, np.ndarray]  # a value and its draws (D,)


def gain(p: Profile) -> Figure:
    """What all layers add to the embeddings."""
    return p.value[-1] - p.value[0], p.draws[:, -1] - p.draws[:, 0]


def low_less_high(p: Profile) -> Figure:
    """What the lowest third of the stack adds less what the layers above it add."""
    third = thirds(p.depth)[0][-1]
    return 2 * p.value[third] - p.value[0] - p.value[-1], 2 * p.draws[:, third] - p.draws[:, 0] - p.draws[:, -1]


def high_less_low(p: Profile) -> Figure:
    """The same the other way round."""
    value, drawn = low_less_high(p)
    return -value, -drawn


def above_third(p: Profile) -> Figure:
    """What the layers above the lowest third of the stack add to it."""
    third = thirds(p.depth)[0][-1]
    return p.value[-1] - p.value[third], p.draws[:, -1] - p.draws[:, third]


def rising(scores: np.ndarray) -> np.ndarray:
    """The best score of layers 0..l, for each l; along the last axis."""
    return np.maximum.accumulate(scores, -1)


def gains_at_all(p: Profile) -> bool:
    """Whether the layers together beat the embeddings by an interval: else what each adds is without meaning."""
    return bool(p.lead(p.depth, 0)[1] > 0)


def expected(p: Profile) -> Figure:
    """Expected layer: the mean layer, weighted by what each adds; nan where the layers add nothing."""
    drawn = np.full(len(p.draws), np.nan)
    if not gains_at_all(p):
        return float("nan"), drawn
    best = rising(p.draws)
    gained = best[:, -1] > best[:, 0]
    drawn[gained] = expected_layer(best[gained])
    value = float(expected_layer(rising(p.value)))
    return value, centred(value, drawn)


def centred(value: float, drawn: np.ndarray) -> np.ndarray:
    """Draws moved so that their median is the value: noise adds small steps all over the stack, in draws once more."""
    return drawn + (value - np.nanmedian(drawn))


def expected_depth(p: Profile) -> Figure:
    """Expected layer as a share of depth."""
    value, drawn = expected(p)
    return value / p.depth, drawn / p.depth


def kl_of_gains(p: Profile) -> Figure:
    """K(delta): divergence in bits of what each layer adds from equal shares; nan where the layers add nothing."""
    if not gains_at_all(p):
        return float("nan"), np.full(len(p.draws), np.nan)
    value = spread(p.value)
    return value, centred(value, np.array([spread(d) for d in p.draws]))


def spread(scores: np.ndarray) -> float:
    """Divergence from equal shares, in bits, of the steps of a rising curve (L + 1,); nan for a flat one."""
    steps = np.diff(rising(scores))
    return kl_from_uniform(steps) if steps.sum() > 0 else float("nan")


def mean_of(figures: Sequence[Figure]) -> Figure | None:
    """The mean of the figures that have a meaning; None where none has."""
    known = [f for f in figures if not np.isnan(f[0])]
    return (float(np.mean([v for v, _ in known])), np.mean([d for _, d in known], 0)) if known else None


def in_order(figures: Sequence[Figure]) -> tuple[Interval, int]:
    """Share of the pairs of stages whose figures rise in the order given, and how many pairs.

    Where the same pairs are in order in (nearly) all draws, the interval is Wilson's for the pairs.

    >>> share, n = in_order([(1.0, np.zeros(2)), (3.0, np.ones(2)), (2.0, np.zeros(2))])
    >>> round(float(share[0]), 3), n
    (0.667, 3)
    """
    values, drawn = np.array([v for v, _ in figures]), np.stack([d for _, d in figures], 1)  # (T,), (D, T)
    first, second = np.triu_indices(len(values), 1)
    right, n = int((values[first] < values[second]).sum()), len(first)
    share = np.where(np.isnan(drawn).any(1), np.nan, (drawn[:, first] < drawn[:, second]).mean(1))
    if np.isnan(values).any():
        return UNDEFINED, n
    found = interval(right / n, share)
    return (found if found[1] < found[2] else intervals.proportion(right, n)), n


def largest_drop(p: Profile) -> Interval:
    """By how much the layer that lowers a cumulative score most lowers it; the interval holds for all layers at once.

    It reaches from the greatest lower end to the greatest upper end of Bonferroni's intervals of the steps, so that
    taking the worst of many noisy steps is no drop by itself.

    Examples
    --------
    >>> flat = np.zeros(13) + 0.01 * np.random.default_rng(0).standard_normal((500, 13))
    >>> value, low, high = largest_drop(Profile(flat[0], flat, 100))
    >>> bool(low < 0 < value < high)
    True
    """
    drops, spread = -np.diff(p.value), np.diff(p.draws, axis=1).std(axis=0)
    wide = norm.ppf(1 - 0.025 / len(drops)) * spread
    return Interval(float(drops.max()), float((drops - wide).max()), float((drops + wide).max()))
