"""Association tests on vectors: is X nearer to A and Y to B than the other way round? (WEAT; SEAT of may2019)

The effect size is a difference of means in standard deviations, so it lies between -2 and 2; the p-value is that of a
permutation of the target vectors between X and Y.
"""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from ..scores.intervals import counts
from .geometry import unit

EXACT = 20_000  # partitions that are still counted one by one
SAMPLED = 10_000


def association(targets: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Mean cosine with A less mean cosine with B of each target vector: (n, H), (k, H), (m, H) -> (n,)."""
    targets = unit(targets)
    return targets @ (unit(a).mean(0) - unit(b).mean(0))


def effect_size(x: np.ndarray, y: np.ndarray) -> float:
    """(mean x - mean y) / standard deviation of both together, of the association values of X and Y.

    Parameters
    ----------
    x, y : arrays (n,), (m,)
        What `association` gives.

    Returns
    -------
    float
        nan where the values do not vary at all.
    """
    both = np.concatenate([x, y])
    if len(both) < 3 or not len(x) or not len(y):
        raise ValueError(f"too few targets: {len(x)} and {len(y)}")
    spread = both.std(ddof=1)
    return float((np.mean(x) - np.mean(y)) / spread) if spread > 0 else float("nan")


def permutation_p(x: np.ndarray, y: np.ndarray, *, seed: int = 0, draws: int = SAMPLED) -> tuple[float, float, float]:
    """One-sided p: how often a random split of the values into such groups has a difference as large.

    Returns
    -------
    p, low, high : float
        All splits are counted where there are at most `EXACT`: then the three are equal. Otherwise `draws` random ones
        are, the observed split among them, and low and high enclose the exact p with 95 % (Clopper and Pearson).
    """
    x, y = np.asarray(x, float), np.asarray(y, float)
    both, n = np.concatenate([x, y]), len(x)
    slack = 1e-9 * max(1.0, np.abs(both).sum())  # the observed split must equal itself, however it is summed
    if comb(len(both), n) <= EXACT:
        sums = both[np.array(list(combinations(range(len(both)), n)))].sum(1)
        p = float((sums >= x.sum() - slack).mean())
        return p, p, p
    from scipy.stats import beta

    rng = np.random.default_rng(seed)
    sums = rng.permuted(np.tile(both, (draws, 1)), axis=1)[:, :n].sum(1)
    as_large = int((sums >= x.sum() - slack).sum())
    low = float(beta.ppf(0.025, as_large, draws - as_large + 1)) if as_large else 0.0
    high = float(beta.ppf(0.975, as_large + 1, draws - as_large)) if as_large < draws else 1.0
    p = (as_large + 1) / (draws + 1)
    return p, min(low, p), max(high, p)


def effect_size_draws(
    x: np.ndarray, y: np.ndarray, groups_x: list, groups_y: list, *, draws: int, seed: int
) -> np.ndarray:
    """Effect sizes with resampled targets, (draws,); values of one group (a word in several templates) go together."""
    moments = []  # of each resample of X and of Y: number, sum and sum of squares
    for k, (values, groups) in enumerate(((x, groups_x), (y, groups_y))):
        if len(values) != len(groups):
            raise ValueError(f"{len(groups)} groups for {len(values)} values")
        names = {g: i for i, g in enumerate(dict.fromkeys(groups))}
        codes, values = [names[g] for g in groups], np.asarray(values, float)
        parts = np.stack([np.bincount(codes, w) for w in (np.ones_like(values), values, values**2)], 1)
        moments.append(counts(len(names), draws, seed + k) @ parts)
    n, total, squares = (moments[0] + moments[1]).T
    difference = moments[0][:, 1] / moments[0][:, 0] - moments[1][:, 1] / moments[1][:, 0]
    variance = (squares - total**2 / n) / (n - 1)
    return np.where(variance > 1e-18, difference / np.sqrt(np.maximum(variance, 1e-18)), np.nan)
