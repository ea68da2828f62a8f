"""The rows that releases give most often: single figures without an interval, means of what was listed, curves by layer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from bertology_rescore.counts import only, trend
from bertology_utils.scores.intervals import mean_interval, row


def released_row(measure: str, value: float, n: int = 0, /, **keys: Any) -> dict:
    """The row of a figure as it was released: without an interval, and of nobody knows how many items unless `n` says.

    Examples
    --------
    >>> released_row("F1", 0.5, subject="bert-base-uncased")["value"]
    0.5
    """
    return row(measure, only(value), n, **keys)


def estimated(measure: str, values: Sequence[float] | np.ndarray, /, **keys: Any) -> dict:
    """The row of the mean of released values, with its interval.

    Examples
    --------
    >>> estimated("accuracy", [1, 1, 0, 1], subject="bert-base-uncased")["n"]
    4
    """
    return row(measure, mean_interval(values), len(values), **keys)


def columns(frame: pd.DataFrame, measures: Mapping[str, str], keys: Mapping[str, str], **same: Any) -> list[dict]:
    """A row for every line and measure of a table; `measures` and `keys` say which column is what, `same` is true of all.

    Examples
    --------
    >>> table = pd.DataFrame({"model": ["a", "b"], "test_acc": [0.5, 0.75]})
    >>> [(r["subject"], r["value"]) for r in columns(table, {"accuracy": "test_acc"}, {"subject": "model"})]
    [('a', 0.5), ('b', 0.75)]
    """
    return [
        released_row(measure, line[column], **same, **{key: line[of] for key, of in keys.items()})
        for line in frame.to_dict("records")
        for measure, column in measures.items()
    ]


def curve(measure: str, values: Iterable[float], **keys: Any) -> list[dict]:
    """A row per layer; the first value is layer 0, in most releases the input embeddings.

    Examples
    --------
    >>> [(r["layer"], r["value"]) for r in curve("F1", [0.5, 0.75], subject="bert-base-uncased")]
    [('0', 0.5), ('1', 0.75)]
    """
    return [released_row(measure, v, **keys, layer=str(layer)) for layer, v in enumerate(values)]


def rank_trend(what: str, values: Sequence[float] | np.ndarray, **keys: Any) -> dict:
    """The row of Spearman's correlation of layer and value.

    Examples
    --------
    >>> rank_trend("F1", [0.5, 0.75, 0.8], subject="bert-base-uncased")["value"]
    1.0
    """
    return released_row(f"Spearman of layer and {what}", trend(values), len(values), **keys, layer="all")
