"""The patterns of head maps, of all heads and of those that survive pruning (Prasanna et al. 2020)."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd

from bertology_rescore.curves import estimated, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import mean_interval, row, table

FILE = "head_patterns.csv"
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


MAPS = {"raw attention": "weights", "weight-normed": "norms"}


def patterns(files: Files) -> pd.DataFrame:
    """Share of each pattern among all heads."""
    every = shares(files).xs("all heads", level="heads")
    rows = []
    for (model, kind), part in every.groupby(level=["model", "map"]):
        by_pattern = part.droplevel(["model", "map"])
        keys = dict(subject=f"bert-base-uncased, {model}", maps=MAPS[kind])
        for pattern, values in by_pattern.iterrows():
            whole = dict(keys, pattern=pattern, block="all")
            rows.append(estimated("share of maps", values, **whole))
            if pattern == "heterogeneous":
                rows += [released_row("share of maps, by task", v, **whole, task=task) for task, v in values.items()]
    return table(rows)


def heavy_lifters(files: Files) -> pd.DataFrame:
    """Share of each pattern among survivors and among all heads, and the paired difference over tasks."""
    frame = shares(files)
    rows = []
    for (model, kind, pattern), _ in frame.groupby(level=["model", "map", "pattern"]):
        every, few = (
            frame.loc[(model, heads, kind, pattern)].to_numpy(float) for heads in ("all heads", "super survivors")
        )
        keys = dict(subject=f"bert-base-uncased, {model}", maps=MAPS[kind])
        gap = mean_interval(few - every, signed=True)
        rows += [
            estimated(f"{pattern}, survivors", few, **keys),
            estimated(f"{pattern}, all heads", every, **keys),
            row(f"{pattern}, survivors - all heads", gap, len(few), **keys),
        ]
    r = _entropy_and_survival(files)
    keys = dict(subject="bert-base-uncased, fine-tuned", maps="weights")
    name = "Pearson of a head's entropy and its survival, CoLA"
    rows.append(row(name, mean_interval(r, signed=True), len(r), **keys))
    if not np.isfinite([r["value"] for r in rows]).all():
        raise ValueError(f"{FILE} lacks the share of some pattern")
    return table(rows)


def _entropy_and_survival(files: Files) -> list[float]:
    """Over the 144 heads of each run on CoLA: correlation of the entropy of their attention with being kept."""
    with np.load(BytesIO(files.bytes("masks_and_importances.npz")), allow_pickle=False) as arrays:
        runs = sorted(k.rpartition("/")[0] for k in arrays if k.endswith("/attn_entropy"))
        return [
            float(np.corrcoef(arrays[f"{run}/attn_entropy"].ravel(), arrays[f"{run}/head_mask"].ravel())[0, 1])
            for run in runs
        ]
