"""Single weights and units pruned: by size before tuning, by movement while tuning, and whole units after it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...claims.registry import claim
from ...compress import importance, movement, remove_units, sizes, weights
from ...finetune import Classifier, classify
from ...scores import intervals
from ...scores.intervals import Interval
from .heads import SEEN, TASKS, names
from .studied import GENERATED, LIMIT, QUICK, Study, Task, once, recipe, right

SHARES = (0.3, 0.6, 0.9)
COMPARED = 0.6  # where magnitude is set against chance
HIGH = (0.9, 0.95)  # where movement is set against magnitude
MASKED = "single weights are set to zero under a mask and stay in their matrices; whole units are cut out"


def masked_and_tuned(subject, masks: weights.Masks, task: Task, seed: int) -> Classifier:
    """The subject with masked weights, tuned; the zeros stay zeros."""
    found = classify(weights.masked(subject, masks), task.train, recipe(task.train, seed))
    return replace(found, subject=weights.permanent(found.subject))


def at_random(subject, task: Task, seed: int) -> Classifier:
    """The subject with as many weights off as `COMPARED` says, drawn at random, and tuned; the same for both claims."""

    def make() -> Classifier:
        return masked_and_tuned(subject, weights.find_masks(subject, COMPARED, "random", seed=seed), task, seed)

    return once(subject, task, seed, ("random", COMPARED), make)


@claim("siz.magnitude_pruning.gordon2020", (*TASKS, "acceptability"), n=GENERATED, limit=LIMIT, quick=QUICK)
def magnitude_pruning(subject, data, settings):
    """Accuracy lost when a share of the pretrained weights is pruned by magnitude, then the rest is tuned (gordon2020).

    The encoder's matrices are pruned together; embeddings stay. The null is as many weights at random, other ones for
    each seed. The bytes are those of a sparse file; a masked matrix saves no time.
    """
    study = Study.of(subject, data, settings, names(data))
    measures = [f"accuracy lost, {share:.0%} pruned" for share in SHARES]
    if not study.learnt:
        empty = study.nothing(*measures)
        return intervals.combine(empty, study.nothing("accuracy lost, random - magnitude", sparsity=COMPARED))
    masks = {share: weights.find_masks(subject, share) for share in SHARES}
    after = {share: _tuned_with(study, m) for share, m in masks.items()}

    drawn = study.each(lambda c, t, s: right(at_random(subject, t, s), t, settings))
    rows = [r for share, m in zip(SHARES, measures) for r in study.lost(m, after[share])]
    rows += [
        r
        for share in SHARES
        for r in study.rows("accuracy left", after[share], signed=False, share=share, way="magnitude")
    ]
    rows += study.rows("accuracy left", drawn, signed=False, share=COMPARED, way="random")
    gap = {t: after[COMPARED][t] - drawn[t] for t in drawn}
    rows += study.rows("accuracy lost, random - magnitude", gap, sparsity=COMPARED)
    rows += [study.kept_row(after[share], share=share) for share in SHARES]
    rows += [_sparse_row(subject, m, share) for share, m in masks.items()]
    return study.table(rows, MASKED)


def _tuned_with(study: Study, masks: weights.Masks) -> dict[str, np.ndarray]:
    """Scores of the subject tuned with masked weights."""
    subject, settings = study.subject, study.settings
    return study.each(lambda c, t, s: right(masked_and_tuned(subject, masks, t, s), t, settings))


def _sparse_row(subject, masks: weights.Masks, share: float) -> dict:
    """Bytes of the encoder's matrices, dense by sparse: exact."""
    pruned = [m.weight * masks[name] for name, m in weights.matrices(subject).items()]
    ratio = sum(w.numel() * 4 for w in pruned) / sizes.sparse_bytes(pruned)
    return intervals.row("bytes of linear weights, dense / sparse", Interval(ratio, ratio, ratio), 1, share=share)


@claim("siz.structured_pruning.mccarley2020", ("sentiment", "entailment"), n=GENERATED, limit=LIMIT, quick=QUICK)
def structured_pruning(subject, data, settings):
    """Movement against magnitude at high sparsity, and half of the feed-forward units taken out (mccarley2020, sanh2020).

    Both ways prune while tuning, each of the encoder's matrices on the same schedule, for as many epochs as the full model.
    Units go from the tuned models by importance on training items and nothing is tuned again; the null is as many units
    at random.
    """
    study = Study.of(subject, data, settings, names(data))
    gap, units = "accuracy, movement - magnitude", ("accuracy lost, half of the units", "accuracy lost, random units")
    if not study.learnt:
        left = study.nothing("accuracy left", share=HIGH[0], way="movement")
        return intervals.combine(study.nothing(*units), left, *(study.nothing(gap, sparsity=s) for s in HIGH))
    rows: list[dict] = []
    for sparsity in HIGH:
        found = {}
        for way in movement.WAYS:

            def call(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
                how = recipe(task.train, seed)
                return right(movement.prune_while_tuning(subject, task.train, sparsity, way, how), task, settings)  # noqa: B023

            found[way] = study.each(call)
            rows += study.rows("accuracy left", found[way], signed=False, share=sparsity, way=way)
            rows.append(study.kept_row(found[way], share=sparsity, way=way))
        rows += study.rows(
            gap, {t: found["movement"][t] - found["magnitude"][t] for t in found["movement"]}, sparsity=sparsity
        )
    return study.table(rows + _unit_rows(study, units), MASKED)


def _unit_rows(study: Study, measures: tuple[str, str]) -> list[dict]:
    """Half of the units out, by importance and at random."""
    settings = study.settings
    rows: list[dict] = []
    made: dict[tuple[str, str], Classifier] = {}
    for measure, random in zip(measures, (False, True)):

        def call(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
            known = importance.units(classifier, task.train[:SEEN], settings)
            order = importance.order(known, random=seed if random else None)  # noqa: B023
            less = replace(classifier, subject=remove_units(classifier.subject, order[: len(order) // 2]))
            made.setdefault((measure, task.name), less)  # noqa: B023
            return right(less, task, settings)

        after = study.each(call)
        rows += study.lost(measure, after)
        if not random:
            rows.append(study.kept_row(after, way="half of the units"))
    return rows + study.cost_rows(made[measures[0], study.tasks[0].name], way="half of the units")
