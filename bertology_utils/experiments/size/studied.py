"""What every claim of the chapter shares: tuned models, scores before and after, and what was saved.

A model is tuned with several seeds, on some hundred generated items or on thousands of a study's own. Whatever is chosen
(a head, a layer, a method) is chosen on training or development items; scores are of test items alone, seeds and items
crossed. Where the tuned models do not beat the commonest label by five points, nothing is compressed: there is nothing to
lose, and the rows stay empty.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from weakref import ref

import numpy as np
import pandas as pd
import torch

from ... import finetune
from ...compress import file_bytes, linear_bytes, retention, sizes
from ...data.items import Data, Labelled
from ...finetune import Classifier, Recipe, shared
from ...scores import intervals
from ...scores.intervals import Interval
from ...scores.profiles import UNDEFINED
from ...settings import Settings
from ...subject.models import Subject

SEEDS = 5  # by three little can be told apart
TRAIN, CHOICE, TEST = 600, 120, 300  # generated items at most: to tune on, to choose by, to score
THOUSANDS = 4000, 400, 2000  # the same of a study's own
LEAD = 0.05  # over the commonest label, by the interval: what the ledger's gates ask
RECIPE = Recipe(epochs=3, batch=16, rate=3e-4, warmup=0.2)  # a higher rate leaves some seeds at chance
LONG, MANY = replace(RECIPE, batch=32, rate=None), 1000  # from so many items on; at `mini`'s width not all seeds learn
GENERATED, LIMIT = 2000, 4400  # items per task; original items per task and split
QUICK = 48  # items of a quick try (`--fast`)
PAIRS = 9  # of runs, for times
SHARED = "the tuned models are shared by the claims of this chapter that are run together: the seconds count them once"
TRIED = "generated sentiment was tuned on first; seeds learnt it too unevenly for the gate, so entailment stands in its place"

Scores = dict[str, np.ndarray]  # by task: (seeds, items)


@dataclass(frozen=True, eq=False)
class Task:
    """A task's items: to tune on, to choose by, to score; `more` are training texts that tuning does not see."""

    name: str
    train: list[Labelled]
    more: list[Labelled]
    choice: list[Labelled]
    test: list[Labelled]

    @property
    def usual(self) -> np.ndarray:
        """Whether always giving the commonest label is right, by test item."""
        return finetune.constant(self.train, self.test)

    @classmethod
    def of(cls, name: str, items: Iterable[Labelled], seed: int, most: Sequence[int] | None = None) -> Task:
        """Items dealt out by split, in an order that the seed fixes; at most so many to tune on, to choose by, to score
        (as of generated ones, where that is not said).

        Generated entailment has test items of another kind, made to mislead; there, training items that tuning does not
        see are scored. Where a source has no test items at all, half of dev is.
        """
        most, rng, parts = most or (TRAIN, CHOICE, TEST), np.random.default_rng(seed), {}
        items, misleading = list(items), any("contradicts" in i.meta for i in items)
        for split in ("train", "dev", "test"):
            part = [i for i in items if i.split == split and "contradicts" not in i.meta]
            parts[split] = [part[k] for k in rng.permutation(len(part))]
        train, dev, test = parts.values()
        if misleading:
            n = min(most[0], 2 * len(train) // 3)
            return cls(name, train[:n], train[n + most[2] :], dev[: most[1]], train[n : n + most[2]])
        if not test:
            dev, test = dev[: len(dev) // 2], dev[len(dev) // 2 :]
        return cls(name, train[: most[0]], train[most[0] :], dev[: most[1]], test[: most[2]])


def most_of(data: Data) -> Sequence[int]:
    """Items at most to tune on, to choose by, to score."""
    return (TRAIN, CHOICE, TEST) if data.name == "builtin" else THOUSANDS


def recipe(items: Sequence[Labelled], seed: int) -> Recipe:
    """How the section tunes on so many items."""
    return replace(RECIPE if len(items) < MANY else LONG, seed=seed)


def tuned(subject: Subject, task: Task, seed: int) -> Classifier:
    """The subject tuned on a task; once per subject, items and seed."""
    how = recipe(task.train, seed)
    return once(subject, task, seed, how, lambda: finetune.classify(subject, task.train, how))


def once(subject: Subject, task: Task, seed: int, what: Hashable, make: Callable[[], Classifier]) -> Classifier:
    """What `make` gives, made once per subject, items, seed and `what` while there is room (`shared.once`)."""
    return shared.once((ref(subject), task.name, tuple(i.id for i in task.train), seed, what), make)


@dataclass(frozen=True, eq=False)
class Study:
    """The tuned models of one subject on one source.

    Attributes
    ----------
    tasks : list of Task
    classifiers : dict
        Task name -> one per seed.
    right : dict
        Task name -> which test items each seed gets right, (seeds, items).
    """

    subject: Subject
    settings: Settings
    tasks: list[Task]
    classifiers: dict[str, list[Classifier]]
    right: Scores
    notes: tuple[str, ...]

    @classmethod
    def of(cls, subject: Subject, data: Data, settings: Settings, names: Iterable[str] = ()) -> Study:
        """Tune the subject on all tasks of the data, or on those named that are there."""
        found, notes, most = [], [], most_of(data)
        for name, items in data.items.items():
            if not names or name in names:
                kept, note = finetune.fitting(
                    subject, [i for i in items if i.condition != "WNLI"]
                )  # which no model learns
                found.append(Task.of(name, kept, settings.seed, most))
                notes += [f"{note} ({name})"] if note else []
        seeds = range(settings.seed, settings.seed + SEEDS)
        classifiers = {t.name: [tuned(subject, t, s) for s in seeds] for t in found}
        scores = {t.name: _stacked([c.right(t.test, settings) for c in classifiers[t.name]]) for t in found}
        sizes_ = ", ".join(
            f"{t.name}: {len(t.train)} to tune, {len(t.choice)} to choose, {len(t.test)} to score" for t in found
        )
        notes += [f"{SEEDS} seeds; {sizes_}", SHARED, TRIED if data.name == "builtin" else ""]
        return cls(subject, settings, found, classifiers, scores, tuple(notes))

    def each(self, call: Callable[[Classifier, Task, int], np.ndarray]) -> Scores:
        """What a call gives for each task's classifiers, (seeds, items): ``call(classifier, task, seed)``."""
        return {
            t.name: _stacked([call(c, t, self.settings.seed + k) for k, c in enumerate(self.classifiers[t.name])])
            for t in self.tasks
        }

    @property
    def learnt(self) -> bool:
        """Whether the tuned models beat the commonest label by `LEAD` and the interval."""
        return bool(self.mean(self._lead())[1] > LEAD)

    def _lead(self) -> Scores:
        return {t.name: self.right[t.name] - t.usual for t in self.tasks}

    def mean(self, scores: Scores, *, signed: bool = True) -> Interval:
        """Mean over all tasks' items, with its interval over seeds and items."""
        values = np.concatenate(list(scores.values()), 1)
        return intervals.seeds_by_items(values, seed=self.settings.seed, draws=self.settings.draws, signed=signed)

    def rows(self, measure: str, scores: Scores, *, signed: bool = True, **keys) -> list[dict]:
        """A figure of all tasks together, and of each where there are several."""
        n = sum(v.shape[1] for v in scores.values())
        out = [intervals.row(measure, self.mean(scores, signed=signed), n, **keys, task="all")]
        for name, values in scores.items() if len(scores) > 1 else ():
            mean = self.mean({name: values}, signed=signed)
            out.append(intervals.row(f"{measure}, by task", mean, values.shape[1], **keys, task=name))
        return out

    def lost(self, measure: str, after: Scores, **keys) -> list[dict]:
        """Rows of what is lost against the tuned models, item by item."""
        return self.rows(measure, {t: self.right[t] - after[t] for t in after}, **keys)

    def kept_row(self, after: Scores, **keys) -> dict:
        """Retention: the score of the compressed models by that of the originals."""
        before, now = (np.concatenate([x[t] for t in after], 1) for x in (self.right, after))
        found = retention(now, before, seed=self.settings.seed, draws=self.settings.draws)
        return intervals.row("retention of the score", found, before.shape[1], **keys, task="all")

    def cost_rows(self, compressed: Classifier, **keys) -> list[dict]:
        """Bytes on disk and time of the first seed's model, original by compressed; times with one row and with 32."""
        task = self.tasks[0]
        original = self.classifiers[task.name][0]
        whole, less = (c.subject.base for c in (original, compressed))
        bytes_ = {
            "bytes on disk, original / compressed": file_bytes(whole) / file_bytes(less),
            "bytes of linear weights, original / compressed": linear_bytes(whole) / linear_bytes(less),
        }
        rows = [intervals.row(m, Interval(v, v, v), 1, **keys) for m, v in bytes_.items()]
        for batch, n in ((1, 8), (32, 32)):
            beside = original.to(compressed.subject.device)
            pair = [sizes.runner(c, task.test[:n], batch) for c in (beside, compressed)]
            taken = sizes.speed(*pair, pairs=PAIRS)
            keys_ = dict(keys, batch=batch, threads=torch.get_num_threads())
            rows.append(intervals.row("time, original / compressed", taken, PAIRS, **keys_))
        return rows

    def table(self, rows: Iterable[dict], *notes: str) -> pd.DataFrame:
        """The rows with those of the tuned models, and the notes."""
        base = self.rows("accuracy", self.right, signed=False) + self.rows("accuracy over majority", self._lead())
        return intervals.table([*base, *rows], [*self.notes, *notes])

    def nothing(self, *measures: str, **keys) -> pd.DataFrame:
        """What is left where the tuned models do not beat the commonest label: the measures, empty."""
        rows = [intervals.row(m, UNDEFINED, 0, **keys, task="all") for m in measures]
        return self.table(rows, "the tuned models do not beat the commonest label: nothing was compressed")


def right(classifier: Classifier, task: Task, settings: Settings) -> np.ndarray:
    """Whether each test item is classified rightly, (n,) float."""
    return classifier.right(task.test, settings).astype(float)


def accuracy(classifier: Classifier, task: Task, settings: Settings) -> float:
    """Accuracy on the items that choices are made by."""
    return float(classifier.right(task.choice, settings).mean())


def _stacked(rows: list[np.ndarray]) -> np.ndarray:
    return np.array(rows, float)
