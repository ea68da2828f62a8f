"""Single weights pruned while tuning, by magnitude or by movement, and how far tuning moves them (sanh2020, gordon2020)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_rescore.counts import accuracy_difference, only
from bertology_rescore.files import Files
from bertology_rescore.glue import majority
from bertology_utils.scores.intervals import mean_interval, row, table

SUBJECT = "bert-base-uncased, fine-tuned"
ITEMS = {"MNLI": 9815, "QQP": 40430}  # development items: every released accuracy is a whole number of them


def grid(files: Files) -> pd.DataFrame:
    """Rows of the authors' grid: task, method, distilled, kept (share of the encoder's weights; 1 in full), score, right.

    Score is accuracy, or F1 on SQuAD; `right` counts the right answers where the score is an accuracy.

    Raises
    ------
    ValueError
        If an accuracy is no whole number of right answers.
    """
    frame = files.csv("details.csv")
    name = frame.setting.str.replace("\n", " ").str.lower()
    full = frame.remaining_weights_pct.isna()
    kinds = {"soft movement": "soft movement", "movement local": "movement", "magnitude local": "magnitude"}
    out = pd.DataFrame({"task": frame.task, "kept": (frame.remaining_weights_pct / 100).fillna(1.0)})
    out["method"] = "other"
    for start, method in kinds.items():
        out.loc[name.str.startswith(start), "method"] = method
    out.loc[full, "method"] = "full"
    out["distilled"] = name.str.contains("distil")
    out["score"] = frame.acc.fillna(frame.F1 / 100)
    counts = out.score * out.task.map(ITEMS)
    if not np.allclose(counts.dropna(), counts.dropna().round(), atol=0.01):
        raise ValueError("an accuracy of details.csv is no whole number of right answers")
    return out.assign(right=counts.round())


def cell(frame: pd.DataFrame, kept: float, **which) -> pd.Series:
    """The run of that task and method that keeps this share of the weights, or the largest share below it."""
    part = frame
    for column, value in which.items():
        part = part[part[column] == value]
    return part[part.kept <= kept + 0.002].sort_values("kept").iloc[-1]


def movement(files: Files) -> pd.DataFrame:
    """Movement against magnitude at a tenth and at three hundredths of the weights, and the full model over the majority."""
    frame, rows = grid(files), []
    for task, n in ITEMS.items():
        full = cell(frame, 1.0, task=task, method="full")
        common = only(majority(files)[task])
        keys = dict(subject=SUBJECT, task=task)
        over = accuracy_difference(int(full.right), round(common[0] * n), n)
        rows.append(row("accuracy over majority", over, n, **keys))
    for task in (*ITEMS, "SQuAD"):
        for kept in (0.4, 0.1, 0.031):
            for distilled in (False, True):
                rows += _against_magnitude(frame, task, kept, distilled)
    return table(rows)


def _against_magnitude(frame: pd.DataFrame, task: str, kept: float, distilled: bool) -> list[dict]:
    part = frame[(frame.task == task) & (frame.distilled == distilled)]
    base, rows = cell(part, kept, method="magnitude"), []
    for method in ("movement", "soft movement"):
        try:
            other = cell(part, base.kept, method=method)
        except IndexError:  # no run that keeps so few
            continue
        keys = dict(subject=SUBJECT, task=task, method=method, distilled=distilled, sparsity=round(1 - kept, 2))
        if task in ITEMS:
            gap = accuracy_difference(int(other.right), int(base.right), ITEMS[task])
            rows.append(row("accuracy, movement - magnitude", gap, ITEMS[task], **keys))
        else:
            rows.append(row("F1, movement - magnitude", only(other.score - base.score), 0, **keys))
    return rows


def magnitude_while_tuning(files: Files) -> pd.DataFrame:
    """Score lost against the full model by share of weights pruned by magnitude while tuning."""
    frame, rows = grid(files), []
    for task in (*ITEMS, "SQuAD"):
        full = cell(frame, 1.0, task=task, method="full")
        for kept in (0.9, 0.6, 0.4, 0.3, 0.1):
            less = cell(frame, kept, task=task, method="magnitude", distilled=False)
            keys = dict(subject=SUBJECT, task=task, sparsity=round(1 - kept, 2))
            name, lost = "F1 lost, pruned while tuning", only(full.score - less.score)
            if task in ITEMS:
                name = "accuracy lost, pruned while tuning"
                lost = accuracy_difference(int(full.right), int(less.right), ITEMS[task])
            rows.append(row(name, lost, ITEMS.get(task, 0), **keys))
    return table(rows)


def rank_movement(files: Files) -> pd.DataFrame:
    """Mean movement in the order of magnitudes, as a share of it, over all matrices and by layer; intervals over runs."""
    frame = files.csv("rank_movement_by_layer.csv")
    if not np.allclose(frame.mean_rank_movement / frame["size"], frame.fraction):
        raise ValueError("a fraction is not the movement by the size of its matrix")
    rows = []
    parts = [("all", frame), *((str(layer), part) for layer, part in frame.groupby("layer", sort=False))]
    for layer, part in parts:
        runs = part.groupby(["task", "lr"])[["mean_rank_movement", "size"]].apply(
            lambda p: float(np.average(p.mean_rank_movement / p["size"], weights=p["size"]))
        )
        found = mean_interval(runs.to_numpy(), groups=runs.index.get_level_values("task"))
        keys = dict(subject="bert-base-uncased", layer=layer)
        rows.append(row("movement in the order of magnitudes", found, len(runs), **keys))
    return table(rows)
