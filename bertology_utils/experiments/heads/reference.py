"""What a word refers to: antecedents and subjects by attention."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import pandas as pd

from ...attention import antecedents, positional, relations, spans
from ...attention.choosing import fitting, sides
from ...calibration import planted as plants
from ...calibration.nulls import MAPS, as_null
from ...claims.registry import claim
from ...data.items import Ambiguity, Coreference, Sentence
from ...errors import TooFew
from ...scores import intervals
from ...scores.choice import choose
from ...scores.profiles import UNDEFINED

READERS = {"coreference": antecedents.from_items, "mentions": antecedents.from_mentions}
POSITIONS = {"nearest": antecedents.nearest, "first": antecedents.first, "most repeated": antecedents.most_repeated}
LEAST = "least of raw, beyond position and over other words"


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
    "hed.coreference.clark2019", ("coreference", "mentions"), n=2400, limit=1000, planted=antecedent_head, nulls=MAPS
)
def coreference(subject, data, settings):
    """Antecedent = most attended mention, by the best head; against trivial choices and rules (clark2019).

    Only anaphors with a right and a wrong candidate count. Trivial are the nearest mention, the first, the one whose
    words occur most often, and chance; the best of them on the sentences that the head is chosen on is the baseline.
    """
    rows, notes = intervals.Rows(settings), []
    for task, items in data.items.items():
        kept, note = fitting(subject, items)
        # on train and dev: a choice made after an unfinished model's heads, chosen on dev alone, had not held on test
        dev, test, more = sides(kept, train=True)
        both = [_resolved(subject, side, READERS[task], settings) for side in (dev, test)]
        (known, chosen_on), (anaphors, right) = both
        if not known or not anaphors:
            raise TooFew(f"{task}: no anaphor with a right and a wrong candidate among {len(kept)} items")
        best = choose(chosen_on.mean(0))
        trivial = [_trivial(side) for side in (known, anaphors)]
        name = list(trivial[0])[choose([v.mean() for v in trivial[0].values()])]
        columns = {"best head": right[:, best].astype(float)} | trivial[1]
        columns["rules"] = np.array([a.right[antecedents.by_rules(a)] for a in anaphors], float)
        columns["best head - best trivial"] = columns["best head"] - trivial[1][name]
        columns["rules - best trivial"] = columns["rules"] - trivial[1][name]
        columns["rules - best head"] = columns["rules"] - columns["best head"]
        keys = dict(task=task, head=relations.head_name(best, subject.n_layers, subject.n_heads), trivial=name)
        items = [test[a.sentence] for a in anaphors]
        documents = [i.meta.get("document", i.id) for i in items]  # or the sentence, where they are not known
        for measure, values in columns.items():
            rows.mean(measure, values, groups=documents, signed=" - " in measure, **keys)
        notes += [note, more]
    return intervals.table(rows, notes)


def _resolved(subject, items, read, settings) -> tuple[list, np.ndarray]:
    """Anaphors, and whether each head's answer is right, (n, L * A)."""
    anaphors = read(items)
    attention = spans.between(subject, [i.words for i in items], antecedents.links(anaphors), settings=settings)
    return anaphors, antecedents.attended(anaphors, attention)


def _trivial(anaphors) -> dict[str, np.ndarray]:
    found = {name: np.array([a.right[rule(a)] for a in anaphors], float) for name, rule in POSITIONS.items()}
    return found | {"chance": np.array([np.mean(a.right) for a in anaphors])}


@dataclass(frozen=True)
class Division:
    """What heads give to the candidate nouns of some items, and what their place alone would get.

    Attributes
    ----------
    lead, lead_by_place, lead_of_others : array (n, L * A)
        Attention to the right noun less the mean of the wrong ones: from the word that asks, by place alone, and from the
        other words behind the first noun, as a mean.
    nearest : array (n, L * A)
        Attention to the nearest noun less the mean of the others.
    share, share_by_place : array (n, L + 1)
        The right noun's share of what the nouns get from the heads of each block together, and from all heads.
    even : array (n,)
        An even share.
    """

    lead: np.ndarray
    lead_by_place: np.ndarray
    lead_of_others: np.ndarray
    nearest: np.ndarray
    share: np.ndarray
    share_by_place: np.ndarray
    even: np.ndarray


