"""Syntactic relations: the best head of each, several together, and the whole tree by one."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...attention import relations
from ...attention.choosing import fitting, sides
from ...calibration import planted as plants
from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose

FEWEST = 20  # test arcs under which a relation is not scored
OBJECT = ("obj", "obj, from tags")  # the second where a treebank has trees without labels
MIXED = ("obj", "nsubj", "amod")


def _two_sides(subject, data) -> tuple[list, list, list[str]]:
    items, note = fitting(subject, data["treebank"])
    dev, test, more = sides(items)
    if any(not i.deprels for i in items):
        more += "; relations are told from tags and order: the trees have no labels"
    return dev, test, [note, more.lstrip("; ")]


def _words(items) -> list:
    return [i.words for i in items]


def _paired(columns: dict[str, np.ndarray], groups, settings, **keys) -> list[dict]:
    """A row a column of per-item values, drawn by sentence."""
    frame = pd.DataFrame(columns | {"sentence": groups})
    options = dict(seed=settings.seed, draws=settings.draws, groups=frame["sentence"])
    return [
        intervals.row(m, intervals.mean_interval(frame[m].astype(float), **options), len(frame), **keys)
        for m in columns
    ]


def relation_heads(data, base, rng):
    """A head gives half of its attention to a verb's object, another to its subject; all else is even, with noise."""
    heads = {(base.n_layers // 2, 0): plants.arcs_of("obj"), (base.n_layers // 2, 1): plants.arcs_of("nsubj")}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


@claim(
    "hed.syntactic.clark2019",
    tasks="treebank",
    n=4000,
    limit=400,
    # five points: less would not make a head a specialist
    planted=relation_heads,
    nulls=("untrained", "positions", "bag of words"),
)
def syntactic(subject, data, settings):
    """Best head for each relation against the best fixed offset, both chosen on dev and scored on test (clark2019).

    For each relation both directions are tried, and the one in which the head leads the offset most on dev is shown. A
    head's answer is its most attended word, special tokens and the word itself left out.
    """
    dev, test, notes = _two_sides(subject, data)
    arcs = [relations.arcs(side) for side in (dev, test)]
    right = [relations.score(subject, _words(side), a, settings=settings) for side, a in zip((dev, test), arcs)]
    offsets = [relations.offset_hits(a) for a in arcs]
    rows, skipped = [], []
    for relation, count in arcs[1]["relation"].value_counts().items():
        chosen = []
        for direction in relations.DIRECTIONS:
            at = [((a.relation == relation) & (a.direction == direction)).to_numpy() for a in arcs]
            if min(map(sum, at)) >= FEWEST:
                best = relations.best(right[0][at[0]], right[1][at[1]], offsets[0][at[0]], offsets[1][at[1]])
                chosen.append((best.dev_lead, direction, best, arcs[1]["sentence"][at[1]]))
        if not chosen:
            skipped.append(f"{relation} ({count // 2})")
            continue
        _, direction, best, groups = chosen[choose([lead for lead, *_ in chosen])]
        columns = {"best head": best.right, "best offset": best.by_offset}
        columns["head - offset"] = best.right.astype(float) - best.by_offset
        head = relations.name(best.head, subject.n_layers, subject.n_heads)
        rows += _paired(
            columns, groups, settings, relation=relation, direction=direction, head=head, offset=best.offset
        )
    if skipped:
        notes.append(f"fewer than {FEWEST} arcs in dev or test: {', '.join(skipped)}")
    return intervals.table(rows, notes)


def _heads_of(arcs: pd.DataFrame) -> pd.DataFrame:
    return arcs[arcs.direction == relations.DIRECTIONS[0]].reset_index(drop=True)


@claim("hed.combination.hoover2019", tasks="treebank", n=4000, limit=300)  # fmt: skip
def combination(subject, data, settings):
    """A learnt non-negative mixture of heads finds the head of a dependent; so does the best single one (hoover2019).

    Both may read a head along or against its arrow. Weights and best head come from the sentences that are not test.
    """
    items, note = fitting(subject, data["treebank"])
    seen, test, more = sides(items, train=True)
    rows, both = [], []
    for side, most in ((seen, 250), (test, 400)):
        arcs = _heads_of(relations.arcs(side))
        arcs = arcs[arcs.relation.isin(MIXED)].groupby("relation").head(most).reset_index(drop=True)
        used = sorted(set(arcs["sentence"]))  # only sentences with such an arc need maps
        arcs["sentence"] = arcs["sentence"].map({s: k for k, s in enumerate(used)})
        both.append((arcs, *relations.candidates(subject, [side[s].words for s in used], arcs, settings)))
    for relation in MIXED:
        at = [(arcs["relation"] == relation).to_numpy() for arcs, *_ in both]
        (_, x, y), (arcs, unseen, target) = ([part[which] for part in side] for side, which in zip(both, at))
        if min(len(y), len(target)) < FEWEST:
            continue
        singles = [np.where(s[:, :1] >= 0, s, -1).argmax(-1) == t[:, None] for s, t in ((x, y), (unseen, target))]
        best = choose(singles[0].mean(0))
        weights = relations.mixture(x, y, seed=settings.seed)
        mixed = relations.mixed_hits(unseen, target, weights)
        columns = {"mixture": mixed, "best head": singles[1][:, best]}
        columns["mixture - best head"] = mixed.astype(float) - singles[1][:, best]
        head = relations.name(best, subject.n_layers, subject.n_heads)
        rows += _paired(columns, arcs["sentence"], settings, relation=relation, head=head)
        share = weights.sum() ** 2 / (weights**2).sum()  # heads if all weights were alike
        rows.append(
            intervals.row("heads in the mixture", (share, np.nan, np.nan), len(y), relation=relation, head="all")
        )
    return intervals.table(rows, [note, more])


@claim("hed.no_full_tree.clark2019", tasks="treebank", n=2500, limit=300)  # fmt: skip
def no_full_tree(subject, data, settings):
    """UAS of the best single head over all relations, punctuation left out, against a right chain (clark2019).

    The right chain takes the next word for every word's head. A head may be read along or against its arrow.
    """
    dev, test, notes = _two_sides(subject, data)
    arcs = [_heads_of(relations.arcs(side)) for side in (dev, test)]
    right = [
        relations.score(subject, _words(side), a, both_ways=True, settings=settings)
        for side, a in zip((dev, test), arcs)
    ]
    offsets = [relations.offset_hits(a) for a in arcs]
    best = relations.best(right[0], right[1], offsets[0], offsets[1])
    chain = offsets[1][:, relations.OFFSETS.index(1)]
    columns = {"UAS, best head": best.right, "UAS, right chain": chain, "UAS, best offset": best.by_offset}
    columns["best head - right chain"] = best.right.astype(float) - chain
    head = relations.name(best.head, subject.n_layers, subject.n_heads)
    rows = _paired(columns, arcs[1]["sentence"], settings, relation="all", head=head, offset=best.offset)
    table = right[1].reshape(len(chain), -1, subject.n_layers, subject.n_heads).mean(0).max(0)  # (L, A), better way
    for (layer, place), value in np.ndenumerate(table):
        rows.append(intervals.row("UAS, each head", (value, np.nan, np.nan), len(chain), layer=layer, head=place))
    return intervals.table(rows, notes)
