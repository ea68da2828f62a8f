"""Pieces of hidden states, and `plant`, which joins pieces of states, attention and logits into a subject."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np

from ...data.items import Data, EdgeItem, Labelled, Sentence, WordInContext
from ...subject.models import Subject
from ..gold import Gold, Seen, Text
from ..standin import Attention, Hidden, Logits, Rng, StandIn, stand_in


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
