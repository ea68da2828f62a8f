"""Syntactic relations: the best head of each, several together, and the whole tree by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ...attention import mixtures, relations
from ...attention.choosing import fitting, sides
from ...calibration import planted as plants
from ...calibration.nulls import MAPS, as_null
from ...claims.registry import claim
from ...errors import TooFew
from ...scores import intervals
from ...scores.choice import choose

FEWEST = 20  # arcs in dev and in test under which a relation is not scored
ENOUGH = 100  # arcs that a mixture is learnt from, at least
MOST = 2000  # and at most
RELATIONS = 8  # that mixtures are learnt for: the most frequent ones
SEVERAL = 3  # heads that are not the same one
# what joins words without syntax: Universal Dependencies' loose, special and unspecified relations, two for words
# outside the structure of the sentence (addresses, interjections), and what tags leave untold
LOOSE = {"list", "parataxis", "orphan", "goeswith", "reparandum", "dep", "vocative", "discourse", "other, from tags"}
REFITS = 5  # mixtures learnt on resampled sentences: what the training could have been


@dataclass(frozen=True)
class Side:
    """One part of a treebank: its sentences, their arcs, and what each head and each offset makes of them."""

    sentences: list
    arcs: pd.DataFrame
    heads: np.ndarray
    offsets: np.ndarray

    def of(self, relation: str, direction: str) -> np.ndarray:
        """Which arcs are of a relation, read in a direction; (arcs,) bool."""
        return ((self.arcs.relation == relation) & (self.arcs.direction == direction)).to_numpy()

    @property
    def words(self) -> list:
        return [s.words for s in self.sentences]


def _two_sides(subject, data) -> tuple[list, list, list[str]]:
    items, note = fitting(subject, data["treebank"])
    dev, test, more = sides(items)
    if any(not i.deprels for i in items):
        more += "; relations are told from tags and order: the trees have no labels"
    return dev, test, [note, more.lstrip("; ")]


def scored(subject, sentences, settings, *, both_ways: bool = False) -> Side:
    """What each head and each offset makes of the sentences' arcs; with `both_ways`, of those from a dependent to its head."""
    arcs = relations.arcs(sentences)
    if both_ways:
        arcs = relations.upward(arcs)
    words = [s.words for s in sentences]
    right = relations.score(subject, words, arcs, both_ways=both_ways, settings=settings)
    return Side(sentences, arcs, right, relations.offset_hits(arcs))


def _paired(columns: dict[str, np.ndarray], groups, settings, **keys) -> list[dict]:
    """A row for each column of values by item, drawn by sentence; a difference is a column with a minus in its name."""
    groups = np.asarray(groups)
    return [
        intervals.mean_row(m, v, settings, groups=groups, signed=" - " in m, **keys) for m, v in columns.items()
    ]  # fmt: skip


def relation_heads(data, base, rng):
    """A head gives half of its attention to a verb's object, others to its subject and to a noun's adjective."""
    return _heads_of(("obj", "nsubj", "amod", "det"), data, base, rng)


def distant_heads(data, base, rng):
    """A head gives half of its attention to a verb's object, others to its subject and to words that are not the nearest."""
    return _heads_of(("obj", "nsubj", "obl", "nmod", "conj", "amod"), data, base, rng)


