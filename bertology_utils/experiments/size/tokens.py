"""Word vectors dropped on the way up: what is lost, and whether time is saved (goyal2020)."""

from __future__ import annotations

import numpy as np
import torch

from ...claims.registry import claim
from ...compress import elimination, sizes
from ...finetune import Classifier, text_rows
from ...scores import intervals
from ...subject.encode import batches
from .heads import names
from .studied import GENERATED, LIMIT, PAIRS, QUICK, Study, Task

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

    From layer to layer fewer go on, a third less over all layers; nothing is tuned again. The null drops as many at random.
    Times are those of 96 test items in batches of 32, side by side with the tuned model.
    """
    study = Study.of(subject, data, settings, names(data))
    if not study.learnt:
        return study.nothing(*MEASURES)

    def call(random: bool):
        def one(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
            said = elimination.logits(classifier, task.test, SHARE, settings, random=seed if random else None)
            gold = np.array([classifier.classes.index(i.label) for i in task.test])
            return (said.argmax(1) == gold).astype(float)

        return study.each(one)

    after = {"by attention": call(False), "random": call(True)}
    rows = study.lost(MEASURES[0], after["by attention"]) + study.lost(MEASURES[1], after["random"])
    rows += [study.kept_row(scores, way=way) for way, scores in after.items()]
    classifier, task = study.classifiers[study.tasks[0].name][0], study.tasks[0]
    taken = _time(classifier, task.test[: 3 * BATCH])
    rows.append(intervals.row(MEASURES[2], taken, PAIRS, batch=BATCH, threads=torch.get_num_threads()))
    return study.table(rows)


def _time(classifier: Classifier, items):
    """Time of the tuned model by that with fewer vectors."""
    shares = elimination.schedule(classifier.subject.n_layers, SHARE)
    rows = text_rows(classifier.subject, items)
    cut = [rows[i : i + BATCH] for i in range(0, len(rows), BATCH)]
    ready = [b for part in cut for b in batches(classifier.subject, part, budget=10**9)]

    def fewer() -> None:
        with torch.inference_mode():
            for batch in ready:
                elimination.forward(classifier, batch, shares)

    return sizes.speed(sizes.runner(classifier, items, BATCH), fewer, pairs=PAIRS)
