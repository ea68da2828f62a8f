"""The patterns of head maps, of all heads and of those that survive pruning (Prasanna et al. 2020)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_utils.released import released
from bertology_utils.released.files import Files
from bertology_utils.scores.intervals import mean_interval, row, table

FOLDER, FILE = "released/prasanna2020_lottery", "head_patterns.csv"
# The two classifiers of the release name the same five patterns in two ways.
PATTERNS = {
    "block": "block",
    "diagonal": "diagonal",
    "mix": "vertical + diagonal",
    "other": "heterogeneous",
    "vertical": "vertical",
    "vertical + diagonal": "vertical + diagonal",
    "heterogeneous": "heterogeneous",
}


def shares(files: Files) -> pd.DataFrame:
    """Share of heads by model, heads (all / super survivors), map, pattern (rows) and task (columns)."""
    frame = files.csv(FILE)
    frame["pattern"] = frame.pattern.str.lower().map(PATTERNS)
    if frame.pattern.isna().any():
        raise ValueError(f"{FILE} names a pattern that is none of {sorted(PATTERNS)}")
    return frame.pivot(index=["model", "heads", "map", "pattern"], columns="task", values="share")


@released(
    "hed.patterns.kovaleva2019",
    study="prasanna2020",
    label="rerun",
    stance="qualifies",
    folder=FOLDER,
    files=(FILE,),
    note="Shares of the five patterns as a later study classified them, on raw attention and on maps weighted "
    "by norms; intervals over eight GLUE tasks' inputs. Fewer than half of the heads are heterogeneous, "
    "as the survey says, but purely vertical maps are few: what dominates is mixed or diagonal.",
)
def patterns(files: Files) -> pd.DataFrame:
    """Share of each pattern among all heads."""
    rows = []
    for (model, _, kind, pattern), values in shares(files).xs("all heads", level="heads", drop_level=False).iterrows():
        rows.append(
            row(
                "share",
                mean_interval(values),
                len(values),
                subject=f"bert-base-uncased, {model}",
                map=kind,
                pattern=pattern,
            )
        )
    return table(rows)


@released(
    "hed.heavy_lifters.prasanna2020",
    study="prasanna2020",
    label="authors",
    stance="qualifies",
    folder=FOLDER,
    files=(FILE,),
    note="The authors' shares of patterns among all heads and among those that survive pruning for most tasks. "
    "Heterogeneous heads are no commoner among the survivors than among all by norms, and fewer than half "
    "of them: by norms, 'most are not interpretable' holds only if block and mixed maps are counted as "
    "uninterpretable too.",
)
def heavy_lifters(files: Files) -> pd.DataFrame:
    """Share of each pattern among survivors and among all heads, and the paired difference over tasks."""
    frame = shares(files)
    rows = []
    for (model, kind, pattern), _ in frame.groupby(level=["model", "map", "pattern"]):
        every, few = (
            frame.loc[(model, heads, kind, pattern)].to_numpy(float) for heads in ("all heads", "super survivors")
        )
        keys = dict(subject=f"bert-base-uncased, {model}", map=kind, pattern=pattern)
        rows += [
            row("share among survivors", mean_interval(few), len(few), **keys),
            row("share among all heads", mean_interval(every), len(every), **keys),
            row("survivors - all", mean_interval(few - every), len(few), **keys),
        ]
    if not np.isfinite([r["value"] for r in rows]).all():
        raise ValueError(f"{FILE} lacks the share of some pattern")
    return table(rows)
