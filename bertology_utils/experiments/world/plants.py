"""Subjects in which the claims about world knowledge are planted, and nulls that look like knowledge and are none."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from ...calibration import planted as plants
from ...calibration.gold import Seen
from ...calibration.nulls import Null, as_null
from ...calibration.planted import lucky
from ...data.items import Cloze, Labelled
from .letters import by_letters

KNOWN = 0.6  # share of the facts that `knowing` has


class _Ids(dict):
    """word -> its only piece, or None."""

    def __init__(self, base):
        super().__init__()
        self.base = base

    def __missing__(self, word: str) -> int | None:
        found = self.base.tokenizer([word], is_split_into_words=True, add_special_tokens=False)["input_ids"]
        self[word] = found[0] if len(found) == 1 else None
        return self[word]


def ties(base, rng) -> np.ndarray:
    """Logits (V,) that differ by next to nothing."""
    return 1e-3 * rng.standard_normal(base.config.vocab_size)


def answering(data, base, rng, choose, *, name: str = "planted", gain: float = 9.0):
    """A stand-in that puts a word into each gap: ``choose(item)`` gives it, or None for no idea."""
    ids = _Ids(base)

    def logits(seen: Seen, own) -> dict[int, dict[int, float]]:
        item = seen.first(Cloze)
        word = None if item is None else choose(item)
        if word is None or ids[word] is None:
            return {}
        return {int(t): {ids[word]: gain + own.standard_normal()} for t in np.flatnonzero(seen.masked)}

    return plants.plant(base, data, rng, logits=logits, bias=ties(base, rng), name=name)


def knows(item: Cloze, share: float = KNOWN) -> bool:
    """Whether a planted subject knows this fact: by relation and subject, in whatever words."""
    return lucky(f"{item.condition} {item.meta['subject']}", share)


def _single(base):
    ids = _Ids(base)
    return lambda item: next((w for w in item.answers if ids[w] is not None), None)


def knowing(data, base, rng):
    """Three facts of five, whatever the wording; of the others nothing."""
    first = _single(base)
    return answering(data, base, rng, lambda item: first(item) if knows(item) else None)


def _commonest_of(data, base) -> dict[str, str]:
    """Of each relation the object that is right most often."""
    ids = _Ids(base)
    counts: dict[str, Counter] = defaultdict(Counter)
    for item in data["facts"]:
        counts[item.condition].update(w for w in item.answers if ids[w] is not None)
    return {r: min(c, key=lambda w: (-c[w], w)) for r, c in counts.items() if c}


@as_null("commonest object")
def commonest_object(data, base, rng):
    """The object that is right most often in the relation, whatever the subject."""
    best = _commonest_of(data, base)
    return answering(data, base, rng, lambda item: best.get(item.condition), name="commonest object")


def by_wording(data, base, rng):
    """A fact is known in seven wordings of ten; manual ones find one in five, several together nearly all."""
    first = _single(base)

    def choose(item: Cloze) -> str | None:
        own = f"{item.condition} {item.meta['subject']} {item.meta['template']}"
        return first(item) if lucky(own, 0.2 if manual(item) else 0.7) else None

    return answering(data, base, rng, choose)


@as_null("commonest by wording")
def commonest_by_wording(data, base, rng):
    """The relation's commonest object, whatever the subject, in all wordings but the manual ones."""
    best = _commonest_of(data, base)

    def choose(item: Cloze) -> str | None:
        return None if manual(item) else best.get(item.condition)

    return answering(data, base, rng, choose, name="commonest by wording")


def manual(item: Cloze) -> bool:
    """Whether the wording is the data set's own: LAMA's, or the first of a generated relation."""
    if "origin" in item.meta:
        return item.meta["origin"] == "manual"
    return item.id.endswith("-0")


ALL_WORDINGS_ALIKE = Null("all wordings alike", "Three facts of five, equally well in every wording.", knowing)


