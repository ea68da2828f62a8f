"""The order in which the rows of an epoch are seen: as they were shuffled, the simple ones first, or those with long subjects.

What is simple is told by the text alone: a row is as hard as its pieces are rare on average. It is the same rows that are seen,
those that a run would have reached anyway: all of them sorted, or the first half of them, so that a run ends with mixed rows.
More than one epoch begins with the simple rows again.

Where long subjects come first, a short run sees no other rows: of 1.58 million rows of 64 pieces of English 227,000 hold one.
Mixed afterwards, they fill the first half of the rows that a run reaches.
"""

from __future__ import annotations

import numpy as np

from . import finite
from .corpus import Corpus

PHRASES = "phrases first"  # rows in which a prepositional phrase stands before a finite verb (`finite.behind_phrases`)
SORTED = {
    "shuffled": 0.0,
    "rare last": 1.0,
    "rare last, then mixed": 0.5,
    PHRASES: 1.0,
    f"{PHRASES}, then mixed": 0.5,
}  # the share of a run's rows that are sorted


def rarity(corpus: Corpus, rows: np.ndarray) -> np.ndarray:
    """How rare the pieces of rows are: the mean of minus the log of their relative frequency in the corpus, nats (N,).

    `rows` (N, 5) are as `instances.plan` has them.
    """
    counts = np.bincount(corpus.tokens)
    each = -np.log(np.maximum(counts, 1) / counts.sum())[corpus.tokens]
    total = np.concatenate([[0.0], np.cumsum(each)])
    a, b = rows[:, :2].T, rows[:, 2:4].T  # where each segment starts, and its pieces
    summed = sum(total[start + length] - total[start] for start, length in (a, b))
    return summed / np.maximum(a[1] + b[1], 1)


def rare_last(corpus: Corpus, rows: np.ndarray, count: int) -> np.ndarray:
    """`rows` with the first `count` of them by rising `rarity`, the others as they are, (N, 5)."""
    first = rows[:count]
    return np.concatenate([first[np.argsort(rarity(corpus, first), kind="stable")], rows[count:]])


def phrases_first(corpus: Corpus, rows: np.ndarray, count: int | None = None) -> np.ndarray:
    """`rows` with those first that hold a finite verb behind a prepositional phrase, each part as it was shuffled, (N, 5).

    `count` of them at most; those that are left stay among the others.
    """
    total = np.concatenate([[0], np.cumsum(finite.behind_phrases(corpus.tokens, corpus.tokenizer))])
    a, b = rows[:, :2].T, rows[:, 2:4].T
    held = sum(total[start + length] - total[start] for start, length in (a, b))
    later = np.ones(len(rows), bool)
    later[np.flatnonzero(held)[:count]] = False
    return rows[np.argsort(later, kind="stable")]
