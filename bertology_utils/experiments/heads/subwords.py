"""Pieces of one word: attention between neighbours, against two controls."""

from __future__ import annotations

import numpy as np

from ...attention import pieces, relations
from ...attention.choosing import fitting, sides
from ...calibration import planted as plants
from ...calibration.nulls import as_null
from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose


def joining_head(data, base, rng):
    """A head gives half of its attention to the neighbouring pieces of the same word."""

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 0.5)
        near = np.abs(np.subtract.outer(np.arange(len(seen.ids)), np.arange(len(seen.ids)))) == 1
        same = near & (seen.words[:, None] == seen.words[None]) & (seen.words[:, None] >= 0)
        rows = same.any(1)
        wanted = same / np.maximum(same.sum(1, keepdims=True), 1)
        place = base.n_layers // 2, 0
        maps[place][rows] = 0.5 * maps[place][rows] + 0.5 * wanted[rows]
        return maps

    return plants.plant(base, data, rng, attention=attention)


@as_null("continuations")
def rest_of_words(data, base, rng):
    """heads that attend to any piece which continues a word"""
    marks = base.tokenizer.convert_ids_to_tokens(list(range(base.config.vocab_size)))
    continues = np.array([m.startswith("##") for m in marks])

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 0.3)
        maps = maps * np.where(continues[seen.ids], 8.0, 1.0)
        return maps / maps.sum(-1, keepdims=True)

    return plants.plant(base, data, rng, attention=attention)


@claim(
    "hed.subwords.correia2019",
    "treebank",
    n=2500,
    limit=1600,
    planted=joining_head,
    nulls=("untrained", "positions", "bag of words", rest_of_words),
)
def subwords(subject, data, settings):
    """Attention between neighbouring pieces of one word, by that of two controls (correia2019).

    The controls: neighbouring pieces of two words (as near, another word) and pieces that continue another word (the
    same kind of piece, farther off). Head and harder control are chosen on dev. Generated sentences have few words of
    several pieces: two nouns of each become compounds written as one word.
    """
    items, note = fitting(subject, data["treebank"])
    dev, test, more = sides(items)
    notes, both = [note, more], []
    for side in (dev, test):
        words = [list(i.words) for i in side]
        if data.name == "builtin":
            nouns = [[k for k, tag in enumerate(i.upos) if tag == "NOUN"] for i in side]
            words = pieces.with_compounds(subject, words, nouns, settings.seed)
        words, cut = fitting(subject, words, list)
        both.append(pieces.neighbours(subject, words, settings))
        notes.append(cut)
    seen, scored = both
    best = choose(seen.ratio().min(0))
    control = int(seen.ratio()[:, best].argmin())
    options = dict(seed=settings.seed, draws=min(settings.draws, 1000))
    n = int(scored.count[:, 0].sum())
    rows = intervals.Rows(settings)
    for k, name in enumerate(pieces.CONTROLS):
        interval = scored.interval(k, best, **options)
        keys = dict(head=relations.head_name(best, subject.n_layers, subject.n_heads), control=name)
        rows.add("ratio, best head", interval, n, **keys)
        if k == control:
            rows.add("ratio over the harder control, best head", interval, n, **keys)
    for k, value in enumerate(scored.ratio().min(0)):
        block, place = divmod(k, subject.n_heads)
        keys = dict(block=block + 1, place=place + 1)
        rows.add("ratio over the harder control, each head", (value, np.nan, np.nan), n, **keys)
    return intervals.table(rows, notes)
