"""What fine-tuning changes: attention maps by layer, special tokens, weights (kovaleva2019, gordon2020, zhao2020)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_rescore.files import Files
from bertology_utils.scores.intervals import difference, mean_interval, row, table
from bertology_utils.scores.profiles import stretches

BASE = "bert-base-uncased"
BLOCKS = 12
LAST = (11, 12)  # the two last blocks, counted from 1 as in the files
PATTERNS = {  # what is attended to in the maps, and their names in the file
    "nouns": "attention to NOUN (max)",
    "verbs": "attention to VERB (max)",
    "pronouns": "attention to PRON (max)",
    "negation": "attention to NEG tokens (max)",
    "subjects": "attention to SUBJ tokens (max)",
    "objects": "attention to OBJ tokens (max)",
    "verb of a subject": "SUBJ-VERB attention (max)",
    "subject of a verb": "VERB-SUBJ attention (max)",
}
SPECIAL = {"[SEP]": "attention to [SEP] (max of the two)", "[CLS]": "attention to [CLS]"}


def thirds(blocks: int = BLOCKS) -> tuple[list[int], list[int]]:
    """Blocks, counted from 1, of the first and of the last third.

    Examples
    --------
    >>> thirds()
    ([1, 2, 3, 4], [9, 10, 11, 12])
    """
    inside = stretches(blocks)
    first, last = (np.flatnonzero(inside[f"the {name} third"]) + 1 for name in ("first", "last"))
    return first.tolist(), last.tolist()


def maps_change(files: Files) -> pd.DataFrame:
    """Cosine distance of a head's maps before and after, mean by block (from 1), and last third - first third."""
    frame = files.csv("head_maps_digitised.csv")
    frame = frame[frame.quantity.str.startswith("cosine of flattened attention maps")]
    heads = {block: 1 - part.value.to_numpy() for block, part in frame.groupby("layer")}
    rows = [row("change, by block", mean_interval(v), len(v), subject=BASE, block=k) for k, v in heads.items()]
    first, last = (np.concatenate([heads[k] for k in part]) for part in thirds())
    gap = difference(last, first, paired=False)
    return table([*rows, row("change, last third - first third", gap, len(first) + len(last), subject=BASE)])


def weights_move(files: Files) -> pd.DataFrame:
    """Mean over a block's six matrices of the movement in rank, as a share of the matrix's weights, by block (from 1).

    And last third - first third as a share of the mean over all blocks, by task and over all.
    """
    frame = files.csv("rank_movement_by_layer.csv")
    runs = frame.groupby(["task", "lr", "layer"]).fraction.mean().unstack("layer")  # (models, blocks)
    tasks = runs.index.get_level_values("task")
    rows = [
        row("rank movement, by block", mean_interval(runs[k], groups=tasks), len(runs), subject=BASE, block=k)
        for k in runs
    ]
    first, last = (runs[part].mean(axis=1) for part in thirds())
    relative = (last - first) / runs.mean(axis=1)
    gap = mean_interval(relative, groups=tasks, signed=True)
    name = "rank movement, last third - first third, by the mean"
    rows += [
        row(name, mean_interval(part, signed=True), len(part), subject=BASE, task=task)
        for task, part in relative.groupby(level="task")
    ]
    rows.append(row(name, gap, len(relative), subject=BASE, task="all"))
    less = mean_interval(last < first, groups=tasks)
    return table([*rows, row("share of models whose last third moves less", less, len(runs), subject=BASE, task="all")])


def before_and_after(files: Files, quantity: str) -> pd.DataFrame:
    """Heads of one quantity's maps: rows (layer, head), columns ``pretrained`` and ``tuned``.

    Raises
    ------
    ValueError
        If a head of either model is missing.
    """
    frame = files.csv("head_maps_digitised.csv")
    wide = frame[frame.quantity == quantity].pivot(index=["layer", "head"], columns="model", values="value")
    wide = wide.rename(columns={"QQP-fine-tuned": "tuned"})
    if wide.shape != (BLOCKS * 12, 2) or wide.isna().any(axis=None):
        raise ValueError(f"{quantity}: not a map of each head before and after, but {wide.shape}")
    return wide


def special_tokens(files: Files) -> pd.DataFrame:
    """Attention, tuned - pretrained, mean over the heads of the last two blocks and of all: special tokens and patterns."""
    changes = {k: (v := before_and_after(files, q)).tuned - v.pretrained for k, q in {**SPECIAL, **PATTERNS}.items()}
    rows = []
    for name, change in changes.items():
        last = change[change.index.get_level_values("layer").isin(LAST)]
        for blocks, part in (("11 and 12", last), ("all", change)):
            keys = dict(subject=BASE, token=name, block=blocks)
            gap = mean_interval(part, signed=True)
            rows.append(row("attention to one kind of token, tuned - pretrained", gap, len(part), **keys))
    both = (changes["[SEP]"] + changes["[CLS]"]).loc[list(LAST)]
    gap = mean_interval(both, signed=True)
    rows.append(row("attention to one [SEP] and [CLS], tuned - pretrained", gap, len(both), subject=BASE))
    return table(rows)


def negation_heads(files: Files) -> pd.DataFrame:
    """F1 of the ten heads that were best before tuning and of all heads, tuned - pretrained, by task tuned on."""
    frame, rows = files.csv("head_scores.csv.gz"), []
    for (model, data), part in frame[frame.model.str.startswith("bert-")].groupby(["model", "data"]):
        before = part[part.kind == "pretrained"].set_index(["layer", "head"]).f1
        best = before.nlargest(10).index
        for kind, tuned in part[part.kind != "pretrained"].groupby("kind"):
            gains = tuned.pivot(index="run", columns=["layer", "head"], values="f1") - before
            keys = dict(subject=f"{model}-uncased", data=data, tuned_on={"neg": "negation"}.get(kind, kind))
            for heads, values in (("ten best before", gains[best]), ("all", gains)):
                mean = mean_interval(values.mean(axis=1), signed=True)
                rows.append(row("F1, cue to scope, tuned - pretrained", mean, len(values), **keys, heads=heads))
    return table(rows)
