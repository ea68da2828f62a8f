"""Nulls: subjects without what a claim speaks of, for a rule to be tried on. Each says in a line what it has.

A null is made by ``make(data, base, rng)``, like a planted subject. Those for a claim are the ones that beat chance at
it: a head that looks one word back for relations, word identity for probes, the commoner form for forced choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from ..data import builtin
from ..data.items import Data, ForcedChoice
from ..subject.models import Subject
from . import planted
from .gold import Gold, Seen, texts
from .planted import Part, plant
from .standin import Rng, stand_in

Make = Callable[[Data, Subject, Rng], Subject]
# Beside a claim's own: of what is read off word vectors, off attention maps, at gaps, and off vectors of sentences.
VECTORS = ("untrained", "layer 0", "bag of words", "positions")
MAPS = ("untrained", "positions", "bag of words", "coin")
GAPS = ("untrained", "frequency", "constant", "coin")
SENTENCES = ("untrained", "bag of words", "positions", "constant")
TIE = 1e-3  # nats: so that ties are broken by the word, as any constant preference is


@dataclass(frozen=True)
class Null:
    """A null: its name, what it has in words, and how it is made.

    `clauses` names the clauses of the claim that it must not hold, where these are not just all the learned ones: an
    absence, for a null that has what is said to be absent; agreement across other nouns, for one that agrees with the
    nearest (and so does agree where there is no other).
    """

    name: str
    says: str
    make: Make
    clauses: tuple[str, ...] = ()

    def __call__(self, data: Data, base: Subject, rng: Rng) -> Subject:
        return self.make(data, base, rng)


def _ties(base: Subject, rng: Rng) -> np.ndarray:
    return TIE * rng.standard_normal(base.config.vocab_size)


def untrained(data: Data, base: Subject, rng: Rng) -> Subject:
    """Another twin than the one a subject is compared with."""
    return base.twin(1 + int(rng.integers(2**30)))


def layer_0(data: Data, base: Subject, rng: Rng) -> Subject:
    """The trained embeddings of words, positions and segments, handed on by every layer."""
    embeddings: Any = base.base.embeddings
    separator = base.tokenizer.sep_token_id

    def hidden(seen: Seen, _: Rng) -> np.ndarray:
        ends = np.cumsum(seen.ids == separator)
        types = np.minimum(np.concatenate([[0], ends[:-1]]), getattr(base.config, "type_vocab_size", 1) - 1)
        ids, types = (torch.as_tensor(x, device=base.device)[None] for x in (seen.ids.copy(), types))
        with torch.inference_mode():
            return embeddings(input_ids=ids, token_type_ids=types)[0].float().cpu().numpy()

    return stand_in(
        base, Gold(base, data), name="layer 0", hidden=hidden, features=base.hidden_size, bias=_ties(base, rng)
    )


def bag_of_words(data: Data, base: Subject, rng: Rng) -> Subject:
    """A static vector for each piece, and heads that join pieces by what they are, wherever they stand."""
    size = 16
    drawn = rng.standard_normal((base.n_layers, base.n_heads, size, size)).astype(np.float32)
    codes: dict[int, np.ndarray] = {}

    def attention(seen: Seen, _: Rng) -> np.ndarray:
        x = np.stack([codes.setdefault(i, planted.code(i, size)) for i in seen.ids.tolist()])  # (T, size)
        scores = np.exp(2 * np.einsum("ti,laij,uj->latu", x, drawn, x, optimize=True))
        return scores / scores.sum(-1, keepdims=True)

    return plant(
        base, data, rng, parts=[planted.word_vectors(64, noise=0)], attention=attention, bias=_ties(base, rng),
        name="bag of words",
    )  # fmt: skip


def positions(data: Data, base: Subject, rng: Rng) -> Subject:
    """Vectors, maps and the impact of a mask decided by places alone."""
    stairs, waves = 64, 16

    def place(seen: Seen) -> np.ndarray:
        at = np.arange(len(seen.ids))
        words = np.where(seen.words >= 0, seen.words, np.where(at == 0, -1, seen.n_words))
        steps = (np.arange(stairs)[None] <= words[:, None]).astype(np.float32)  # squared distance: places apart
        angles = at[:, None] / 100.0 ** (np.arange(waves // 2) / (waves // 2))[None]
        return np.concatenate([steps, np.sin(angles), np.cos(angles)], 1)

    def apart(seen: Seen) -> np.ndarray:
        return np.abs(np.subtract.outer(np.arange(seen.n_words), np.arange(seen.n_words)))

    def attention(seen: Seen, _: Rng) -> np.ndarray:
        t = np.arange(len(seen.ids))
        step = t[None] - t[:, None]  # [q, k]: key less query
        kinds = [1 / (1 + np.abs(step)), *(1e-3 + (step == o) for o in (-1, 1, -2, 2, -3, 3))]
        kinds += [1e-3 + (t[None] == at) + 0 * step for at in (0, len(t) - 1)]
        maps = np.stack([k / k.sum(-1, keepdims=True) for k in kinds])
        which = np.arange(base.n_layers * base.n_heads) % len(kinds)
        return maps[which].reshape(base.n_layers, base.n_heads, len(t), len(t))

    parts = [
        Part(stairs + waves, place, noise=0.002, by_piece=True),
        planted.impact(lambda d: 1 / (1 + d), noise=0.001, distances=apart),
    ]
    return plant(base, data, rng, parts=parts, attention=attention, bias=_ties(base, rng), name="positions")


def constant(data: Data, base: Subject, rng: Rng) -> Subject:
    """The same vector everywhere, even attention, the same odds for every gap."""
    same = Part(16, lambda seen: np.ones((len(seen.ids), 16)), noise=0, by_piece=True)
    return plant(base, data, rng, parts=[same], bias=_ties(base, rng), name="constant")


def coin(data: Data, base: Subject, rng: Rng) -> Subject:
    """Noise: vectors, maps and odds drawn anew for each row."""
    noise = Part(64, lambda seen: np.zeros((len(seen.ids), 64)), noise=1.0, by_piece=True)

    def attention(seen: Seen, own: Rng) -> np.ndarray:
        return planted.even_maps(base.n_layers, base.n_heads, seen, own, 1.0)

    def logits(seen: Seen, own: Rng) -> dict[int, dict[int, float]]:
        fillers = {base.tokenizer([w], is_split_into_words=True, add_special_tokens=False)["input_ids"][0]
                   for item, part in seen.golds if isinstance(item, ForcedChoice) for w in (item.good, item.bad)}  # fmt: skip
        pieces = sorted(fillers) or own.integers(0, base.config.vocab_size, 8).tolist()
        return {int(t): {p: 3 * own.standard_normal() for p in pieces} for t in np.flatnonzero(seen.masked)}

    return plant(base, data, rng, parts=[noise], attention=attention, logits=logits, name="coin")


def frequency(data: Data, base: Subject, rng: Rng) -> Subject:
    """The log frequency of pieces in the items' texts and in generated ones, whatever the gap."""
    found = [t for items in data.items.values() for item in items for t in texts(item) if t[3] in ("text", "good")]
    sentences = [list(t[0]) for t in found] + [list(s.words) for s in builtin.build("sentences", n=1000, seed=0)]
    tokenizer = base.tokenizer
    rows = tokenizer(sentences, is_split_into_words=True, add_special_tokens=False, verbose=False)["input_ids"]
    counts = Counter(i for row in rows for i in row)
    bias = np.log(np.array([counts[i] + 0.5 for i in range(base.config.vocab_size)]))
    parts = [planted.word_vectors(noise=0)]
    return plant(base, data, rng, parts=parts, bias=bias + _ties(base, rng), name="frequency")