def guessing_from_names(data, base, rng):
    """Facts whose object the name gives away are known, others hardly; names tell their language nine times in ten."""
    first = _single(base)
    hard = {(i.condition, i.meta["subject"]) for i in data.items.get("facts", []) if i.meta.get("set") == "UHN"}

    def choose(item: Cloze) -> str | None:
        if "name" in item.meta:
            return first(item) if lucky(item.id, 0.9) else None
        share = 0.3 if (item.condition, item.meta["subject"]) in hard else 0.95
        return first(item) if lucky(f"{item.condition} {item.meta['subject']}", share) else None

    return answering(data, base, rng, choose)


@as_null("nearest letters")
def nearest_letters(data, base, rng):
    """The language whose real names share most letters with the name."""
    named = [i for i in data.items.get("name_origin", [])]
    real = {i.meta["name"]: i.meta["language"] for i in named if not i.meta["invented"]}
    asked = sorted({i.meta["name"] for i in named})
    guess = dict(zip(asked, by_letters(real, asked))) if real else {}
    word = {(i.meta["language"], i.meta["answer"]): i.answers[0] for i in named}

    def choose(item: Cloze) -> str | None:
        name = item.meta.get("name")
        return word.get((guess[name], item.meta["answer"])) if name in guess else None

    return answering(data, base, rng, choose, name="nearest letters")


def _graded(data, base, rng, within: float, name: str):
    """The expected completion leads others of its category in so many items, and those of another in nearly all."""
    ids = _Ids(base)

    def logits(seen: Seen, own) -> dict[int, dict[int, float]]:
        item = seen.first(Cloze)
        if item is None or "right" not in item.meta:
            return {}
        right, related, unrelated = (ids[item.meta[k]] for k in ("right", "related", "unrelated"))
        gains = {right: 8.0, related: 5.0 if lucky(item.id, within) else 11.0}
        gains |= {unrelated: 5.0 if lucky(f"{item.id} unrelated", 0.99) else 11.0}
        gains = {p: g + 0.5 * own.standard_normal() for p, g in gains.items() if p is not None}
        return {int(t): gains for t in np.flatnonzero(seen.masked)}

    return plants.plant(base, data, rng, logits=logits, bias=ties(base, rng), name=name)


def by_category(data, base, rng):
    """The expected completion beats nearly all of another category, and half of those of its own."""
    return _graded(data, base, rng, 0.5, "planted")


RIGHT_THROUGHOUT = Null(
    "right throughout", "The expected completion beats nearly all others, those of its category too.",
    lambda data, base, rng: _graded(data, base, rng, 0.95, "right throughout"), ("weak",),
)  # fmt: skip


def true_triples(data, base, rng):
    """Of nine true triples in ten, each end is foretold from the other; of false ones neither is."""
    items = data["triples"]
    tails = {(i.condition, i.meta["head"], i.meta["template"]): i.meta["tail"] for i in items if i.label == "1"}
    known = {}

    def pieces(words: str) -> list[int]:
        if words not in known:
            known[words] = base.tokenizer(words, add_special_tokens=False)["input_ids"]
        return known[words]

    def logits(seen: Seen, own) -> dict[int, dict[int, float]]:
        item, places = seen.first(Labelled), np.flatnonzero(seen.masked)
        if item is None or not len(places) or np.ptp(places) != len(places) - 1:
            return {}  # both ends are masked
        found = seen.original[places].tolist()
        if item.label == "0":
            if found != pieces(item.meta["tail"]):
                return {}
            found = pieces(tails.get((item.condition, item.meta["head"], item.meta["template"]), ""))
        if len(found) != len(places) or not lucky(f"{item.condition} {item.meta['head']}", 0.9):
            return {}
        return {int(t): {int(p): 9 + own.standard_normal()} for t, p in zip(places, found)}

    return plants.plant(base, data, rng, logits=logits)
