"""Averages over relations: a relation counts the same, however many facts it has (petroni2019)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..settings import Settings
from .intervals import Interval, ratio

FEW = 8  # relations; of fewer no interval over relations can be had


def macro(
    values: Sequence[float],
    relations: Sequence[str],
    subjects: Sequence[str],
    settings: Settings,
    *,
    signed: bool = False,
) -> Interval:
    """Mean over relations of the mean over a relation's facts, and its interval.

    Facts of one subject stand or fall together, and relations are a sample: both are resampled, crossed. With fewer
    than `FEW` relations these are taken as given.

    Parameters
    ----------
    values : sequence of float (n,)
        Of facts.
    signed : bool
        Values are differences; others are shares, and their limits stay between 0 and 1.

    Examples
    --------
    >>> found = macro([1, 1, 1, 0], ["capital"] * 3 + ["language"], list("abcd"), Settings(draws=50))
    >>> float(found[0])
    0.5
    """
    scored = np.asarray(values, float)
    names, codes = np.unique(np.asarray(relations, object).astype(str), return_inverse=True)
    weight = 1 / (np.bincount(codes)[codes] * len(names))  # (n,): sums to one
    units = {"subject": list(subjects)}
    if len(names) >= FEW:
        units["relation"] = list(relations)
    found = ratio(weight * scored, weight, seed=settings.seed, draws=settings.draws, groups=units, signed=signed)
    if signed or found.draws is None:
        return found
    low, high = max(0.0, found[1]), min(1.0, found[2]) if scored.max() <= 1 else found[2]
    return Interval(found[0], low, high, draws=found.draws, clusters=found.clusters)