def shorter(data: Data, base: Subject, rng: Rng) -> Subject:
    """All pieces alike, so that the sentence with fewer pieces is the likelier one."""
    return plant(base, data, rng, parts=[planted.word_vectors(noise=0)], name="shorter")


def longer(data: Data, base: Subject, rng: Rng) -> Subject:
    """Each masked piece is put back, the surer the longer the text: the sentence with more pieces is the likelier one."""
    logits = planted.restored(lambda seen, t: 12.0 + len(seen.ids))
    return plant(base, data, rng, parts=[planted.word_vectors(noise=0)], logits=logits, name="longer")


def nearest(data: Data, base: Subject, rng: Rng) -> Subject:
    """Agrees with the nearest noun: right without attractors, wrong with any."""
    choose = planted.choice_logits(base, noise=0.5)

    def logits(seen: Seen, own: Rng) -> dict[int, dict[int, float]]:
        item = seen.first(ForcedChoice)
        gains = choose(seen, own)
        if item is None or not item.meta.get("attractors"):
            return gains
        return {t: dict(zip(list(g)[::-1], g.values())) for t, g in gains.items()}  # the other form leads

    return plant(base, data, rng, parts=[planted.word_vectors(noise=0)], logits=logits, name="nearest")


def as_null(name: str, *clauses: str) -> Callable[[Make], Null]:
    """Make a null of the decorated function: it says the first line of its docstring; for some clauses, or for all."""
    return lambda make: Null(name, (make.__doc__ or "").split("\n")[0], make, clauses)


NULLS: dict[str, Null] = {
    name: as_null(name)(make)
    for name, make in {
        "untrained": untrained,
        "layer 0": layer_0,
        "bag of words": bag_of_words,
        "positions": positions,
        "constant": constant,
        "coin": coin,
        "frequency": frequency,
        "shorter": shorter,
        "longer": longer,
        "nearest": nearest,
    }.items()
}


def aimed(name: str, *clauses: str) -> Null:
    """The null of this name, for these clauses of a claim alone.

    >>> aimed("nearest", "distractors").clauses
    ('distractors',)
    """
    return replace(NULLS[name], clauses=clauses)
