"""Depth: base against large, and the layers that lower a probe's score (Tenney et al. 2019a), computed again."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bertology_rescore.curves import estimated, released_row
from bertology_rescore.files import Files
from bertology_rescore.pipeline import (
    profiles,
)
from bertology_utils.scores.counts import negative_steps, profile_correlation
from bertology_utils.scores.cumulative import expected, expected_depth, largest_drop, mean_of
from bertology_utils.scores.intervals import mean_interval, row, table
from bertology_utils.scores.profiles import interval

PAIR = "bert-base-uncased and bert-large-uncased"  # what a difference of the two is a figure of


def profile_rows(base: Mapping[str, np.ndarray], large: Mapping[str, np.ndarray]) -> list[dict]:
    """Correlation of two models' profiles over relative depth, by task and on average; its interval is over tasks."""
    found = {task: profile_correlation(base[task], large[task]) for task in base}
    rows = [released_row("profile correlation", v, subject=PAIR, task=t) for t, v in found.items()]
    mean = mean_interval(list(found.values()))
    return [*rows, row("mean profile correlation", mean, len(found), subject=PAIR, task="all")]


def base_against_large(files: Files) -> pd.DataFrame:
    """Expected layer of large less that of base, as a share of depth by task, and in layers on average."""
    base, large = profiles(files).values()
    rows, moved, gains = [], [], []
    for task in base:
        a, b = base[task], large[task]
        (va, da), (vb, db) = expected_depth(a), expected_depth(b)
        rows.append(row("expected depth, deep - shallow", interval(vb - va, db - da), a.n, subject=PAIR, task=task))
        (va, da), (vb, db) = expected(a), expected(b)
        moved.append((vb - va, db - da))
        gains += [a.lead(a.depth, 0), b.lead(b.depth, 0)]
    n = sum(p.n for p in base.values())
    mean = mean_of(moved)
    assert mean is not None  # there are tasks
    rows.append(row("expected layer, deep - shallow", interval(*mean), n, subject=PAIR, task="all"))
    rows.append(row("least gain over embeddings", min(gains, key=lambda g: g[1]), n, subject=PAIR, task="all"))
    curves = ({t: p.value for t, p in side.items()} for side in (base, large))
    return table(rows + profile_rows(*curves))


def layer_drops(files: Files) -> pd.DataFrame:
    """Largest drop by task, negative steps, what the last layer does, and the share of tasks that it lowers."""
    rows = []
    for subject, tasks in profiles(files).items():
        lowered: dict[str, list[bool]] = {"negative step": [], "last layer that lowers them": []}
        for task, p in tasks.items():
            keys = dict(subject=subject, task=task)
            steps, last = np.diff(p.value), p.lead(p.depth, p.depth - 1)
            drop = row("largest drop of one layer", largest_drop(p), p.n, **keys, layer=int(steps.argmin()) + 1)
            rows += [drop, row("step of the last layer", last, p.n, **keys)]
            rows.append(released_row("negative steps", negative_steps(p.value), len(steps), **keys))
            lowered["negative step"].append(bool((steps < 0).any()))
            lowered["last layer that lowers them"].append(bool(steps[-1] < 0))
        rows += [
            estimated(f"share of tasks with a {what}", said, subject=subject, task="all")
            for what, said in lowered.items()
        ]
    return table(rows)
