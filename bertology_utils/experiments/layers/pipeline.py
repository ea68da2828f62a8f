"""The classical pipeline in the layers, and how far meaning is spread over them (tenney2019a)."""

from __future__ import annotations

import numpy as np

from ...claims.registry import claim
from ...scores import intervals
from ...scores.profiles import UNDEFINED, interval
from ...settings import Settings
from . import tasks
from .fits import SHARED, measured
from .mixing import MIXED, Figure, Mixed, depth_rows, in_order, kl_figure, mean_figure, mixed, task_rows

SOURCES = ("treebank", "propositions", "mentions", "chunks", "semantic_roles", "proto_roles")
STAGES = tasks.PIPELINE[: tasks.STAGES]
PARTS = {"syntactic": tasks.SYNTACTIC, "semantic": ("entities", "roles", "coreference", "proto-roles")}


def joined(found: dict[str, Mixed], names: tuple[str, ...], figure) -> Figure | None:
    """The mean of a figure over those of some tasks that are there and have it; None where none has."""
    figures = [figure(found[n]) for n in names if n in found]
    known = [f for f in figures if not np.isnan(f[0])]
    return mean_figure(known) if known else None


def part_row(measure: str, found: dict[str, Mixed], names: tuple[str, ...], figure, **keys) -> dict:
    """A figure's mean over some tasks."""
    mean, there = joined(found, names, figure), [found[n].profile for n in names if n in found]
    n, clusters = sum(p.n for p in there), min((p.clusters for p in there), default=None)
    return intervals.row(measure, UNDEFINED if mean is None else interval(*mean, clusters=clusters), n, **keys)


def gap_row(measure: str, found: dict[str, Mixed], figure, *, first: str, second: str, **keys) -> dict:
    """A figure's mean over the tasks of one kind less that of another; undefined where a kind is missing."""
    means = [joined(found, PARTS[name], figure) for name in (first, second)]
    there = [found[n].profile for name in (first, second) for n in PARTS[name] if n in found]
    gap = UNDEFINED
    if None not in means:
        (a, drawn_a), (b, drawn_b) = means
        gap = interval(a - b, drawn_a - drawn_b, clusters=min(p.clusters for p in there))
    return intervals.row(measure, gap, sum(p.n for p in there), **keys)


@claim(
    "lay.pipeline.tenney2019a",
    tasks=SOURCES,
    n=2400,
    limit=8000,
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
    rows.append(part_row("gain over embeddings", found, STAGES, lambda f: f.gains, task="all"))
    for kind, names in PARTS.items():
        rows.append(part_row("gain over embeddings", found, names, lambda f: f.gains, task=kind))
    rows.append(
        gap_row("expected depth, semantic - syntactic", found, relative, first="semantic", second="syntactic", task="all")
    )
    rows += order_rows(found)
    known = [t for t, f in found.items() if not np.isnan(relative(f)[0])]
    without = ", ".join(t for t in found if t not in known)
    gains = f"no gain over the embeddings, so no expected layer: {without}" if without else ""
    return intervals.table(rows, [tasks.note(data, found), SHARED, gains, *(said for _, said in got.values())])


def relative(found: Mixed) -> Figure:
    """Expected layer as a share of depth."""
    value, drawn = found.profile.expected()
    return value / found.profile.depth, drawn / found.profile.depth


def order_rows(found: dict[str, Mixed]) -> list[dict]:
    """Share of the pairs of stages that come in the pipeline's order, by either figure; n counts pairs."""
    known = {t: f for t, f in found.items() if not np.isnan(relative(f)[0])}
    centres = {t: np.array([x.mixture.centre_of_gravity for x in f.fits]) for t, f in found.items()}
    expected, n = [relative(f) for f in known.values()], 0
    share = UNDEFINED
    if len(known) > 2:
        value, drawn, n = in_order(*zip(*expected))
        share = interval(value, drawn)
    rows = [intervals.row("pairs in order by expected layer", share, n, task="all")]
    if len(found) > 2:
        value, _, n = in_order([c.mean() for c in centres.values()], [c for c in centres.values()])
        rows.append(intervals.row("pairs in order by centre of gravity", (value, np.nan, np.nan), n, task="all"))
    return rows


@claim(
    "lay.semantics_spread.tenney2019a",
    tasks=SOURCES,
    n=2400,
    limit=8000,
)
def semantics_spread(subject, data, settings):
    """How even mixing weights and gains are for syntactic and for semantic tasks, and where hard examples turn right.

    Both divergences are tenney2019a's: K(s) of the mixing weights, K(delta) of what each layer adds. `gain, high - low`
    is what the layers above the lowest third add less what it adds, over the semantic tasks; `turning layer` is the
    lowest layer from which on the cumulative probe's answer stays, for examples that the embeddings get wrong.
    """
    got = measured(subject, tasks.available(data), settings, mixed, most=MIXED)
    found = {task: f for task, (f, _) in got.items() if task != "relations"}
    rows = [row for task, f in found.items() for row in task_rows(task, f, settings)]
    kinds = {"first": "syntactic", "second": "semantic", "task": "all"}
    rows.append(gap_row("KL of mixing weights, syntactic - semantic", found, lambda f: kl_figure(f, settings), **kinds))
    rows.append(gap_row("KL of gains, syntactic - semantic", found, Mixed.kl_of_gains, **kinds))
    for kind, names in PARTS.items():
        rows.append(part_row("gain over embeddings", found, names, lambda f: f.gains, task=kind))
    rows.append(part_row("gain, high - low", found, PARTS["semantic"], turned, task="semantic"))
    for task, f in found.items():
        if f.hard.any():
            turning = np.mean([x.settled for x in f.fits], 0)[f.hard]
            where = intervals.mean_interval(turning, seed=settings.seed, draws=settings.draws)
            rows.append(intervals.row("turning layer of hard examples", where, f.hard.sum(), task=task))
    return intervals.table(rows, [tasks.note(data, found), SHARED, *(said for _, said in got.values())])


def turned(found: Mixed) -> Figure:
    """What the layers above the lowest third add, less what it adds."""
    value, drawn = found.low_less_high
    return -value, -drawn
