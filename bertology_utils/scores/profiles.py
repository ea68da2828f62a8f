"""Profiles over the layers: where a score peaks, and what an interval says about it.

Layer 0 is the embeddings, layer L the last. A peak is a noisy thing: the best of several nearly equal layers is decided
by chance. So the layer with the highest score is bootstrapped over sentences like any other figure, and "inside the
stack" is decided by differences of scores: an inner layer, *chosen on dev*, against either end on test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as student

from ..settings import Settings
from . import intervals
from .choice import choose, choose_each
from .counts import expected_layer, profile_correlation
from .intervals import Interval, Means

MOST_DRAWS = 500  # of a profile: (draws, layers) scores are kept

UNDEFINED = Interval(*(float("nan"),) * 3)


def interval(value: float, draws: np.ndarray, *, clusters: int | None = None) -> Interval:
    """As `intervals.interval`; undefined where the value is, or where most draws are."""
    missing = np.isnan(value) or np.isnan(draws).mean() > 0.5
    return UNDEFINED if missing else intervals.interval(value, draws, clusters=clusters)


def by_refits(value: float, refits: Sequence[float]) -> Interval:
    """A figure of a fit with the bootstrap standard error of a few refits: value -+ t(.975) sd.

    A percentile of six draws would mean nothing. Undefined for fewer than two refits.
    """
    fits = np.asarray(refits, float)
    if len(fits) < 2 or np.isnan(value):
        return UNDEFINED
    half = student.ppf(0.975, len(fits) - 1) * fits.std(ddof=1)
    return Interval(float(value), float(value - half), float(value + half))


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
        Sentences drawn; None where the draws say all there is to say.
    spans : tuple of Interval
        Each layer's score, where the items are a share or a mean; else they come from the draws.
    """

    value: np.ndarray
    draws: np.ndarray
    n: int
    clusters: int | None = None
    spans: tuple[Interval, ...] = ()

    @classmethod
    def of(cls, right: np.ndarray, groups: Sequence, settings: Settings) -> Profile:
        """The profile of item scores (L + 1, N); items of equal `groups` are drawn together."""
        right = np.asarray(right, float)
        mean = Means(np.asarray(groups), seed=settings.seed, draws=min(settings.draws, MOST_DRAWS))
        draws, spans = np.stack([mean.draws(r) for r in right], 1), tuple(mean(r) for r in right)
        return cls(right.mean(1), draws, right.shape[1], mean.clusters, spans)

    @property
    def depth(self) -> int:
        """Index of the last layer."""
        return len(self.value) - 1

    @property
    def best(self) -> int:
        """The layer with the highest score; the lowest of equals."""
        return choose(self.value)

    def scores(self) -> list[Interval]:
        """Each layer's score."""
        return list(self.spans) or [
            intervals.interval(v, d, clusters=self.clusters) for v, d in zip(self.value, self.draws.T)
        ]

    def peak(self) -> Interval:
        """The best layer: the interval says where it lies in resampled sentences, to half a layer."""
        best = choose_each(self.draws).astype(float)
        low, high = np.percentile(best, [2.5, 97.5])
        low, high = max(0.0, low - 0.5), min(float(self.depth), high + 0.5)
        return Interval(float(self.best), low, high, draws=best, clusters=self.clusters)

    def lead(self, layer: int, other: int) -> Interval:
        """Score of one layer less that of another."""
        value, draws = self.value[layer] - self.value[other], self.draws[:, layer] - self.draws[:, other]
        return intervals.interval(value, draws, clusters=self.clusters, signed=True)

    def expected(self) -> tuple[float, np.ndarray]:
        """Expected layer of a cumulative profile (tenney2019a) and its draws (D,).

        Both are nan where the layers together do not beat the embeddings by an interval: a mean weighted by gains
        is without meaning where there is no gain.
        """
        if not self.lead(self.depth, 0)[1] > 0:
            return float("nan"), np.full(len(self.draws), np.nan)
        gained = self.draws[:, -1] > self.draws[:, 0]
        drawn = np.full(len(self.draws), np.nan)
        drawn[gained] = expected_layer(self.draws[gained])
        return float(expected_layer(self.value)), drawn


def inner(dev: Sequence[float]) -> int:
    """The best layer by dev scores (L + 1,) among those strictly inside the stack.

    Raises
    ------
    ValueError
        If the model has a single layer: nothing lies inside.
    """
    if len(dev) < 3:
        raise ValueError(f"{len(dev) - 1} layer(s): none lies strictly inside the stack")
    return 1 + choose(dev[1:-1])


def peak_rows(profile: Profile, dev: Sequence[float], *, measure: str = "accuracy", **keys) -> list[dict]:
    """Tidy rows of a profile.

    `measure` at each `layer`; `best layer` and `best layer / depth` (0 the embeddings, 1 the last layer); and
    `inner - layer 0`, `inner - last layer` for the inner layer chosen on dev, which is named in column `layer`.
    """
    n, inside = profile.n, inner(dev)
    rows = [intervals.row(measure, s, n, **keys, layer=k) for k, s in enumerate(profile.scores())]
    peak = profile.peak()
    rows.append(intervals.row("best layer", peak, n, **keys))
    rows.append(intervals.row("best layer / depth", peak.scaled(1 / profile.depth), n, **keys))
    rows.append(intervals.row("inner - layer 0", profile.lead(inside, 0), n, **keys, layer=inside))
    return [*rows, intervals.row("inner - last layer", profile.lead(inside, profile.depth), n, **keys, layer=inside)]


def correlate(a: Profile, b: Profile) -> tuple[float, np.ndarray]:
    """Pearson r of two models' profiles after stretching both to depth 0..1 (tenney2019a), and its draws (D,).

    nan where a profile is flat.
    """
    with np.errstate(invalid="ignore", divide="ignore"):  # of a flat profile
        drawn = [profile_correlation(x, y) for x, y in zip(a.draws, b.draws)]
        return profile_correlation(a.value, b.value), np.array(drawn)
