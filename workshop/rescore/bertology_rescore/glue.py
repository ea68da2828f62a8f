"""Figures by task: the forms that released GLUE results have in common, and the commonest label of each task.

A release gives one score per task, at times the spread over runs. What is independent in it are the tasks: a mean over
tasks has an interval, a task's own score has one only where runs or items are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from io import StringIO

import numpy as np
import pandas as pd
from scipy.stats import t as student

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import Interval, mean_interval, row, unpaired

LOTTERY = "released/prasanna2020_lottery"
METRICS = {  # one score per task of prasanna2020; WNLI is left out, where no model beats the commonest label
    "CoLA": "mcc",
    "MNLI": "mnli_acc",
    "MRPC": "acc",
    "QNLI": "acc",
    "QQP": "acc",
    "RTE": "acc",
    "SST-2": "acc",
    "STS-B": "pearson",
}
ACCURACY = tuple(task for task, metric in METRICS.items() if metric.endswith("acc"))
COMMONEST = "freq_baseline/results.json"
RUNS = 5


def task_scores(files: Files) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Mean and standard deviation over five runs, one row per file of prasanna2020 and one column per task."""
    frame = files.csv("scores.csv")
    frame = frame[frame.metric == frame.task.map(METRICS)].drop_duplicates(["file", "task"])
    return tuple(frame.pivot(index="file", columns="task", values=v) for v in ("mean", "std_over_5_seeds"))


def majority(files: Files) -> pd.Series:
    """Accuracy of the commonest label on the development items of each task, as prasanna2020 released it."""
    means, _ = task_scores(files.beside(LOTTERY, "scores.csv"))
    return means.loc[COMMONEST, list(ACCURACY)]


def over_runs(value: float, sd: float, runs: int = RUNS) -> Interval:
    """A mean over runs from its standard deviation: Student's t, the deviation taken as that of the runs themselves.

    Examples
    --------
    >>> value, low, high = over_runs(0.8, 0.01)
    >>> round(float(low), 3), round(float(high), 3)
    (0.786, 0.814)
    """
    value, half = float(value), float(student.ppf(0.975, runs - 1) * sd / np.sqrt(runs - 1))
    return Interval(value, value - half, value + half, clusters=runs)


def gaps(files: Files, first: str, second: str) -> tuple[pd.Series, dict[str, Interval]]:
    """Score of one file less that of another by task: values, and intervals over the five runs of each."""
    means, sds = task_scores(files)
    both = {
        task: unpaired(*(over_runs(means.loc[f, task], sds.loc[f, task]) for f in (first, second))) for task in METRICS
    }
    return means.loc[first] - means.loc[second], both


def task_rows(measure: str, values: Mapping[str, float], by_task: Mapping[str, Interval] | None = None, **keys) -> list:
    """The mean over tasks with its interval over them, and under another name every task's figure."""
    values = dict(values)
    mean = mean_interval(list(values.values()), signed=True)
    rows = [row(measure, mean, len(values), **keys, task="all")]
    for task, value in values.items():
        found = only(value) if by_task is None else by_task[task]
        rows.append(row(f"{measure}, by task", found, 0 if by_task is None else RUNS, **keys, task=task))
    return rows


def gap_rows(files: Files, measure: str, first: str, second: str, tasks: Iterable[str] = ACCURACY, **keys) -> list:
    """`task_rows` of the difference of two files of prasanna2020."""
    values, intervals = gaps(files, first, second)
    return task_rows(measure, {task: values[task] for task in tasks}, intervals, **keys)


def readme_table(files: Files, path: str) -> pd.DataFrame:
    """A table copied from a README, its first column as the index; a first line with the section is left out."""
    text = files.text(path)
    if text.lstrip('"').startswith("#"):
        text = text.split("\n", 1)[1]
    return pd.read_csv(StringIO(text), index_col=0, dtype=str)


def figure(cell: str, which: int = 0) -> float:
    """A percentage of a table as a fraction; of two with a slash the one that is asked for.

    Examples
    --------
    >>> figure("81.1/71.8", 1), figure("96.9")
    (0.718, 0.969)
    """
    parts = str(cell).split("/")
    return round(float(parts[which if len(parts) > 1 else 0]) / 100, 6)