def _divided(subject, items, settings) -> Division:
    asking = [[i.meta["from"], *_other_words(i)] for i in items]
    links = [
        (k, (w, w + 1), (c, c + 1))
        for k, (i, some) in enumerate(zip(items, asking))
        for w in some
        for c in i.candidates
    ]
    words = [i.words for i in items]
    attention = spans.between(subject, words, links, settings=settings)  # (links, L * A)
    table = positional.profile(subject, words, max(len(w) for w in words), settings)
    parts = np.split(attention, np.cumsum([len(some) * len(i.candidates) for i, some in zip(items, asking)])[:-1])
    found: dict[str, list] = {f.name: [] for f in fields(Division) if f.name != "even"}
    for item, part in zip(items, parts):
        given, *others = part.reshape(-1, len(item.candidates), part.shape[-1])  # each (candidates, L * A)
        offsets = [c - item.meta["from"] for c in item.candidates]
        by_place = positional.at(table, offsets)  # (candidates, L * A)
        right = item.candidates.index(item.target)
        found["lead"].append(lead(given, right))
        found["lead_by_place"].append(lead(by_place, right))
        found["lead_of_others"].append(lead(np.mean(others or [0 * given], 0), right))
        found["nearest"].append(lead(given, int(np.argmin(np.abs(offsets)))))
        for name, weights in (("share", given), ("share_by_place", by_place)):
            blocks = weights.reshape(len(offsets), subject.n_layers, -1).sum(-1)  # (candidates, L)
            together = np.concatenate([blocks, blocks.sum(-1, keepdims=True)], 1)
            found[name].append(together[right] / np.maximum(together.sum(0), 1e-12))
    even = np.array([1 / len(i.candidates) for i in items])
    return Division(**{name: np.array(values) for name, values in found.items()}, even=even)


def _other_words(item) -> list[int]:
    """Words behind the first candidate that are no candidates and do not ask."""
    return [w for w in range(min(item.candidates), len(item.words)) if w not in (*item.candidates, item.meta["from"])]


def lead(weights: np.ndarray, which: int) -> np.ndarray:
    return weights[which] - np.delete(weights, which, 0).mean(0)


def _pairs_to_target(seen):
    for item, _ in seen.golds:
        if isinstance(item, Ambiguity) and item.target is not None:
            yield item.meta["from"], item.target


