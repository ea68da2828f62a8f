"""Generated language with gold labels: offline, deterministic, free of any licence but ours; read from files.

The items lie in ``assets/items``, one file a task, or one a task and a number of items where those of a smaller number are not
the first of a larger. workshop/world generates them; where it is installed, it gives other numbers and seeds too.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Sequence
from functools import cache
from importlib import metadata
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from ..errors import Refusal
from . import items as types
from .items import Item

T = TypeVar("T")
FOLDER = Path(__file__).parents[1] / "assets" / "items"
ENDING = ".jsonl.xz"
WORDS = FOLDER / "lexicon.json"  # names, cities, and nouns by class, for experiments that exchange words


class NotStored(Refusal, ValueError):
    """Generated items that no file holds, on a machine that cannot generate them; the message says how it could."""


@cache
def tasks() -> tuple[str, ...]:
    """The tasks that have generated items.

    >>> "agreement" in tasks()
    True
    """
    return tuple(sorted({path.name.removesuffix(ENDING).partition("-")[0] for path in FOLDER.glob(f"*{ENDING}")}))


def build(task: str, n: int, seed: int = 0) -> list[Any]:
    """`n` items of a task; fewer where the generated language has no more. Errors as of `read`.

    Examples
    --------
    >>> first = build("agreement", 20)[0]
    >>> type(first).__name__, first.good != first.bad
    ('ForcedChoice', True)
    """
    return read(task, n, seed)[0]


def read(task: str, n: int, seed: int = 0) -> tuple[list[Any], tuple[str, ...]]:
    """The items of a task, and a note where they are not those that workshop/world would give.

    Raises
    ------
    KeyError
        If there is no such task; the message lists those there are.
    ValueError
        If `n` is not positive.
    NotStored
        Items of another seed, or more than are stored, without workshop/world.
    """
    if task not in tasks():
        raise KeyError(f"no builtin data for {task!r}; there is: {', '.join(tasks())}")
    if n < 1:
        raise ValueError(f"n must be positive, not {n}")
    if seed == 0 and (found := stored(task, n)) is not None:
        return found, ()
    for point in metadata.entry_points(group="bertology.items"):
        return point.load()(task, n, seed), ()
    largest = max(FOLDER.glob(f"{task}-*{ENDING}"), key=_number, default=None)
    if seed == 0 and largest is not None and n < _number(largest):
        return evenly(_read(largest)[1], n), (f"{n} of {_number(largest)} stored items, at equal distances",)
    raise NotStored(
        f"no {n} items of {task} with seed {seed} are stored; workshop/world generates them: in a checkout, "
        "pip install -e workshop/world"
    )


def stored(task: str, n: int) -> list[Any] | None:
    """The items that the files hold for this number, with seed 0; None where they hold none."""
    if (path := FOLDER / f"{task}-{n}{ENDING}").is_file():
        return _read(path)[1]
    if not (path := FOLDER / f"{task}{ENDING}").is_file():
        return None
    made, found = _read(path, n)
    return found if len(found) == n or len(found) < made else None  # fewer than it was made with: there are no more


def evenly(items: Sequence[T], n: int) -> list[T]:
    """`n` of the items at equal distances, so that all splits and conditions occur; two neighbours stay together.

    >>> evenly("aabbccdd", 4)
    ['a', 'a', 'c', 'c']
    """
    return [items[i // 2 * 2 * len(items) // n + i % 2] for i in range(n)]


def _number(path: Path) -> int:
    return int(path.name.removesuffix(ENDING).partition("-")[2])


def _read(path: Path, n: int | None = None) -> tuple[int, list[Any]]:
    """How many items the file was made with, and the first `n` of those it holds."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        made = json.loads(next(lines))
        return made, [decoded(line) for line in islice(lines, n)]


def decoded(line: str) -> Item:
    """An item from its line: the name of its type, and its fields."""
    name, fields = json.loads(line)
    return _adapter(name).validate_python(_frozen(fields))


@cache
def _adapter(name: str) -> TypeAdapter:
    return TypeAdapter(getattr(types, name))


def _frozen(value: Any) -> Any:
    """Lists as the tuples they were, at any depth."""
    if isinstance(value, dict):
        return {key: _frozen(inner) for key, inner in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


@cache
def words() -> dict[str, Any]:
    """Words to exchange: ``names`` of a man, a woman, a place; ``nouns`` that may stand for one another; ``an``: before which."""
    return json.loads(WORDS.read_text(encoding="utf-8"))
