"""Words and what they mean: pieces of one word, frames, lexical relations."""

from __future__ import annotations

import random

import numpy as np
import torch

from ...attention import pieces, relations
from ...attention.choosing import fitting, sides
from ...attention.importance import masked_hits
from ...calibration import planted as plants
from ...calibration.nulls import Null
from ...claims.registry import claim
from ...data.items import EdgeItem
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode
from ...subject.hooks import ablate_heads


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


def rest_of_words(data, base, rng):
    """Heads that attend to any piece which continues a word, wherever it stands."""
    marks = base.tokenizer.convert_ids_to_tokens(list(range(base.config.vocab_size)))
    continues = np.array([m.startswith("##") for m in marks])

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 0.3)
        maps = maps * np.where(continues[seen.ids], 8.0, 1.0)
        return maps / maps.sum(-1, keepdims=True)

    return plants.plant(base, data, rng, attention=attention)


@claim(
    "hed.subwords.correia2019", tasks="treebank", n=2500, limit=1600, planted=joining_head,
    nulls=("untrained", "positions", "bag of words",
           Null("continuations", "heads that attend to any piece which continues a word", rest_of_words)),
)  # fmt: skip
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
    rows = []
    for k, name in enumerate(pieces.CONTROLS):
        interval = scored.interval(k, best, **options)
        keys = dict(head=relations.name(best, subject.n_layers, subject.n_heads), control=name)
        rows.append(intervals.row("ratio, best head", interval, n, **keys))
        if k == control:
            rows.append(intervals.row("ratio over the harder control, best head", interval, n, **keys))
    for k, value in enumerate(scored.ratio().min(0)):
        block, place = divmod(k, subject.n_heads)
        keys = dict(block=block + 1, place=place + 1)
        rows.append(intervals.row("ratio over the harder control, each head", (value, np.nan, np.nan), n, **keys))
    return intervals.table(rows, notes)


TOP = 2  # heads that the study singled out
DRAWN = 4  # sets of other heads to compare with


