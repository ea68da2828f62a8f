"""Two sides of a data set: one to choose heads on, one to score them on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..subject import encode
from ..subject.models import Subject


def fitting(subject: Subject, items: Sequence, *words: Callable[[Any], Sequence[str]]) -> tuple[list, str]:
    """As `encode.fitting`, refusing a data set of which nothing is left."""
    kept, note = encode.fitting(subject, items, *words)
    if not kept:
        raise encode.TooLong(f"none of {len(items)} texts fits into {subject.max_length} pieces")
    return kept, note


def sides(items: Sequence, *, train: bool = False) -> tuple[list, list, str]:
    """(to choose on, to score on, a note): the dev and test splits, else every second item each.

    With `train`, heads are chosen on the train part as well: where dev alone has few items.

    Raises
    ------
    ValueError
        If there are fewer than two items.
    """
    dev = [i for i in items if i.split == "dev" or (train and i.split == "train")]
    test = [i for i in items if i.split == "test"]
    if dev and test:
        return dev, test, ""
    if len(items) < 2:
        raise ValueError(f"needs items to choose on and others to score on; there are {len(items)}")
    return (
        list(items[::2]),
        list(items[1::2]),
        "no dev part: heads are chosen on every second item, scored on the others",
    )
