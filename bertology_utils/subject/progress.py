"""One line on a terminal or in a notebook while a subject is measured: of what, how much was read, how long it will take.

Silent in pipes and files, where a line that is written over would be litter, and where the environment has `NO_PROGRESS`, as
it has when the book's notebooks are executed: what they store must not hang on how long a cell took.
"""

from __future__ import annotations

import sys
import threading
import time
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TextIO

from ..settings import watched

place: ContextVar[str | None] = ContextVar("place", default="")  # "[3/12] " before a line; None: no line at all
WAIT = 1.0  # seconds before the first line: short work needs none
EVERY = 0.5  # seconds between two lines


@dataclass
class Progress:
    """A line about one measurement, as a context.

    Attributes
    ----------
    says : str
        What is measured.
    expected : float or None
        Seconds it took when the shipped record was made.
    rows : int
        Sentences that the model has read so far (rows of its input).
    """

    says: str
    expected: float | None = None
    stream: TextIO | None = None
    rows: int = 0
    started: float = 0.0
    _done: threading.Event = field(default_factory=threading.Event)
    _hook: Any = None
    _model: Any = None
    _thread: threading.Thread | None = None

    @classmethod
    def of(cls, subject: Any, says: str, expected: float | None = None) -> Progress:
        """The line of a subject, counting what its encoder reads."""
        made = cls(f"{place.get() or ''}{says}", expected, None if place.get() is None else sys.stderr)
        made._model = subject.base
        return made

    def __enter__(self) -> Progress:
        if self.stream is None or not _shown(self.stream):
            return self
        self.started = time.monotonic()
        if hasattr(self._model, "register_forward_pre_hook"):
            self._hook = self._model.register_forward_pre_hook(self._count, with_kwargs=True)
        self._thread = threading.Thread(target=self._tell, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is None:
            return
        self._done.set()
        self._thread.join()
        if self._hook is not None:
            self._hook.remove()

    def _count(self, module: Any, args: tuple, kwargs: dict) -> None:
        ids = kwargs.get("input_ids", kwargs.get("inputs_embeds", args[0] if args else None))
        self.rows += len(ids) if ids is not None else 0

    def _tell(self) -> None:
        assert self.stream is not None
        shown, width = self._done.wait(WAIT), 0
        while not shown:
            said = self.line(time.monotonic() - self.started)
            self.stream.write(f"\r{said:<{width}}")  # blanks over what a longer line left: a notebook knows no escapes
            self.stream.flush()
            width = len(said)
            shown = self._done.wait(EVERY)
        self.stream.write(f"\r{'':{width}}\r")
        self.stream.flush()

    def line(self, seconds: float) -> str:
        """The line after some seconds; the time left is what the shipped record took, less what has gone by.

        >>> Progress("a claim", expected=90.0, rows=1200).line(30.0)
        'a claim: 1,200 rows read, 33%, 0:30 gone, about 1:00 left'
        """
        said = f"{self.says}: {self.rows:,} rows read"
        if self.expected:
            said += f", {min(99, int(100 * seconds / self.expected))}%"
        said += f", {_clock(seconds)} gone"
        if self.expected:
            left = self.expected - seconds
            said += (
                f", about {_clock(left)} left"
                if left > 0
                else f", longer than the shipped run's {_clock(self.expected)}"
            )
        return said


def _shown(stream: TextIO) -> bool:
    """Whether a line can be written over: on a terminal, and in a notebook that somebody watches."""
    return stream.isatty() or (type(stream).__module__.startswith("ipykernel") and watched())


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
