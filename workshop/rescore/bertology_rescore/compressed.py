"""Students, 8 bits, replaced modules and fewer word vectors: the tables that authors of smaller BERTs published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_rescore.glue import figure, majority, readme_table, task_rows
from bertology_utils.scores.intervals import mean_interval, ratio, row, table

SAME = ("MNLI", "QNLI", "RTE", "SST-2")  # tasks that every table scores by accuracy


def retention_rows(frame: pd.DataFrame, student: str, teacher: str, floor: pd.Series, **keys) -> list[dict]:
    """What a student keeps of its teacher's scores, and of what the teacher gains over the commonest label.

    `frame` has models as rows and tasks as columns (fractions); intervals are over tasks.
    """
    top, whole = frame.loc[student, list(SAME)], frame.loc[teacher, list(SAME)]
    gain, teachers = (x.to_numpy(float) - floor[list(SAME)].to_numpy(float) for x in (top, whole))
    every = [c for c in frame.columns if pd.notna(frame.loc[[student, teacher], c]).all()]
    share = (frame.loc[student, every] / frame.loc[teacher, every]).to_numpy(float)
    kept = ratio(gain, teachers)
    rows = [
        row("retention of the teacher's gain over majority", kept, len(SAME), **keys, task="all"),
        row("retention of the teacher's score", mean_interval(share), len(every), **keys, task="all"),
    ]
    rows += [
        row("retention of the teacher's gain over majority, by task", only(a / b), 0, **keys, task=task)
        for task, a, b in zip(SAME, gain, teachers)
    ]
    return [*rows, row("accuracy over majority", mean_interval(teachers), len(SAME), **keys, task="all")]


def _scores(files: Files, path: str, drop: Sequence[str] = ()) -> pd.DataFrame:
    frame = readme_table(files, path).drop(columns=list(drop), errors="ignore")
    frame = frame[~frame.index.str.startswith("---")].rename(columns={"MNLI-m": "MNLI"})
    return frame.map(lambda cell: figure(cell) if str(cell).replace(".", "", 1).isdigit() else np.nan)


def distilbert(files: Files) -> pd.DataFrame:
    """Retention of DistilBERT, cased and uncased, over tasks."""
    frame = _scores(files, "transformers_master_examples_distillatio_01.csv", ("Macro-score", "WNLI"))
    floor, rows = majority(files), []
    for case in ("uncased", "cased"):
        keys: dict[str, Any] = dict(subject=f"bert-base-{case}, DistilBERT")
        rows += retention_rows(frame, f"DistilBERT-base-{case}", f"BERT-base-{case}", floor, **keys)
    return table(rows)


def distilbert_quoted(files: Files) -> pd.DataFrame:
    """Retention of DistilBERT in the other table."""
    frame = _scores(files, "README_md_01.csv")
    keys: dict[str, Any] = dict(subject="bert-base-uncased, DistilBERT as quoted")
    return table(retention_rows(frame, "DistillBERT", "BERT-base", majority(files), **keys))


def minilm(files: Files) -> pd.DataFrame:
    """Scores of MiniLM as a share of BERT base's, and of its gain over the commonest label."""
    frame = _scores(files, "english_dev.csv", ("params",))
    rows = []
    for student in ("MiniLM-L12xH384", "MiniLM-L6xH384"):
        rows += retention_rows(frame, student, "BERT-Base", majority(files), subject=f"bert-base-uncased, {student}")
    for r in rows:
        r["measure"] = r["measure"].replace("the teacher's", "BERT base's")
    return table(rows)


def three_layers_alone(files: Files) -> pd.DataFrame:
    """Accuracy of three layers tuned alone, over the commonest label, by task and on average."""
    frame = files.csv("ft_3layer_mean.csv")
    task = frame.uname.str.extract(r"^kd_(.*?)_nlayer")[0]
    found = pd.Series(frame.acc.to_numpy(), index=task)
    floor = majority(files)
    gains = {t: found[t] - floor[t] for t in floor.index}
    return table(
        task_rows("accuracy over majority, three layers tuned alone", gains, subject="bert-base-uncased, 3 layers")
    )


def q8bert(files: Files) -> pd.DataFrame:
    """Score lost with 8 bits, over tasks and by task, for base and large."""
    frame = files.csv("q8bert_table.csv")
    large = frame.task.str.endswith("-Large")
    rows = []
    for size, part in (("base", frame[~large]), ("large", frame[large])):
        lost = (part.bert_baseline - part.quantized_8bit_qat) / 100
        tasks = part.task.str.removesuffix("-Large").str.rstrip("*")
        keys: dict[str, Any] = dict(subject=f"bert-{size}, 8 bits")
        rows += task_rows("score lost, 8 bits", dict(zip(tasks, lost)), **keys)
        share = (part.quantized_8bit_qat / part.bert_baseline).to_numpy(float)
        rows.append(row("retention of the score", mean_interval(share), len(share), **keys, task="all"))
    return table(rows)


def theseus(files: Files) -> pd.DataFrame:
    """Retention with replaced modules."""
    frame = _scores(files, "README_md_01.csv")
    keys: dict[str, Any] = dict(subject="bert-base-uncased, replaced modules")
    return table(retention_rows(frame, "BERT-of-Theseus", "BERT-base", majority(files), **keys))


def power_bert(files: Files) -> pd.DataFrame:
    """Score lost and time saved, over tasks and by task; of MNLI's two test sets the first."""
    frame = files.csv("README_md_01.csv", skiprows=1, dtype=str)
    kind, method = frame.columns[0], "Method"
    frame = frame.drop(columns="MNLI-mm").set_index([kind, method])
    plain, fewer = (frame.loc["Test Accuracy"].loc[m].astype(float) / 100 for m in ("BERT-Base", "POWER-BERT"))
    slow, fast = (frame.loc["Inference Time (ms)"].loc[m].astype(float) for m in ("BERT-Base", "POWER-BERT"))
    keys: dict[str, Any] = dict(subject="bert-base-uncased, fewer vectors")
    rows = task_rows("score lost, vectors eliminated", plain - fewer, **keys)
    share = (fewer / plain).to_numpy(float)
    rows.append(row("retention of the score", mean_interval(share), len(share), **keys, task="all"))
    return table([*rows, *task_rows("time, original / eliminated", slow / fast, **keys)])
