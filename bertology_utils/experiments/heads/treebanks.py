"""Tuned on trees, do heads attend along them? Against tuning on tags, and on arcs that are no grammar (kondratyuk2019)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...attention import relations
from ...attention.choosing import fitting, sides
from ...claims.registry import claim
from ...data.items import Sentence
from ...finetune import Recipe, biaffine, tagging
from ...scores import intervals
from ...settings import Settings
from ...subject.models import Subject
from ..syntax.tuned import parsing_rows
from .syntax import attachment, scored

TRAIN = 600  # sentences that are tuned on
SEEDS = 3
RECIPE = Recipe(epochs=3, batch=16, head_rate=20.0)
OFFSETS = {"UAS, best head": "UAS, best offset", "UAS, a head for each relation": "UAS, an offset for each relation"}

Right = list[np.ndarray]  # of each held-out sentence, which of its words the network gets right in what it is tuned on
Tune = Callable[[Subject, list[Sentence], list[Sentence], Recipe, Settings], tuple[Subject, Right]]


def on_trees(subject, train, test, recipe, settings) -> tuple[Subject, Right]:
    """Tuned to parse."""
    parser = biaffine.parse(subject, train, recipe)
    return parser.subject, parser.right(test, settings)


def on_tags(subject, train, test, recipe, settings) -> tuple[Subject, Right]:
    """Tuned to tell parts of speech, which says something of grammar and nothing of arcs."""
    tagger = tagging.tag(subject, [s.words for s in train], [relations.word_tags(s) for s in train], recipe)
    found = tagger.tag([s.words for s in test], settings)
    return tagger.subject, [np.equal(tags, relations.word_tags(s)) for tags, s in zip(found, test)]


def on_neighbours(subject, train, test, recipe, settings) -> tuple[Subject, Right]:
    """Tuned to parse as well, but on arcs that are no grammar: what is learnt of arcs is where words stand."""
    return on_trees(subject, [chained(s) for s in train], [chained(s) for s in test], recipe, settings)


def chained(sentence: Sentence) -> Sentence:
    """The sentence with another tree: each word's head is the next one, the last is the root.

    Examples
    --------
    >>> chained(Sentence(id="0", words=("a", "dog", "runs"), heads=(1, 2, -1))).heads
    (1, 2, -1)
    """
    return replace(sentence, heads=(*range(1, len(sentence.words)), -1))


def guesses(test: list[Sentence]) -> dict[str, np.ndarray]:
    """The share of each sentence's words (n,) that are right by guessing: the commonest tag, a word drawn blindly."""
    tags = [np.array(relations.word_tags(s)) for s in test]
    names, counts = np.unique(np.concatenate(tags), return_counts=True)
    commonest = names[counts.argmax()]
    return {
        "tags": np.array([(of == commonest).mean() for of in tags]),
        "neighbours": np.array([1 / len(s.words) for s in test]),
    }


ARMS: dict[str, Tune] = {"trees": on_trees, "tags": on_tags, "neighbours": on_neighbours}


@claim("hed.tuned_on_trees.kondratyuk2019", "treebank", n=2500, limit=600, quick=60)
def tuned_on_trees(subject, data, settings):
    """UAS of the best single head before tuning, and tuned on trees, on tags or on neighbours (kondratyuk2019).

    Measured as in `syntax.no_full_tree`: a head is chosen on dev and scored on test, after every tuning anew. Tuning on tags
    shows what any tuning on words does to attention, and tuning on neighbours what scoring arcs does; all have the same
    sentences, steps and seeds. Where heads come to attend to the next word, say, a fixed offset does as well, so that
    the best of these is a rival too. Beside it, the same of a head for each relation.
    """
    items, note = fitting(subject, data["treebank"])
    train = [s for s in items if s.split == "train"][:TRAIN]
    dev, test, more = sides([s for s in items if s.split != "train"])

    def along(model: Subject) -> tuple[str, dict[str, np.ndarray]]:
        best, columns = attachment([scored(model, side, settings, both_ways=True) for side in (dev, test)])
        return relations.head_name(best.head, model.n_layers, model.n_heads), columns

    head, before = along(subject)
    heads, found, learnt = [f"pretrained: {head}"], {}, {}
    for arm, tune in ARMS.items():
        runs = [tune(subject, train, test, replace(RECIPE, seed=seed), settings) for seed in range(SEEDS)]
        named, columns = zip(*(along(model) for model, _ in runs))
        heads.append(f"{arm}: {', '.join(named)}")
        found[arm] = {measure: np.array([run[measure] for run in columns], float) for measure in OFFSETS}
        learnt[arm] = [right for _, right in runs]
    rows = intervals.Rows(settings, groups=relations.upward(relations.arcs(test))["sentence"])
    for measure, offset in OFFSETS.items():
        arms = {arm: values[measure] for arm, values in found.items()}
        rivals = {"pretrained": before[measure], "tags": arms["tags"], "neighbours": arms["neighbours"]}
        for arm, values in {**rivals, "trees": arms["trees"]}.items():
            rows.mean(measure, values, arm=arm)
        rows.mean(offset, before[offset])
        for rival, values in {**rivals, "offset": before[offset]}.items():
            rows.mean(f"{measure}, trees - rival", arms["trees"] - values, signed=True, rival=rival)
    rows += parsing_rows(learnt["trees"], test, settings)
    for arm, guess in guesses(test).items():
        some = [k for k, words in enumerate(learnt[arm][0]) if len(words)]  # a parser leaves punctuation out
        lead = np.array([[run[k].mean() - guess[k] for k in some] for run in learnt[arm]])
        rows.append(intervals.mean_row("own task, over guessing", lead, settings, signed=True, arm=arm))
    tuned_on = f"{len(train)} sentences, {SEEDS} seeds"
    return intervals.table(rows, [note, more, f"tuned on {tuned_on}", f"best head by seed: {'; '.join(heads)}"])
