"""Small models that learn from a large one: distilled students and replaced modules (sanh2019, xu2020)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from ...claims.registry import claim
from ...compress import students
from ...compress.replacing import replace_modules, successor
from ...compress.students import Lessons
from ...finetune import Classifier, classify
from ...scores import intervals
from ...scores.choice import choose
from .heads import names
from .studied import GENERATED, LIMIT, QUICK, Study, Task, accuracy, recipe, right

MORE = 400  # texts without labels that a teacher may speak of
LESSONS = {
    "soft targets": Lessons(),
    "hidden states and attention": Lessons(hidden=1.0, attention=1.0),
}
MEASURES = ("retention of the teacher's gain over majority", "accuracy, distilled - alone")


@claim("siz.distillation.sanh2019", ("sentiment", "entailment"), n=GENERATED, limit=LIMIT, quick=QUICK)
def distillation(subject, data, settings):
    """Students with half the layers that learn from the tuned model, against the same students alone (sanh2019).

    A student is every other layer of the pretrained model. It hears soft targets, or hidden states and attention maps
    too; which of the two is chosen on development items. Beside it: a student that hears the teacher on four hundred
    more texts without labels, one of that size from random weights, and a BiLSTM.
    """
    study = Study.of(subject, data, settings, names(data))
    if not study.learnt:
        return study.nothing(*MEASURES)
    small, blank, kept = successor(subject), successor(subject.twin(settings.seed)), {}

    def alone(start) -> dict[str, np.ndarray]:
        return study.each(lambda c, t, s: right(classify(start, t.train, recipe(t.train, s)), t, settings))

    def taught(way: str, more: int = 0) -> dict[str, np.ndarray]:
        def call(teacher: Classifier, task: Task, seed: int) -> np.ndarray:
            how = recipe(task.train, seed)
            lessons = LESSONS.get(way, Lessons())
            kept[way, seed] = students.distil(small, teacher, task.train, how, lessons, unlabelled=task.more[:more])
            return right(kept[way, seed], task, settings)

        return study.each(call)

    after = {way: taught(way) for way in LESSONS} | {"more texts": taught("more texts", MORE)}
    task, seeds = study.tasks[0], range(settings.seed, settings.seed + len(study.classifiers[study.tasks[0].name]))
    dev = [np.mean([accuracy(kept[way, s], task, settings) for s in seeds]) for way in LESSONS]
    best = list(LESSONS)[choose(dev)]
    nulls = {"alone": alone(small), "from random weights": alone(blank)}
    rows = study.rows(MEASURES[1], {t: after[best][t] - nulls["alone"][t] for t in after[best]})
    rows.append(gain_kept(study, after[best]))
    for way, scores in (after | nulls | _bilstms(study)).items():
        rows += study.rows("accuracy left", scores, signed=False, way=way)
        rows.append(study.kept_row(scores, way=way))
    more = {t: after["more texts"][t] - nulls["alone"][t] for t in after[best]}
    rows += study.rows("accuracy, distilled on more texts - alone", more)
    rows += study.cost_rows(kept[best, settings.seed], way=best)
    return study.table(rows, f"chosen on development items: {best}")


def gain_kept(study: Study, after: dict[str, np.ndarray]) -> dict:
    """What is kept of the lead over the commonest label: ratio of the leads, seeds and items crossed."""
    usual = np.concatenate([t.usual for t in study.tasks])
    now, before = (np.concatenate([x[t.name] for t in study.tasks], 1) - usual for x in (after, study.right))
    groups = intervals.crossed(*now.shape)
    seed, draws = study.settings.seed, study.settings.draws
    found = intervals.ratio(now.ravel(), before.ravel(), seed=seed, draws=draws, groups=groups, signed=True)
    return intervals.row(MEASURES[0], found, now.shape[1], task="all")


def _bilstms(study: Study) -> dict[str, dict[str, np.ndarray]]:
    """A BiLSTM that learns the teacher's logits, and one that learns the labels."""

    def of(target: Callable[[Classifier, Task], torch.Tensor]):
        def call(teacher: Classifier, task: Task, seed: int) -> np.ndarray:
            items = task.train
            model = students.train_bilstm(study.subject, items, target(teacher, task), len(teacher.classes), seed=seed)
            return students.bilstm_right(model, study.subject, task.test, teacher.classes).astype(float)

        return study.each(call)

    def logits(teacher: Classifier, task: Task) -> torch.Tensor:
        return torch.from_numpy(teacher.logits(task.train, study.settings))

    def labels(teacher: Classifier, task: Task) -> torch.Tensor:
        return torch.tensor([teacher.classes.index(i.label) for i in task.train])

    return {"BiLSTM, taught": of(logits), "BiLSTM, alone": of(labels)}


@claim("siz.theseus.xu2020", ("sentiment", "entailment"), n=GENERATED, limit=LIMIT, quick=QUICK)
def theseus(subject, data, settings):
    """Half of the layers grown inside the tuned model, against the same half tuned plainly (xu2020).

    Both start from every other layer of the pretrained model and are tuned for as many steps; the plain one is given the
    tuned model's epochs too, so that it has seen as much.
    """
    study = Study.of(subject, data, settings, names(data))
    measure = "accuracy, replaced - plain"
    if not study.learnt:
        return study.nothing(measure, "retention of the score", way="plain")
    kept: dict[int, Classifier] = {}

    def replaced(teacher: Classifier, task: Task, seed: int) -> np.ndarray:
        kept[seed] = replace_modules(subject, teacher, task.train, recipe(task.train, seed))
        return right(kept[seed], task, settings)

    def plain(teacher: Classifier, task: Task, seed: int) -> np.ndarray:
        how = recipe(task.train, seed)
        return right(classify(successor(subject), task.train, replace(how, epochs=2 * how.epochs)), task, settings)

    after = {"replaced": study.each(replaced), "plain": study.each(plain)}
    rows = study.rows(measure, {t: after["replaced"][t] - after["plain"][t] for t in after["plain"]})
    rows.append(gain_kept(study, after["replaced"]))
    for way, scores in after.items():
        rows += study.rows("accuracy left", scores, signed=False, way=way)
        rows.append(study.kept_row(scores, way=way))
    return study.table(rows + study.cost_rows(kept[settings.seed], way="replaced"))
