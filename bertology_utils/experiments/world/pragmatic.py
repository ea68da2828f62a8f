"""Completions that take inference: against others of their category, and of another one (ettinger2019)."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pandas as pd

from ...calibration.nulls import GAPS
from ...claims.registry import claim
from ...data.items import Cloze, ForcedChoice
from ...scores import intervals
from ...subject import cloze, retrieval
from . import plants

AGAINST = {"related": "accuracy, within category", "unrelated": "accuracy, between categories"}
LEAD = "accuracy over the more frequent"


def choices(items: list[Cloze], seed: int) -> list[dict[str, ForcedChoice]]:
    """The expected completion against one of its category, of another, and another item's: by kind, for each item."""
    rng, out = random.Random(seed), []
    for item in items:
        good = item.meta["right"]
        others = {k: item.meta[k] for k in AGAINST} | {"any": _another(items, item, rng)}
        out.append(
            {
                kind: ForcedChoice(id=f"{item.id}-{kind}", condition=kind, text=item.text, good=good, bad=bad)
                for kind, bad in others.items()
                if bad and bad != good
            }
        )
    return out


def _another(items: list[Cloze], item: Cloze, rng: random.Random) -> str | None:
    """The expected completion of another item, which is none of this one's."""
    own = {item.meta[k] for k in ("right", *AGAINST)}
    pool = [i.meta["right"] for i in items if i.meta["right"] not in own]
    return rng.choice(pool) if pool else None


@claim(
    "wld.pragmatic.ettinger2019",
    "plausibility",
    n=300,
    nulls=(*GAPS, plants.RIGHT_THROUGHOUT),
    planted=plants.by_category,
)
def pragmatic(subject, data, settings):
    """P(expected) > P(another) at the gap: of its category, of another category, or another item's (ettinger2019).

    Completions that are single pieces of the vocabulary count, as in the study. The baseline prefers the completion that
    is expected more often, in all items, and of two that are alike the more frequent word; it is held against another
    item's completion, so that no word is given away by being always wrong. Left out of the count, an item would make its
    own completion the rarer one, and the baseline wrong wherever all are expected equally often.
    """
    graded = [i for i in data["plausibility"] if {"right", *AGAINST} <= set(i.meta)]
    flat = [c for of in choices(graded, settings.seed) for c in of.values()]
    kept, note = cloze.single_piece(subject, flat)
    if not kept:
        return intervals.table([_nothing(m) for m in (*AGAINST.values(), "accuracy, unrelated filler", LEAD)], [note])
    words = sorted({w for c in kept for w in (c.good, c.bad)})
    expected = Counter(i.meta["right"] for i in graded)
    often = {w: (expected[w], f) for w, f in zip(words, retrieval.log_frequency(subject, words))}
    frame = pd.DataFrame(
        {
            "kind": [c.condition for c in kept],
            "good": [c.good for c in kept],
            "right": (cloze.choose(subject, kept, settings) > 0).astype(float),
            "frequent": [float(often[c.good] > often[c.bad]) for c in kept],
        }
    )
    named = {**AGAINST, "any": "accuracy, unrelated filler"}
    rows = []
    for kind, measure in named.items():
        part = frame[frame["kind"] == kind]
        rows += _rows(part, {measure: part["right"]}, settings)
    part = frame[frame["kind"] == "any"]
    rows += _rows(
        part, {"accuracy of the more frequent": part["frequent"], LEAD: part["right"] - part["frequent"]}, settings
    )
    return intervals.table(rows, [note])


def _rows(part: pd.DataFrame, values: dict[str, pd.Series], settings) -> list[dict]:
    """Means with their intervals; completions are resampled."""
    if not len(part):
        return [_nothing(m) for m in values]
    return [intervals.mean_row(m, v, settings, groups=part["good"], signed=" over " in m) for m, v in values.items()]


def _nothing(measure: str) -> dict:
    """A row that nothing was left for."""
    return intervals.row(measure, (np.nan, np.nan, np.nan), 0)
