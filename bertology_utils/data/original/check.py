"""Every registered file verified, every item parsed: one outcome for each (data set, task)."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from bertology_utils.data.original import reading, registry
from bertology_utils.data.original.fetch import DataUnavailable, fetch, here

FILES = "files"  # what stands in place of a task for the data set's remaining files


@dataclass(frozen=True)
class Outcome:
    """What came of one task of a data set (or of its remaining files).

    Attributes
    ----------
    dataset, task : str
    counts : dict[str, int]
        Items by split; of `FILES`, the number verified and, where some are not needed, `absent`.
    seconds : float
    notes : tuple[str, ...]
        The reader's.
    problem : str
        Empty if all is well.
    """

    dataset: str
    task: str
    counts: dict[str, int]
    seconds: float
    notes: tuple[str, ...] = ()
    problem: str = ""

    @property
    def total(self) -> int:
        return sum(n for kind, n in self.counts.items() if kind != "absent")


def check_dataset(name: str, mirror: Path | None = None, cache: Path | None = None) -> list[Outcome]:
    """Read all tasks of a data set, then verify its other files.

    A file that no reader asked for may be absent where there are readers and all of them ran: they had what they need.
    """
    outcomes, touched = [], set()
    readers = reading.readers(name)
    for task, read in readers.items():
        files, start = reading.Files(name, mirror, cache), time.perf_counter()
        counts: Counter[str] = Counter()
        problem = ""
        try:
            ids: Counter[str] = Counter()
            for item in read(files):
                counts[item.split] += 1
                ids[item.id] += 1
            if not counts:
                problem = "no items"
            elif len(ids) < ids.total():
                problem = f"{ids.total() - len(ids)} ids are not unique, such as {ids.most_common(1)[0][0]!r}"
        except Exception as error:  # whatever is wrong with one data set, the others are still to be checked
            problem = _line(error)
        touched |= set(files.touched)
        outcomes.append(Outcome(name, task, dict(counts), time.perf_counter() - start, files.notes, problem))
    done = bool(readers) and not any(outcome.problem for outcome in outcomes)
    return [*outcomes, _others(name, touched, done, mirror, cache)]


def _others(name: str, touched: set[str], done: bool, mirror: Path | None, cache: Path | None) -> Outcome:
    start, counts, problems = time.perf_counter(), Counter(verified=len(touched)), []
    for path, file in registry.dataset(name).files.items():
        if path in touched:
            continue
        if done and not here(file, mirror, cache):
            counts["absent"] += 1
            continue
        try:
            fetch(file, mirror, cache)
            counts["verified"] += 1
        except (DataUnavailable, OSError) as error:
            problems.append(_line(error))
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    problem = problems[0] + more if problems else ""
    return Outcome(name, FILES, dict(counts), time.perf_counter() - start, problem=problem)


def _line(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def check(
    names: Sequence[str] = (), *, mirror: Path | None = None, cache: Path | None = None, processes: int = 2
) -> Iterator[Outcome]:
    """Outcomes of all data sets (or of those named), in alphabetical order, checked by a few processes at a time."""
    names = sorted(names) or list(registry.datasets())
    for name in names:
        registry.dataset(name)  # an unknown name is an error before anything is read
    if processes < 2 or len(names) < 2:
        for name in names:
            yield from check_dataset(name, mirror, cache)
        return
    # the largest first, so that the last process to finish has not just begun with the longest
    largest = sorted(names, key=lambda name: -registry.dataset(name).bytes)
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        futures = {name: pool.submit(check_dataset, name, mirror, cache) for name in largest}
        for name in names:
            yield from futures[name].result()
