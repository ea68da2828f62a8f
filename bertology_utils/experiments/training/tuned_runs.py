"""Fine-tuning runs that several claims share: a task's training and held-out texts, ways of tuning, seeds.

The plain runs of a pretrained model serve most of this section's claims: they are made once while there is room.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ... import finetune
from ...data import sha256
from ...data.items import Data, Labelled
from ...finetune import Classifier, Recipe
from ...finetune.features import FROZEN, kept_features
from ...finetune.mixing import FAST, MixedHead, all_states
from ...finetune.shared import once
from ...scores import intervals
from ...subject.models import Subject

N = 600  # generated texts per task
TRAIN, FEW, HELD = 240, 120, 200  # texts to learn from, where they are few, and to score
LIMIT, SCORED = 4000, 2000  # of a study's own: texts per task and split, and to score
SEEDS = 5
HEAD = 1e-3  # the rate of a head that learns alone, whatever the width of the network under it
GENTLE = 0.6  # of the usual peak rate: with so few texts some runs diverge at the whole of it
RECIPE, LONG = Recipe(epochs=5, batch=16), Recipe(epochs=3, batch=32)  # for hundreds of texts, and from `MANY` on
MANY = 1000
TASKS = ("entailment", "sentiment", "acceptability", "paraphrase")  # of several that a source has, the first is taken
QUICK = 24  # generated texts of a quick try (`--fast`): fourteen to learn from are one step per epoch


@dataclass(frozen=True)
class Task:
    """What a classifier learns from and is scored on; `beyond` are test items of another kind than the training ones."""

    name: str
    train: tuple[Labelled, ...]
    held: tuple[Labelled, ...]
    beyond: tuple[Labelled, ...] = ()
    note: str = ""

    @property
    def classes(self) -> tuple[str, ...]:
        return tuple(sorted({i.label for i in (*self.train, *self.held, *self.beyond)}))

    def usual(self) -> np.ndarray:
        """Whether always giving the commonest label is right, (held,)."""
        return finetune.constant(self.train, self.held)

    def few(self, n: int = FEW) -> Task:
        """The same with fewer texts to learn from."""
        return replace(self, train=self.train[:n])


def task(subject: Subject, data: Data, name: str) -> Task:
    """A task's parts: the first training texts, and held-out ones of the same kind.

    Held out are dev and test texts, and training texts that are not learnt from where those are few. Of generated texts
    there are hundreds, of a study's own thousands. WNLI, which no model learns, is left out beside RTE.
    """
    most, scored = (TRAIN, HELD) if data.name == "builtin" else (LIMIT, SCORED)
    items = [i for i in data[name] if i.condition != "WNLI"]
    items, note = finetune.fitting(subject, items)
    beyond = tuple(i for i in items if "contradicts" in i.meta)
    items = [i for i in items if "contradicts" not in i.meta]
    train = [i for i in items if i.split == "train"]
    held = [*(i for i in items if i.split == "test"), *(i for i in items if i.split == "dev"), *train[most:]]
    return Task(name, tuple(train[:most]), tuple(held[:scored]), beyond, note)


def first(subject: Subject, data: Data, names: Sequence[str] = TASKS) -> Task:
    """The first of the tasks that the source has; of generated ones that is entailment, which is learnt best."""
    return task(subject, data, next(name for name in names if data.items.get(name)))


def recipe(subject: Subject, texts: Sequence, seed: int, **changes) -> Recipe:
    """The section's recipe for a subject's width, so many texts and a seed."""
    made = replace(usual(texts), seed=seed, **changes)
    return replace(made, rate=GENTLE * made.peak(subject.hidden_size))


def usual(texts: Sequence) -> Recipe:
    """Epochs and batches for so many texts."""
    return RECIPE if len(texts) < MANY else LONG


def plain(subject: Subject, of: Task, seed: int) -> Classifier:
    """The usual fine-tuning: all layers and a head; once for several claims (`shared.once`)."""
    return once(("plain", subject.sha256, sha256(of.train), seed), lambda: afresh(subject, of, seed))


def afresh(subject: Subject, of: Task, seed: int) -> Classifier:
    """The same, not kept: what one claim alone asks for would push out what the others share."""
    return learn(subject, of, recipe(subject, of.train, seed))


def frozen(subject: Subject, of: Task, seed: int) -> Classifier:
    """A head over all layers' means of the pretrained model, which does not learn; three times as many epochs."""
    how = recipe(subject, of.train, seed, epochs=3 * usual(of.train).epochs)
    how = replace(how, head_rate=HEAD / how.peak(subject.hidden_size))
    head = partial(MixedHead, fast=10.0)  # the weights of layers, too, have to move
    made = learn(subject, of, how, head=head, way=FROZEN, read=kept_features())
    return replace(made, subject=subject)  # nothing has changed in its copy, which goes


def all_layers(subject: Subject, of: Task, seed: int) -> Classifier:
    """The usual fine-tuning with a learnt mean of all layers under the head."""
    head = partial(MixedHead, fast=FAST)  # at the encoder's rate a few hundred steps would leave the weights even
    return learn(subject, of, recipe(subject, of.train, seed), head=head, read=all_states)


def learn(subject: Subject, of: Task, how: Recipe, **options) -> Classifier:
    """`classify` with all of a task's classes."""
    return finetune.classify(subject, of.train, how, classes=of.classes, **options)


def right(made: Callable[[int], Classifier], items: Sequence[Labelled], settings, seeds: int = SEEDS) -> np.ndarray:
    """Which items each seed's classifier has right, (seeds, n)."""
    return np.array([made(seed).right(items, settings) for seed in range(seeds)], float)


def gain_row(measure: str, scores: np.ndarray, settings, **keys) -> dict:
    """A row of the mean of differences (seeds, items), which may be of either sign though here none may be."""
    return intervals.mean_row(measure, scores, settings, signed=True, **keys)


def beats_majority(scores: np.ndarray, of: Task, settings, **keys) -> dict:
    """The gate's row: accuracy over that of the majority, on the held-out items."""
    return gain_row("accuracy over majority", scores - of.usual(), settings, task=of.name, **keys)


def notes(of: Task, seeds: int = SEEDS) -> list[str]:
    """What every record of this section says: seeds, texts, what was left out."""
    said = f"{of.name}: {len(of.train)} texts to learn from, {len(of.held)} held out"
    return [f"seeds: {seeds}; {usual(of.train).epochs} epochs; {said}", of.note]
