"""Lexical relations: attention between two related concepts, by that between shuffled partners."""

from __future__ import annotations

import random

import numpy as np

from ...attention import relations, spans
from ...attention.choosing import fitting, sides
from ...calibration import planted as plants
from ...calibration.nulls import MAPS
from ...claims.registry import claim
from ...data.items import EdgeItem
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode

LEXICAL = (
    "IsA", "PartOf", "HasA", "Synonym", "Antonym", "SimilarTo", "DefinedAs", "MadeOf", "InstanceOf",
    "hypernym", "meronym", "synonym", "antonym",
)  # fmt: skip
ALIKE = 4  # letters that two words may begin with in common


def related_words(data, base, rng):
    """A head gives half of its attention from each concept of a pair to the other."""

    def pairs(seen):
        for item, _ in seen.golds:
            if isinstance(item, EdgeItem):
                yield from item.pairs()
                yield from ((b, a) for a, b in item.pairs())

    heads = {(base.n_layers // 2, 0): pairs}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


@claim("hed.lexical_relations.cui2020", "concept_pairs", n=1600, limit=1200, planted=related_words, nulls=MAPS)
def lexical_relations(subject, data, settings):
    """Attention between two related concepts in a carrier sentence, by that between shuffled partners (cui2020).

    Shuffled: the second concept is another item's of the same relation, in the same carrier. Attention is the mean over
    the words of both, both ways; the head with the largest difference is chosen on the pairs that are not test. Pairs
    that share a word, or the first letters of one, are left out: a head that looks for the same piece again would find
    them.
    """
    items = [i for i in data["concept_pairs"] if not look_alike(i)]
    dropped = len(data["concept_pairs"]) - len(items)
    items, note = fitting(subject, items)
    # on train and dev: a choice made after an unfinished model's heads, chosen on dev alone, had been seen
    dev, test, more = sides(items, train=True)
    both = [with_shuffled(subject, side, settings) for side in (dev, test)]
    (related, shuffled, _), (*scored, kept) = both
    best = leading(related, shuffled)
    related, shuffled = (x[:, best].astype(float) for x in scored)
    groups = {name: [_text(i, span) for i in kept] for name, span in (("first", "span1"), ("second", "span2"))}
    kinds = np.array(["lexical" if i.condition in LEXICAL else "commonsense" for i in kept])
    conditions = np.array([i.condition for i in kept])
    parts = [("all", "all", np.ones(len(kept), bool))]
    parts += [(kind, "all", kinds == kind) for kind in sorted(set(kinds))]
    parts += [(kinds[conditions == c][0], c, conditions == c) for c in sorted(set(conditions))]
    rows = intervals.Rows(settings)
    for kind, relation, at in parts:
        units = {k: np.asarray(v)[at] for k, v in groups.items()}
        options = dict(seed=settings.seed, draws=settings.draws, groups=units)
        keys = dict(kind=kind, relation=relation, head=relations.head_name(best, subject.n_layers, subject.n_heads))
        rows.mean("related", related[at], groups=units, **keys)
        rows.mean("shuffled", shuffled[at], groups=units, **keys)
        rows.add("related / shuffled", by_logs(intervals.ratio(related[at], shuffled[at], **options)), at.sum(), **keys)
    alike = f"{dropped} of {len(data['concept_pairs'])} pairs left out: their words look alike" if dropped else ""
    return intervals.table(rows, [note, more, alike])


def leading(related: np.ndarray, shuffled: np.ndarray) -> int:
    """The head that gives related words most beyond shuffled ones: a ratio would choose one that gives next to nothing.

    >>> leading(np.array([[1e-9, 0.3]]), np.array([[1e-12, 0.1]]))
    1
    """
    return choose(related.mean(0) - shuffled.mean(0), margin=1e-6)


def by_logs(ratio: intervals.Interval) -> intervals.Interval:
    """A ratio of what is never negative: its logarithm has the interval, as far to both sides.

    >>> [round(x, 2) for x in by_logs(intervals.Interval(2.0, -1.0, 5.0, draws=np.ones(9)))]  # 2 / 4.48 and 2 * 4.48
    [2.0, 0.45, 8.96]
    >>> by_logs(intervals.Interval(2.0, float("nan"), float("nan")))
    (2.0, nan, nan)
    """
    value, low, high = ratio
    if not value > 0 or ratio.draws is None:  # without draws there is no interval either
        return ratio
    low, high, draws = (value * np.exp(x / value - 1) for x in (low, high, ratio.draws))
    return intervals.Interval(value, float(low), float(high), draws=draws, clusters=ratio.clusters)


def _text(item, span: str) -> str:
    return " ".join(item.words[slice(*getattr(item, span))]).lower()


def look_alike(item) -> bool:
    a, b = (_text(item, span).split() for span in ("span1", "span2"))
    return any(x == y or x[:ALIKE] == y[:ALIKE] or x in y or y in x for x in a for y in b if min(len(x), len(y)) > 2)


def with_shuffled(subject, items, settings) -> tuple[np.ndarray, np.ndarray, list]:
    """Attention between related concepts and between shuffled ones, (n, L * A) each, and the items they are of."""
    control, kept, places = [], [], []
    rng = random.Random(settings.seed)
    for relation in sorted({i.condition for i in items}):
        same = [i for i in items if i.condition == relation]
        for item, other in zip(same, _derangement(same, rng)):
            if other is not None:
                words, span = _exchanged(item, other)
                control.append(words)
                places.append(span)
                kept.append(item)
    ok = [k for k, fine in enumerate(encode.fits(subject, control)) if fine]
    values = []
    for texts, of in (
        ([kept[k].words for k in ok], [(kept[k].span1, kept[k].span2) for k in ok]),
        ([control[k] for k in ok], [places[k] for k in ok]),
    ):
        links = [(k, x, y) for k, (a, b) in enumerate(of) for x, y in ((a, b), (b, a))]
        found = spans.between(subject, texts, links, settings=settings)
        values.append(found.reshape(len(of), 2, -1).mean(1))
    return *values, [kept[k] for k in ok]


def _exchanged(item, other) -> tuple[tuple[str, ...], tuple[tuple[int, int], tuple[int, int]]]:
    """The item's sentence with the other's second concept in place of its own, and the two spans there."""
    start, end = item.span2
    new = other.words[slice(*other.span2)]
    shift = len(new) - (end - start)
    first = tuple(p + shift * (p >= end) for p in item.span1)
    return (*item.words[:start], *new, *item.words[end:]), (first, (start, start + len(new)))


def _derangement(items: list, rng: random.Random) -> list:
    """For each item another whose second concept differs, each used about once; None where there is no other."""
    order = rng.sample(items, len(items))
    out = []
    for k, item in enumerate(items):
        own = _text(item, "span2")
        turn = (order[(k + step) % len(order)] for step in range(len(order)))
        out.append(next((o for o in turn if _text(o, "span2") != own), None))
    return out
