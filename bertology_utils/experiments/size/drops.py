"""Layers that lower a probe's score when they are added to those below (tenney2019a)."""

from __future__ import annotations

import numpy as np

from ...calibration import planted as plants
from ...calibration.gold import Seen
from ...calibration.nulls import Null
from ...calibration.planted import Part, plant
from ...claims.registry import claim
from ...data.items import Data
from ...scores import intervals
from ...scores.counts import negative_steps
from ...scores.cumulative import largest_drop
from ...scores.intervals import Interval
from ...subject.models import Subject
from ..layers import tasks
from ..layers.fits import SHARED, measured
from ..layers.mixing import MIXED, Mixed, mixed
from ..layers.plants import labels, only_at, stages_at_once

SOURCES = ("treebank", "mentions", "proto_roles", "relations")
MEASURE = "largest drop of one layer"


def unsaid_in_one_layer(data: Data, base: Subject, rng) -> Subject:
    """Labels from the first layer on; one layer says them aloud in training sentences and unsays them in all others."""
    n = base.n_layers
    said = labels(tasks.PIPELINE, strength=6.0)

    def turned(seen: Seen) -> np.ndarray:
        learnt = all(item.split == "train" for item, _ in seen.golds)
        return said.make(seen) * (1 if learnt else -1)

    low = labels(tasks.PIPELINE, layers=only_at(n, range(1, n + 1)), noise=0.8)
    parts = [plants.word_vectors(noise=0.3), low, Part(said.size, turned, only_at(n, [2 * n // 3]), 0.02)]
    return plant(base, data, rng, parts=parts)


RISING = Null("all at one layer", "all labels from one layer on: none takes anything away", stages_at_once, ("lowers",))


@claim("siz.layers_drop.tenney2019a", SOURCES, n=1600, limit=8000, planted=unsaid_in_one_layer, nulls=(RISING,))
def layers_drop(subject, data, settings):
    """Largest drop of a probe's score from layers 0..l - 1 to layers 0..l, by task (tenney2019a).

    Linear probes on a learnt mixture of layers, fitted on four parts of the training sentences. A mixture could leave a
    layer out, so that a drop is what the probe failed to learn. The interval holds for all layers at once: the largest
    of many noisy steps is none by itself. Scores are accuracies.
    """
    got = measured(subject, tasks.available(data), settings, mixed, most=MIXED)
    found = {task: f for task, (f, _) in got.items()}
    rows = [r for task, f in found.items() for r in drop_rows(task, f)]
    for what, of in (("negative step", np.min), ("last layer that lowers them", lambda steps: steps[-1])):
        lowered = sum(bool(of(np.diff(f.profile.value)) < 0) for f in found.values())
        share = intervals.proportion(lowered, len(found))
        rows.append(intervals.row(f"share of tasks with a {what}", share, len(found), task="all"))
    return intervals.table(rows, [tasks.note(data, found), SHARED, *(said for _, said in got.values())])


def drop_rows(task: str, found: Mixed) -> list[dict]:
    """A task's largest drop, what its last layer does, how many steps go down, and the curve."""
    p = found.profile
    steps = np.diff(p.value)
    down = float(negative_steps(p.value))
    return [
        intervals.row(MEASURE, largest_drop(p), p.n, task=task, layer=int(steps.argmin()) + 1),
        intervals.row("step of the last layer", p.lead(p.depth, p.depth - 1), p.n, task=task),
        intervals.row("negative steps", Interval(down, down, down), len(steps), task=task),
        *(intervals.row("cumulative accuracy", s, p.n, task=task, layer=k) for k, s in enumerate(p.scores())),
    ]
