"""Ways of tuning set against the usual one: frozen, all layers, adapters, random start, two stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...claims.registry import claim
from ...data.items import Data, ScoredPair
from ...finetune import Classifier
from ...finetune.adapters import adapters, share_trained
from ...finetune.graded import Grader, grade
from ...scores import intervals
from ...scores.intervals import mean_row
from . import tuned_runs as runs
from .tuned_runs import LIMIT, QUICK, N, afresh, all_layers, frozen, gain_row, plain, recipe, right

SIZES = (4, 32)  # units of the adapters' bottlenecks; the last is the one that is decided on
FASTER = 5.0  # times the usual rate for adapters, which start from nothing (houlsby2019 take a hundred)


@claim("trn.features_vs_tuning.peters2019b", runs.TASKS, n=N, limit=LIMIT, quick=QUICK)
def features_vs_tuning(subject, data, settings):
    """All weights tuned against a head over the frozen model's layers, the same texts and seeds (peters2019b)."""
    return _two_ways(subject, data, settings, "way", {"tuned": plain, "frozen": frozen}, "tuned - frozen", 1)


@claim("trn.more_layers.su2019", runs.TASKS, n=N, limit=LIMIT, quick=QUICK)
def more_layers(subject, data, settings):
    """A learnt mean of all layers under the head against the last layer alone (su2019, kondratyuk2019)."""
    ways = {"last": plain, "all": all_layers}
    return _two_ways(subject, data, settings, "layers", ways, "all layers - last layer", -1)


def _two_ways(subject, data, settings, key: str, ways: dict[str, Callable], said: str, sign: int):
    """The accuracy of two ways of tuning, by name, and how far the first leads the second (or, of sign -1, is led)."""
    of = runs.first(subject, data)
    found = {name: right(partial(way, subject, of), of.held, settings) for name, way in ways.items()}
    named: list[dict[str, Any]] = [{key: name} for name in found]
    first, second = found.values()
    rows = [
        runs.beats_majority(first, of, settings),
        gain_row(f"accuracy, {said}", sign * (first - second), settings, task=of.name),
        *(mean_row("accuracy", s, settings, task=of.name, **keys) for keys, s in zip(named, found.values())),
    ]
    return intervals.table(rows, runs.notes(of))


@claim("trn.pretraining_benefit.kovaleva2019", runs.TASKS, n=N, limit=LIMIT, quick=QUICK)
def pretraining_benefit(subject, data, settings):
    """Pretrained and tuned, random and tuned, pretrained and frozen, the same texts and seeds (kovaleva2019)."""
    start = subject.twin(settings.seed + 1)  # of the untrained twin too, another draw
    of = runs.first(subject, data)
    arms = {"pretrained, tuned": (plain, subject), "random, tuned": (afresh, start)}
    arms["pretrained, frozen"] = (frozen, subject)
    scores = {name: right(partial(way, s, of), of.held, settings) for name, (way, s) in arms.items()}
    tuned, random, fixed = scores.values()
    rows = [
        runs.beats_majority(tuned, of, settings),
        gain_row("accuracy, pretrained tuned - random tuned", tuned - random, settings, task=of.name),
        gain_row("accuracy, random tuned - pretrained frozen", random - fixed, settings, task=of.name),
        *(mean_row("accuracy", found, settings, task=of.name, start=name) for name, found in scores.items()),
    ]
    return intervals.table(rows, runs.notes(of))


