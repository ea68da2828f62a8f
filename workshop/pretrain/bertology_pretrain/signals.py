"""SIGINT and SIGTERM noted, not died of: the loop ends at its own pace, with a checkpoint."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupted(SystemExit):
    """Training was stopped by a signal and its checkpoint written; the exit code is the shell's for that signal."""

    def __init__(self, number: int, folder: object, seen: int) -> None:
        super().__init__(128 + number)
        self.says = (
            f"stopped by {signal.Signals(number).name} after {seen:,} tokens: the same command goes on from {folder}"
        )


@contextmanager
def interruptible() -> Iterator[list[int]]:
    """Collect SIGINT and SIGTERM instead of dying of them; a second one kills as usual."""
    caught: list[int] = []
    try:
        before: dict[int, Any] = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}

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
