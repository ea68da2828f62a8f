"""Rows of two sentences: one and its translation, or one and another of its language (lample2019).

The second kind is the control of the first: rows of the same form with as many pieces, in which nothing of the one sentence
is told by the other.
"""

from __future__ import annotations

import numpy as np

from bertology_utils.family.config import Config

from .corpus import Corpus, CorpusError
from .instances import A_LENGTH, A_START, B_LENGTH, B_START, truncate


def rows_of(corpus: Corpus, documents: np.ndarray, length: int, config: Config, rng: np.random.Generator) -> np.ndarray:
    """The rows of one epoch over `documents` of two languages, shuffled: (N, 5), as `instances.plan` has them.

    Raises
    ------
    CorpusError
        The languages have not as many sentences: they are no translations.
    """
    both = [sentences(corpus, documents[corpus.groups[documents] == group]) for group in (0, 1)]
    if config.beside != "another" and len(both[0]) != len(both[1]):
        raise CorpusError(f"{len(both[0])} and {len(both[1])} sentences of {config.languages} are no translations")
    if config.beside == "either":
        first = rng.random(len(both[0])) < 0.5
        parts = [_translated([s[first] for s in both], rng), _others([s[~first] for s in both], rng)]
        a, b = (np.concatenate([part[k] for part in parts]) for k in (0, 1))
    else:
        a, b = (_translated if config.beside == "translation" else _others)(both, rng)
    rows, bounds = np.zeros((len(a), 5), np.int64), corpus.sentences
    rows[:, A_START], rows[:, A_LENGTH] = bounds[a], bounds[a + 1] - bounds[a]
    rows[:, B_START], rows[:, B_LENGTH] = bounds[b], bounds[b + 1] - bounds[b]
    truncate(rows, length - 3, rng)
    return rows[rng.permutation(len(rows))]


def _translated(both: list[np.ndarray], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Each sentence and its translation, which of the two comes first by a fair coin."""
    swap = rng.random(len(both[0])) < 0.5
    return np.where(swap, both[1], both[0]), np.where(swap, both[0], both[1])


def _others(both: list[np.ndarray], rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Sentences of each language two by two."""
    even = [rng.permutation(s)[: len(s) // 2 * 2] for s in both]
    a, b = (np.concatenate([s[k::2] for s in even]) for k in (0, 1))
    return a, b


def sentences(corpus: Corpus, documents: np.ndarray) -> np.ndarray:
    """The numbers of the documents' sentences, in the order of the text, (N,)."""
    first, last = corpus.documents[documents], corpus.documents[documents + 1]
    return np.concatenate([np.arange(a, b) for a, b in zip(first, last)]) if len(documents) else first