@claim("trn.adapters.houlsby2019", runs.TASKS, n=N, limit=LIMIT, quick=QUICK)
def small_adapters(subject, data, settings):
    """Adapters of a few percent of the parameters against full tuning, and a frozen model as the floor (houlsby2019).

    The share of parameters counts adapters and norms, not the head, which all have.
    """
    of = runs.first(subject, data)
    full, fixed = (right(partial(way, subject, of), of.held, settings) for way in (plain, frozen))
    rows = [
        runs.beats_majority(full, of, settings),
        gain_row("accuracy, full - frozen", full - fixed, settings, task=of.name),
        mean_row("accuracy by size", full, settings, task=of.name, share=1.0),
        mean_row("accuracy by size", fixed, settings, task=of.name, share=0.0),
    ]
    for size in SIZES:
        small = right(partial(adapted, subject, of, size), of.held, settings)
        share = share_trained(subject, size)
        rows.append(mean_row("accuracy by size", small, settings, task=of.name, share=round(share, 4), size=size))
    exact = intervals.Interval(share, share, share)
    rows += [
        gain_row("accuracy, full - adapters", full - small, settings, task=of.name),
        intervals.row("share of parameters trained", exact, 1, task=of.name),
    ]
    return intervals.table(rows, runs.notes(of))


def adapted(subject, of, size: int, seed: int):
    how = recipe(subject, of.train, seed)
    return runs.learn(subject, of, replace(how, rate=FASTER * (how.rate or 0)), way=adapters(size, seed))


@claim(
    "trn.two_stage.phang2019",
    ("entailment", "paraphrase", "sts"),
    n=N,
    limit=LIMIT,
    quick=QUICK,
    beside={"entailment": ("glue_rte_wnli",), "paraphrase": ("mrpc_msr_paraphrase",)},
)
def two_stages(subject, data, settings):
    """A small entailment task after paraphrases (or graded pairs) and without them (phang2019).

    Each seed has an intermediate model of its own; the head of the first stage is thrown away, after it has been scored on
    held-out items of its task.
    """
    target = runs.task(subject, data, "entailment").few()
    leads: list[np.ndarray] = []

    def staged(seed: int):
        first = intermediate(subject, data, seed, settings.n or runs.LIMIT)  # a quick try's first stage is quick too
        leads.append(over_usual(first, subject, data, settings))
        return runs.learn(first.subject, target, recipe(subject, target.train, seed))

    one, two = (right(made, target.held, settings) for made in (partial(afresh, subject, target), staged))
    rows = [
        *(runs.beats_majority(s, target, settings, stages=k) for k, s in ((1, one), (2, two))),
        gain_row("accuracy over majority, first stage", np.array(leads), settings, task=_first(data)),
        gain_row("accuracy, two stages - one", two - one, settings, task=target.name),
        *(mean_row("accuracy", s, settings, task=target.name, stages=k) for k, s in ((1, one), (2, two))),
    ]
    return intervals.table(rows, [*runs.notes(target), f"first stage: {_first(data)}"])


def _first(data: Data) -> str:
    """The intermediate task: a source's own comes before what is taken from others."""
    return next(task for task in data.items if task in ("paraphrase", "sts"))


def intermediate(subject, data, seed: int, most: int = runs.LIMIT) -> Classifier | Grader:
    """A first stage: the subject tuned on paraphrases or graded pairs, at most so many of them."""
    if _first(data) == "paraphrase":
        return afresh(subject, runs.task(subject, data, "paraphrase").few(most), seed)
    pairs = _graded(data, "train")[:most]
    return grade(subject, pairs, recipe(subject, pairs, seed))


def over_usual(first: Classifier | Grader, subject, data, settings) -> np.ndarray:
    """What a first stage has right, less what always giving the commonest answer has, by held-out item: (n,) of -1, 0 and 1.

    Of graded pairs it is asked on which side of the mean grade of training a pair lies.
    """
    if isinstance(first, Classifier):
        of = runs.task(subject, data, "paraphrase")
        return first.right(of.held, settings) - of.usual()
    held = _graded(data, "test", "dev")[: runs.SCORED]
    high = np.array([i.score > first.mean for i in held])
    right_side = (first.score(held, settings) > first.mean) == high
    return right_side.astype(float) - (high == (2 * high.mean() > 1))


def _graded(data: Data, *splits: str) -> list[ScoredPair]:
    return [i for split in splits for i in data["sts"] if i.split == split and i.condition in ("en", "events")]
