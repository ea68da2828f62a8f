"""What a word refers to: antecedents and subjects by attention."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...attention import antecedents, positional, relations
from ...attention.choosing import fitting, sides
from ...calibration import planted as plants
from ...calibration.nulls import Null
from ...claims.registry import claim
from ...data.items import Ambiguity, Coreference, Sentence
from ...scores import intervals
from ...scores.choice import choose

READERS = {"coreference": antecedents.from_items, "mentions": antecedents.from_mentions}
POSITIONS = {"nearest": antecedents.nearest, "first": antecedents.first, "most repeated": antecedents.most_repeated}


def antecedent_head(data, base, rng):
    """A head gives half of its attention from a mention to the mentions before it of the same cluster."""

    def pairs(seen):
        for item, _ in seen.golds:
            for a in antecedents.from_items([item]) if isinstance(item, Coreference) else ():
                yield from ((a.head, h) for h, right in zip(a.heads, a.right) if right)
            for a in antecedents.from_mentions([item]) if isinstance(item, Sentence) else ():
                yield from ((a.head, h) for h, right in zip(a.heads, a.right) if right)

    heads = {(base.n_layers // 2, 0): pairs}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.5))


@claim(
    "hed.coreference.clark2019", tasks=("coreference", "mentions"), n=800, limit=1000,
    planted=antecedent_head, nulls=("untrained", "positions", "bag of words", "coin"),
)  # fmt: skip
def coreference(subject, data, settings):
    """Antecedent = most attended mention, by the best head; against trivial choices and rules (clark2019).

    Only anaphors with a right and a wrong candidate count. Trivial are the nearest mention, the first, the one whose
    words occur most often, and chance; the best of them on the sentences that the head is chosen on is the baseline.
    """
    rows, notes = [], []
    for task, items in data.items.items():
        kept, note = fitting(subject, items)
        # on train and dev: a choice made after an unfinished model's heads, chosen on dev alone, had not held on test
        dev, test, more = sides(kept, train=True)
        both = [_resolved(subject, side, READERS[task], settings) for side in (dev, test)]
        (known, chosen_on), (anaphors, right) = both
        if not known or not anaphors:
            raise ValueError(f"{task}: no anaphor with a right and a wrong candidate among {len(kept)} items")
        best = choose(chosen_on.mean(0))
        trivial = [_trivial(side) for side in (known, anaphors)]
        name = list(trivial[0])[choose([v.mean() for v in trivial[0].values()])]
        columns = {"best head": right[:, best].astype(float)} | trivial[1]
        columns["rules"] = np.array([a.right[antecedents.by_rules(a)] for a in anaphors], float)
        columns["best head - best trivial"] = columns["best head"] - trivial[1][name]
        columns["rules - best trivial"] = columns["rules"] - trivial[1][name]
        columns["rules - best head"] = columns["rules"] - columns["best head"]
        options = dict(
            seed=settings.seed, draws=settings.draws, groups=[_document(kept, dev, test, a) for a in anaphors]
        )
        keys = dict(task=task, head=relations.name(best, subject.n_layers, subject.n_heads), trivial=name)
        for measure, values in columns.items():
            interval = intervals.mean_interval(values, **options, signed=" - " in measure)
            rows.append(intervals.row(measure, interval, len(values), **keys))
        notes += [note, more]
    return intervals.table(rows, notes)


def _resolved(subject, items, read, settings) -> tuple[list, np.ndarray]:
    """Anaphors, and whether each head's answer is right, (n, L * A)."""
    anaphors = read(items)
    attention = relations.between(subject, [i.words for i in items], antecedents.links(anaphors), settings=settings)
    return anaphors, antecedents.attended(anaphors, attention)


def _trivial(anaphors) -> dict[str, np.ndarray]:
    found = {name: np.array([a.right[rule(a)] for a in anaphors], float) for name, rule in POSITIONS.items()}
    return found | {"chance": np.array([np.mean(a.right) for a in anaphors])}


def _document(kept, dev, test, anaphor) -> str:
    """What an anaphor stands in: its document where that is known, else its sentence."""
    item = test[anaphor.sentence]
    return item.meta.get("document", item.id)


@dataclass(frozen=True)
class Division:
    """How heads divide their attention over the candidate nouns of some items.

    Attributes
    ----------
    right, nearest : array (n, L * A)
        The share of the right noun and of the nearest one.
    expected : array (n, L * A)
        The right noun's share if the head's mean attention by offset were all.
    even : array (n,)
        An even share.
    """

    right: np.ndarray
    nearest: np.ndarray
    expected: np.ndarray
    even: np.ndarray


def _divided(subject, items, settings) -> Division:
    links = [(k, (i.meta["from"], i.meta["from"] + 1), (c, c + 1)) for k, i in enumerate(items) for c in i.candidates]
    words = [i.words for i in items]
    attention = relations.between(subject, words, links, settings=settings)  # (links, L * A)
    table = positional.profile(subject, words, max(len(w) for w in words), settings)
    parts = np.split(attention, np.cumsum([len(i.candidates) for i in items])[:-1])
    right, nearest, expected = [], [], []
    for item, given in zip(items, parts):
        shares = given / np.maximum(given.sum(0), 1e-12)
        offsets = [c - item.meta["from"] for c in item.candidates]
        at = item.candidates.index(item.target)
        right.append(shares[at])
        nearest.append(shares[int(np.argmin(np.abs(offsets)))])
        expected.append(positional.expected_shares(table, offsets)[at])
    even = np.array([1 / len(i.candidates) for i in items])
    return Division(np.array(right), np.array(nearest), np.array(expected), even)


