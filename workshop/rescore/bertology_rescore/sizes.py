"""Size: scores of BERTs of several sizes per doubling of their parameters, and of ALBERT, whose layers share theirs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from bertology_rescore.files import Files
from bertology_rescore.glue import figure, readme_table, task_rows
from bertology_rescore.senteval import BASE, LARGE, TRANSFER, run_scores
from bertology_utils.probes.sentence_tasks import PROBING
from bertology_utils.scores.intervals import Interval, row, table

SIZES = {"BERT-Tiny": (2, 128), "BERT-Mini": (4, 256), "BERT-Small": (4, 512), "BERT-Medium": (8, 512)}  # turc2019
ALBERTS = {"base": (12, 768), "large": (24, 1024), "xlarge": (24, 2048), "xxlarge": (12, 4096)}  # lan2020
BERTS = {BASE: (12, 768), LARGE: (24, 1024)}
GLUE = {"SST-2": 0, "MRPC": 1, "QQP": 1, "MNLI-m": 0, "QNLI(v2)": 0, "RTE": 0}  # which of two figures is the accuracy
SHARED = {"MNLI": "MNLI", "SST": "SST-2"}  # the tables' names of a task: BERT's, ALBERT's
SQUAD = {"SQuAD1.1 dev": "SQuAD1.1", "SQuAD2.0 dev": "SQuAD2.0"}


def parameters(layers: int, width: int, *, vocabulary: int = 30522, embedding: int | None = None, shared=False) -> int:
    """Weights of a BERT (pooler included, heads of pretraining not), or with shared layers of an ALBERT.

    Examples
    --------
    >>> parameters(12, 768), parameters(24, 1024, vocabulary=30000, embedding=128, shared=True)
    (109482240, 17683968)
    """
    small = embedding or width
    words = (vocabulary + 512 + 2) * small + 2 * small
    words += 0 if embedding is None else (small + 1) * width
    layer = 12 * width**2 + 13 * width
    return words + layer * (1 if shared else layers) + width**2 + width


def slope(sizes: Mapping[str, int], scores: pd.Series) -> float:
    """Score per doubling of the parameters: least squares over the models."""
    return float(np.polyfit(np.log2([sizes[m] for m in scores.index]), scores.to_numpy(float), 1)[0])


def small_berts(files: Files) -> pd.DataFrame:
    """Accuracy per doubling of parameters, over tasks and by task."""
    frame = readme_table(files, "README_md_01.csv").loc[list(SIZES)]
    sizes = {m: parameters(*s) for m, s in SIZES.items()}
    scores = pd.DataFrame({task: frame[task].map(lambda c, k=k: figure(c, k)) for task, k in GLUE.items()})
    keys: dict[str, Any] = dict(subject="bert-tiny to bert-medium")
    rows = task_rows("score per doubling of parameters", {t: slope(sizes, scores[t]) for t in GLUE}, **keys)
    for model, size in sizes.items():
        rows += task_rows("accuracy", scores.loc[model], **keys, model=model, parameters=f"{size / 1e6:.0f} million")
    return table(rows)


def base_and_large(files: Files) -> pd.DataFrame:
    """Score per doubling from base to large at the best layer, over tasks, and for probing and transfer tasks apart."""
    tasks = (*PROBING, *(t for t in TRANSFER if not t.startswith("STS")))
    scores = run_scores(files, tasks)
    best = pd.DataFrame({m: scores.loc[m, "mean"].max() for m in BERTS}).T
    sizes = {m: parameters(*s) for m, s in BERTS.items()}
    slopes = {task: slope(sizes, best[task]) for task in tasks}
    keys: dict[str, Any] = dict(subject="bert-base-uncased and bert-large-uncased")
    rows = task_rows("score per doubling of parameters", slopes, **keys)
    for kind, part in (("probing", PROBING), ("transfer", [t for t in tasks if t not in PROBING])):
        some = task_rows(f"score per doubling of parameters, {kind} tasks", {t: slopes[t] for t in part}, **keys)
        rows.append(some[0])
    return table(rows)


def albert_scores(files: Files) -> dict[str, pd.DataFrame]:
    """Version -> size x task of ALBERT's development scores (fractions; F1 of SQuAD).

    Raises
    ------
    ValueError
        If the table is not in two parts, the second version first.
    """
    frame = readme_table(files, "README_md_01.csv")
    at = [k for k, name in enumerate(frame.index) if name in ("V2", "V1")]
    if [frame.index[k] for k in at] != ["V2", "V1"]:
        raise ValueError(f"the table is not in two versions: {list(frame.index)}")
    parts = {"v2": frame.iloc[at[0] + 1 : at[1]], "v1": frame.iloc[at[1] + 1 :]}
    for name, part in parts.items():
        part = part.drop(columns="Average").map(figure)
        parts[name] = part.set_axis(part.index.str.removeprefix("ALBERT-"))
    return parts


def alberts(files: Files) -> pd.DataFrame:
    """Score per doubling of ALBERT's parameters, over tasks."""
    sizes = {m: parameters(*s, vocabulary=30000, embedding=128, shared=True) for m, s in ALBERTS.items()}
    rows = []
    for version, scores in albert_scores(files).items():
        slopes = {task: slope(sizes, scores[task]) for task in scores}
        rows += task_rows("score per doubling of parameters", slopes, subject=f"albert {version}, base to xxlarge")
    return table(rows)


def albert(files: Files) -> pd.DataFrame:
    """Share of parameters left, and share of the score lost, for both versions of ALBERT-large."""
    plain = parameters(*BERTS[LARGE])
    share = parameters(*ALBERTS["large"], vocabulary=30000, embedding=128, shared=True) / plain
    glue = readme_table(files, "README_md_02.csv").loc["BERT-large"]
    reading = readme_table(files, "README_md_03.csv").loc["BERT-large"]
    full = {ours: figure(glue[theirs]) for theirs, ours in SHARED.items()}
    full |= {ours: figure(reading[theirs]) for theirs, ours in SQUAD.items()}
    rows = []
    for version, scores in albert_scores(files).items():
        keys: dict[str, Any] = dict(subject=f"bert-large and albert-large {version}")
        rows.append(row("parameters, shared / plain", Interval(share, share, share), 1, **keys, task="all"))
        lost = {task: 1 - scores.loc["large", task] / score for task, score in full.items()}
        rows += task_rows("share of the score lost, shared - plain", lost, **keys)
    return table(rows)
