"""The classical pipeline in the layers, and how far meaning is spread over them (tenney2019a)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...scores import intervals
from ...scores.cumulative import (
    Figure,
    above_third,
    expected_depth,
    gain,
    high_less_low,
    in_order,
    kl_of_gains,
    mean_of,
)
from ...scores.profiles import UNDEFINED, interval
from . import plants, tasks
from .fits import SHARED, measured
from .mixing import MIXED, Mixed, depth_rows, kl_figure, mixed, task_rows

SOURCES = ("treebank", "mentions")
STAGES = tasks.PIPELINE[: tasks.STAGES]
PARTS = {"syntactic": tasks.SYNTACTIC, "semantic": ("entities", "roles", "coreference", "proto-roles")}


def of_profile(figure: Callable) -> Callable[[Mixed], Figure]:
    """A figure of a task from one of its cumulative profile."""
    return lambda found: figure(found.profile)


def _fewest(figures: list[Mixed]) -> int | None:
    """The number of clusters of the task that has fewest."""
    return min((f.profile.clusters for f in figures if f.profile.clusters is not None), default=None)


def part_row(measure: str, found: dict[str, Mixed], names: tuple[str, ...], figure: Callable, **keys) -> dict:
    """A figure's mean over those of some tasks that are there and have it; undefined where none has."""
    there = [found[n] for n in names if n in found]
    mean, clusters = mean_of([figure(f) for f in there]), _fewest(there)
    span = UNDEFINED if mean is None else interval(*mean, clusters=clusters)
    return intervals.row(measure, span, sum(f.profile.n for f in there), **keys)


def gap_row(measure: str, found: dict[str, Mixed], figure: Callable, *, first: str, second: str, **keys) -> dict:
    """A figure's mean over the tasks of one kind less that of another; undefined where a kind is missing."""
    kinds = [[found[n] for n in PARTS[name] if n in found] for name in (first, second)]
    means, every = [mean_of([figure(f) for f in kind]) for kind in kinds], [f for kind in kinds for f in kind]
    gap = UNDEFINED
    first_mean, second_mean = means
    if first_mean is not None and second_mean is not None:
        (a, drawn_a), (b, drawn_b) = first_mean, second_mean
        gap = interval(a - b, drawn_a - drawn_b, clusters=_fewest(every))
    return intervals.row(measure, gap, sum(f.profile.n for f in every), **keys)


@claim(
    "lay.pipeline.tenney2019a",
    SOURCES,
    n=1600,
    limit=8000,
    planted=plants.stages_in_order,
    nulls=(*VECTORS, plants.AT_ONCE),
)
def pipeline(subject, data, settings):
    """Expected layer and centre of gravity of each stage, and whether they come in the pipeline's order (tenney2019a).

    Linear probes on a learnt mixture of layers 0..l, for each l: the expected layer is the mean layer weighted by what
    each adds. Stages whose full mixture does not beat the embeddings by an interval have none and are left out of
    the order.
    """
    got = measured(subject, tasks.available(data, only=STAGES), settings, mixed, most=MIXED)
    found = {task: f for task, (f, _) in got.items()}
    rows = [row for task, f in found.items() for row in task_rows(task, f, settings) + depth_rows(task, f, settings)]
    rows.append(part_row("gain over embeddings", found, STAGES, of_profile(gain), task="all"))
    for kind, names in PARTS.items():
        rows.append(part_row("gain over embeddings", found, names, of_profile(gain), task=kind))
    kinds = {"first": "semantic", "second": "syntactic", "task": "all"}
    rows.append(gap_row("expected depth, semantic - syntactic", found, of_profile(expected_depth), **kinds))
    rows += order_rows(found)
    known = [t for t, f in found.items() if not np.isnan(expected_depth(f.profile)[0])]
    without = ", ".join(t for t in found if t not in known)
    gains = f"no gain over the embeddings, so no expected layer: {without}" if without else ""
    return intervals.table(rows, [tasks.note(data, found), SHARED, gains, *(said for _, said in got.values())])


def order_rows(found: dict[str, Mixed]) -> list[dict]:
    """Share of the pairs of stages that come in the pipeline's order, by either figure; n counts pairs."""
    figures = [f for f in (expected_depth(x.profile) for x in found.values()) if not np.isnan(f[0])]
    share, n = in_order(figures) if len(figures) > 2 else (UNDEFINED, 0)
    rows = [intervals.row("pairs in order by expected layer", share, n, task="all")]
    if len(found) > 2:
        centres = [np.array([f.mixture.centre_of_gravity for f in x.fits]) for x in found.values()]
        share, n = in_order([(c.mean(), c) for c in centres])
        rows.append(intervals.row("pairs in order by centre of gravity", share, n, task="all"))
    return rows


@claim(
    "lay.semantics_spread.tenney2019a",
    tasks=SOURCES,
    n=1600,
    limit=8000,
    planted=plants.meaning_spread,
    plantable=("weights", "gains"),  # a mixture of all layers hardly uses labels that a single high one has
    nulls=("untrained", "layer 0", "bag of words", "positions", plants.AT_ONCE),
)
def semantics_spread(subject, data, settings):
    """How even mixing weights and gains are for syntactic and for semantic tasks, and where hard examples turn right.

    Both divergences are tenney2019a's: K(s) of the mixing weights, K(delta) of what each layer adds. `gain above the
    lowest third` counts examples that turn right only there (less those that turn wrong); `gain, high - low` is that
    less what the lowest third adds. `turning layer` is the lowest layer from which on the cumulative probe's answer
    stays, for examples that the embeddings get wrong.
    """
    got = measured(subject, tasks.available(data), settings, mixed, most=MIXED)
    found = {task: f for task, (f, _) in got.items() if task != "relations"}
    rows = [row for task, f in found.items() for row in task_rows(task, f, settings)]
    kinds = {"first": "syntactic", "second": "semantic", "task": "all"}
    rows.append(gap_row("KL of mixing weights, syntactic - semantic", found, lambda f: kl_figure(f, settings), **kinds))
    rows.append(gap_row("KL of gains, syntactic - semantic", found, of_profile(kl_of_gains), **kinds))
    for kind, names in PARTS.items():
        rows.append(part_row("gain over embeddings", found, names, of_profile(gain), task=kind))
    for measure, figure in (("gain, high - low", high_less_low), ("gain above the lowest third", above_third)):
        rows.append(part_row(measure, found, PARTS["semantic"], of_profile(figure), task="semantic"))
    for task, f in found.items():
        if f.hard.any():
            turning = np.mean([x.settled for x in f.fits], 0)[f.hard]
            of = {"groups": f.groups[f.hard], "task": task}
            rows.append(intervals.mean_row("turning layer of hard examples", turning, settings, **of))
    return intervals.table(rows, [tasks.note(data, found), SHARED, *(said for _, said in got.values())])
