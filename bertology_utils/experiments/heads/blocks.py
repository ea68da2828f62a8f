"""What the experiments on heads of running text share: the sentences, and rows by block."""

from __future__ import annotations

import numpy as np

from ...attention.choosing import fitting
from ...scores import intervals
from ...scores.profiles import UNDEFINED


def sentences_of(subject, data) -> tuple[list, str]:
    """Words of the sentences of at least four words that fit; of a treebank its test part."""
    items = next(iter(data.items.values()))
    items = [i for i in items if i.split == "test"] or items
    kept, note = fitting(subject, [i for i in items if len(i.words) > 3])
    return [i.words for i in kept], note


def by_block(array: np.ndarray, measure: str, settings, **keys) -> list[dict]:
    """A row for each block (from 1) of values (n, L, A): mean over heads, interval over sentences."""
    known = ~np.isnan(array).all(-1)
    means = np.where(known, np.nansum(array, -1) / np.maximum((~np.isnan(array)).sum(-1), 1), np.nan)  # (n, L)
    options = dict(seed=settings.seed, draws=settings.draws)
    out = intervals.Rows(settings)
    for k, column in enumerate(means.T, 1):
        column = column[~np.isnan(column)]
        interval = intervals.mean_interval(column, **options) if len(column) else UNDEFINED
        out.add(measure, interval, len(column), **keys, block=k)
    return out


def towards(seen, at) -> np.ndarray:
    """Attention to some places from everywhere, (T, T)."""
    out = np.full((len(seen.ids), len(seen.ids)), 1e-3)
    out[:, at] += 1
    return out / out.sum(1, keepdims=True)
