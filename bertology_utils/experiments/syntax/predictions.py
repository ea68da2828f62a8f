"""What the masked LM predicts where syntax decides: agreement, negation, broken sentences."""

from __future__ import annotations

import random
from collections import defaultdict

import numpy as np
import pandas as pd

from ...calibration import planted as plants
from ...claims.registry import claim
from ...data.items import MASK
from ...scores import intervals
from ...subject import cloze


def right_forms(data, base, rng):
    """The right form leads by four nats, give or take one, in nine items of ten."""
    return plants.plant(base, data, rng, logits=plants.choice_logits(base, strength=4, right=0.9))


@claim(
    "syn.agreement.goldberg2019",
    tasks="agreement",
    n=1200,
    limit=3000,
    planted=right_forms,
    nulls=("untrained", "frequency", "nearest", "layer 0", "coin"),
)
def agreement(subject, data, settings):
    """P(right form) > P(wrong form) at the masked verb, by construction and by number of attractors (goldberg2019).

    Items whose two forms are not single vocabulary items are left out and counted, as in the study.
    """
    items, note = cloze.single_piece(subject, data["agreement"])
    frame = pd.DataFrame(
        {
            "condition": [i.condition for i in items],
            "attractors": [i.meta.get("attractors") for i in items],
            "right": cloze.choose(subject, items, settings) > 0,
        }
    )
    by_condition = intervals.means(frame, "right", by="condition", measure="accuracy", settings=settings, note=note)
    counted = frame.dropna(subset="attractors").astype({"attractors": int})
    if not counted.attractors.nunique() > 1:
        return by_condition
    by_count = intervals.means(counted, "right", by="attractors", measure="accuracy by attractors", settings=settings)
    slope = intervals.bootstrap(
        [counted.attractors.to_numpy(), counted.right.to_numpy(float)],
        _slope,
        seed=settings.seed,
        draws=min(settings.draws, 500),
    )
    return intervals.combine(
        by_condition, by_count, intervals.table([intervals.row("change per attractor", slope, len(counted))])
    )


def _slope(x: np.ndarray, y: np.ndarray) -> float:
    """Least-squares slope; nan where x does not vary."""
    x = x - x.mean()
    return float(x @ y / (x @ x)) if x.any() else float("nan")


@claim(
    "syn.negation.ettinger2019",
    tasks="negation",
    n=560,
)
def negation(subject, data, settings):
    """Is the true completion preferred with and without "not"? Do the five likeliest fillers change? (ettinger2019)

    `unmoved by not`: share of items whose affirmative completion still wins when the sentence is negated, and is then
    false.
    """
    items, note = cloze.single_piece(subject, data["negation"])
    pairs = defaultdict(dict)
    for item, odds in zip(items, cloze.choose(subject, items, settings)):
        pairs[item.meta["set"], item.meta["pair"]][item.condition] = (item, odds > 0)
    whole = {key: pair for key, pair in pairs.items() if len(pair) == 2}
    frame = pd.DataFrame(
        [
            {
                "set": name,
                "affirmative": pair["affirmative"][1],
                "negated": pair["negated"][1],
                "texts": (pair["affirmative"][0].text, pair["negated"][0].text),
            }
            for (name, _), pair in whole.items()
        ]
    ).astype({"affirmative": float, "negated": float})
    tops = cloze.top_k(subject, [t for pair in frame["texts"] for t in pair], 5, settings)
    frame["overlap"] = [len(set(a) & set(b)) / 5 for a, b in zip(tops[::2], tops[1::2])]
    frame["gap"] = frame.affirmative - frame.negated
    frame["unmoved"] = 1 - frame.negated
    named = {
        "affirmative": "accuracy, affirmative",
        "negated": "accuracy, negated",
        "gap": "affirmative - negated",
        "unmoved": "unmoved by not",
        "overlap": "top-5 overlap",
    }
    return intervals.combine(
        *(intervals.means(frame, c, by="set", measure=m, settings=settings, note=note) for c, m in named.items())
    )


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


@claim("syn.malformed.ettinger2019", tasks="completion", n=200)
def malformed(subject, data, settings):
    """Top-5 overlap of the predictions before and after breaking the sentence, against another's (ettinger2019).

    The control is the overlap with the predictions for an unrelated item: some words are likely anywhere.
    """
    items = data["completion"]
    rng = random.Random(settings.seed)
    tops = cloze.top_k(subject, [i.text for i in items], 5, settings)
    broken = []
    for i, item in enumerate(items):
        words = item.text.replace(MASK, f" {MASK} ").split()
        for kind in ("shuffled", "truncated", "no subject", "no object"):
            changed = perturb(words, kind, words.index(MASK), rng, item.meta)
            if changed:
                broken.append((i, kind, " ".join(changed)))
    changed_tops = cloze.top_k(subject, [text for *_, text in broken], 5, settings)
    others = rng.sample(range(len(items)), len(items))
    frame = pd.DataFrame(
        [
            {
                "perturbation": kind,
                "overlap": len(set(tops[i]) & set(top)) / 5,
                "control": len(set(tops[i]) & set(tops[others[i] if others[i] != i else i - 1])) / 5,
            }
            for (i, kind, _), top in zip(broken, changed_tops)
        ]
    )
    frame["over"] = frame.overlap - frame.control
    named = {
        "overlap": "top-5 overlap",
        "control": "top-5 overlap with an unrelated item",
        "over": "overlap over control",
    }
    return intervals.combine(
        *(intervals.means(frame, c, by="perturbation", measure=m, settings=settings) for c, m in named.items())
    )
