"""What fine-tuning does with syntax: the rule it prefers, triggers that fool it, parsing as a stage before it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ... import finetune
from ...attention.choosing import fitting
from ...claims.registry import claim
from ...data.items import Ambiguity, Labelled, Sentence
from ...finetune import Recipe, biaffine, triggers
from ...scores import intervals, trees
from ...scores.choice import choose
from ...subject.models import Subject
from ..training import tuned_runs as runs

RECIPE = Recipe(epochs=3, batch=16)
RULES = 8  # of classifiers whose rule is asked for: five that all agree leave a mean down to .56 open
SCORED = 300  # sentences at most that tell the rules apart: what differs is the classifiers
RANDOM_TRIGGERS = 5
ATTACKED = 1000  # texts at most: each is classified with seven triggers, or none, by three models
CLASSES = ("0", "1")
PASSES = 1200  # sentences a parser sees at least, each several times in a small treebank
MOST = 20  # epochs of a parser, however small the treebank
PARSED = 2000  # sentences at most that parsing is learnt from, and as many that it is scored on


def _split(items: Sequence, *splits: str) -> list:
    return [i for i in items if i.split in splits]


def as_text(item: Ambiguity) -> Labelled:
    """The sentence with its structural label."""
    return Labelled(
        id=item.id, split=item.split, condition=item.condition, text=" ".join(item.words), label=str(item.label)
    )


@claim("syn.structural_bias.warstadt2020", "structural_bias", n=9000, quick=400)
def structural_bias(subject, data, settings):
    """Trained where structure and surface agree, tested where they do not: which rule was learnt? (warstadt2020).

    A classifier that says the same of all sentences chooses the structure in half of them. `accuracy, ambiguous` is that
    on unseen sentences like the training ones: without it there is no rule to speak of. It is about the classifiers at
    hand, so sentences alone are resampled; what rule is preferred is about others too, so runs are resampled as well.
    """
    rows = intervals.Rows(settings)
    for condition in sorted({i.condition for i in data["structural_bias"]}):
        items, _ = finetune.fitting(subject, [as_text(i) for i in data["structural_bias"] if i.condition == condition])
        train, dev, test = _split(items, "train"), _split(items, "dev"), _split(items, "test")[:SCORED]
        recipes = [replace(RECIPE, epochs=2, seed=s) for s in range(RULES)]  # a third epoch would be half as dear again
        tuned = [finetune.classify(subject, train, recipe, classes=CLASSES) for recipe in recipes]
        learnt, scores = (np.array([t.right(part, settings) for t in tuned], float) for part in (dev, test))
        rows.mean("accuracy, ambiguous", learnt.mean(0), condition=condition)
        rows.mean("structural choice", scores, condition=condition)
        for label in CLASSES:
            of = np.array([i.label == label for i in test])
            rows.mean("structural choice by label", scores[:, of], condition=condition, label=label)
    return intervals.table(rows, [f"seeds: {len(tuned)}; {len(train)} training sentences per task"])


def lower_half(subject: Subject) -> Subject:
    """The subject's lower half of layers as a smaller model: another size from the same pretraining."""
    small = finetune.duplicate(subject, f"{subject.name}, lower half")
    base: Any = small.base
    base.encoder.layer = small.layers[: max(1, subject.n_layers // 2)]
    small.config.num_hidden_layers = len(small.layers)
    return small


@claim("syn.triggers.wallace2019a", "sentiment", n=600, limit=runs.LIMIT, quick=60)
def universal_triggers(subject, data, settings):
    """Triggers found by gradients on one tuned classifier, tried on it, on another seed and on a smaller one (wallace2019a).

    They are searched on training texts for either class, from words that no training text has, and scored on the rest.
    The control is the mean of random triggers of the same words. `flipped` is the share of the texts classified rightly
    that a trigger turns wrong, less what random triggers turn.
    """
    items, note = finetune.fitting(subject, data["sentiment"])
    train, test = _split(items, "train"), _split(items, "dev", "test")
    test = random.Random(settings.seed).sample(test, min(len(test), ATTACKED))
    of = runs.Task("sentiment", tuple(train), tuple(test))
    attacked = {
        "same model": runs.afresh(subject, of, 0),
        "another seed": runs.afresh(subject, of, 1),
        "another size": runs.afresh(lower_half(subject), of, 0),
    }
    allowed = triggers.vocabulary(subject, [i.text for i in train])
    how = triggers.Search(tries=5, batch=16)
    found = {
        label: triggers.search(attacked["same model"], [i for i in train if i.label == label], allowed, how)[0]
        for label in CLASSES
    }
    control = triggers.random_triggers(allowed, RANDOM_TRIGGERS, seed=settings.seed)
    order = [i for label in CLASSES for i in test if i.label == label]
    gold = np.array([i.label for i in order])
    rows = []
    for name, classifier in attacked.items():
        right = _attacked(classifier, order, found, control)
        rows += _attack_rows(right, gold, name, settings)
    written = "; ".join(f"against class {k}: {triggers.words(subject, t)}" for k, t in found.items())
    return intervals.table(rows, [note, written])


def _attacked(classifier, items: list[Labelled], found: dict, control: list) -> dict[str, np.ndarray]:
    """Whether each item is classified rightly: as it is, with the trigger against its class, with random ones (mean)."""
    out: dict[str, list] = {"no trigger": [], "trigger": [], "random trigger": []}
    for label in CLASSES:
        part = [i for i in items if i.label == label]
        out["no trigger"].append(triggers.right(classifier, part))
        out["trigger"].append(triggers.right(classifier, part, found[label]))
        out["random trigger"].append(np.mean([triggers.right(classifier, part, t) for t in control], 0))
    return {k: np.concatenate(v).astype(float) for k, v in out.items()}


def _attack_rows(right: dict[str, np.ndarray], gold: np.ndarray, name: str, settings) -> list[dict]:
    rows = intervals.Rows(settings)
    for text, values in right.items():
        rows.mean("accuracy", values, attacked=name, text=text)
    lost = right["random trigger"] - right["trigger"]
    rows.mean("drop over random", lost, attacked=name)
    known = right["no trigger"] == 1
    for against in (*CLASSES, "either"):
        of = known & ((gold == against) | (against == "either"))
        if of.any():
            rows.mean("flipped", lost[of], attacked=name, against=against)
    return rows


@claim("syn.intermediate_parsing.glavas2020", ("treebank", "entailment", "sentiment"), n=runs.N, limit=runs.LIMIT, quick=24,
       beside={"treebank": ("ud_english_ewt",)})  # fmt: skip
def intermediate_parsing(subject, data, settings):
    """A text task after a stage of supervised parsing and without it, several seeds (glavas2020).

    The task is entailment where the source has it, else sentiment, learnt as in the chapter on training. Punctuation does
    not count in the UAS.
    """
    of = runs.first(subject, data, ("entailment", "sentiment"))
    treebank, note = fitting(subject, data["treebank"])
    parsed, held = _split(treebank, "train")[:PARSED], _split(treebank, "test")[:PARSED]
    epochs = min(max(3, PASSES // len(parsed)), MOST)
    uas: list = []
    right: dict[str, list] = {"with": [], "without": []}
    for seed in range(runs.SEEDS):
        parser = biaffine.parse(subject, parsed, replace(RECIPE, epochs=epochs, head_rate=20.0, seed=seed))
        uas.append(parser.right(held, settings))
        for arm, tuned in (("with", runs.afresh(parser.subject, of, seed)), ("without", runs.plain(subject, of, seed))):
            right[arm].append(tuned.right(of.held, settings))
    with_, without = (np.array(scores, float) for scores in right.values())
    rows = intervals.Rows(settings)
    rows.mean("accuracy", with_, arm="parsing first")
    rows.mean("accuracy", without, arm="task alone")
    rows.mean("gain by parsing", with_ - without, signed=True)
    rows.append(runs.beats_majority(without, of, settings))
    stage = f"parsing from {len(parsed)} sentences, {epochs} epochs"
    return intervals.table([*rows, *parsing_rows(uas, held, settings)], [*runs.notes(of), note, stage])


def parsing_rows(uas: list[list[np.ndarray]], held: list[Sentence], settings) -> list[dict]:
    """UAS of the parsers, and their lead over the better of the two chains of neighbours."""
    chains = []
    for way in (-1, 1):
        kept = [trees.without_punctuation(s)[0] for s in held]
        heads = [np.where(k + way < 0, -1, np.where(k + way >= len(s.words), -1, k + way)) for k, s in zip(kept, held)]
        chains.append([h == np.array(s.heads)[k] for h, k, s in zip(heads, kept, held)])
    chain = chains[choose([np.concatenate(c).mean() for c in chains])]
    some = [k for k, right in enumerate(chain) if len(right)]  # a sentence of punctuation alone has no arc that counts
    by_sentence = np.array([[run[k].mean() for k in some] for run in uas])
    lead = by_sentence - np.array([chain[k].mean() for k in some])
    figures = {"parsing UAS": by_sentence, "parsing UAS over chain": lead}
    return [intervals.mean_row(measure, values, settings) for measure, values in figures.items()]