@as_null("pointer", "no_pointer")
def pointing_head(data, base, rng):
    """a head that points from the verb to its subject"""
    heads = {(base.n_layers // 2, 0): _pairs_to_target}
    return plants.plant(base, data, rng, attention=plants.head_attention(base, heads, share=0.9))


def distracted_heads(data, base, rng):
    """All heads give the right noun a little more than its place explains, how much depends on the distractor."""

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 0.5)
        # one head looks at the word before it, whatever that is: so that heads do tell nouns apart
        before = np.eye(len(seen.ids), k=-1) + 1e-3
        maps[0, 0] = before / before.sum(1, keepdims=True)
        item = seen.first(Ambiguity)
        if item is not None and item.target is not None:
            query, target = (np.flatnonzero(seen.words == w) for w in (item.meta["from"], item.target))
            easy = "relative" in item.condition or "clause" in item.condition
            maps[1:, :, query[:, None], target[None]] *= 1.6 if easy else 1.1
        return maps / maps.sum(-1, keepdims=True)

    return plants.plant(base, data, rng, attention=attention)


@claim(
    "hed.agreement_attention.lin2019",
    "agreement_attention",
    n=1400,
    limit=4000,
    planted=distracted_heads,
    nulls=("untrained", "positions", "coin", pointing_head),
)
def agreement_attention(subject, data, settings):
    """How a verb or reflexive divides its attention over the nouns, by distractor and block (lin2019).

    Does a head give the right noun more than the wrong ones, by more than their places explain (its mean attention by
    offset, over all words), and by more than it does from other words of the sentence? And of what all heads together
    give to the candidates, is the right noun's share more than an even one, or than what place explains? Items with one
    candidate say nothing and are left out.
    """
    items, note = fitting(subject, data["agreement_attention"])
    several = [i for i in items if len(i.candidates) > 1]
    alone = len(items) - len(several)
    left = f"{alone} of {len(items)} items have one candidate only" if alone else ""
    dev, test, more = sides(several)
    rows = []
    for kind in ("agreement", "reflexive"):
        one, two = (
            [i for i in side if i.condition.startswith("reflexive") is (kind == "reflexive")] for side in (dev, test)
        )
        if min(len(one), len(two)) > 1:
            rows += _division_rows(subject, one, two, kind, settings)
    return intervals.table(rows, [note, left, more])


def _division_rows(subject, dev, test, kind: str, settings) -> list[dict]:
    seen, scored = (_divided(subject, side, settings) for side in (dev, test))
    pointer = choose((seen.lead - seen.lead_by_place).mean(0))
    local = choose(seen.nearest.mean(0))
    # a head that points gives the right noun more than wrong ones, more than its place would have, and more than other words
    # of the sentence do (one that looks at the first noun from anywhere does not): the least of the leads on the dev part
    known, leads = (
        np.stack([s.lead, s.lead - s.lead_by_place, s.lead - s.lead_of_others]) for s in (seen, scored)
    )  # (3, n, L * A)
    every = choose(known.mean(1).min(0))
    least = int(np.argmin(known.mean(1)[:, every]))
    over_even, over_place = scored.share - scored.even[:, None], scored.share - scored.share_by_place
    columns = {
        ("excess over an even share, all heads", None): over_even[:, -1],
        ("excess over position, all heads", None): over_place[:, -1],
        ("right - wrong noun, best head", pointer): scored.lead[:, pointer],
        ("right - wrong noun beyond position, best head", pointer): (scored.lead - scored.lead_by_place)[:, pointer],
        (f"right - wrong noun, {LEAST}, best head", every): leads[least][:, every],
        ("nearest - other nouns, best head", local): scored.nearest[:, local],
    }
    # sentences about the same nouns are not independent; of wrong ones the nearest to the word that asks
    wrong = [[c for c in i.candidates if c != i.target] for i in test]
    rivals = [i.words[min(of, key=lambda c: abs(c - i.meta["from"]))].lower() for i, of in zip(test, wrong)]
    groups = {"right": [i.words[i.target].lower() for i in test], "wrong": rivals}
    options = dict(seed=settings.seed, draws=settings.draws, groups=groups)
    rows = intervals.Rows(settings)
    for (measure, which), values in columns.items():
        head = "all" if which is None else relations.head_name(which, subject.n_layers, subject.n_heads)
        rows.mean(measure, values, groups=groups, signed=True, kind=kind, head=head)
    rows += _distractor_rows(dev, test, seen, scored, kind, options)
    for block, column in enumerate(over_place[:, :-1].T, 1):
        rows.mean("excess over position, by block", column, groups=groups, signed=True, kind=kind, block=block)
    return rows


def _distractor_rows(dev, test, seen: Division, scored: Division, kind: str, options: dict) -> list[dict]:
    """What the right noun gets of all heads beyond an even share and beyond its place, by type of distractor."""
    over = {
        "an even share": (scored.share - scored.even[:, None])[:, -1],
        "position": (scored.share - scored.share_by_place)[:, -1],
    }
    conditions = np.array([i.condition for i in test])
    apart, types = _types_apart(dev, seen, conditions, over["position"], options)
    measure = "excess over position, easiest - hardest distractor"
    rows = [intervals.row(measure, apart, len(test), kind=kind, head=types)]
    for condition in sorted(set(conditions)):
        at = conditions == condition
        some = options | {"groups": {k: np.asarray(v)[at] for k, v in options["groups"].items()}}
        for name, values in over.items():
            interval = intervals.mean_interval(values[at], **some, signed=True)
            keys = {"kind": kind, "condition": condition}
            rows.append(intervals.row(f"excess over {name}, by distractor", interval, at.sum(), **keys))
    return rows


def _types_apart(dev, seen: Division, conditions: np.ndarray, excess: np.ndarray, options: dict):
    """Excess on test with the distractors that were easiest and hardest on dev, as a difference; and which these are."""
    known = pd.Series((seen.share - seen.share_by_place)[:, -1]).groupby([i.condition for i in dev]).mean().sort_index()
    known = known[known.index.isin(set(conditions))]
    easy, hard = known.index[choose(known)], known.index[choose(-known)]
    if easy == hard:
        return UNDEFINED, "one type of distractor"
    at = np.isin(conditions, (easy, hard))

    def difference(values, is_easy):
        if is_easy.all() or not is_easy.any():
            return np.nan
        return values[is_easy].mean() - values[~is_easy].mean()

    groups = {k: np.asarray(v)[at] for k, v in options["groups"].items()}
    draws = min(options["draws"], 1000)
    arrays = [excess[at], conditions[at] == easy]
    return intervals.bootstrap(arrays, difference, seed=options["seed"], draws=draws, groups=groups), f"{easy} - {hard}"
