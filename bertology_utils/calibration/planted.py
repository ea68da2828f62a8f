"""Planted subjects: what a claim speaks of, put into vectors, maps or logits from the gold annotation, plus noise.

`plant` joins pieces into a subject. A piece of the hidden states is a `Part`: values by word, a strength for every layer
and noise; a piece of the attention is a function that gives maps; a piece of the logits one that gives gains. Those
here are the shapes that claims have; another is a few lines of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from ..data.items import Cloze, Data, EdgeItem, ForcedChoice, Labelled, MinimalPair, Sentence, WordInContext
from ..probes.structural import tree_distances
from ..subject.models import Subject
from .gold import Gold, Seen, Text
from .standin import Attention, Hidden, Logits, Rng, StandIn, stand_in


@dataclass(frozen=True, eq=False)
class Part:
    """Some dimensions of the hidden states.

    Attributes
    ----------
    size : int
        Dimensions F.
    make : callable
        ``seen -> (W, F)``, values of words, or ``(T, F)`` with `by_piece`.
    layers : array (L + 1,) or None
        How strongly each layer holds them, the embeddings first; None: all alike.
    noise : float
        Standard deviation of Gaussian noise in every dimension, drawn anew for each row, layer and piece.
    by_piece : bool
        Whether `make` speaks of pieces, special tokens included.
    """

    size: int
    make: Callable[[Seen], np.ndarray]
    layers: np.ndarray | None = None
    noise: float = 0.1
    by_piece: bool = False


def plant(
    base: Subject,
    data: Data,
    rng: Rng,
    *,
    parts: Sequence[Part] = (),
    attention: Attention | None = None,
    logits: Logits | None = None,
    bias: np.ndarray | None = None,
    flow: float = 0.0,
    more: Iterable[Text] = (),
    name: str = "planted",
) -> StandIn:
    """A subject that has what the pieces say, and nothing else.

    Parameters
    ----------
    base : Subject
        Whose tokenizer, layers and heads it takes.
    data : Data
        The items that its rows are looked up in.
    parts : sequence of Part
        Side by side, they make the hidden states.
    attention, logits, bias, flow
        As of `standin.stand_in`.
    more : iterable of (words, second segment or None, item, part)
        Texts that the experiment makes of the items and that are not theirs word by word.

    Examples
    --------
    >>> from bertology_utils.data import load
    >>> from bertology_utils.subject import encode, models
    >>> data = load("treebank", "builtin", n=8)
    >>> base = models.load("mini")
    >>> from bertology_utils.calibration.planted import tree_vectors
    >>> subject = plant(base, data, np.random.default_rng(0), parts=[tree_vectors(noise=0)])
    >>> sentence = data["treebank"][0]
    >>> ((_, states),) = encode.hidden_states(subject, [sentence.words])
    >>> word = next(i for i, h in enumerate(sentence.heads) if h >= 0)
    >>> float(((states[-1, word] - states[-1, sentence.heads[word]]) ** 2).sum().round(3))
    1.0
    """
    gold = Gold(base, data, more)
    seed = int(rng.integers(2**31))
    return stand_in(
        base, gold, name=name, hidden=_joined(parts, base.n_layers) if parts else None,
        features=sum(p.size for p in parts), attention=attention, logits=logits, bias=bias, flow=flow, seed=seed,
    )  # fmt: skip


def _joined(parts: Sequence[Part], n_layers: int) -> Hidden:
    def hidden(seen: Seen, rng: Rng) -> np.ndarray:
        shape = (n_layers + 1, len(seen.ids))
        out = np.empty((*shape, sum(p.size for p in parts)), np.float32)
        start = 0
        for part in parts:
            made = part.make(seen)
            made = made if part.by_piece else seen.spread(made)
            strength = np.ones(n_layers + 1) if part.layers is None else np.asarray(part.layers)
            block = strength[:, None, None] * made
            if part.noise:
                block = block + part.noise * rng.standard_normal((*shape, part.size), np.float32)
            out[..., start : start + part.size] = block
            start += part.size
        return out

    return hidden


# which layers hold it: (L + 1,), the embeddings first


def above_embeddings(n_layers: int) -> np.ndarray:
    """All layers but the embeddings."""
    return np.array([0.0] + [1.0] * n_layers)


def bump(n_layers: int, peak: float = 0.5, width: float = 0.2) -> np.ndarray:
    """A bell over depth: 1 at `peak` (0 the embeddings, 1 the last layer), and nothing in the embeddings."""
    depth = np.arange(n_layers + 1) / n_layers
    return np.exp(-0.5 * ((depth - peak) / width) ** 2) * (depth > 0)


def rising(n_layers: int, power: float = 1.0) -> np.ndarray:
    """From 0 in the embeddings to 1 in the last layer."""
    return (np.arange(n_layers + 1) / n_layers) ** power


def code(label: Any, size: int) -> np.ndarray:
    """A random unit vector (size,) that belongs to a label, the same wherever it is asked for."""
    drawn = np.random.default_rng(crc32(repr(label).encode())).standard_normal(size).astype(np.float32)
    return drawn / np.linalg.norm(drawn)


class _Codes(dict):
    """label -> code, drawn once."""

    def __init__(self, size: int):
        super().__init__()
        self.size = size

    def __missing__(self, label) -> np.ndarray:
        self[label] = code(label, self.size)
        return self[label]


def word_vectors(size: int = 32, **options) -> Part:
    """Static vectors of pieces; a masked piece has the mask's."""
    codes = _Codes(size)
    return Part(size, lambda seen: np.stack([codes[i] for i in seen.ids.tolist()]), by_piece=True, **options)