def frame_heads(data, base, rng):
    """Two heads give half of their attention from a predicate to its core arguments; nothing rests on them."""

    def pairs(seen):
        for item, _ in seen.golds:
            if isinstance(item, EdgeItem) and _core(item):
                yield from ((p, w) for p in range(*item.span1) for w in range(*item.span2))

    heads = {(base.n_layers // 2, k): pairs for k in range(min(2, base.n_heads))}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


@claim(
    "hed.frames.kovaleva2019", tasks="semantic_roles", n=4000, limit=2000, planted=frame_heads,
    nulls=("untrained", "positions", "bag of words", "coin"),
)  # fmt: skip
def frames(subject, data, settings):
    """Largest attention between a predicate and its core arguments; what the loss of the top heads costs (kovaleva2019).

    Core arguments are the numbered ones. The control is as far off and as long: a span that stands to another word of
    the sentence as the argument stands to its predicate. The top heads are chosen on dev; the cost is in masked pieces
    predicted, beside that of as many other heads and that of every second head of the model.
    """
    items, note = fitting(subject, [i for i in data["semantic_roles"] if _core(i)])
    dev, test, more = sides(items)
    both = [_links(subject, side, settings) for side in (dev, test)]
    gaps = (both[0][0][:, 0] - both[0][0][:, 1]).mean(0)
    order = np.argsort(-np.round(gaps, 4), kind="stable")  # ties go to the first head
    top = [divmod(int(h), subject.n_heads) for h in order[:TOP]]
    found, sentences = both[1]
    options = dict(seed=settings.seed, draws=settings.draws, groups=sentences)
    rows = []
    for name, heads in (("top", order[:TOP]), ("all", order)):
        columns = {"core argument": found[:, 0][:, heads].mean(1), "as far off": found[:, 1][:, heads].mean(1)}
        columns["core argument - as far off"] = columns["core argument"] - columns["as far off"]
        key = {"heads": name, "head": " and ".join(relations.called(*h) for h in top) if name == "top" else "mean"}
        for measure, values in columns.items():
            interval = intervals.mean_interval(values, **options, signed=" - " in measure)
            rows.append(intervals.row(measure, interval, len(values), **key))
    share = intervals.bootstrap(
        found[:, 0] - found[:, 1], lambda gap: _aligned(gap.mean(0), order[:TOP]), seed=settings.seed,
        draws=min(settings.draws, 1000), groups=sentences, bounds=(0.0, 1.0),
    )  # fmt: skip
    rows.append(intervals.row("share of heads with half of the top heads' lead", share, len(found), heads="all"))
    rows += _ablation(subject, sorted({tuple(i.words) for i in test}), top, settings)
    return intervals.table(rows, [note, more])


def _aligned(lead: np.ndarray, top: np.ndarray) -> float:
    """Share of the heads whose lead is at least half of the top heads' mean; nan where these have none."""
    most = lead[top].mean()
    return float((lead >= most / 2).mean()) if most > 0 else float("nan")


def _links(subject, items, settings) -> tuple[np.ndarray, list[str]]:
    """Attention (n, core or control, L * A), the largest over pairs of words and both directions; and the sentences."""
    rng = random.Random(settings.seed)
    pairs = [(k, i, fake) for k, i in enumerate(items) if (fake := _as_far(rng, i)) is not None]
    links = []
    for k, item, fake in pairs:
        for a, b in ((item.span1, item.span2), fake):
            links += [(k, a, b), (k, b, a)]
    found = relations.between(subject, [i.words for i in items], links, torch.amax, settings)
    return found.reshape(len(pairs), 2, 2, -1).max(2), [" ".join(i.words) for _, i, _ in pairs]


def _as_far(rng: random.Random, item) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Another word and a span that stands to it as the argument to the predicate; None where the sentence has none."""
    spans = (item.span1, item.span2)
    steps = [s for s in range(-len(item.words), len(item.words)) if s]
    free = [
        s for s in steps
        if all(a + s >= 0 and b + s <= len(item.words) for a, b in spans)
        and item.span1[0] + s not in range(*item.span2)  # the argument's own words say something of the predicate
    ]  # fmt: skip
    if not free:
        return None
    step = rng.choice(free)
    return tuple((a + step, b + step) for a, b in spans)


def _core(item) -> bool:
    return item.span2 is not None and any(
        label.startswith(("ARG", "A")) and label[-1].isdigit() for label in item.labels
    )


def _ablation(subject, sentences, top, settings) -> list[dict]:
    """Accuracy lost with the top heads off, with others, and with every second head off, sentence by sentence."""
    sentences = random.Random(settings.seed).sample(sentences, min(400, len(sentences)))
    rng = random.Random(settings.seed)
    every = [(a, b) for a in range(subject.n_layers) for b in range(subject.n_heads)]
    others = [h for h in every if h not in top]
    whole = masked_hits(subject, sentences, settings)

    def lost(heads) -> np.ndarray:
        with ablate_heads(subject, heads):
            return whole - masked_hits(subject, sentences, settings)

    drawn = np.mean([lost(rng.sample(others, min(TOP, len(others)))) for _ in range(DRAWN)], 0)
    columns = {
        "accuracy, all heads": whole,
        "accuracy lost without the top heads": (without := lost(top)),
        "accuracy lost without as many others": drawn,
        "accuracy lost, top - other heads": without - drawn,
        "accuracy lost without every second head": lost(every[::2]),
    }
    options = dict(seed=settings.seed, draws=settings.draws)
    return [
        intervals.row(m, intervals.mean_interval(v, **options, signed="lost" in m), len(v), heads="ablation")
        for m, v in columns.items()
    ]


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
                both = [(a, b) for a in range(*item.span1) for b in range(*item.span2)]
                yield from both
                yield from ((b, a) for a, b in both)

    heads = {(base.n_layers // 2, 0): pairs}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


@claim(
    "hed.lexical_relations.cui2020", tasks="concept_pairs", n=1600, limit=1200, planted=related_words,
    nulls=("untrained", "positions", "bag of words", "coin"),
)  # fmt: skip
def lexical_relations(subject, data, settings):
    """Attention between two related concepts in a carrier sentence, by that between shuffled partners (cui2020).

    Shuffled: the second concept is another item's of the same relation, in the same carrier. Attention is the mean over
    the words of both, both ways; the head is chosen on the pairs that are not test. Pairs that share a word, or the
    first letters of one, are left out: a head that looks for the same piece again would find them.
    """
    items = [i for i in data["concept_pairs"] if not _look_alike(i)]
    dropped = len(data["concept_pairs"]) - len(items)
    items, note = fitting(subject, items)
    # on train and dev: a choice made after an unfinished model's heads, chosen on dev alone, had been seen
    dev, test, more = sides(items, train=True)
    both = [_with_shuffled(subject, side, settings) for side in (dev, test)]
    (related, shuffled, _), (*scored, kept) = both
    best = choose(related.mean(0) / np.maximum(shuffled.mean(0), 1e-12))
    related, shuffled = (x[:, best].astype(float) for x in scored)
    groups = {name: [_text(i, span) for i in kept] for name, span in (("first", "span1"), ("second", "span2"))}
    kinds = np.array(["lexical" if i.condition in LEXICAL else "commonsense" for i in kept])
    conditions = np.array([i.condition for i in kept])
    parts = [("all", "all", np.ones(len(kept), bool))]
    parts += [(kind, "all", kinds == kind) for kind in sorted(set(kinds))]
    parts += [(kinds[conditions == c][0], c, conditions == c) for c in sorted(set(conditions))]
    rows = []
    for kind, relation, at in parts:
        units = {k: np.asarray(v)[at] for k, v in groups.items()}
        options = dict(seed=settings.seed, draws=settings.draws, groups=units)
        keys = dict(kind=kind, relation=relation, head=relations.name(best, subject.n_layers, subject.n_heads))
        rows += [
            intervals.row("related", intervals.mean_interval(related[at], **options), at.sum(), **keys),
            intervals.row("shuffled", intervals.mean_interval(shuffled[at], **options), at.sum(), **keys),
            intervals.row(
                "related / shuffled", intervals.ratio(related[at], shuffled[at], **options), at.sum(), **keys
            ),
        ]
    alike = f"{dropped} of {len(data['concept_pairs'])} pairs left out: their words look alike" if dropped else ""
    return intervals.table(rows, [note, more, alike])


def _text(item, span: str) -> str:
    return " ".join(item.words[slice(*getattr(item, span))]).lower()


def _look_alike(item) -> bool:
    a, b = (_text(item, span).split() for span in ("span1", "span2"))
    return any(x == y or x[:ALIKE] == y[:ALIKE] or x in y or y in x for x in a for y in b if min(len(x), len(y)) > 2)


def _with_shuffled(subject, items, settings) -> tuple[np.ndarray, np.ndarray, list]:
    """Attention between related concepts and between shuffled ones, (n, L * A) each, and the items they are of."""
    control, kept, spans = [], [], []
    rng = random.Random(settings.seed)
    for relation in sorted({i.condition for i in items}):
        same = [i for i in items if i.condition == relation]
        for item, other in zip(same, _derangement(same, rng)):
            if other is not None:
                words, span = _exchanged(item, other)
                control.append(words)
                spans.append(span)
                kept.append(item)
    ok = [k for k, fine in enumerate(encode.fits(subject, control)) if fine]
    values = []
    for words, of in (
        ([kept[k].words for k in ok], [(kept[k].span1, kept[k].span2) for k in ok]),
        ([control[k] for k in ok], [spans[k] for k in ok]),
    ):
        links = [(k, x, y) for k, (a, b) in enumerate(of) for x, y in ((a, b), (b, a))]
        found = relations.between(subject, words, links, settings=settings)
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
