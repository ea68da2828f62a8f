"""How often the intervals hold the truth, by simulation: ``python -m tests.scores.coverage_of_intervals``.

Each scenario draws data whose true value is known, and its interval by the functions that the experiments use. Of 95 %
intervals, 95 in a hundred should hold it. Shares come in steps, so that no interval of theirs has exactly 95 % everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy.stats import norm

from bertology_utils.scores import pairs
from bertology_utils.scores.intervals import bootstrap, difference, mean_interval, seeds_by_items
from bertology_utils.scores.rows import Interval

Trial = Callable[[np.random.Generator, int], tuple[Interval, float]]


@dataclass(frozen=True)
class Scenario:
    """Data of a kind: `trial(rng, draws)` gives the interval of one sample, and the truth."""

    name: str
    trial: Trial
    repeats: int = 1000


def _mean(n: int, draw: Callable, truth: float, rng, draws) -> tuple[Interval, float]:
    return mean_interval(draw(rng, n), draws=draws), truth


def _share(n: int, p: float, rng, draws) -> tuple[Interval, float]:
    return mean_interval(rng.random(n) < p, draws=draws), p


def _clusters(clusters: int, size: int, alike: float, p: float | None, rng, draws) -> tuple[Interval, float]:
    """Clusters of about `size` items, of which `alike` is the share of variance between clusters."""
    member = np.repeat(np.arange(clusters), rng.poisson(size - 1, clusters) + 1)
    shared = rng.normal(size=clusters)[member] * np.sqrt(alike)
    values = shared + rng.normal(size=len(member)) * np.sqrt(1 - alike)
    if p is None:
        return mean_interval(values, draws=draws, groups=member), 0.0
    return mean_interval(values < norm.ppf(p), draws=draws, groups=member), p


def _crossed(verbs: int, templates: int, by: tuple[float, float, float], rng, draws) -> tuple[Interval, float]:
    """Every verb in every template; standard deviations of verbs, templates and items."""
    verb, template = (x.ravel() for x in np.indices((verbs, templates)))
    values = rng.normal(0, by[0], verbs)[verb] + rng.normal(0, by[1], templates)[template]
    values = values + rng.normal(0, by[2], len(values))
    return mean_interval(values, draws=draws, groups={"verb": verb, "template": template}), 0.0


def _pairs(n: int, a: float, b: float, clusters: int | None, rows: bool, rng, draws) -> tuple[Interval, float]:
    """Two subjects that are right of an item with chances a and b, and resemble each other on it."""
    member = np.arange(n) if clusters is None else np.repeat(np.arange(clusters), n // clusters)
    shared = np.sqrt(0.3) * rng.normal(size=n)
    if clusters is not None:
        shared = np.sqrt(0.5) * shared + np.sqrt(0.15) * rng.normal(size=clusters)[member]
    one, two = (shared + np.sqrt(0.7) * rng.normal(size=n) < norm.ppf(p) for p in (a, b))
    options = {"draws": draws, "groups": None if clusters is None else member}
    if rows:  # as the runner does: from the draws of two rows
        found, _ = pairs.difference(mean_interval(one, **options), mean_interval(two, **options))
        return found, a - b
    return difference(one.astype(float), two.astype(float), **options), a - b


def _seeds(seeds: int, items: int, by: tuple[float, float, float], rng, draws) -> tuple[Interval, float]:
    """Standard deviations of seeds, items, and the rest."""
    scores = rng.normal(0, by[0], (seeds, 1)) + rng.normal(0, by[1], items) + rng.normal(0, by[2], (seeds, items))
    return seeds_by_items(scores, draws=draws), 0.0


def _rare(seeds: int, items: int, p: float, alike: float, both: bool, rng, draws) -> tuple[Interval, float]:
    """Items that come out otherwise with chance p, in `both` directions or in one; seeds share `alike` of the variance."""
    seed, item = rng.normal(0, np.sqrt(alike), (seeds, 1)), rng.normal(0, np.sqrt(0.2), items)
    latent = seed + item + rng.normal(0, np.sqrt(0.8 - alike), (seeds, items))
    scores = (latent < norm.ppf(p)).astype(float) - (both & (latent > norm.ppf(1 - p)))
    groups = [x.ravel() for x in np.indices(scores.shape)]
    return mean_interval(scores.ravel(), draws=draws, groups=groups, signed=both), 0.0 if both else p


def _median(n: int, rng, draws) -> tuple[Interval, float]:
    return bootstrap(rng.normal(size=n), np.median, draws=draws), 0.0


def scenarios() -> list[Scenario]:
    """All that is simulated."""
    out = [
        Scenario(f"mean, normal, n = {n}", partial(_mean, n, lambda r, k: r.normal(size=k), 0.0)) for n in (8, 20, 200)
    ]
    for n in (20, 60, 200):
        out.append(Scenario(f"mean, exponential, n = {n}", partial(_mean, n, lambda r, k: r.exponential(size=k), 1.0)))
    for p in (0.5, 0.9, 0.98):
        out += [Scenario(f"share {p}, n = {n}", partial(_share, n, p), 2000) for n in (20, 50, 100, 200, 300)]
    for g in (15, 40):
        for alike in (0.0, 0.3):
            out.append(Scenario(f"mean, {g} clusters, alike {alike}", partial(_clusters, g, 8, alike, None)))
            for p in (0.5, 0.9, 0.98):
                out.append(Scenario(f"share {p}, {g} clusters, alike {alike}", partial(_clusters, g, 8, alike, p)))
    for by in ((1, 1, 1), (1, 0, 1), (0, 0, 1)):
        out += [Scenario(f"crossed {a} x {b}, {by}", partial(_crossed, a, b, by), 400) for a, b in ((24, 10), (40, 8))]
    for rows in (False, True):
        how = "of rows" if rows else "of items"
        for n, a, b in ((20, 0.9, 0.5), (50, 0.9, 0.88), (100, 0.98, 0.6), (300, 0.98, 0.97)):
            out.append(Scenario(f"difference {how}, {a} - {b}, n = {n}", partial(_pairs, n, a, b, None, rows)))
        for g in (15, 40):
            name = f"difference {how}, 0.9 - 0.5, {g} clusters"
            out.append(Scenario(name, partial(_pairs, 8 * g, 0.9, 0.5, g, rows)))
    for s in (3, 5):
        for parts in ((0.1, 1, 1), (0, 1, 1), (1, 1, 1)):
            out.append(Scenario(f"{s} seeds x 60 items, {parts}", partial(_seeds, s, 60, parts), 400))
    for s, p, alike, both in ((3, 0.02, 0.0, True), (3, 0.02, 0.05, True), (3, 0.1, 0.3, False), (5, 0.02, 0.3, False)):
        name = f"{s} seeds x 100 items, {p} {'either way' if both else 'one way'}, alike {alike}"
        out.append(Scenario(name, partial(_rare, s, 100, p, alike, both), 400))
    for s, alike in ((3, 0.0), (3, 0.01), (5, 0.01)):  # long tests: what seeds share is small, and well seen
        name = f"{s} seeds x 1000 items, 0.4 one way, alike {alike}"
        out.append(Scenario(name, partial(_rare, s, 1000, 0.4, alike, False), 300))
    out.append(Scenario("median (general), n = 30", partial(_median, 30), 200))
    return out


def cover(
    scenario: Scenario, *, repeats: int | None = None, draws: int = 1000, seed: int = 0
) -> dict[str, float | str]:
    """Share of intervals that hold the truth, their mean width, how many lie above the truth and below it."""
    rng, n = np.random.default_rng(seed), repeats or scenario.repeats
    held = above = below = width = 0.0
    for _ in range(n):
        (_, low, high), truth = scenario.trial(rng, draws)
        held += low <= truth <= high
        above += low > truth
        below += high < truth
        width += high - low
    return {"scenario": scenario.name, "covers": held / n, "above": above / n, "below": below / n, "width": width / n}


def simulate(times: float = 1.0, draws: int = 1000) -> pd.DataFrame:
    """`cover` of all scenarios, with so many times their repeats."""
    return pd.DataFrame([cover(s, repeats=int(s.repeats * times), draws=draws) for s in scenarios()])


if __name__ == "__main__":
    import sys

    print(simulate(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0).round(3).to_string(index=False))