def _pairs_to_target(seen):
    for item, _ in seen.golds:
        if isinstance(item, Ambiguity) and item.target is not None:
            yield item.meta["from"], item.target


def pointing_head(data, base, rng):
    """A head gives nine tenths of its attention from a verb or reflexive to the right noun."""
    heads = {(base.n_layers // 2, 0): _pairs_to_target}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.9))


def distracted_heads(data, base, rng):
    """All heads give the right noun a little more than others, the less the more nouns stand in between."""

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 0.5)
        # one head looks at the word before it, whatever that is: so that heads do tell nouns apart
        before = np.eye(len(seen.ids), k=-1) + 1e-3
        maps[0, 0] = before / before.sum(1, keepdims=True)
        item = seen.first(Ambiguity)
        if item is not None and item.target is not None:
            query, target = (np.flatnonzero(seen.words == w) for w in (item.meta["from"], item.target))
            between = sum(item.target < c < item.meta["from"] for c in item.candidates)
            maps[1:, :, query[:, None], target[None]] *= 1 + 0.6 / (1 + 2 * between)
        return maps / maps.sum(-1, keepdims=True)

    return plants.plant(base, data, rng, attention=attention)


@claim(
    "hed.agreement_attention.lin2019", tasks="agreement_attention", n=1400, limit=4000, planted=distracted_heads,
    nulls=(
        "untrained", "positions", "coin",
        Null("pointer", "a head that points from the verb to its subject", pointing_head, ("no_pointer",)),
    ),
)  # fmt: skip
def agreement_attention(subject, data, settings):
    """How a verb or reflexive divides its attention over the nouns, by distractor and block (lin2019).

    Of the attention to all candidates the right noun has a share. Two things to hold it against: an even share, and
    what the head would give by position alone (its mean attention by offset, over all words). A distractor is a
    candidate between the right noun and the word that asks. Items with one candidate say nothing and are left out.
    """
    items, note = fitting(subject, data["agreement_attention"])
    several = [i for i in items if len(i.candidates) > 1]
    alone = len(items) - len(several)
    left = f"{alone} of {len(items)} items have one candidate only" if alone else ""
    dev, test, more = sides(several)
    rows = []
    for kind in ("agreement", "reflexive"):
        both = [
            [i for i in side if i.condition.startswith("reflexive") is (kind == "reflexive")] for side in (dev, test)
        ]
        if min(map(len, both)) > 1:
            rows += _division_rows(subject, *both, kind, settings)
    return intervals.table(rows, [note, left, more])


def _division_rows(subject, dev, test, kind: str, settings) -> list[dict]:
    seen, scored = (_divided(subject, side, settings) for side in (dev, test))
    pointer = choose((seen.right - seen.expected).mean(0))
    local = choose((seen.nearest - seen.even[:, None]).mean(0))
    over_even, over_place = scored.right - scored.even[:, None], scored.right - scored.expected
    head = relations.name(pointer, subject.n_layers, subject.n_heads)
    columns = {
        ("excess over an even share, mean over heads", "all"): over_even.mean(1),
        ("excess over position, mean over heads", "all"): over_place.mean(1),
        ("share of the right noun, best head", head): scored.right[:, pointer],
        ("share by position alone, best head", head): scored.expected[:, pointer],
        ("excess over position, best head", head): over_place[:, pointer],
        ("excess of the nearest noun over an even share, its best head",
         relations.name(local, subject.n_layers, subject.n_heads)): scored.nearest[:, local] - scored.even,
    }  # fmt: skip
    # sentences made of the same nouns and verbs are not independent
    groups = {
        "noun": [i.words[i.target].lower() for i in test],
        "asks": [i.words[i.meta["from"]].lower() for i in test],
    }
    options = dict(seed=settings.seed, draws=settings.draws, groups=groups)
    rows = [
        intervals.row(measure, intervals.mean_interval(v, **options, signed=True), len(test), kind=kind, head=which)
        for (measure, which), v in columns.items()
    ]
    between = np.array([sum(i.target < c < i.meta["from"] for c in i.candidates) for i in test], float)
    slope = intervals.bootstrap([between, over_place.mean(1)], _lost, **options | {"draws": min(settings.draws, 1000)})
    rows.append(intervals.row("excess over position lost with each distractor", slope, len(test), kind=kind))
    conditions = np.array([i.condition for i in test])
    for condition in sorted(set(conditions)):
        at = conditions == condition
        some = {k: np.asarray(v)[at] for k, v in groups.items()}
        for name, values in (("an even share", over_even), ("position", over_place)):
            interval = intervals.mean_interval(values[at].mean(1), **options | {"groups": some}, signed=True)
            rows.append(
                intervals.row(f"excess over {name}, by distractor", interval, at.sum(), kind=kind, condition=condition)
            )
    by_layer = over_place.reshape(len(test), subject.n_layers, -1).mean(-1)
    for block, column in enumerate(by_layer.T, 1):
        interval = intervals.mean_interval(column, **options, signed=True)
        rows.append(intervals.row("excess over position, by block", interval, len(test), kind=kind, block=block))
    return rows


def _lost(distractors: np.ndarray, excess: np.ndarray) -> float:
    """Least-squares slope of the excess over the number of distractors, its sign turned; nan where that does not vary.

    The effect was the slope of a confusion score first, then that of the excess over an even share: noise makes the
    one depend on the number of nouns, distance the other.
    """
    x = distractors - distractors.mean()
    return float(-(x @ excess) / (x @ x)) if x.any() else float("nan")
