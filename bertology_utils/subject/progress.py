"""One line on a terminal or in a notebook while a subject is measured: of what, how much was read, how long it took before.

Silent in pipes and files, where a line that is written over would be litter, and where the environment has `NO_PROGRESS`, as
it has when the book's notebooks are executed: what they store must not hang on how long a cell took.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from ..settings import watched

place: ContextVar[str | None] = ContextVar("place", default="")  # "[3/12] " before a line; None: no line at all
WAIT = 1.0  # seconds before the first line: short work needs none


@contextmanager
def progress(subject: Any, says: str, expected: float | None = None) -> Iterator[None]:
    """A line that counts the rows which a subject's encoder reads.

    Parameters
    ----------
    says : str
        What is measured.
    expected : float, optional
        Seconds it took when the shipped record was made.
    """
    before, stream = place.get(), sys.stderr
    notebook = type(stream).__module__.startswith("ipykernel") and watched()
    if before is None or not (stream.isatty() or notebook):
        yield
        return
    from tqdm import tqdm  # imported late: most work is not watched

    took = f" (took {tqdm.format_interval(expected)} when shipped)" if expected else ""
    with tqdm(desc=f"{before}{says}{took}", unit=" rows", delay=WAIT, leave=False, file=stream) as bar:

        def count(module: Any, args: tuple, kwargs: dict) -> None:
            ids = kwargs.get("input_ids", kwargs.get("inputs_embeds", args[0] if args else ()))
            bar.update(len(ids))

        # recorded runs have no model
        with subject.base.register_forward_pre_hook(count, with_kwargs=True) if subject.base else nullcontext():
            yield
