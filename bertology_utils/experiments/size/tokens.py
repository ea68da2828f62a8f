"""Word vectors dropped on the way up: what is lost, and whether time is saved (goyal2020)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from ...claims.registry import claim
from ...compress import elimination, sizes
from ...finetune import Classifier, Read, classify
from ...finetune import states as all_vectors
from ...scores import intervals
from .heads import names
from .studied import GENERATED, LIMIT, PAIRS, QUICK, Study, Task, recipe, right

SHARE = 1 / 3  # of the vectors over all layers: one and a half times fewer of them
BATCH = 32
MEASURES = (
    "accuracy lost, a third of the vectors eliminated",
    "accuracy lost, random elimination",
    "time, original / eliminated",
)


@claim("siz.token_elimination.goyal2020", ("sentiment", "entailment"), n=GENERATED, limit=LIMIT, quick=QUICK)
def token_elimination(subject, data, settings):
    """Accuracy lost and time saved when the vectors that receive least attention do not go on (goyal2020).

    From layer to layer fewer go on, a third less over all layers, and the tuned model is tuned for another epoch. It is
    held against the same model with that epoch and all vectors. The null drops as many at random, in that epoch too.
    Times are those of 96 test items in batches of 32, side by side with the tuned model.
    """
    study = Study.of(subject, data, settings, names(data))
    if not study.learnt:
        return study.nothing(*MEASURES)

    def on(read: Callable[[int], Read], epochs: int = 1):
        def one(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
            tuned = _tuned_on(classifier, task, seed, read(seed)) if epochs else classifier
            return right(replace(tuned, read=read(seed)), task, settings)  # random choices anew

        return study.each(one)

    def by_attention(seed: int) -> Read:
        return elimination.fewer(SHARE)

    whole = on(lambda seed: all_vectors)
    after = {"by attention": on(by_attention), "random": on(lambda seed: elimination.fewer(SHARE, seed))}
    rows = []
    for measure, scores in zip(MEASURES, after.values()):
        rows += study.rows(measure, {t: whole[t] - scores[t] for t in whole})
    rows += study.lost("accuracy lost, a third of the vectors eliminated, not tuned on", on(by_attention, epochs=0))
    rows += study.rows("accuracy gained by another epoch", {t: whole[t] - study.right[t] for t in whole})
    rows += [study.kept_row(scores, way=way) for way, scores in after.items()]
    classifier, task = study.classifiers[study.tasks[0].name][0], study.tasks[0]
    pair = [
        sizes.runner(c, task.test[: 3 * BATCH], BATCH) for c in (classifier, replace(classifier, read=by_attention(0)))
    ]
    taken = sizes.speed(*pair, pairs=PAIRS)
    rows.append(intervals.row(MEASURES[2], taken, PAIRS, batch=BATCH, threads=torch.get_num_threads()))
    return study.table(rows)


def _tuned_on(classifier: Classifier, task: Task, seed: int, read: Read) -> Classifier:
    """The tuned model and its head, tuned for another epoch on what is read of it now."""
    how = replace(recipe(task.train, seed), epochs=1)
    return classify(classifier.subject, task.train, how, head=lambda *_: copy.deepcopy(classifier.head), read=read)
