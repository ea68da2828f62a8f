"""Words and what they mean: pieces of one word, frames, lexical relations."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import torch

from ...attention import pieces, relations
from ...attention.choosing import fitting, sides
from ...attention.importance import masked_hits
from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode
from ...subject.hooks import ablate_heads


@claim("hed.subwords.correia2019", tasks="treebank", n=2500, limit=400)
def subwords(subject, data, settings):
    """Attention between neighbouring pieces of one word, by that between pieces of two words (correia2019).

    Generated sentences have few words of several pieces: one noun of each becomes a compound written as one word.
    """
    items, note = fitting(subject, data["treebank"])
    dev, test, more = sides(items)
    notes = [note, more]
    both = []
    for side in (dev, test):
        words = [list(i.words) for i in side]
        if data.name == "builtin":
            nouns = [[k for k, tag in enumerate(i.upos) if tag == "NOUN"] for i in side]
            words = pieces.with_compounds(subject, words, nouns, settings.seed)
        words, cut = fitting(subject, words, list)
        both.append(pieces.neighbours(subject, words, settings))
        notes.append(cut)
    best = choose(pieces.ratio(*both[0]))
    mass, count = both[1]
    options = dict(seed=settings.seed, draws=min(settings.draws, 500))
    head = relations.name(best, subject.n_layers, subject.n_heads)
    interval = intervals.bootstrap([mass[:, :, best : best + 1], count], lambda m, c: pieces.ratio(m, c)[0], **options)
    rows = [intervals.row("ratio, best head", interval, int(count[:, 0].sum()), head=head)]
    for measure, quantile in (("ratio, median head", 0.5), ("ratio, highest tenth of heads", 0.9)):
        interval = intervals.bootstrap(
            [mass, count], lambda m, c, q=quantile: np.quantile(pieces.ratio(m, c), q), **options
        )
        rows.append(intervals.row(measure, interval, int(count[:, 0].sum()), head="all"))
    ratios = pieces.ratio(mass, count)
    for k, value in enumerate(ratios):
        layer, place = divmod(k, subject.n_heads)
        keys = dict(layer=layer, head=str(place))
        rows.append(intervals.row("ratio, each head", (value, np.nan, np.nan), int(count[:, 0].sum()), **keys))
    return intervals.table(rows, notes)


TOP = 2  # heads that the study singled out
DRAWN = 4  # sets of other heads to compare with


def _random_span(rng: random.Random, n_words: int, length: int, predicate: tuple[int, int]) -> tuple[int, int] | None:
    """A span of the same length elsewhere in the sentence, clear of the predicate."""
    free = [s for s in range(n_words - length + 1) if s + length <= predicate[0] or s >= predicate[1]]
    start = rng.choice(free) if free else None
    return None if start is None else (start, start + length)


@claim(
    "hed.frames.kovaleva2019",
    tasks="semantic_roles",
    n=4000,
    limit=400,
)
def frames(subject, data, settings):
    """Largest attention between a predicate and its core arguments; what the loss of the top heads costs (kovaleva2019).

    Core arguments are the numbered ones. The baseline is a span of equal length anywhere else in the sentence. The top
    heads are chosen on dev; the cost is in masked pieces predicted, against sets of as many other heads.
    """
    items, note = fitting(subject, [i for i in data["semantic_roles"] if _core(i)])
    dev, test, more = sides(items)
    both = []
    for side in (dev, test):
        rng = random.Random(settings.seed)
        fakes = [_random_span(rng, len(i.words), i.span2[1] - i.span2[0], i.span1) for i in side]
        pairs = [(k, i.span1, i.span2, fake) for k, (i, fake) in enumerate(zip(side, fakes)) if fake]
        links = [(k, a, b) for k, p, true, fake in pairs for o in (true, fake) for a, b in ((p, o), (o, p))]
        found = relations.between(subject, [i.words for i in side], links, torch.amax, settings)
        found = found.reshape(len(pairs), 2, 2, -1).max(2)  # (n, true or random, heads): the better direction
        both.append((found, [" ".join(side[k].words) for k, *_ in pairs]))
    gaps = (both[0][0][:, 0] - both[0][0][:, 1]).mean(0)
    order = np.argsort(-gaps, kind="stable")
    top = [divmod(int(h), subject.n_heads) for h in order[:TOP]]
    found, groups = both[1]
    rows = []
    for name, heads in (("top", order[:TOP]), ("all", order)):
        columns = {"core argument": found[:, 0][:, heads].mean(1), "random span": found[:, 1][:, heads].mean(1)}
        columns["core argument - random span"] = columns["core argument"] - columns["random span"]
        frame = pd.DataFrame(columns | {"sentence": groups})
        key = {"heads": name, "head": ", ".join(map(str, top)) if name == "top" else "mean"}
        for measure in columns:
            interval = intervals.mean_interval(
                frame[measure], seed=settings.seed, draws=settings.draws, groups=frame["sentence"]
            )
            rows.append(intervals.row(measure, interval, len(frame), **key))
    rows += _ablation(subject, sorted({tuple(i.words) for i in test}), top, settings)
    return intervals.table(rows, [note, more])


def _core(item) -> bool:
    return item.span2 is not None and any(
        label.startswith(("ARG", "A")) and label[-1].isdigit() for label in item.labels
    )


def _ablation(subject, sentences, top, settings) -> list[dict]:
    """Accuracy lost with the top heads off, and with others, sentence by sentence."""
    sentences = random.Random(settings.seed).sample(sentences, min(150, len(sentences)))
    rng = random.Random(settings.seed)
    others = [(a, b) for a in range(subject.n_layers) for b in range(subject.n_heads) if (a, b) not in top]
    whole = masked_hits(subject, sentences, settings)
    lost = []
    for heads in (top, *(rng.sample(others, min(TOP, len(others))) for _ in range(DRAWN))):
        with ablate_heads(subject, heads):
            lost.append(whole - masked_hits(subject, sentences, settings))
    columns = {
        "accuracy, all heads": whole,
        "accuracy lost without top heads": lost[0],
        "accuracy lost without other heads": np.mean(lost[1:], 0),
        "accuracy lost, top - other heads": lost[0] - np.mean(lost[1:], 0),
    }
    return [
        intervals.row(m, intervals.mean_interval(v, seed=settings.seed, draws=settings.draws), len(v), heads="ablation")
        for m, v in columns.items()
    ]


@claim("hed.lexical_relations.cui2020", tasks="concept_pairs", n=800, limit=600)  # fmt: skip
def lexical_relations(subject, data, settings):
    """Attention between two related concepts in a carrier sentence, against shuffled partners (cui2020).

    Shuffled: the second concept is another item's of the same relation, in the same carrier. Attention is the mean over
    the words of both, both ways; the head is chosen on the pairs that are not test.
    """
    items, note = fitting(subject, data["concept_pairs"])
    # on train and dev: so since figures of an unfinished model, whose heads were chosen on dev alone, had been seen
    dev, test, more = sides(items, train=True)
    both = []
    for side in (dev, test):
        control, kept, spans = [], [], []
        rng = random.Random(settings.seed)
        for relation in sorted({i.condition for i in side}):
            same = [i for i in side if i.condition == relation]
            others = _derangement(same, rng)
            for item, other in zip(same, others):
                if other is None:
                    continue
                start, end = item.span2
                new = other.words[slice(*other.span2)]
                control.append((*item.words[:start], *new, *item.words[end:]))
                shift = len(new) - (end - start)
                first = tuple(p + shift * (p >= end) for p in item.span1)
                spans.append((first, (start, start + len(new))))
                kept.append(item)
        ok = [k for k, (words, fine) in enumerate(zip(control, encode.fits(subject, control))) if fine]
        values = []
        for words, of in (
            ([kept[k].words for k in ok], [(kept[k].span1, kept[k].span2) for k in ok]),
            ([control[k] for k in ok], [spans[k] for k in ok]),
        ):
            links = [(k, x, y) for k, (a, b) in enumerate(of) for x, y in ((a, b), (b, a))]
            found = relations.between(subject, words, links, settings=settings)
            values.append(found.reshape(len(of), 2, -1).mean(1))
        both.append((*values, [kept[k].condition for k in ok]))
    best = choose((both[0][0] - both[0][1]).mean(0))
    related, shuffled, conditions = both[1]
    frame = pd.DataFrame({"related": related[:, best], "shuffled": shuffled[:, best], "relation": conditions})
    frame["related - shuffled"] = frame["related"] - frame["shuffled"]
    head = relations.name(best, subject.n_layers, subject.n_heads)
    parts = [
        intervals.means(part, m, by="relation", settings=settings, note=f"{note}; {more}".strip("; ")).assign(head=head)
        for part in (frame.assign(relation="all"), frame)
        for m in ("related", "shuffled", "related - shuffled")
    ]
    return intervals.combine(*parts)


def _derangement(items: list, rng: random.Random) -> list:
    """For each item another whose second concept differs, each used about once; None where there is no other."""
    order = rng.sample(items, len(items))
    out = []
    for k, item in enumerate(items):
        own = [w.lower() for w in item.words[slice(*item.span2)]]
        turn = (order[(k + step) % len(order)] for step in range(len(order)))
        out.append(next((o for o in turn if [w.lower() for w in o.words[slice(*o.span2)]] != own), None))
    return out
