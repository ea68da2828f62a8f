"""Cells of tables from READMEs: numbers in brackets, pairs of metrics, and what a mean over tasks makes of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import mean_interval, row

_NUMBER = r"\d+(?:\.\d+)?"


def readme(files: Files, path: str, index: str | None = None) -> pd.DataFrame:
    """A copied table, every cell as text; its first line only says where in the README it stood.

    Raises
    ------
    ValueError
        If two rows have the same name in the column `index`.
    """
    frame = files.csv(path, skiprows=1, dtype=str)
    if index is None:
        return frame
    frame = frame.set_index(index)
    if not frame.index.is_unique:
        raise ValueError(f"{path} names rows twice: {sorted(frame.index[frame.index.duplicated()])}")
    return frame


def score(cell: str) -> float:
    """The score of a task as a fraction: the mean of its metrics, as GLUE averages them.

    Raises
    ------
    ValueError
        If the cell is no number, or none between slashes.

    Examples
    --------
    >>> round(score("81.1/71.1"), 4), score("61.2")
    (0.761, 0.612)
    """
    parts = cell.replace("*", "").split("/")
    if not all(re.fullmatch(rf" *{_NUMBER} *", p) for p in parts):
        raise ValueError(f"no score: {cell!r}")
    return float(np.mean([float(p) for p in parts])) / 100


def mean_of_runs(cell: str) -> float:
    """The mean of several runs, in brackets after the best one; of EM and F1 the latter. A fraction.

    Raises
    ------
    ValueError
        If nothing stands in brackets.

    Examples
    --------
    >>> round(mean_of_runs("70.5 (69.1) / 87.4 (86.7)"), 4)
    0.867
    """
    found = re.findall(rf"{_NUMBER} *[(（]({_NUMBER})[)）]", cell)
    if not found:
        raise ValueError(f"no mean in brackets: {cell!r}")
    return float(found[-1]) / 100


def by_task(measure: str, scores: Mapping[str, float], **keys) -> list[dict]:
    """A row per task: each an aggregate of one run or several, so without an interval."""
    return [row(measure, only(v), 0, **keys, task=task) for task, v in scores.items()]


def gains(measure: str, better: Mapping[str, float], other: Mapping[str, float], **keys) -> list[dict]:
    """`better` less `other` by task, and the mean over the tasks with its interval over them (task ``all``).

    Raises
    ------
    ValueError
        If the two are not scores of the same tasks.

    Examples
    --------
    >>> [round(r["value"], 2) for r in gains("gain", {"a": 0.5, "b": 0.7}, {"a": 0.4, "b": 0.7}, subject="s")]
    [0.1, 0.0, 0.05]
    """
    if list(better) != list(other):
        raise ValueError(f"scores of other tasks: {list(better)} and {list(other)}")
    found = {task: better[task] - other[task] for task in better}
    return [*by_task(measure, found, **keys), mean_over_tasks(measure, list(found.values()), **keys)]


def mean_over_tasks(measure: str, values: Sequence[float], **keys) -> dict:
    """The row of a mean over tasks, which are what is independent."""
    return row(measure, mean_interval(values, signed=True), len(values), **keys, task="all")
