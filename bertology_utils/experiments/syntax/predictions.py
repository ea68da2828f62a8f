"""What the masked LM predicts in negated and in broken sentences (ettinger2019)."""

from __future__ import annotations

import random
from collections import defaultdict
from zlib import crc32

import numpy as np
import pandas as pd

from ...calibration import planted as plants
from ...calibration.nulls import GAPS
from ...claims.registry import claim
from ...data.items import MASK, Cloze
from ...scores import intervals
from ...settings import Settings
from ...subject import cloze, encode
from . import planted

TOP = 5  # likeliest fillers that are compared
FACTS = 600  # pairs of negated facts at most


@claim("syn.negation.ettinger2019", ("negation", "negated_facts"), n=1000, nulls=GAPS, planted=planted.deaf_to_not)
def negation(subject, data, settings):
    """Is the true completion preferred with and without "not"? Does the likeliest filler change? (ettinger2019, kassner2020)

    `unmoved by not`: the share of pairs in which the category that is true of the affirmative sentence still wins when
    the sentence is negated. `switched by not`: the share in which "not" turns the preference to the true completion,
    less the share in which it turns it away. The study's two sets are pooled; things are resampled, not sentences.
    """
    frames = []
    if items := data.items.get("negation"):
        frames.append(_choices(subject, items, settings))
    facts = _pairs(data.items.get("negated_facts", []))
    facts = random.Random(settings.seed).sample(facts, min(FACTS, len(facts)))
    frames.append(_same_fillers(subject, _pairs(data.items.get("negation", [])) + facts, settings))
    return intervals.combine(*frames)


def _pairs(items) -> list[tuple]:
    """(affirmative, negated) of each pair, and what it shares with others: the thing, or the relation and subject."""
    found: defaultdict[tuple, dict] = defaultdict(dict)
    for item in items:
        found[item.meta["set"], item.meta["pair"]][item.condition] = item
    return [(p["affirmative"], p["negated"]) for p in found.values() if len(p) == 2]


def _thing(item) -> str:
    """The pair's thing: pairs that share it are resampled together."""
    return str(item.meta.get("thing", item.meta.get("subject", item.meta["pair"])))


def _choices(subject, items, settings) -> pd.DataFrame:
    items, note = cloze.single_piece(subject, items)
    odds = {i.id: o for i, o in zip(items, cloze.choose(subject, items, settings))}
    pairs = _pairs(items)
    plain, negated = (np.array([odds[p[k].id] > 0 for p in pairs], float) for k in (0, 1))
    frame = pd.DataFrame(
        {
            "thing": [_thing(a) for a, _ in pairs],
            "completion": [a.good for a, _ in pairs],
            "accuracy, affirmative": plain,
            "accuracy, negated": negated,
            "affirmative - negated": plain - negated,
            "unmoved by not": 1 - negated,
            # the preferred filler is the other one, in the right direction or in the wrong one
            "switched by not": plain * negated - (1 - plain) * (1 - negated),
        }
    )
    measures = frame.columns[2:]
    signed = ("affirmative - negated", "switched by not")
    return intervals.combine(
        *(
            intervals.means(
                frame.assign(pairs="all"), m, by="pairs", measure=m, settings=settings, note=note,
                groups=["thing", "completion"], signed=m in signed,
            )
            for m in measures
        )
    )  # fmt: skip


def _same_fillers(subject, pairs: list[tuple], settings) -> pd.DataFrame:
    """What the likeliest fillers of a pair have in common, and those of a sentence and another's negation."""
    fits = [ok for pair in pairs for ok in encode.fits(subject, [encode.gapped(i.text) for i in pair])]
    pairs = [p for p, a, b in zip(pairs, fits[::2], fits[1::2]) if a and b]
    tops = cloze.top_k(subject, [i.text for pair in pairs for i in pair], TOP, settings)
    plain, negated = tops[::2], tops[1::2]
    order = random.Random(settings.seed).sample(range(len(pairs)), len(pairs))
    others = [negated[o if o != i else i - 1] for i, o in enumerate(order)]
    frame = pd.DataFrame(
        {
            "thing": [_thing(a) for a, _ in pairs],
            "same first filler": [float(a[0] == b[0]) for a, b in zip(plain, negated)],
            "same first filler as an unrelated sentence": [float(a[0] == b[0]) for a, b in zip(plain, others)],
            "top-5 overlap": [_shared(a, b) for a, b in zip(plain, negated)],
        }
    )
    frame["same first filler over control"] = frame.iloc[:, 1] - frame.iloc[:, 2]
    return intervals.combine(
        *(
            intervals.means(
                frame.assign(pairs="all"), m, by="pairs", measure=m, settings=settings, groups="thing",
                signed=m.endswith("control"),
            )
            for m in frame.columns[1:]
        )
    )  # fmt: skip


