"""Layers dropped, before tuning and after it (kao2020, fan2019)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...claims.registry import claim
from ...compress import drop_layers, dropped
from ...finetune import Classifier, classify
from ...scores.choice import choose
from .heads import names
from .studied import GENERATED, LIMIT, QUICK, Study, Task, accuracy, recipe, right

WAYS = ("top", "bottom", "alternate")
MEASURES = (
    "accuracy lost, a third of the layers",
    "accuracy lost, all layers but one",
    "accuracy lost, were all layers equal - a third of them",
)


def third(n_layers: int) -> int:
    """How many layers are a third of them.

    Examples
    --------
    >>> third(8), third(12)
    (3, 4)
    """
    return round(n_layers / 3)


@claim("siz.layer_redundancy.kao2020", ("sentiment", "entailment"), n=GENERATED, limit=LIMIT, quick=QUICK)
def layer_redundancy(subject, data, settings):
    """Accuracy lost with a third of the layers dropped and the rest tuned, and with one layer left (kao2020, fan2019).

    Top, bottom or alternate layers go; which of the three is chosen on development items, by the first seed. `dropped
    after tuning` takes the same layers from the tuned models and tunes nothing again. Nulls are a third of the layers
    taken at random, another third for each seed, and layers that all do as much: of what all but one cost, a third of
    them would cost their share.
    """
    study = Study.of(subject, data, settings, names(data))
    if not study.learnt:
        return study.nothing(*MEASURES)
    n, first, task = third(subject.n_layers), settings.seed, study.tasks[0]
    trial = {way: _retuned(subject, dropped(subject.n_layers, n, way), task, first) for way in WAYS}
    way = WAYS[choose([accuracy(c, task, settings) for c in trial.values()])]
    gone, kept = dropped(subject.n_layers, n, way), {}

    def before(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
        kept[seed] = trial[way] if seed == first else _retuned(subject, gone, task, seed)
        return right(kept[seed], task, settings)

    def after(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
        return right(replace(classifier, subject=drop_layers(classifier.subject, gone)), task, settings)

    def random(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
        drawn = np.random.default_rng(seed).permutation(subject.n_layers)[:n]
        return right(_retuned(subject, drawn, task, seed), task, settings)

    def single(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
        return right(_retuned(subject, range(1, subject.n_layers), task, seed), task, settings)

    shallow, one = study.each(before), study.each(single)
    rows = study.lost(MEASURES[0], shallow) + study.lost(MEASURES[1], one)
    share, whole = n / (subject.n_layers - 1), study.right
    rows += study.rows(MEASURES[2], {t: share * (whole[t] - one[t]) - (whole[t] - shallow[t]) for t in whole})
    rows += study.lost("accuracy lost, a third of the layers dropped after tuning", study.each(after))
    rows += study.lost("accuracy lost, a third of the layers at random", study.each(random))
    rows += [study.kept_row(shallow, way=way), *study.cost_rows(kept[first], way=way)]
    return study.table(rows, f"chosen on development items: the {way} layers go, {', '.join(map(str, gone))}")


def _retuned(subject, gone, task: Task, seed: int) -> Classifier:
    return classify(drop_layers(subject, gone), task.train, recipe(task.train, seed))