def _heads_of(names, data, base, rng):
    heads = {(base.n_layers // 2, k): plants.arcs_of(r) for k, r in enumerate(names[: base.n_heads])}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


@claim(
    "hed.syntactic.clark2019",
    "treebank",
    n=4000,
    limit=2100,
    quick=800,
    planted=distant_heads,
    nulls=("untrained", "positions", "bag of words"),
)
def syntactic(subject, data, settings):
    """Best head for each relation against two baselines, all chosen on dev and scored on test (clark2019).

    The baselines are the best fixed offset, which is the study's, and the nearest word of the right part of speech, which
    it does not have; the lead over the better of the two is what counts. For each relation both directions are tried, and
    the one with the greater such lead on dev is shown. A head's answer is its most attended word, special tokens and the
    word itself left out. Three different heads, each in a syntactic relation of its own, are scored together by the least of
    their leads.
    """
    dev, test, notes = _two_sides(subject, data)
    both = [scored(subject, side, settings) for side in (dev, test)]
    rows, skipped, leads = intervals.Rows(settings), [], []
    for relation, count in both[1].arcs["relation"].value_counts().items():
        chosen = [c for d in relations.DIRECTIONS if (c := _chosen(both, relation, d))]
        if not chosen:
            skipped.append(f"{relation} ({count // 2})")
            continue
        best = max(chosen, key=lambda c: c.on_dev)
        leads.append(best)
        head = relations.head_name(best.head, subject.n_layers, subject.n_heads)
        keys = dict(relation=relation, direction=best.direction, head=head, offset=best.offset)
        rows += _paired(best.columns, best.sentences, settings, **keys)
        rows.add("head - better baseline", _least([best], settings), len(best.sentences), **keys)
    three = _different(leads)
    if len(three) == SEVERAL:
        n = sum(len(lead.sentences) for lead in three)
        rows.add("least lead of three heads - better baseline", _least(three, settings), n)
        names = [relations.head_name(lead.head, subject.n_layers, subject.n_heads) for lead in three]
        notes.append(f"three heads: {'; '.join(f'{n} ({lead.relation})' for n, lead in zip(names, three))}")
    if skipped:
        notes.append(f"fewer than {FEWEST} arcs in dev or test: {', '.join(skipped)}")
    return intervals.table(rows, notes)


@dataclass(frozen=True)
class Lead:
    """The best head of a relation in one direction, chosen on dev, and what it leads on test.

    Attributes
    ----------
    on_dev : float
        Lead over the better baseline there, less two standard errors at most, lest rare relations win by luck.
    columns : dict of arrays (n,)
        Hits on test and their differences, by measure.
    sentences : array (n,)
    """

    relation: str
    direction: str
    head: int
    offset: int
    on_dev: float
    columns: dict[str, np.ndarray]
    sentences: np.ndarray


def _chosen(both: list[Side], relation: str, direction: str) -> Lead | None:
    """Head, offset and tag of a relation in one direction; None where there are too few arcs."""
    at = [side.of(relation, direction) for side in both]
    if min(map(sum, at)) < FEWEST:
        return None
    (dev, test), (one, two) = at, both
    best = relations.best_head(one.heads[dev], two.heads[test], one.offsets[dev], two.offsets[test])
    by_tag, tag_on_dev = _by_tag(both, at)
    right = best.right.astype(float)
    columns = {"best head": best.right, "best offset": best.by_offset, "head - offset": right - best.by_offset}
    columns |= {"nearest of its tag": by_tag, "head - nearest of its tag": right - by_tag}
    over_tag = float(one.heads[dev][:, best.head].mean()) - tag_on_dev
    on_dev = min(best.dev_lead, over_tag) - dev.sum() ** -0.5
    sentences = two.arcs["sentence"].to_numpy()[test]
    return Lead(relation, direction, best.head, best.offset, on_dev, columns, sentences)


def _by_tag(both: list[Side], at: list[np.ndarray]) -> tuple[np.ndarray, float]:
    """Hits on test of the nearest word of a tag, (n,) bool; tag and side are chosen on dev, where they hit this share."""
    tags = sorted({tag for side in both for s in side.sentences for tag in relations.word_tags(s)})
    dev, test = (relations.tag_hits(side.sentences, side.arcs[which], tags) for side, which in zip(both, at))
    best = choose(dev.mean(0))
    return test[:, best], float(dev[:, best].mean())


def _different(leads: list[Lead]) -> list[Lead]:
    """The greatest leads on dev of `SEVERAL` heads that are not the same one, read in either direction, in syntax."""
    best: dict[int, Lead] = {}
    for lead in sorted((lead for lead in leads if lead.relation not in LOOSE), key=lambda lead: -lead.on_dev):
        best.setdefault(lead.head, lead)
    return list(best.values())[:SEVERAL]


def _least(leads: list[Lead], settings) -> intervals.Interval:
    """The least of some heads' leads over the better of their two baselines, on test; sentences are drawn."""
    blocks = []
    for k, lead in enumerate(leads):
        block = np.zeros((len(lead.sentences), len(leads), 3))
        over = [lead.columns[f"head - {baseline}"] for baseline in ("offset", "nearest of its tag")]
        block[:, k] = np.stack([*over, np.ones(len(over[0]))], -1)
        blocks.append(block.reshape(len(block), -1))
    sentences = np.concatenate([lead.sentences for lead in leads])
    sample = intervals.Resample(len(sentences), sentences, seed=settings.seed, draws=settings.draws)

    def least(sums: np.ndarray) -> np.ndarray:
        each = sums.reshape(*sums.shape[:-1], len(leads), 3)
        return (each[..., :2].min(-1) / np.maximum(each[..., 2], 1)).min(-1)

    return intervals.bootstrap_sums(np.concatenate(blocks), least, sample, bounds=(-1.0, 1.0))


def shared_relation(data, base, rng):
    """Each relation has two heads: one knows the arcs whose dependent is at an even place, one the others."""

    def half(relation: str, odd: int):
        every = plants.arcs_of(relation)
        return lambda seen: [(a, b) for a, b in every(seen) if a % 2 == odd]

    middle = base.n_layers // 2
    names = ("obj", "nsubj", "amod", "det", "case", "obl", "advmod", "conj")
    heads = {(middle + odd, k): half(r, odd) for k, r in enumerate(names[: base.n_heads]) for odd in (0, 1)}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


@claim("hed.combination.hoover2019", "treebank", n=4000, limit=2000, quick=800, planted=shared_relation, nulls=MAPS)
def combination(subject, data, settings):
    """A learnt non-negative mixture of heads finds the head of a dependent; so does the best single one (hoover2019).

    Both may read a head along or against its arrow. Weights, best head and best offset come from the sentences that are
    not test; mixtures are learnt anew on resampled sentences, and the interval is over these and over test sentences.
    A mixture of heads that know nothing is better than one of them too, so it must also beat the best fixed offset.
    """
    items, note = fitting(subject, data["treebank"])
    seen, test, more = sides(items, train=True)
    names = [r for r in _frequent(test, FEWEST) if r in _frequent(seen, ENOUGH)]
    names = list(dict.fromkeys([*names[:RELATIONS], *(r for r in names if r == "obj")]))
    if not names:
        raise TooFew(f"no relation has {ENOUGH} arcs to learn from and {FEWEST} to judge by")
    (learnt_on, known), (arcs, found) = (_tallied(subject, side, names, settings) for side in (seen, test))
    heads, weights = _learnt(learnt_on, known, names, settings)
    of = arcs["relation"].map(names.index).to_numpy()
    mixed = mixtures.mixed_hits(subject, _sentences(test), arcs, of, weights[:, 1:], settings)  # (REFITS, N)
    single = found.hits[np.arange(len(of)), np.array(heads)[of]]
    offset = _by_offset(learnt_on, arcs)
    rows = intervals.Rows(settings)
    for k, relation in enumerate(names):
        at = of == k
        one = np.broadcast_to(single[at], (REFITS, at.sum()))
        columns = {"mixture": mixed[:, at], "best head": one, "mixture - best head": mixed[:, at].astype(float) - one}
        columns["mixture - best offset"] = mixed[:, at].astype(float) - offset[at]
        keys = dict(relation=relation, head=relations.head_name(heads[k], subject.n_layers, subject.n_heads))
        rows += _refitted(columns, arcs["sentence"][at], settings, **keys)
        share = weights[k, 0].sum() ** 2 / (weights[k, 0] ** 2).sum()  # heads if all weights were alike
        n = (learnt_on["relation"] == relation).sum()
        rows.add("heads in the mixture", (share, np.nan, np.nan), n, relation=relation)
    mixed = mixed.astype(float)
    rows += _others({"best head": mixed - single, "best offset": mixed - offset}, arcs, settings)
    return intervals.table(rows, [note, more])


def _sentences(items) -> list:
    return [i.words for i in items]


def _frequent(sentences, fewest: int) -> list[str]:
    counts = relations.upward(relations.arcs(sentences))["relation"].value_counts()
    return [relation for relation, n in counts.items() if n >= fewest]


def _tallied(subject, sentences, names: list[str], settings) -> tuple[pd.DataFrame, mixtures.Tally]:
    """The first arcs of each relation, and what each head says of them."""
    arcs = relations.upward(relations.arcs(sentences))
    arcs = arcs[arcs.relation.isin(names)].groupby("relation").head(MOST).reset_index(drop=True)
    return arcs, mixtures.tally(subject, _sentences(sentences), arcs, settings)


def _learnt(arcs, known: mixtures.Tally, names: list[str], settings) -> tuple[list[int], np.ndarray]:
    """The best head of each relation, and its mixtures' weights (K, 1 + REFITS, 2H): on all arcs, then on resamples."""
    heads, weights = [], []
    for relation in names:
        at = (arcs["relation"] == relation).to_numpy()
        part = known.of(at)
        heads.append(choose(part.hits.mean(0)))
        sentences, which = np.unique(arcs["sentence"][at], return_inverse=True)
        rng = np.random.default_rng(settings.seed)
        even = np.full(len(sentences), 1 / len(sentences))
        drawn = [rng.multinomial(len(sentences), even)[which] for _ in range(REFITS)]
        weights.append([mixtures.mixture(part, weights=w) for w in (None, *drawn)])
    return heads, np.array(weights)


def _refitted(columns: dict[str, np.ndarray], sentences, settings, **keys) -> list[dict]:
    """Rows of (refits, items) values: refits and sentences both could have been others."""
    rows = intervals.Rows(settings)
    options = dict(seed=settings.seed, draws=settings.draws, signed=True)
    for measure, values in columns.items():
        values = np.asarray(values, float)
        groups = intervals.crossed(len(values), values.shape[1], np.asarray(sentences))
        found = intervals.ratio(values.ravel(), np.ones(values.size), groups=groups, **options)
        rows.add(measure, found, values.shape[1], **keys)
    return rows


def _by_offset(learnt_on, arcs) -> np.ndarray:
    """Hits (N,) of the offset that is best for each arc's relation where mixtures are learnt."""
    known, hits = relations.offset_hits(learnt_on), relations.offset_hits(arcs)
    out = np.zeros(len(arcs))
    for relation in arcs["relation"].unique():
        at = (arcs["relation"] == relation).to_numpy()
        out[at] = hits[at, choose(known[(learnt_on["relation"] == relation).to_numpy()].mean(0))]
    return out


def _others(gains: dict[str, np.ndarray], arcs, settings) -> list[dict]:
    """What mixtures gain (refits, arcs) over something, by its name, in relations other than the object, counted alike."""
    rest = (arcs["relation"] != "obj").to_numpy()
    if not rest.any():
        return []
    counts = arcs["relation"][rest].map(arcs["relation"][rest].value_counts()).to_numpy()
    even = rest.sum() / arcs["relation"][rest].nunique() / counts  # so that the mean over arcs is that over relations
    columns = {f"mixture - {over}, mean over relations": gain[:, rest] * even for over, gain in gains.items()}
    return _refitted(columns, arcs["sentence"][rest], settings, relation="others")


@as_null("whole tree", "one_head")
def whole_tree(data, base, rng):
    """a head that attends from each word to its head"""
    heads = {(base.n_layers // 2, 0): plants.arcs_of()}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.7))


@claim("hed.no_full_tree.clark2019", "treebank", n=2500, limit=2000, planted=relation_heads, nulls=(whole_tree,))
def no_full_tree(subject, data, settings):
    """UAS of the best single head over all relations, punctuation left out, against fixed offsets (clark2019).

    The right chain takes the next word for every word's head. A head may be read along or against its arrow. That heads
    know anything of trees is seen by giving each relation a head of its own, against an offset of its own.
    """
    dev, test, notes = _two_sides(subject, data)
    both = [scored(subject, side, settings, both_ways=True) for side in (dev, test)]
    best, columns = attachment(both)
    chain = both[1].offsets[:, relations.OFFSETS.index(1)]
    columns["UAS, right chain"] = chain
    head = relations.head_name(best.head, subject.n_layers, subject.n_heads)
    rows = _paired(columns, both[1].arcs["sentence"], settings, relation="all", head=head, offset=best.offset)
    table = both[1].heads.reshape(len(chain), -1, subject.n_layers, subject.n_heads).mean(0).max(0)  # the better way
    for (layer, place), value in np.ndenumerate(table):
        keys = dict(block=layer + 1, place=place + 1)
        rows.append(intervals.row("UAS, each head", (value, np.nan, np.nan), len(chain), **keys))
    return intervals.table(rows, notes)


def attachment(both: list[Side]) -> tuple[relations.BestHead, dict[str, np.ndarray]]:
    """The head and the offset best on one side, and hits (n,) on the other's arcs: one for all relations, or for each its own."""
    dev, test = both
    best = relations.best_head(dev.heads, test.heads, dev.offsets, test.offsets)
    lead = best.right.astype(float) - best.by_offset
    columns = {"UAS, best head": best.right, "UAS, best offset": best.by_offset, "best head - best offset": lead}
    return best, columns | _by_relation(both)


def _by_relation(both: list[Side]) -> dict[str, np.ndarray]:
    """Hits over all arcs when each relation has the head, or the offset, that was best for it on dev."""
    dev, test = both
    heads, offsets = (np.zeros(len(test.arcs)) for _ in range(2))
    for relation in test.arcs["relation"].unique():
        here, there = (side.of(relation, relations.DIRECTIONS[0]) for side in both)
        # a relation that dev does not have is left to the overall best
        rows = here if here.any() else slice(None)
        heads[there] = test.heads[there][:, choose(dev.heads[rows].mean(0))]
        offsets[there] = test.offsets[there][:, choose(dev.offsets[rows].mean(0))]
    return {
        "UAS, a head for each relation": heads,
        "UAS, an offset for each relation": offsets,
        "heads - offsets, each relation its own": heads - offsets,
    }
