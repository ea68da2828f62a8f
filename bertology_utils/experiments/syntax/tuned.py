"""What fine-tuning does with syntax: the rule it prefers, triggers that fool it, parsing as a stage before it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ... import finetune
from ...claims.registry import claim
from ...data import load
from ...data.items import Ambiguity, Labelled, Sentence
from ...finetune import Recipe, biaffine, triggers
from ...scores import intervals
from ...subject import encode
from ...subject.models import Subject

RECIPE = Recipe(epochs=3, batch=16)
RANDOM_TRIGGERS = 3
ATTACKED = 120  # texts at most: each is classified with five triggers, or none, by three models
CLASSES = ("0", "1")
PASSES = 1200  # sentences a parser sees at least, each several times in a small treebank


def seeds(n_train: int) -> range:
    """One seed for every 150 training items, five at most: who can afford more items can afford more seeds."""
    return range(min(5, max(1, n_train // 150)))


def _split(items: Sequence, *splits: str) -> list:
    return [i for i in items if i.split in splits]


def as_text(item: Ambiguity) -> Labelled:
    """The sentence with its structural label."""
    return Labelled(
        id=item.id, split=item.split, condition=item.condition, text=" ".join(item.words), label=str(item.label)
    )


@claim(
    "syn.structural_bias.warstadt2020",
    tasks="structural_bias",
    n=640,
)
def structural_bias(subject, data, settings):
    """Trained where structure and surface agree, tested where they do not: which rule was learnt? (warstadt2020).

    A classifier that says the same of all sentences chooses the structure in half of them. `accuracy, ambiguous` is that
    on unseen sentences like the training ones: without it there is no rule to speak of.
    """
    rows = []
    for condition in sorted({i.condition for i in data["structural_bias"]}):
        items, _ = finetune.fitting(subject, [as_text(i) for i in data["structural_bias"] if i.condition == condition])
        train, dev, test = (_split(items, split) for split in ("train", "dev", "test"))
        tuned = [finetune.classify(subject, train, replace(RECIPE, seed=s), classes=CLASSES) for s in seeds(len(train))]
        for measure, part in (("structural choice", test), ("accuracy, ambiguous", dev)):
            scores = np.array([t.right(part, settings) for t in tuned], float)  # (seeds, items)
            interval = intervals.seeds_by_items(scores, seed=settings.seed, draws=settings.draws)
            rows.append(intervals.row(measure, interval, scores.size, condition=condition))
    return intervals.table(rows, [f"seeds: {len(tuned)}; {len(train)} training sentences a task"])


def lower_half(subject: Subject) -> Subject:
    """The subject's lower half of layers as a smaller model: another size from the same pretraining."""
    small = finetune.duplicate(subject, f"{subject.name}, lower half")
    small.base.encoder.layer = small.layers[: max(1, subject.n_layers // 2)]
    small.config.num_hidden_layers = len(small.layers)
    return small


@claim(
    "syn.triggers.wallace2019a",
    tasks="sentiment",
    n=320,
    limit=220,
    # five points more than any three words do: less would be a nuisance, not an attack; and the classifiers must know
    # their task, since one that always says the same is flipped by anything (this second part is not in the study, and
    # was added after the figures of an unfinished model had been seen)
)
def universal_triggers(subject, data, settings):
    """Triggers found by gradients on one tuned classifier, tried on it, on another seed and on a smaller one (wallace2019a).

    They are searched on training texts for either class, from words that no training text has, and scored on the rest.
    The control is the mean of random triggers of the same words.
    """
    items, note = finetune.fitting(subject, data["sentiment"])
    train, test = _split(items, "train"), _split(items, "dev", "test")
    test = random.Random(settings.seed).sample(test, min(len(test), ATTACKED))
    attacked = {
        "same model": finetune.classify(subject, train, RECIPE, classes=CLASSES),
        "another seed": finetune.classify(subject, train, replace(RECIPE, seed=1), classes=CLASSES),
        "another size": finetune.classify(lower_half(subject), train, RECIPE, classes=CLASSES),
    }
    allowed = triggers.vocabulary(subject, [i.text for i in train])
    how = triggers.Search(tries=5, batch=16)
    found = {
        label: triggers.search(attacked["same model"], [i for i in train if i.label == label], allowed, how)[0]
        for label in CLASSES
    }
    control = triggers.random_triggers(allowed, RANDOM_TRIGGERS, seed=settings.seed)
    parts = [[i for i in test if i.label == label] for label in CLASSES]
    rows = []
    for name, classifier in attacked.items():
        right = {"no trigger": [], "trigger": [], "random trigger": []}
        for label, part in zip(CLASSES, parts):
            right["no trigger"].append(triggers.right(classifier, part))
            right["trigger"].append(triggers.right(classifier, part, found[label]))
            right["random trigger"].append(np.mean([triggers.right(classifier, part, t) for t in control], 0))
        scores = {k: np.concatenate(v).astype(float) for k, v in right.items()}
        options = {"seed": settings.seed, "draws": settings.draws}
        for text, values in scores.items():
            rows.append(
                intervals.row(
                    "accuracy", intervals.mean_interval(values, **options), len(values), attacked=name, text=text
                )
            )
        lead = intervals.difference(scores["random trigger"], scores["trigger"], **options)
        rows.append(intervals.row("drop over random", lead, len(test), attacked=name))
    written = "; ".join(f"against class {k}: {triggers.words(subject, t)}" for k, t in found.items())
    return intervals.table(rows, [note, written])


@claim(
    "syn.intermediate_parsing.glavas2020",
    tasks=("treebank", "entailment"),
    n=250,
    limit=120,
    # a point either way; "high": the parser must have learnt its task for the comparison to mean anything
)
def intermediate_parsing(subject, data, settings):
    """Entailment after a stage of supervised parsing and without it, several seeds (glavas2020).

    A source that has only one of the two tasks takes the other from the generated data. Punctuation does not count in
    the UAS.
    """
    treebank, texts, notes = _both_tasks(data, settings)
    treebank = [s for s, ok in zip(treebank, encode.fits(subject, [s.words for s in treebank])) if ok]
    texts, note = finetune.fitting(subject, texts)
    train, test = _split(texts, "train"), _split(texts, "dev", "test")
    classes, parsed = sorted({i.label for i in texts}), _split(treebank, "train")
    uas, scores = [], {"with": [], "without": []}
    for seed in seeds(len(train)):
        recipe = replace(RECIPE, epochs=2, seed=seed)
        parser = biaffine.parse(subject, parsed, replace(recipe, epochs=max(3, PASSES // len(parsed)), head_rate=20.0))
        uas.append(parser.right(_split(treebank, "test"), settings))
        for arm, start in (("with", parser.subject), ("without", subject)):
            scores[arm].append(finetune.classify(start, train, recipe, classes=classes).right(test, settings))
    options = {"seed": settings.seed, "draws": settings.draws}
    # a sentence of punctuation alone has no arc that counts
    by_sentence = np.array([[right.mean() for right in run if len(right)] for run in uas])
    rows = [intervals.row("parsing UAS", intervals.seeds_by_items(by_sentence, **options), by_sentence.size)]
    parts = {"all": [True] * len(test)} | {
        c: [i.condition == c for i in test] for c in sorted({i.condition for i in test} - {""})
    }
    for name, mask in parts.items():
        with_, without = (np.array(scores[arm], float)[:, np.array(mask)] for arm in ("with", "without"))
        for measure, values in (
            ("accuracy with parsing", with_),
            ("accuracy without", without),
            ("gain by parsing", with_ - without),
            ("loss by parsing", without - with_),
        ):
            rows.append(intervals.row(measure, intervals.seeds_by_items(values, **options), values.size, set=name))
    return intervals.table(rows, [*notes, note, f"seeds: {len(uas)}"])


def _both_tasks(data, settings) -> tuple[list[Sentence], list[Labelled], list[str]]:
    """Treebank and texts, either from the source or generated, and notes that say which."""
    found, notes = {}, []
    for task, other in (("treebank", "entailment"), ("entailment", "treebank")):
        found[task] = data.items.get(task)
        if not found[task]:
            number = max(100, min(len(data.items[other]), 400))
            found[task] = load(task, "builtin", n=number, seed=settings.seed)[task]
            notes.append(f"{task}: {number} generated items")
    return found["treebank"], found["entailment"], notes
