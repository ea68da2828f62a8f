"""What fine-tuning does with syntax: the rule it prefers, triggers that fool it, parsing as a stage before it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ... import finetune
from ...claims.registry import claim
from ...data import load, sha256
from ...data.items import Ambiguity, Labelled, Sentence
from ...finetune import Recipe, biaffine, triggers
from ...scores import intervals, trees
from ...scores.choice import choose
from ...subject import encode
from ...subject.models import Subject
from ..training import tuned_runs as runs

RECIPE = Recipe(epochs=3, batch=16)
SEEDS = 5  # of fine-tuning, each with a head of its own
RULES = 8  # of classifiers whose rule is asked for: five that all agree leave a mean down to .56 open
CHECKED = 40  # training sentences kept back to see what was learnt
RANDOM_TRIGGERS = 5
ATTACKED = 1000  # texts at most: each is classified with seven triggers, or none, by three models
CLASSES = ("0", "1")
PASSES = 1200  # sentences a parser sees at least, each several times in a small treebank
MOST = 20  # epochs of a parser, however small the treebank
LEARNT = 300  # sentences and texts at most that parsing and the task after it are learnt from


def seeds(n_train: int) -> range:
    """Five seeds, or three where there are fewer than 200 training items: who can afford items can afford seeds."""
    return range(SEEDS if n_train >= 200 else 3)


def _split(items: Sequence, *splits: str) -> list:
    return [i for i in items if i.split in splits]


def as_text(item: Ambiguity) -> Labelled:
    """The sentence with its structural label."""
    return Labelled(
        id=item.id, split=item.split, condition=item.condition, text=" ".join(item.words), label=str(item.label)
    )


@claim("syn.structural_bias.warstadt2020", "structural_bias", n=1600, quick=400)
def structural_bias(subject, data, settings):
    """Trained where structure and surface agree, tested where they do not: which rule was learnt? (warstadt2020).

    A classifier that says the same of all sentences chooses the structure in half of them. `accuracy, ambiguous` is that
    on unseen sentences like the training ones: without it there is no rule to speak of. It is about the classifiers at
    hand, so sentences alone are resampled; what rule is preferred is about others too, so runs are resampled as well.
    """
    rows = intervals.Rows(settings)
    for condition in sorted({i.condition for i in data["structural_bias"]}):
        items, _ = finetune.fitting(subject, [as_text(i) for i in data["structural_bias"] if i.condition == condition])
        train, dev, test = (_split(items, split) for split in ("train", "dev", "test"))
        train, dev = train[CHECKED:], [*dev, *train[:CHECKED]]  # a handful of dev items would say nothing
        tuned = [finetune.classify(subject, train, replace(RECIPE, seed=s), classes=CLASSES) for s in range(RULES)]
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


@claim("syn.intermediate_parsing.glavas2020", ("treebank", "entailment", "sentiment"), n=300, limit=1000, quick=24)
def intermediate_parsing(subject, data, settings):
    """A text task after a stage of supervised parsing and without it, several seeds (glavas2020).

    The task is entailment where the source has it, else sentiment. A source that has no treebank, or no texts, takes
    them from the generated data; the notes say so, with their hash. Punctuation does not count in the UAS.
    """
    treebank, texts, notes = both_tasks(data, settings)
    treebank = [s for s, ok in zip(treebank, encode.fits(subject, [s.words for s in treebank])) if ok]
    texts, note = finetune.fitting(subject, texts)
    train, test = _split(texts, "train")[:LEARNT], _split(texts, "dev", "test")
    parsed, held = _split(treebank, "train")[:LEARNT], _split(treebank, "test")[:LEARNT]
    classes = sorted({i.label for i in texts})
    uas, scores = _both_arms(subject, (parsed, held), (train, test), classes, settings)
    rows = parsing_rows(uas, held, settings) + _text_rows(scores, train, test, settings)
    return intervals.table(rows, [*notes, note, f"seeds: {len(uas)}; {len(train)} training texts"])


def _both_arms(
    subject, trees_: tuple[list, list], texts: tuple[list, list], classes: list[str], settings
) -> tuple[list[list[np.ndarray]], dict[str, np.ndarray]]:
    """By seed: right arcs of each held-out sentence; arm -> which texts are right, (seeds, n), with and without parsing.

    Of the trees and of the texts, those to learn from come first, those to be scored second.
    """
    (parsed, held), (train, test) = trees_, texts
    uas: list[list[np.ndarray]] = []
    scores: dict[str, list] = {"with": [], "without": []}
    for seed in seeds(len(train)):
        recipe = replace(RECIPE, epochs=2, seed=seed)
        parser = biaffine.parse(
            subject, parsed, replace(recipe, epochs=min(max(3, PASSES // len(parsed)), MOST), head_rate=20.0)
        )
        uas.append(parser.right(held, settings))
        for arm, start in (("with", parser.subject), ("without", subject)):
            scores[arm].append(finetune.classify(start, train, recipe, classes=classes).right(test, settings))
    return uas, {arm: np.array(right, float) for arm, right in scores.items()}


def _text_rows(scores: dict[str, np.ndarray], train, test, settings) -> list[dict]:
    """Accuracy of the text task with parsing and without, the gain, and what is learnt over the majority."""
    rows = intervals.Rows(settings)
    rows.mean("accuracy over majority", scores["without"] - finetune.constant(train, test), signed=True, set="all")
    conditions = np.array([i.condition for i in test])
    parts = {"all": np.ones(len(test), bool)} | {c: conditions == c for c in sorted(set(conditions.tolist()) - {""})}
    for name, there in parts.items():
        with_, without = scores["with"][:, there], scores["without"][:, there]
        figures = {"accuracy with parsing": with_, "accuracy without": without, "gain by parsing": with_ - without}
        for measure, values in figures.items():
            rows.mean(measure, values, signed=measure.startswith("gain"), set=name)
    return rows


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


def both_tasks(data, settings) -> tuple[list[Sentence], list[Labelled], list[str]]:
    """Treebank and texts, either from the source or generated, and notes that say which."""
    texts = data.items.get("entailment") or data.items.get("sentiment")
    treebank, notes = data.items.get("treebank"), []
    number = max(200, min(len(texts or treebank), 400))
    if not treebank:
        treebank = load("treebank", "builtin", n=number, seed=settings.seed)["treebank"]
        notes.append(f"treebank: {number} generated sentences, SHA-256 {sha256(treebank)[:12]}")
    if not texts:
        texts = load("entailment", "builtin", n=number, seed=settings.seed)["entailment"]
        notes.append(f"entailment: {number} generated items, SHA-256 {sha256(texts)[:12]}")
    return treebank, texts, notes
