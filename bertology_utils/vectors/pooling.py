"""From many vectors to one: a sentence from its pieces, a static word vector from its contexts.

Candidates for a sentence vector are those of toshniwal2020, tanaka2020 and ma2019; static vectors are pooled twice, over
the pieces of a word and over its contexts, as in bommasani2020. Both are streams: what is kept are sums and extremes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import TooFew
from ..settings import Settings
from ..subject.encode import hidden_states, tokenize
from ..subject.models import Subject
from .geometry import Place, unit

CLS = "[CLS], last layer"
OVER_PIECES = ("mean", "min", "max", "last")
OVER_CONTEXTS = ("mean", "min", "max")


def sentence_poolings(n_layers: int) -> tuple[str, ...]:
    """Names of the sentence vectors that `sentence_vectors` makes; `CLS` is the first."""
    return (
        CLS,
        "max, last layer",
        "normalised mean, last layer",
        "mean, last four layers side by side",
        "mean, all layers averaged",
        *(f"[CLS], layer {k}" for k in range(1, n_layers)),
        *(f"mean, layer {k}" for k in range(n_layers + 1)),
    )


def sentence_vectors(
    subject: Subject, sentences: Iterable[Sequence[str]], settings: Settings | None = None
) -> Iterator[tuple[int, dict[str, np.ndarray]]]:
    """Every pooling of every sentence: yields (i, name -> vector). Layer 0 is the embeddings.

    Means and maxima are over pieces, without the special tokens around them.
    """
    for i, states in hidden_states(subject, sentences, pool=None, settings=settings):
        first, pieces = states[:, 0], states[:, 1:-1]  # (layers, H), (layers, T - 2, H)
        means = pieces.mean(1)
        last = len(states) - 1
        yield (
            i,
            {
                CLS: first[last],
                "max, last layer": pieces[last].max(0),
                "normalised mean, last layer": unit(pieces[last]).mean(0),
                "mean, last four layers side by side": means[-4:].reshape(-1),
                "mean, all layers averaged": means.mean(0),
                **{f"[CLS], layer {k}": first[k] for k in range(1, last)},
                **{f"mean, layer {k}": means[k] for k in range(last + 1)},
            },
        )


@dataclass(frozen=True)
class StaticVectors:
    """Word vectors pooled over contexts.

    Attributes
    ----------
    means : array (sizes, words, layers, H)
        Mean over pieces, then over the first so many contexts, for each of the sizes.
    pooled : array (pieces 4, contexts 3, words, layers, H)
        Every combination of `OVER_PIECES` and `OVER_CONTEXTS`, over all contexts.
    """

    means: np.ndarray
    pooled: np.ndarray


def static_vectors(
    subject: Subject,
    sentences: Sequence[Sequence[str]],
    places: Mapping[str, Sequence[Place]],
    sizes: Sequence[int],
    settings: Settings | None = None,
) -> StaticVectors:
    """Pool each word over its places (sentence, word); memory depends on the words, not on the contexts.

    Raises
    ------
    ValueError
        If a word has fewer places than the largest of `sizes`.
    """
    words, most = tuple(places), max(sizes)
    short = [w for w in words if len(places[w]) < most]
    if short or not words:
        raise TooFew(f"needs words with {most} contexts each; too few: {short[:5]}")
    wanted: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for w, word in enumerate(words):
        for rank, (s, at) in enumerate(places[word][:most]):
            wanted[s].append((w, rank, at))
    order = list(wanted)
    pieces_of = [row.words for row in tokenize(subject, [sentences[s] for s in order])]
    shape = (len(words), subject.n_layers + 1, subject.hidden_size)
    means = np.zeros((len(sizes), *shape), np.float32)
    pooled = np.zeros((len(OVER_PIECES), 3, *shape), np.float32)
    pooled[:, 1], pooled[:, 2] = np.inf, -np.inf
    for i, states in hidden_states(subject, (sentences[s] for s in order), pool=None, settings=settings):
        for w, rank, at in wanted[order[i]]:
            pieces = states[:, [t for t, word in enumerate(pieces_of[i]) if word == at]]  # (layers, pieces, H)
            made = np.stack([pieces.mean(1), pieces.min(1), pieces.max(1), pieces[:, -1]])  # (4, layers, H)
            for k, size in enumerate(sizes):
                if rank < size:
                    means[k, w] += made[0] / size
            pooled[:, 0, w] += made / most
            pooled[:, 1, w] = np.minimum(pooled[:, 1, w], made)
            pooled[:, 2, w] = np.maximum(pooled[:, 2, w], made)
    return StaticVectors(means, pooled)


def isolated(subject: Subject, words: Sequence[str], settings: Settings | None = None) -> np.ndarray:
    """Each word alone between the special tokens, its pieces averaged: (words, layers, H)."""
    out = np.empty((len(words), subject.n_layers + 1, subject.hidden_size), np.float32)
    for i, states in hidden_states(subject, ([w] for w in words), settings=settings):
        out[i] = states[:, 0]
    return out
