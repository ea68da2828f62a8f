"""SIGINT and SIGTERM noted, not died of: the loop ends at its own pace, with a checkpoint."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM instead of dying of them; a second one kills as usual."""
    caught: list[int] = []
    try:
        before = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}

        def note(number: int, _frame: object) -> None:
            caught.append(number)
            signal.signal(number, before[number])

        for s in before:
            signal.signal(s, note)
    except ValueError:  # not in the main thread: signals are another's affair
        before = {}
    try:
        yield caught
    finally:
        for s, handler in before.items():
            signal.signal(s, handler)
