"""Does freezing the bottom help a tagger that is tuned in English and tested in other languages? (wu2019dredze)

The embeddings and the lowest blocks stay as pretraining left them, the others and the head learn. How many stay is
chosen on dev words of the other languages, and scored on their test words: whether some depth helps, not whether one
could know it from English alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...claims.registry import claim
from ...data.items import Sentence
from ...errors import TooFew
from ...finetune import Recipe
from ...finetune.tagging import Tagger, tag
from ...scores import intervals
from ...scores.choice import choose, commonest
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject
from .languages import language
from .transfer import ALIKE, ENGLISH, drawn, sentences

SEEDS = 5
SHARES = (1 / 3, 2 / 3)  # of the blocks that stay frozen, beside none
WORDS = {"train": 6000, "dev": 300, "test": 1000}
RECIPE = Recipe(epochs=5, batch=16)


def is_english(item: Sentence) -> bool:
    """Whether a sentence is in the language of training."""
    return language(item.condition).code == "en"


def right(tagger: Tagger, items: Sequence[Sentence], settings: Settings) -> np.ndarray:
    """Share right in each sentence's words that are no punctuation, (sentences,); nan where there is none."""
    tags = tagger.tag([s.words for s in items], settings)
    scores = [[a == b for a, b in zip(found, s.upos) if b not in ALIKE] for found, s in zip(tags, items)]
    return np.array([np.mean(s) if s else np.nan for s in scores])


def by_language(scores: np.ndarray, items: Sequence[Sentence]) -> np.ndarray:
    """Mean over the sentences of each language, (K,), in the order of their codes."""
    of = np.array([s.condition for s in items])
    return np.array([np.nanmean(scores[of == code]) for code in sorted(set(of))])


def most_of(train: Sequence[Sentence], items: Sequence[Sentence]) -> np.ndarray:
    """The same as `right` of who always says one tag, the best that there is (`commonest`)."""
    learnt, asked = ([t for s in part for t in s.upos if t not in ALIKE] for part in (train, items))
    most = commonest(asked, learnt)
    kept = [[t for t in s.upos if t not in ALIKE] for s in items]
    return np.array([np.mean([t == most for t in line]) if line else np.nan for line in kept])


def depths(subject: Subject) -> list[int]:
    """How many blocks stay frozen: none, and `SHARES` of all.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> depths(SimpleNamespace(n_layers=12))
    [0, 4, 8]
    """
    return sorted({0, *(max(1, round(s * subject.n_layers)) for s in SHARES)})


def recipe(subject: Subject, frozen: int, seed: int) -> Recipe:
    """The usual one; with blocks frozen, the embeddings are too."""
    layers = tuple(range(frozen, subject.n_layers)) if frozen else None
    return replace(RECIPE, layers=layers, seed=seed)


@claim("mbt.freeze_bottom.wu2019dredze", "multilingual_treebank", n=3000, beside=ENGLISH)
def freeze_bottom(subject, data, settings):
    """A tagger tuned in English with the lowest blocks frozen and without, tested in the other languages (wu2019dredze).

    Five seeds; intervals draw seeds and languages, crossed.
    """
    items = drawn(sentences(data), settings, WORDS)
    items = [s for s, fits in zip(items, encode.fits(subject, [s.words for s in items])) if fits]
    train = [s for s in items if s.split == "train" and is_english(s)]
    home = [s for s in items if s.split == "test" and is_english(s)]
    dev, test = ([s for s in items if s.split == part and not is_english(s)] for part in ("dev", "test"))
    if not (train and home and dev and test):
        raise TooFew("needs English sentences to train on and others to choose on and to test")
    at_home, chosen_on, away = [], [], []
    for frozen in depths(subject):
        taggers = [
            tag(subject, [s.words for s in train], [s.upos for s in train], recipe(subject, frozen, seed))
            for seed in range(SEEDS)
        ]
        at_home.append([right(t, home, settings) for t in taggers])
        chosen_on.append([by_language(right(t, dev, settings), dev) for t in taggers])
        away.append([by_language(right(t, test, settings), test) for t in taggers])
    return rows_of(depths(subject), map(np.array, (at_home, chosen_on, away)), (train, home, test), settings)


def rows_of(frozen: list[int], scores, parts, settings: Settings):
    """Rows from scores at home (depths, seeds, sentences) and away, on dev and test (depths, seeds, languages)."""
    (at_home, chosen_on, away), (train, home, test) = scores, parts
    options: dict[str, Any] = {"seed": settings.seed, "draws": settings.draws}
    words = sum(t not in ALIKE for s in test for t in s.upos)
    best = 1 + choose(chosen_on[1:].mean((1, 2)))
    gain = intervals.seeds_by_items(away[best] - away[0], **options, signed=True)
    known = ~np.isnan(at_home[0, 0])
    over = intervals.seeds_by_items((at_home[0] - most_of(train, home))[:, known], **options, signed=True)
    rows = [
        intervals.row("zero-shot accuracy, depth chosen on dev - none frozen", gain, words, block=frozen[best]),
        intervals.row("accuracy over majority", over, len(home), pair="same language", language=home[0].condition),
    ]
    for k, here, there in zip(frozen, at_home, away):
        rows.append(intervals.row("zero-shot accuracy", intervals.seeds_by_items(there, **options), words, frozen=k))
        rows.append(intervals.row("accuracy", intervals.seeds_by_items(here[:, known], **options), len(home), frozen=k))
    notes = [
        f"{len(train)} sentences of {home[0].condition} to learn from, {SEEDS} seeds; test words in {away.shape[2]} others",
        f"blocks frozen, the embeddings with them: {', '.join(map(str, frozen[1:]))}",
    ]
    return intervals.table(rows, notes)