Labels = Callable[[Any], Iterable[tuple[int, Any]]]  # item -> (word, label)


def of_words(layer: str) -> Labels:
    """The labels that a sentence's own layer gives its words: "upos", "deprels", "chunks", "senses", ..."""
    return lambda item: ((w, label) for w, label in enumerate(getattr(item, layer, ())) if label)


def of_spans(item: Any) -> Iterable[tuple[int, Any]]:
    """The labels of spans: an edge's first and second span, a sentence's named ones, the sense of a word in context."""
    if isinstance(item, EdgeItem):
        for which, span in enumerate((item.span1, item.span2)):
            yield from ((w, (which, label)) for w in range(*span or (0, 0)) for label in item.labels)
    elif isinstance(item, Sentence):
        yield from ((w, (s.kind, s.label)) for s in item.spans for w in range(s.start, s.end))
    elif isinstance(item, WordInContext):
        yield item.target, (item.lemma, item.sense)


def label_vectors(labels: Labels, size: int = 48, **options) -> Part:
    """A code for each label of a word, summed where it has several; of all items that share the row."""
    codes = _Codes(size)

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, size), np.float32)
        for item, part in seen.golds:
            if part == "text":
                for word, label in labels(item):
                    out[word] += codes[label]
        return out

    return Part(size, make, **options)


def text_vectors(label: Callable[[Any], Any] | None = None, size: int = 32, **options) -> Part:
    """The code of a text's label on every piece, special tokens included; by default that of a `Labelled`."""
    codes = _Codes(size)

    def make(seen: Seen) -> np.ndarray:
        item = seen.golds[0][0] if seen.golds else None
        if label is not None:
            found = None if item is None else label(item)
        else:
            found = item.label if isinstance(item, Labelled) else None
        return np.broadcast_to(np.zeros(size) if found is None else codes[found], (len(seen.ids), size))

    return Part(size, make, by_piece=True, **options)


def cone(strength: Sequence[float] | np.ndarray, size: int = 32) -> Part:
    """One direction shared by all words, so strong in each layer, beside unit noise."""
    shared = code("cone", size)
    return Part(
        size, lambda seen: np.broadcast_to(shared, (len(seen.ids), size)), np.asarray(strength), 1 / size**0.5, True
    )


