"""Generated language with gold labels: grammars and word lists that the book's own items come from.

A builder is a function ``(n, seed) -> list[Item]`` registered under the name of its task; `build` finds it.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

Builder = Callable[[int, int], list]
APART = {"files", "commands"}  # modules that hold no builder, and need the whole package
_BUILDERS: dict[str, Builder] = {}


def builder(task: str) -> Callable[[Builder], Builder]:
    """Register the decorated function as the builder of `task`."""

    def register(function: Builder) -> Builder:
        if task in _BUILDERS:
            raise ValueError(
                f"two builders for the task {task!r}: {_BUILDERS[task].__module__} and {function.__module__}"
            )
        _BUILDERS[task] = function
        return function

    return register


def tasks() -> dict[str, Builder]:
    """All builders by task name."""
    for name in {module.name for module in pkgutil.iter_modules(__path__)} - APART:
        importlib.import_module(f"{__name__}.{name}")
    return dict(sorted(_BUILDERS.items()))


def build(task: str, n: int, seed: int = 0) -> list[Any]:
    """`n` items of a task, made by its builder; fewer where its language has no more.

    Raises
    ------
    KeyError
        If no builder has that name.
    """
    return tasks()[task](n, seed)
