"""How many heads go, how many layers do with one, and whether some part does harm (michel2019, kovaleva2019)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...claims.registry import claim
from ...compress import importance, parts, remove_heads
from ...finetune import Classifier
from ...scores import intervals
from ...scores.choice import choose
from ...scores.intervals import Interval
from .studied import GENERATED, LIMIT, QUICK, Study, Task, right

TASKS = ("sentiment", "paraphrase", "entailment")
OWN = ("entailment",)  # of the generated tasks, the one that a small model learns from some hundred items
SEEN = 200  # training items that importance is read from
LITTLE = 0.02  # accuracy that a layer may lose with one head: the smallest effect of interest
HEAD_MEASURES = (
    "accuracy lost, half the heads by importance",
    "accuracy lost, all heads",
    "accuracy lost, random - by importance",
    "share of layers that do with one head",
)


def names(data) -> Sequence[str]:
    """The tasks that are tuned on: of generated data those of `OWN`, else all."""
    return OWN if data.name == "builtin" else ()


def without(classifier: Classifier, heads) -> Classifier:
    """The classifier with heads really taken out."""
    return replace(classifier, subject=remove_heads(classifier.subject, heads))


@claim("siz.head_pruning.michel2019", TASKS, n=GENERATED, limit=LIMIT, quick=QUICK)
def head_pruning(subject, data, settings):
    """Accuracy with a share of the heads removed, by importance and at random, and with one head in a layer (michel2019).

    Importance is the derivative by a gate on each head, on training items. Heads are cut out of the weights; nothing is
    tuned again. Random is the mean of two orders, the same for all seeds. A layer does with one head, the most important, where
    less than two points are lost; the interval reaches from the layers that surely do to those that may.
    """
    study = Study.of(subject, data, settings, names(data))
    if not study.learnt:
        return study.nothing(*HEAD_MEASURES)
    ranks = {
        t.name: [importance.heads(c, t.train[:SEEN], settings) for c in study.classifiers[t.name]] for t in study.tasks
    }
    first = settings.seed

    def after(share: float, random: int | None = None):
        def call(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
            order = importance.order(ranks[task.name][seed - first], random=random)
            return right(without(classifier, order[: round(share * len(order))]), task, settings)

        return study.each(call)

    chosen = {share: after(share) for share in (0.25, 0.5, 0.75, 1.0)}
    several = {share: [after(share, random=k) for k in (1, 2)] for share in (0.25, 0.5, 0.75)}
    drawn = {share: {t: np.mean([s[t] for s in of], 0) for t in of[0]} for share, of in several.items()}
    rows = [
        r
        for share, s in chosen.items()
        for r in study.rows("accuracy left", s, signed=False, share=share, way="importance")
    ]
    rows += [
        r for share, s in drawn.items() for r in study.rows("accuracy left", s, signed=False, share=share, way="random")
    ]
    rows += study.lost(HEAD_MEASURES[0], chosen[0.5]) + study.lost(HEAD_MEASURES[1], chosen[1.0])
    rows += study.rows(HEAD_MEASURES[2], {t: chosen[0.5][t] - drawn[0.5][t] for t in chosen[0.5]})
    rows += _single(study, ranks)
    half = importance.order(ranks[study.tasks[0].name][0])
    small = without(study.classifiers[study.tasks[0].name][0], half[: len(half) // 2])
    rows += [study.kept_row(chosen[0.5], way="half the heads"), *study.cost_rows(small, way="half the heads")]
    return study.table(rows)


def _single(study: Study, ranks: dict) -> list[dict]:
    """Loss of each layer with its most important head alone, and the share of the layers that lose little."""
    settings, first = study.settings, study.settings.seed

    def call(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
        best = ranks[task.name][seed - first].argmax(1)
        return parts.right(classifier, task.test, parts.all_but(classifier.subject, best), settings)

    after = study.each(call)  # (S, L, n)
    lost = np.concatenate([study.right[t][:, None] - after[t] for t in after], 2)  # (S, L, n)
    n_layers, n = lost.shape[1:]
    means = [study.mean({"all": lost[:, layer]}) for layer in range(n_layers)]
    rows = [intervals.row(HEAD_MEASURES[3], share_below(means, LITTLE), n, task="all")]
    for layer, mean in enumerate(means):
        rows.append(intervals.row("accuracy lost, one head in the layer", mean, n, layer=layer, task="all"))
    return rows


def share_below(figures: Sequence[Interval], limit: float) -> Interval:
    """Share of figures below a limit; from those that are by their whole intervals to those that may be.

    A bootstrap of the share itself would be too sure: it hardly moves where many figures are near zero alike.

    Examples
    --------
    >>> share_below([Interval(0.0, -0.01, 0.01), Interval(0.01, -0.1, 0.1), Interval(0.2, 0.1, 0.3)], 0.02)
    (0.6666666666666666, 0.3333333333333333, 0.6666666666666666)
    """
    table: np.ndarray = np.array(figures)  # (k, 3): value, low, high
    value, most, least = (table < limit).mean(0)
    return Interval(float(value), float(least), float(most))


@claim("siz.harmful_parts.kovaleva2019", TASKS, n=GENERATED, limit=LIMIT, quick=QUICK)
def harmful_parts(subject, data, settings):
    """Gain on test items of the head or layer whose loss gains most on development items (kovaleva2019).

    Each head and each layer is switched off in turn. The best of so many always seems to gain on the items that it was
    chosen by; that figure stands beside the one on items that took no part in the choice. Each seed chooses for itself.
    """
    study = Study.of(subject, data, settings, names(data))
    measure = "gain on test of the part chosen on dev"
    if not study.learnt:
        return study.nothing(measure)
    parts_, chosen, seeming = parts.every_part(subject), [], []

    def call(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
        dev = parts.right(classifier, task.choice, parts_, settings).mean(1)
        best = int(choose(dev))
        chosen.append(parts_[best])
        seeming.append(dev[best] - classifier.right(task.choice, settings).mean())
        return parts.right(classifier, task.test, [parts_[best]], settings)[0].astype(float)

    after = study.each(call)
    rows = study.rows(measure, {t: after[t] - study.right[t] for t in after})
    seen = "gain on dev of the part chosen there"
    rows.append(intervals.mean_row(seen, seeming, settings, signed=True, task="all"))
    return study.table(rows, "chosen, seed by seed: " + "; ".join(map(str, chosen)))