def _shared(a: list[str], b: list[str]) -> float:
    return len(set(a) & set(b)) / TOP


def perturb(words: list[str], kind: str, gap: int, rng: random.Random, meta: dict) -> list[str] | None:
    """The words of a cloze with one thing done to them, or None where it cannot be done.

    `shuffled`: everything but the gap and the final punctuation in random order; `truncated`: only the three words
    before the gap; `no subject`, `no object`: that argument removed (spans in `meta`).
    """
    if kind == "shuffled":
        free = [i for i in range(len(words)) if i != gap and words[i] not in ".!?"]
        moved = rng.sample(free, len(free))
        return [words[dict(zip(free, moved)).get(i, i)] for i in range(len(words))] if moved != free else None
    if kind == "truncated":
        return words[gap - 3 :] if gap > 3 else None
    span = meta.get(kind.removeprefix("no "))
    return words[: span[0]] + words[span[1] :] if span and not span[0] <= gap < span[1] else None


PERTURBATIONS = ("shuffled", "truncated", "no subject", "no object")


def broken(items, settings) -> list[tuple[int, str, str]]:
    """(which item, what was done, the text) of everything that can be done to each item."""
    rng, out = random.Random(settings.seed), []
    for i, item in enumerate(items):
        words = item.text.replace(MASK, f" {MASK} ").split()
        for kind in PERTURBATIONS:
            changed = perturb(words, kind, words.index(MASK), rng, item.meta)
            if changed:
                out.append((i, kind, " ".join(changed)))
    return out


def any_order(data, base, rng):
    """Five fillers that go with the item's answer, broken or not; one in ten is drawn anew."""
    items = data["completion"]
    more = [(text.split(), None, items[i], "text") for i, _, text in broken(items, Settings(seed=0))]

    def logits(seen, own):
        item = seen.first(Cloze)
        if item is None:
            return {}
        usual = np.random.default_rng(crc32(item.answers[0].encode())).integers(1000, base.config.vocab_size, 5)
        fillers = [int(f if own.random() < 0.9 else own.integers(1000, base.config.vocab_size)) for f in usual]
        return {int(t): {f: 9.0 - k for k, f in enumerate(fillers)} for t in np.flatnonzero(seen.masked)}

    return plants.plant(base, data, rng, logits=logits, more=more)


@claim("syn.malformed.ettinger2019", "completion", n=600, nulls=("frequency", "constant", "coin"), planted=any_order)
def malformed(subject, data, settings):
    """Top-5 overlap of the predictions before and after breaking the sentence, against another's (ettinger2019).

    The control is the overlap with the predictions for an unrelated item: some words are likely anywhere. `survival` is
    the overlap above the control as a share of what there is above it: 1 where nothing changes, 0 where the broken
    sentence says no more than any other.
    """
    items = data["completion"]
    tops = cloze.top_k(subject, [i.text for i in items], TOP, settings)
    changed = broken(items, settings)
    changed_tops = cloze.top_k(subject, [text for *_, text in changed], TOP, settings)
    order = random.Random(settings.seed + 1).sample(range(len(items)), len(items))
    frame = pd.DataFrame(
        [
            {
                "perturbation": kind,
                "item": i,
                "overlap": _shared(tops[i], top),
                "control": _shared(tops[order[i] if order[i] != i else i - 1], top),
                "same": float(tops[i][0] == top[0]),
            }
            for (i, kind, _), top in zip(changed, changed_tops)
        ]
    )
    frame["over"] = frame.overlap - frame.control
    named = {
        "overlap": "top-5 overlap",
        "control": "top-5 overlap with an unrelated item",
        "same": "same first filler",
    }
    rows = [intervals.means(frame, c, by="perturbation", measure=m, settings=settings) for c, m in named.items()]
    survival = intervals.Rows(settings)
    for kind, part in frame.groupby("perturbation"):
        found = intervals.ratio(
            part["over"], 1 - part["control"], seed=settings.seed, draws=settings.draws, signed=True
        )
        survival.add("survival", found, len(part), perturbation=kind)
    return intervals.combine(*rows, intervals.table(survival))
