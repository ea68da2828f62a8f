"""Profiles over the layers: where a score is high, and by how much.

Layer 0 is the embeddings, layer L the last; depth is a layer's number over L. The best of several nearly equal layers is
decided by chance, so no claim is decided by a best layer: one zone of the stack is set against another, each by the
layer that is best in it on *dev*, and the difference of their scores on test is the effect. Its interval covers the test
sentences and, where a probe was fitted on several disjoint parts of the training sentences, the training as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from ..settings import Settings
from . import intervals
from .choice import choose, choose_each
from .intervals import Interval, Means

UNDEFINED = Interval(*(float("nan"),) * 3)
MIDDLE = (0.25, 0.85)  # depths of the middle: layers 3 to 10 of 12, 2 to 6 of 8
THIRD = 1 / 3  # layers 0 to 4 of 12, 0 to 2 of 8
_ROUND = 1e-9


def layers_at(depth: int, least: float = 0.0, most: float = 1.0) -> list[int]:
    """Layers 0..`depth` whose share of the depth lies between two bounds, both included.

    >>> layers_at(12, 0.25, 0.85)
    [3, 4, 5, 6, 7, 8, 9, 10]
    """
    return [k for k in range(depth + 1) if least - _ROUND <= k / depth <= most + _ROUND]


def stretches(n_blocks: int) -> dict[str, np.ndarray]:
    """Which of the blocks 1..`n_blocks` are in the first third of the depth, in its `MIDDLE` and in its last third.

    Returns
    -------
    dict of str to bool array (L,)

    Examples
    --------
    >>> {name: int(inside.sum()) for name, inside in stretches(12).items()}
    {'the first third': 4, 'the middle': 8, 'the last third': 4}
    """
    above = THIRD + THIRD + 2 * _ROUND
    parts = {"the first third": (0.0, THIRD), "the middle": MIDDLE, "the last third": (above, 1.0)}
    return {name: np.isin(np.arange(1, n_blocks + 1), layers_at(n_blocks, *at)) for name, at in parts.items()}


def inside_lead(means: np.ndarray, inside: np.ndarray) -> float:
    """The highest of the blocks inside less the highest of the others."""
    return float(means[inside].max() - means[~inside].max())


def zones(depth: int) -> dict[str, list[int]]:
    """The stack in three: ``low`` (the embeddings among it), ``middle`` (`MIDDLE`), ``high``.

    Raises
    ------
    ValueError
        If the model has a single layer: nothing is in the middle.
    """
    middle = layers_at(depth, *MIDDLE)
    if not middle or middle[-1] == depth:
        raise ValueError(f"{depth} layer(s): none lies in the middle")
    return {
        "low": list(range(middle[0])),
        "middle": middle,
        "high": list(range(middle[-1] + 1, depth + 1)),
    }


def thirds(depth: int) -> tuple[list[int], list[int]]:
    """The layers of the lowest third (the embeddings among them), and those above it."""
    lower = layers_at(depth, 0, THIRD)
    return lower, list(range(lower[-1] + 1, depth + 1))


def storeys(depth: int) -> dict[str, dict[str, tuple[list[int], list[int]]]]:
    """For each kind of task (jawahar2019) the layers it is said to be best in, against others: name -> (layers, others).

    Low is the lowest third, high the uppermost one; the middle as in `zones`.
    """
    lower, rest = thirds(depth)
    upper, of = layers_at(depth, 2 * THIRD + 0.01), zones(depth)
    return {
        "surface": {"low - rest": (lower, rest)},
        "syntactic": {"middle - rest": (of["middle"], [*of["low"], *of["high"]])},
        "semantic": {"high - rest": (upper, [k for k in range(depth + 1) if k not in upper])},
    }


def best_in(dev: Sequence[float] | np.ndarray, layers: Sequence[int]) -> int:
    """Of some layers the one with the highest dev score; the lowest of (nearly) equals."""
    return layers[choose([dev[k] for k in layers])]


def training_noise(fits: np.ndarray, draws: int, seed: int) -> np.ndarray:
    """Draws (draws, ...) of what the mean of R fits (R, ...) owes to their training data; 0 for a single fit.

    The fits rest on disjoint data. Normal, as wide as Student's t with R - 1 degrees of freedom has it; the same for
    every subject and measure, so that differences of two subjects fitted on the same data are paired.
    """
    fits = np.asarray(fits, float)
    r = len(fits)
    if r < 2:
        return np.zeros((draws, *fits.shape[1:]))
    wide = student.ppf(0.975, r - 1) / norm.ppf(0.975) / (r * (r - 1)) ** 0.5
    return wide * np.tensordot(np.random.default_rng([seed, r]).standard_normal((draws, r)), fits - fits.mean(0), 1)


def over_fits(values: Sequence[float] | np.ndarray, settings: Settings) -> Interval:
    """Mean of a figure of several fits on disjoint data, with Student's interval; undefined for fewer than two fits."""
    values = np.asarray(values, float)
    if len(values) < 2 or np.isnan(values).any():
        return UNDEFINED
    return intervals.interval(values.mean(), values.mean() + training_noise(values, settings.draws, settings.seed))


def interval(value: float, draws: np.ndarray, *, clusters: int | None = None, signed: bool = False) -> Interval:
    """As `intervals.interval`; undefined where the value is, or where most draws are."""
    missing = np.isnan(value) or np.isnan(draws).mean() > 0.5
    return UNDEFINED if missing else intervals.interval(value, draws, clusters=clusters, signed=signed)


