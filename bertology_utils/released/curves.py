"""Curves of aggregates: one figure per layer, as many releases give them, without counts and so without intervals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bertology_utils.scores.counts import only, trend
from bertology_utils.scores.intervals import row


def curve(measure: str, values: Iterable[float], **keys: Any) -> list[dict]:
    """A row per layer; the first value is layer 0, in most releases the input embeddings.

    Examples
    --------
    >>> [(r["layer"], r["value"]) for r in curve("F1", [0.5, 0.75], subject="bert-base-uncased")]
    [('0', 0.5), ('1', 0.75)]
    """
    return [row(measure, only(v), 0, **keys, layer=str(layer)) for layer, v in enumerate(values)]


def rank_trend(what: str, values: Sequence[float], **keys: Any) -> dict:
    """The row of Spearman's correlation of layer and value.

    Examples
    --------
    >>> rank_trend("F1", [0.5, 0.75, 0.8], subject="bert-base-uncased")["value"]
    1.0
    """
    return row(f"Spearman of layer and {what}", only(trend(values)), len(values), **keys, layer="all")
