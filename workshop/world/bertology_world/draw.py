"""What every builder needs: a generator of random numbers for a task, distinct draws, splits, articles, data files."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Sequence
from functools import cache
from importlib import resources
from typing import Any, TypeVar

import yaml

from bertology_utils.data.text import an as an

T = TypeVar("T")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C loader where there is one: ten times as fast


def rng(task: str, seed: int) -> random.Random:
    """A generator of its own for each (task, seed): strings are hashed with SHA-512, so runs and machines agree."""
    return random.Random(f"{task}/{seed}")


@cache
def table(name: str) -> Any:
    """A YAML file of this package. It is shared between callers: never change what it returns."""
    return yaml.load(resources.files(__package__).joinpath(name).read_text(encoding="utf-8"), Loader=_LOADER)


def split_of(i: int, n: int) -> str:
    """Split of the i-th of n draws: 70% train, 10% dev, 20% test, in this order."""
    return "train" if i < 0.7 * n else "dev" if i < 0.8 * n else "test"


def distinct(make: Callable[[int], T], n: int, key: Callable[[T], Hashable], tries: int = 60) -> list[T]:
    """Call ``make(i)`` for i = 0, 1, … until it has given `n` values that differ in `key`.

    Raises
    ------
    ValueError
        If one position repeats earlier draws `tries` times: the grammar is smaller than what was asked for.
    """
    seen: set[Hashable] = set()
    values: list[T] = []
    for i in range(n):
        for _ in range(tries):
            value = make(i)
            if (k := key(value)) not in seen:
                break
        else:
            raise ValueError(f"no {n} distinct items: only {i} were found before {tries} draws in a row repeated one")
        seen.add(k)
        values.append(value)
    return values


def some(items: Sequence[T], n: int, random_: random.Random) -> list[T]:
    """`n` of the items in random order; all of them where there are fewer (a hand-written table ends somewhere)."""
    return random_.sample(list(items), min(n, len(items)))