# --- attention: maps in which heads follow the gold arcs


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


# --- logits: what stands at a mask, from the gold answers


def lucky(name: str, share: float) -> bool:
    """Whether a name falls into a share of all names, the same wherever it is asked.

    >>> sum(lucky(str(k), 0.3) for k in range(1000))
    324
    """
    return crc32(name.encode()) % 10_000 < share * 10_000


def first_piece(base: Subject) -> Callable[[str], int]:
    """Finder of a word's first piece, as its id; each word is looked up once."""
    return cache(
        lambda word: base.tokenizer([word], is_split_into_words=True, add_special_tokens=False)["input_ids"][0]
    )


def choice_logits(base: Subject, *, strength: float = 4.0, right: float = 1.0, noise: float = 1.0) -> Logits:
    """The good candidate leads by `strength` nats, in a share `right` of the items; in the others the bad one.

    A forced choice and a cloze are decided at the mask. Of a minimal pair every masked piece of the better sentence is
    restored by `strength` nats more than one of the worse. Noise is Gaussian, in nats.
    """
    piece = first_piece(base)

    def logits(seen: Seen, rng: Rng) -> dict[int, dict[int, float]]:
        out: dict[int, dict[int, float]] = {}
        for item, part in seen.golds:
            won = lucky(repr(item.id), right)
            (places,) = np.nonzero(seen.masked)
            if isinstance(item, ForcedChoice) and part == "text":
                better, worse = (item.good, item.bad) if won else (item.bad, item.good)
                gains = {piece(better): 8 + strength + noise * rng.standard_normal(), piece(worse): 8.0}
                out |= {int(t): gains for t in places}
            elif isinstance(item, Cloze) and part == "text" and won:
                gain = 8 + strength + noise * rng.standard_normal()
                out |= {int(t): {piece(item.answers[0]): gain} for t in places}
            elif isinstance(item, MinimalPair):
                lead = strength * ((part == "good") == won)
                for t in places:
                    out[int(t)] = {int(seen.original[t]): 8 + lead + noise * rng.standard_normal()}
        return out

    return logits


def restored(strength: Callable[[Seen, int], float] | float = 12.0) -> Logits:
    """Every masked piece of a known row is put back, with so many nats (a number, or by row and position)."""

    def logits(seen: Seen, rng: Rng) -> dict[int, dict[int, float]]:
        gain = strength if callable(strength) else lambda *_: strength
        return {int(t): {int(seen.original[t]): gain(seen, int(t))} for t in np.flatnonzero(seen.masked) if seen.golds}

    return logits


# --- trees: hidden states that hold the gold tree, and that move as it says when words are masked


def tree_vectors(size: int = 48, **options) -> Part:
    """Squared distances that are tree distances: a word is the sum of unit vectors along its path to the root.

    A sentence needs as many dimensions as words; from `size` words on they are used again.
    """

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, size), np.float32)
        sentence = seen.first(Sentence)
        if sentence is None or not sentence.heads:
            return out
        for word in range(len(sentence.heads)):
            at = word
            while at >= 0:
                out[word, at % size] += 1
                at = sentence.heads[at]
        return out

    return Part(size, make, **options)


def impact(
    near: Callable[[np.ndarray], np.ndarray] = lambda d: 2.0 ** -d, size: int = 48, noise: float = 0.02,
    distances: Callable[[Seen], np.ndarray | None] | None = None,
) -> Part:  # fmt: skip
    """Masking word j moves word i by ``near(distance)``, in the tree unless `distances` says otherwise."""

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, size), np.float32)
        if distances is not None:
            apart = distances(seen)
        else:
            sentence = seen.first(Sentence)
            apart = tree_distances(sentence.heads) if sentence is not None and sentence.heads else None
        if apart is None:
            return out
        for hidden in seen.hidden_words():
            moved = np.asarray(near(apart[:, hidden]), np.float32)
            moved[hidden] = 0
            out[:, hidden % size] += moved
        return out

    return Part(size, make, noise=noise)
