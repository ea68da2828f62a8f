"""Depth: base against large, and the layers that lower a probe's score (Tenney et al. 2019a), computed again."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from bertology_utils.released import released
from bertology_utils.released.edge_probing import FOLDER
from bertology_utils.released.files import Files
from bertology_utils.released.pipeline import (
    BY_SIZE,
    CUMULATIVE,
    LARGE,
    NOTEBOOK,
    SCORES,
    cumulative_draws,
    cumulative_scores,
    profiles,
)
from bertology_utils.scores.counts import negative_steps, only, percentiles, profile_correlation
from bertology_utils.scores.cumulative import expected, expected_depth, mean_of
from bertology_utils.scores.intervals import mean_interval, row, table
from bertology_utils.scores.profiles import interval

PAIR = "bert-base-uncased and bert-large-uncased"  # what a difference of the two is a figure of


def profile_rows(base: Mapping[str, np.ndarray], large: Mapping[str, np.ndarray]) -> list[dict]:
    """Correlation of two models' profiles over relative depth, by task and on average; its interval is over tasks."""
    found = {task: profile_correlation(base[task], large[task]) for task in base}
    rows = [row("profile correlation", only(v), 0, subject=PAIR, task=t) for t, v in found.items()]
    mean = mean_interval(list(found.values()))
    return [*rows, row("mean profile correlation", mean, len(found), subject=PAIR, task="all")]


@released(
    "lay.base_vs_large.tenney2019a",
    stance="supports",
    study="tenney2019a",
    label="authors",
    folder=FOLDER,
    files=(CUMULATIVE, BY_SIZE),
    note="Cumulative scores of both sizes (large with decision counts; base with the half-widths of large, whose items "
    "it shares): expected layers as shares of depth, and in layers. The correlations of the stretched profiles are high, "
    "but cumulative curves rise in any model.",
)
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
    rows.append(row("expected layer, deep - shallow", interval(*mean_of(moved)), n, subject=PAIR, task="all"))
    rows.append(row("least gain over embeddings", min(gains, key=lambda g: g[1]), n, subject=PAIR, task="all"))
    curves = ({t: p.value for t, p in side.items()} for side in (base, large))
    return table(rows + profile_rows(*curves))


@released(
    "siz.layers_drop.tenney2019a",
    stance="qualifies",
    files=(CUMULATIVE,),
    **NOTEBOOK,
    note="Cumulative development scores of BERT-large with decision counts: every one of the eight tasks loses "
    "score at some added layer, more than the survey's five; few of the steps are larger than their "
    "interval.",
)
def layer_drops(files: Files) -> pd.DataFrame:
    """Negative steps by task, the largest drop with its interval, and the share of tasks that have one."""
    rows, any_step, sure_step = [], [], []
    for task, (score, draws) in cumulative_draws(files).items():
        steps, drawn = np.diff(score), np.diff(draws, axis=1)
        worst = int(steps.argmin())
        high = np.percentile(drawn, 97.5, axis=0)
        any_step.append(bool((steps < 0).any()))
        sure_step.append(bool((high < 0).any()))
        rows.append(row("negative steps", only(negative_steps(score)), len(steps), subject=LARGE, task=task))
        rows.append(
            row(
                f"largest drop (at layer {worst + 1})",
                percentiles(steps[worst], drawn[:, worst]),
                0,
                subject=LARGE,
                task=task,
            )
        )
    rows.append(
        row("share of tasks with a negative step", mean_interval(any_step), len(any_step), subject=LARGE, task="all")
    )
    rows.append(
        row(
            "share of tasks with a step whose interval is below 0",
            mean_interval(sure_step),
            len(sure_step),
            subject=LARGE,
            task="all",
        )
    )
    return table(rows)


@released(
    "siz.layers_drop.tenney2019a",
    stance="qualifies",
    **SCORES,
    note="The same table for both sizes, without counts: every task has a negative step in base and in large, "
    "against the survey's five of eight.",
)
def layer_drops_both_sizes(files: Files) -> pd.DataFrame:
    """Negative steps by task and size, and the share of tasks that have one."""
    rows = []
    for subject, tasks in cumulative_scores(files).items():
        counts = {task: negative_steps(s) for task, s in tasks.items()}
        rows += [row("negative steps", only(c), 0, subject=subject, task=t) for t, c in counts.items()]
        rows.append(
            row(
                "share of tasks with a negative step",
                mean_interval([c > 0 for c in counts.values()]),
                len(counts),
                subject=subject,
                task="all",
            )
        )
    return table(rows)
