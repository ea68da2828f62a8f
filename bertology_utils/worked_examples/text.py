"""What all examples share: which items are shown, and how figures stand in a line of plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ..data.items import Data
from ..errors import TooFew
from ..settings import Settings
from ..subject.models import Subject

LONGEST = 200  # characters of an item that is shown, where there are shorter ones
Show = Callable[[Subject, Data, Settings], Iterator[str]]  # the lines about one claim's items


def two(items: Iterable[Any], *, n: int = 2) -> list[Any]:
    """The items that are shown: at most `n`, of as many conditions as there are, test items before others.

    Raises
    ------
    TooFew
        If there is no item.
    """
    every = list(items)
    if not every:
        raise TooFew("no item is left to show")
    every = [i for i in every if i.split == "test"] or every
    every = [i for i in every if len(i.describe()) <= LONGEST] or every
    firsts = list({i.condition: i for i in reversed(every)}.values())[::-1]
    return (firsts + [i for i in every if i not in firsts])[:n]


def extremes(pairs: Sequence[Any]) -> list[Any]:
    """Of scored pairs the most and the least alike, test items before others; errors as of `two`."""
    every = two(pairs, n=len(pairs))
    return sorted(every, key=lambda pair: -pair.score)[:: max(1, len(every) - 1)]


def of_type(data: Data, kind: type, *tasks: str) -> list[Any]:
    """The items of the first task (of those named) that has some of a kind.

    Raises
    ------
    TooFew
        If no task has.
    """
    for task, items in data.items.items():
        if (not tasks or task in tasks) and items and isinstance(items[0], kind):
            return items
    raise TooFew(f"{data.name} has no {' or '.join(tasks) or kind.__name__}")


def short(sentences: Sequence[Any], n: int = 2) -> list[Any]:
    """The first sentences of 7 to 14 words, punctuation counted; where there are none, the shortest."""
    found = [s for s in sentences if 7 <= len(s.words) <= 14]
    return (found or sorted(sentences, key=lambda s: len(s.words)))[:n]


def figures(values: Iterable[tuple[str, Any]], digits: int = 2) -> str:
    """Named figures in a line.

    >>> figures([("layer 0", 0.5), ("layer 8", -0.251)])
    '  layer 0: 0.50   layer 8: -0.25'
    """
    return "  " + "   ".join(f"{name}: {round(float(value), digits) + 0.0:.{digits}f}" for name, value in values)


def depths(n_layers: int) -> list[int]:
    """The layers that are shown: the embeddings, the middle and the last.

    >>> depths(12)
    [0, 6, 12]
    """
    return sorted({0, n_layers // 2, n_layers})


def by_layer(layers: Sequence[int], values: Iterable[Any]) -> str:
    """A figure for each of some layers in a line."""
    return figures(((f"layer {k}", v) for k, v in zip(layers, values)))


def verdict(right: bool) -> str:
    return "right" if right else "wrong"