@dataclass(frozen=True, eq=False)
class Profile:
    """A score at every layer, with its bootstrap.

    Attributes
    ----------
    value : float array (L + 1,)
    draws : float array (D, L + 1)
        The scores of resampled sentences; all layers from the same resample, so that their differences are paired.
    n : int
        Items scored.
    clusters : int or None
        Sentences drawn.
    """

    value: np.ndarray
    draws: np.ndarray
    n: int
    clusters: int | None = None

    @classmethod
    def of(cls, right: np.ndarray, groups, settings: Settings) -> Profile:
        """The profile of item scores (L + 1, N), or (R, L + 1, N) of R fits on disjoint training data.

        Items of equal `groups` are drawn together; `groups` as of `intervals`.
        """
        right = np.asarray(right, float)
        fits = right[None] if right.ndim == 2 else right
        mean = Means(groups, seed=settings.seed, draws=settings.draws)
        drawn = np.stack([mean.draws(r) for r in fits.mean(0)], 1)
        noise = training_noise(fits.mean(2), settings.draws, settings.seed)
        return cls(fits.mean((0, 2)), drawn + noise, right.shape[-1], mean.clusters)

    @classmethod
    def mean(cls, profiles: Sequence[Profile]) -> Profile:
        """The mean over tasks, each counting alike; `clusters` are those of the task with fewest."""
        known = [p.clusters for p in profiles if p.clusters is not None]
        value, draws = (np.mean([getattr(p, name) for p in profiles], 0) for name in ("value", "draws"))
        return cls(value, draws, sum(p.n for p in profiles), min(known, default=None))

    @property
    def depth(self) -> int:
        """Index of the last layer."""
        return len(self.value) - 1

    @property
    def best(self) -> int:
        """The layer with the highest score; the lowest of equals."""
        return choose(self.value)

    def interval(self, value: float, draws: np.ndarray, *, signed: bool = False) -> Interval:
        """A figure of the profile from its draws (D,); undefined where it is, or where most draws are."""
        return interval(value, draws, clusters=self.clusters, signed=signed)

    def scores(self) -> list[Interval]:
        """Each layer's score."""
        return [self.interval(v, d) for v, d in zip(self.value, self.draws.T)]

    def peak(self) -> Interval:
        """The best layer: the interval says where it lies in resampled sentences, to half a layer."""
        best = choose_each(self.draws).astype(float)
        low, high = np.percentile(best, [2.5, 97.5])
        low, high = max(0.0, low - 0.5), min(float(self.depth), high + 0.5)
        return Interval(float(self.best), low, high, draws=best, clusters=self.clusters)

    def lead(self, layer: int, other: int) -> Interval:
        """Score of one layer less that of another."""
        value, draws = self.value[layer] - self.value[other], self.draws[:, layer] - self.draws[:, other]
        return self.interval(value, draws, signed=True)

    def over(self, layer: int, other: Profile) -> Interval:
        """Score of a layer less the only score of another profile of the same items (a baseline's)."""
        value, draws = self.value[layer] - other.value[0], self.draws[:, layer] - other.draws[:, 0]
        return self.interval(value, draws, signed=True)


def curve_rows(profile: Profile, *, measure: str = "accuracy", **keys) -> list[dict]:
    """Tidy rows: `measure` at each `layer`, `best layer` and `best layer / depth` (0 the embeddings, 1 the last)."""
    n, peak = profile.n, profile.peak()
    rows = [intervals.row(measure, s, n, **keys, layer=k) for k, s in enumerate(profile.scores())]
    share = peak.scaled(1 / profile.depth)
    return [*rows, intervals.row("best layer", peak, n, **keys), intervals.row("best layer / depth", share, n, **keys)]


def lead_rows(
    profile: Profile,
    dev: Sequence[float] | np.ndarray,
    pairs: Mapping[str, tuple[Sequence[int], Sequence[int]]],
    **keys,
) -> list[dict]:
    """Tidy rows: for each name, the score of the dev-best of some layers less that of the dev-best of others.

    Column `layer` names the first of the two.
    """
    rows = []
    for name, parts in pairs.items():
        layer, other = (best_in(dev, part) for part in parts)
        rows.append(intervals.row(name, profile.lead(layer, other), profile.n, **keys, layer=layer))
    return rows


def middle_rows(
    profile: Profile, dev: Sequence[float] | np.ndarray, baselines: Mapping[str, Profile] | None = None, **keys
) -> list[dict]:
    """Tidy rows: the middle against what lies below and above it, and against baselines (profiles of one score).

    `middle - low`, `middle - high`, `middle - NAME` of each baseline, and the least of them, by which claims of a peak
    in the middle are decided: `middle - best other`.
    """
    of, baselines = zones(profile.depth), baselines or {}
    layer = best_in(dev, of["middle"])
    leads = {name: profile.lead(layer, best_in(dev, of[name])) for name in ("low", "high")}
    leads |= {name: profile.over(layer, baseline) for name, baseline in baselines.items()}
    leads["best other"] = min(leads.values(), key=lambda lead: lead[0])
    return [intervals.row(f"middle - {name}", x, profile.n, **keys, layer=layer) for name, x in leads.items()]
