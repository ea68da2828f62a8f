"""Parts of speech taught in one language and done in others, for every pair of languages (pires2019)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from ...calibration.nulls import SENTENCES
from ...claims.registry import claim
from ...scores import intervals
from ...settings import Settings
from . import plants
from .languages import pair
from .transfer import ENGLISH, Transfer, drawn, measure, sentences


@claim(
    "mbt.zero_shot.pires2019",
    "multilingual_treebank",
    n=2250,
    beside=ENGLISH,
    nulls=(*SENTENCES, plants.spelling, plants.language),
    planted=plants.one_space,
)
def zero_shot(subject, data, settings):
    """Accuracy of parts of speech taught in one language and tested in another, for all pairs (pires2019).

    Intervals draw sentences; those of means over pairs draw languages of training and of testing.
    """
    found = measure(subject, drawn(sentences(data), settings), settings)
    rows = []
    for a, b in product(range(len(found.taught)), range(len(found.languages))):
        rows += pair_rows(found, a, b, settings)
    rows += mean_rows(found, settings)
    return intervals.table(rows, [found.note])


def pair_rows(found: Transfer, a: int, b: int, settings: Settings) -> list[dict]:
    """What a probe taught in language a does in language b, and by how much it beats guessing."""
    tested = found.language == b
    keys: dict[str, Any] = {"train": found.taught[a], "language": found.languages[b]}
    keys |= {**pair(keys["train"], keys["language"]), "layer": found.layer[a]}
    mean = intervals.Means(found.sentence[tested], seed=settings.seed, draws=settings.draws)
    right, n = found.right[a, tested].astype(float), int(tested.sum())
    if keys["train"] == keys["language"]:
        over = right - found.guesses["majority"][a, tested]
        return [
            intervals.row("accuracy", mean(right), n, **keys),
            intervals.row("accuracy over majority", mean(over, signed=True), n, **keys),
        ]
    over = right - found.best(a, tested)
    return [
        intervals.row("zero-shot accuracy", mean(right), n, **keys),
        intervals.row("zero-shot accuracy over best baseline", mean(over, signed=True), n, **keys),
    ]


def mean_rows(found: Transfer, settings: Settings) -> list[dict]:
    """Means over the pairs of languages of the same and of another script, and of all."""
    every = product(range(len(found.taught)), range(len(found.languages)))
    pairs = [(a, b) for a, b in every if found.taught[a] != found.languages[b]]
    facts = [pair(found.taught[a], found.languages[b]) for a, b in pairs]
    tested = [found.language == b for _, b in pairs]
    right = np.array([found.right[a, t].mean() for (a, _), t in zip(pairs, tested)])
    others = {
        "zero-shot accuracy": 0 * right,
        "zero-shot accuracy over best baseline": [found.best(a, t).mean() for (a, _), t in zip(pairs, tested)],
        "zero-shot accuracy over the embeddings": [found.below[a, t].mean() for (a, _), t in zip(pairs, tested)],
        "zero-shot accuracy, centring adds": 2 * right - [found.centred[a, t].mean() for (a, _), t in zip(pairs, tested)],
    }  # fmt: skip
    rows = intervals.Rows(settings)
    for which in ("all", "same script", "other script"):
        kept = np.array([which in ("all", f"{f['script']} script") for f in facts])
        if not kept.any():
            continue
        units = [[p[side] for p, k in zip(pairs, kept) if k] for side in (0, 1)]
        for name, less in others.items():
            rows.mean(f"{name}, mean over pairs", (right - less)[kept], groups=units, signed=True, pairs=which)
    return rows
