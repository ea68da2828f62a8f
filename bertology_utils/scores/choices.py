"""Forced choices by gold class: a constant preference must not pass for skill, nor for its absence.

A model that always says *are* is right wherever the subject is plural: its accuracy is the share of plural items, which
may be anything. Accuracy by gold class shows it at once; d', from signal detection, is 0 for any constant preference
and grows with what the choices tell about the gold class, whatever the preference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from ..settings import Settings
from .intervals import Interval, Resample, bootstrap_sums, fitted, mean_interval
from .rows import row, table


def by_class(
    frame: pd.DataFrame,
    *,
    settings: Settings,
    gold: str = "gold",
    by: str | Sequence[str] | None = None,
    groups: str | Sequence[str] | None = None,
) -> pd.DataFrame:
    """How often a choice is right: in all, by gold class, and less what a preference alone would give.

    Parameters
    ----------
    frame : data frame
        One row per item: column `right` (bool), column `gold` (what the right answer is an instance of: singular or
        plural).
    by : str or several
        Key columns: all is measured within each.
    groups : str or several
        Columns whose equal values are resampled together; several are crossed.

    Returns
    -------
    data frame
        Tidy rows: ``accuracy``; ``accuracy by gold class`` (key `gold`); ``balanced accuracy``, their mean, a half for
        any constant preference between two. Of two classes also ``d'`` (log-linear correction: hautus1995, in
        proportion to the classes, so that a constant preference has exactly 0) and ``share of the rarer choice``: 0 if
        the same class is always chosen.

    Examples
    --------
    >>> always = pd.DataFrame({"right": [True] * 30 + [False] * 10, "gold": ["plural"] * 30 + ["singular"] * 10})
    >>> by_class(always, settings=Settings(draws=100)).set_index("measure")["value"].drop("accuracy by gold class").to_dict()
    {'accuracy': 0.75, 'balanced accuracy': 0.5, "d'": 0.0, 'share of the rarer choice': 0.0}
    """
    keys = [by] if isinstance(by, str) else list(by or [])
    units = [groups] if isinstance(groups, str) else list(groups or [])
    parts = frame.groupby(keys, sort=True, observed=True) if keys else [((), frame)]
    rows = []
    for key, part in parts:
        sample = None if not units else part[units]
        rows += _rows(part["right"].to_numpy(bool), part[gold].to_numpy(), sample, settings, dict(zip(keys, key)))
    return table(rows)


def _rows(right: np.ndarray, gold: np.ndarray, groups, settings: Settings, keys: dict) -> list[dict]:
    options: dict[str, Any] = {"seed": settings.seed, "draws": settings.draws}
    classes, n = sorted(set(gold)), len(right)
    out = [row("accuracy", mean_interval(right, groups=groups, **options), n, **keys)]
    each = []
    for name in classes:
        there = gold == name
        each.append(mean_interval(right[there], groups=None if groups is None else groups[there], **options))
        out.append(row("accuracy by gold class", each[-1], there.sum(), **keys, gold=name))
    columns = np.concatenate([[right & (gold == c), gold == c] for c in classes]).T.astype(float)  # (n, 2 classes)
    sample = Resample(n, groups, **options)
    balanced = bootstrap_sums(columns, _balanced, sample, (0.0, 1.0))
    out.append(row("balanced accuracy", _never_still(balanced, each, _share, len(classes), (0.0, 1.0)), n, **keys))
    if len(classes) == 2:
        seen = bootstrap_sums(columns, _sensitivity, sample)
        sizes = columns.sum(0)
        out.append(row("d'", _never_still(seen, each, lambda p: _score(p, sizes[[1, 3]].sum()), 1), n, **keys))
        first = right == (gold == classes[0])  # chosen: the first class
        rarer = first if first.mean() <= 0.5 else ~first
        out.append(row("share of the rarer choice", mean_interval(rarer, groups=groups, **options), n, **keys))
    return out


def _balanced(sums: np.ndarray) -> np.ndarray:
    """Mean over the classes of right / all, from sums (..., 2 classes)."""
    right, n = sums[..., ::2], sums[..., 1::2]
    return np.divide(right, n, out=np.full(right.shape, np.nan), where=n > 0).mean(-1)


def _sensitivity(sums: np.ndarray) -> np.ndarray:
    """d' of two classes from sums (..., 4): right and all of the one, right and all of the other."""
    right, n = sums[..., ::2], sums[..., 1::2]
    whole = np.maximum(n.sum(-1, keepdims=True), 1)
    share = np.divide(right + n / whole, n * (1 + 2 / whole), out=np.full(right.shape, np.nan), where=n > 0)
    found = norm.ppf(share).sum(-1)
    return np.where(np.abs(found) < 1e-9, 0.0, found)  # z(p) + z(1 - p)


def _share(p: float) -> float:
    return p


def _score(p: float, n: float) -> float:
    return float(norm.ppf((p + 1 / n) / (1 + 2 / n)))


def _never_still(found: Interval, each: list[Interval], scale, parts: int, bounds=(-np.inf, np.inf)) -> Interval:
    """The interval, where a class is all right or all wrong, from the classes' own (zou2008): no resample moves it.

    What has a least and a greatest value stays within these `bounds`.
    """
    if all(0 < c[0] < 1 for c in each) or np.isnan(found[1]) or found.draws is None:
        return found
    below, above = (np.array([abs(scale(c[k]) - scale(c[0])) for c in each]) for k in (1, 2))
    below, above = np.where(below > 0, below, above), np.where(above > 0, above, below)
    reach = [np.sqrt((x**2).sum()) / parts for x in (below, above)]
    limits = max(min(found[1], found[0] - reach[0]), bounds[0]), min(max(found[2], found[0] + reach[1]), bounds[1])
    return fitted(found[0], limits, found.draws, found.clusters, 0)
