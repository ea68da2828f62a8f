"""Which units are drawn, and how often: the resamples behind every interval.

Items that share a verb, a template, a document or a sentence stand or fall together, so those are what is drawn. Where
items have several such factors that cross (verbs x templates, seeds x sentences), each factor is drawn by itself and
an item counts as often as the product of its levels' counts: the pigeonhole bootstrap of owen2007.

The draws depend on the seed, the number of draws and the number of levels alone. So two subjects measured on the same
items get the same resamples, and the difference of their draws is a paired one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd
from scipy.stats import t as student

from ..errors import TooFew

_CELLS = 2_000_000  # drawn units, or weights of items, held at once
_KEPT = 8_000_000  # draws x units up to which counts are kept for the next measure of the same items


def _blocks(n: int, draws: int) -> Iterator[int]:
    """Sizes of blocks of draws of n units each."""
    step = max(1, _CELLS // max(n, 1))
    for start in range(0, draws, step):
        yield min(step, draws - start)


def resamples(n: int, draws: int, seed: int) -> Iterator[np.ndarray]:
    """Yield arrays (k, n) of resampled indices of n items, `draws` rows in all; `counts` counts the same draws."""
    rng = np.random.default_rng(seed)
    for k in _blocks(n, draws):
        yield rng.integers(0, n, (k, n))


def counts(n: int, draws: int, seed: int) -> np.ndarray:
    """How often each of n units is drawn in each resample, float (draws, n): a bootstrap by matrix products.

    Examples
    --------
    >>> counts(4, 2, seed=0).sum(1)
    array([4., 4.])
    """
    return _counts(n, draws, seed).astype(float)


def _counts(n: int, draws: int, seed: int) -> np.ndarray:
    return _kept(n, draws, seed) if n * draws <= _KEPT else _drawn(n, draws, seed)


def _drawn(n: int, draws: int, seed: int) -> np.ndarray:
    out, at = np.empty((draws, n), np.uint8), 0  # no unit is drawn 256 times
    for block in resamples(n, draws, seed):
        k = len(block)
        out[at : at + k] = np.bincount((block + np.arange(k)[:, None] * n).ravel(), minlength=k * n).reshape(k, n)
        at += k
    out.flags.writeable = False
    return out


_kept = lru_cache(maxsize=8)(_drawn)


def factors(groups: Sequence | Mapping | pd.DataFrame | None, n: int) -> list[np.ndarray]:
    """The factors of n items, each as codes (n,) from 0; none given: every item is a unit of its own.

    Raises
    ------
    ValueError
        If a factor has another length, or lacks the label of an item.
    """
    if groups is None:
        return [np.arange(n)]
    columns = (list, np.ndarray, pd.Series, pd.Categorical)
    if isinstance(groups, pd.DataFrame):
        several = [groups[c] for c in groups]
    elif isinstance(groups, Mapping):
        several = list(groups.values())
    elif isinstance(groups, (list, tuple)) and groups and all(isinstance(g, columns) for g in groups):
        several = list(groups)
    else:
        several = [groups]
    out = []
    for labels in several:
        if not isinstance(labels, (np.ndarray, pd.Series, pd.Categorical)):
            held = np.empty(len(labels), object)
            held[:] = list(labels)
            labels = held
        codes = pd.factorize(labels)[0]
        if len(codes) != n or (codes < 0).any():
            raise ValueError(
                f"{n} items need as many group labels; there are {len(codes)}, {(codes < 0).sum()} missing"
            )
        out.append(codes)
    return out


def crossed(seeds: int, n: int, groups: Sequence | Mapping | pd.DataFrame | None = None) -> list[np.ndarray]:
    """The factors of (seeds, n) scores laid out flat: the seed, and the item or its `groups`; of one seed, items alone.

    Examples
    --------
    >>> [c.tolist() for c in crossed(2, 3)]
    [[0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]]
    """
    items = [np.tile(codes, seeds) for codes in factors(groups, n)]
    return [np.repeat(np.arange(seeds), n), *items] if seeds > 1 else items


class Resample:
    """The resamples of n items.

    Parameters
    ----------
    groups : sequence of n labels, or a mapping, data frame or list of several, optional
        Items of equal label are drawn together; several factors are crossed.

    Attributes
    ----------
    codes : list of int arrays (n,)
        Each factor's level of each item.
    levels : tuple of int
        How many levels each factor has.

    Raises
    ------
    TooFew
        There is no item.
    """

    def __init__(self, n: int, groups=None, *, seed: int = 0, draws: int = 2000) -> None:
        if not n:
            raise TooFew("nothing to draw from: no item is left")
        self.n, self.seed, self.draws = n, seed, draws
        self.codes = factors(groups, n)
        self.levels = tuple(int(c.max()) + 1 for c in self.codes)

    @property
    def clusters(self) -> int:
        """How many independent units there are: of crossed factors, the levels of the one that has fewest."""
        return min(self.levels)

    @property
    def crossed(self) -> bool:
        return len(self.codes) > 1

    def _level_counts(self) -> list[np.ndarray]:
        """(draws, levels) of each factor; each has its own stream."""
        return [_counts(g, self.draws, self.seed + 7_919 * k) for k, g in enumerate(self.levels)]

    def weights(self) -> Iterator[np.ndarray]:
        """Yield int arrays (k, n): how often each item counts in each of k resamples, `draws` rows in all."""
        drawn, at = self._level_counts(), 0
        for k in _blocks(self.n, self.draws):
            rows = slice(at, at + k)
            out = drawn[0][rows][:, self.codes[0]].astype(np.int64)
            for more, codes in zip(drawn[1:], self.codes[1:]):
                out *= more[rows][:, codes]
            at += k
            yield out

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sums of item values (n, c) in each resample, (draws, c)."""
        values = np.asarray(values, float)
        if self.crossed:
            return np.concatenate([w @ values for w in self.weights()])
        totals = np.stack([np.bincount(self.codes[0], v, self.levels[0]) for v in values.T], 1)  # (levels, c)
        if self.levels[0] == self.n:  # each item is drawn by itself: to count draws would take longer than to take them
            out, at = np.tile(totals[0] * self.n, (self.draws, 1)), 0
            moving = [(c, v.copy()) for c, v in enumerate(totals.T) if (v != v[0]).any()]  # the rest is the same drawn
            for block in resamples(self.n, self.draws, self.seed):
                for c, v in moving:
                    out[at : at + len(block), c] = v[block].sum(1)
                at += len(block)
            return out
        drawn, out = self._level_counts()[0], np.empty((self.draws, values.shape[1]))
        at = 0
        for k in _blocks(self.levels[0], self.draws):
            out[at : at + k] = drawn[at : at + k].astype(float) @ totals
            at += k
        return out

    @cached_property
    def units(self) -> list[np.ndarray]:
        """Codes (n,) of each factor, and where several cross, of their cells last."""
        if not self.crossed:
            return self.codes
        cells = self.codes[0].astype(np.int64)
        for codes in self.codes[1:]:
            cells = pd.factorize(cells * (int(codes.max()) + 1) + codes)[0]
        return [*self.codes, cells]

    def effective(self, weights: np.ndarray | None = None) -> list[float]:
        """Effective number of levels of each factor, (sum w)^2 / sum w^2: fewer where a few levels hold most items."""
        totals = [np.bincount(c, weights) for c in self.codes]
        return [float(t.sum() ** 2 / (t**2).sum()) if t.any() else 1.0 for t in totals]

    def spread(self, influence: np.ndarray, weights: np.ndarray | None = None) -> tuple[float, float]:
        """Variance of a statistic from its items' influences (n,), and the t that takes the place of 1.96."""
        totals = [np.bincount(codes, influence) for codes in self.units]
        return self.pooled([(t**2).sum() * len(t) / max(len(t) - 1, 1) for t in totals], weights)

    def pooled(self, parts: Sequence[float], weights: np.ndarray | None = None) -> tuple[float, float]:
        """Variance and t from the variances with each of `units` drawn alone.

        Crossed factors each hold the variance of the cells' own noise once; it is taken out of all and added again
        once (the estimate of cameron2011, with the noise from an analysis of variance). Each component brings the
        Student's t of its own units, so that three seeds count as three where seeds matter, and only there.
        """
        tails = [student.ppf(0.975, k - 1) if k > 1 else np.inf for k in self.effective(weights)]
        if not self.crossed:
            return float(parts[0]), float(tails[0])
        levels, cells = self.levels, int(self.units[-1].max()) + 1
        free = cells - sum(levels) + len(levels) - 1  # degrees of freedom of the noise
        noise = parts[-1] * (cells - 1) / cells - sum(v * (g - 1) / cells for v, g in zip(parts, levels))
        noise = min(max(noise, 0.0) * cells / free, parts[-1]) if free > 0 else 0.0
        own = [max(v - noise, 0.0) for v in parts[:-1]]
        variance = sum(own) + noise
        wide = sum(t**2 * v for t, v in zip(tails, own) if v > 0) + min(tails) ** 2 * noise
        return float(variance), float(np.sqrt(wide / variance)) if variance > 0 else min(tails)
