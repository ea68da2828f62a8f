"""Lottery tickets: subnetworks found by pruning in rounds with rewinding, and what else could have been drawn (chen2020)."""

from __future__ import annotations

import numpy as np

from ... import finetune
from ...claims.registry import claim
from ...compress import weights
from ...finetune import Classifier
from ...scores import intervals
from ...scores.choice import choose
from ...scores.profiles import UNDEFINED
from .pruning import COMPARED, MASKED, at_random, masked_and_tuned
from .studied import GENERATED, LIMIT, QUICK, Study, Task, accuracy, most_of, right

ROUNDS = (0.37, COMPARED)  # share of the weights that is off after each round: each takes as many of what is left
TARGETS = ("acceptability",)  # of generated tasks: pairs of sentences take three times as long to tune on
MEASURES = ("accuracy, winning - random", "range of transfer over tasks", "accuracy, full - bad")


def winning(subject, classifier: Classifier, task: Task, seed: int) -> weights.Masks:
    """Masks found in rounds: tune, prune the smallest of the tuned weights, rewind the rest to where pretraining left them."""
    masks, found = None, classifier
    for share in ROUNDS:
        masks = weights.find_masks(found.subject, share, within=masks)
        if share != ROUNDS[-1]:
            found = masked_and_tuned(subject, masks, task, seed)
    assert masks is not None
    return masks


@claim(
    "siz.lottery.chen2020",
    ("entailment", "sentiment", "acceptability", "paraphrase"),
    n=GENERATED,
    limit=LIMIT,
    quick=QUICK,
    beside={"sentiment": ("glue_sst2",), "acceptability": ("cola",), "paraphrase": ("mrpc_msr_paraphrase",)},
)
def lottery(subject, data, settings):
    """Winning, random and bad subnetworks of one size tuned from the pretrained weights, and their transfer (chen2020).

    Random masks leave as many weights, others for each seed; bad ones leave the smallest of the tuned weights. Transfer:
    the winning mask of the first task is used on others, against a random one there. Those on which it gains most and least
    are told on development items; their difference on test items is the range, which one other task alone has not.
    """
    first = next(iter(data.items))
    study = Study.of(subject, data, settings, (first,))
    if not study.learnt:
        return study.nothing(*MEASURES, "accuracy left", way="random")
    masks: dict[int, weights.Masks] = {}
    models: dict[tuple[str, int], Classifier] = {}

    def call(kind: str):
        def one(classifier: Classifier, task: Task, seed: int) -> np.ndarray:
            if kind == "winning":
                chosen = masks[seed] = winning(subject, classifier, task, seed)
            elif kind == "bad":
                chosen = weights.find_masks(classifier.subject, ROUNDS[-1], "smallest stay")
            drawn = kind == "random"
            models[kind, seed] = (
                at_random(subject, task, seed) if drawn else masked_and_tuned(subject, chosen, task, seed)
            )
            return right(models[kind, seed], task, settings)

        return study.each(one)

    after = {kind: call(kind) for kind in ("winning", "random", "bad")}
    rows = study.rows(MEASURES[0], {t: after["winning"][t] - after["random"][t] for t in after["winning"]})
    rows += study.lost(MEASURES[2], after["bad"]) + study.lost("accuracy, full - winning", after["winning"])
    for kind, scores in after.items():
        rows += study.rows("accuracy left", scores, signed=False, way=kind, share=ROUNDS[-1])
        rows.append(study.kept_row(scores, way=kind, share=ROUNDS[-1]))
    dev = {
        kind: np.mean([accuracy(models[kind, s], study.tasks[0], settings) for s in masks])
        for kind in ("winning", "random")
    }
    own = (float(dev["winning"] - dev["random"]), after["winning"][first] - after["random"][first])
    return study.table(rows + _transfer(subject, data, settings, masks, {first: own}), MASKED)


def _transfer(subject, data, settings, masks: dict, gains: dict[str, tuple[float, np.ndarray]]) -> list[dict]:
    """Gain over a random mask on each task, and the range over the others than the first, which dev items tell.

    Each seed carries its own mask.
    """
    for name, items in data.items.items():
        if name in gains or (data.name == "builtin" and name not in TARGETS):
            continue
        kept, _ = finetune.fitting(subject, items)
        task, dev, gain = Task.of(name, kept, settings.seed, most_of(data)), [], []
        for seed in masks:
            pair = [masked_and_tuned(subject, masks[seed], task, seed), at_random(subject, task, seed)]
            dev.append(accuracy(pair[0], task, settings) - accuracy(pair[1], task, settings))
            gain.append(right(pair[0], task, settings) - right(pair[1], task, settings))
        gains[name] = (float(np.mean(dev)), np.array(gain))
    names, by_dev = list(gains)[1:], [g for g, _ in list(gains.values())[1:]]  # the ticket's own task left out
    options = {"seed": settings.seed, "draws": settings.draws, "signed": True}
    mean = {name: intervals.seeds_by_items(values, **options) for name, (_, values) in gains.items()}
    rows = [
        intervals.row("gain of the ticket over a random one", m, gains[t][1].shape[1], target=t)
        for t, m in mean.items()
    ]
    if len(names) < 2:
        return [*rows, intervals.row(MEASURES[1], UNDEFINED, 0, task="all")]
    top = choose(by_dev)
    others = [-np.inf if k == top else -g for k, g in enumerate(by_dev)]  # of equal gains, another than the best
    best, worst = names[top], names[choose(others)]
    span = intervals.unpaired(mean[best], mean[worst])
    n = min(gains[best][1].shape[1], gains[worst][1].shape[1])
    return [*rows, intervals.row(MEASURES[1], span, n, task="all", best=best, worst=worst)]
