"""Planted attention: maps in which heads follow the gold arcs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np

from ...data.items import Sentence
from ...subject.models import Subject
from ..gold import Seen
from ..standin import Attention, Rng


def even_maps(n_layers: int, n_heads: int, seen: Seen, rng: Rng, noise: float) -> np.ndarray:
    """Even attention, (L, A, T, T), each weight scaled by a factor whose logarithm is noise."""
    raw = np.exp(noise * rng.standard_normal((n_layers, n_heads, len(seen.ids), len(seen.ids)), np.float32))
    return raw / raw.sum(-1, keepdims=True)


Pairs = Callable[[Seen], Iterable[tuple[int, int]]]  # (word that attends, word attended to)


def arcs_of(relation: str | None = None, *, up: bool = True) -> Pairs:
    """Gold arcs of a relation without its subtype (None: of all), from dependent to head, or down to the dependent."""

    def pairs(seen: Seen) -> Iterable[tuple[int, int]]:
        sentence = seen.first(Sentence)
        if sentence is None:
            return
        for word, head in enumerate(sentence.heads):
            name = sentence.deprels[word].split(":")[0] if sentence.deprels else None
            if head >= 0 and (relation is None or name == relation):
                yield (word, head) if up else (head, word)

    return pairs


def head_attention(
    base: Subject, heads: Mapping[tuple[int, int], Pairs], *, share: float = 0.6, noise: float = 0.5
) -> Attention:
    """Heads (layer, head), from 0, that give `share` of their attention to the words they are for; the rest is even.

    Words that attend to several words divide it among them; a word is all its pieces.
    """

    def attention(seen: Seen, rng: Rng) -> np.ndarray:
        maps = even_maps(base.n_layers, base.n_heads, seen, rng, noise)
        for (layer, head), pairs in heads.items():
            wanted = np.zeros((len(seen.ids), len(seen.ids)), np.float32)
            for query, target in pairs(seen):
                wanted[np.ix_(seen.words == query, seen.words == target)] = 1
            total = wanted.sum(-1, keepdims=True)
            has = total[:, 0] > 0
            maps[layer, head, has] = share * (wanted / np.maximum(total, 1))[has] + (1 - share) * maps[layer, head, has]
        return maps

    return attention
