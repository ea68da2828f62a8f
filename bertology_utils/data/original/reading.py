"""How a reader is written: a generator over a data set's files, registered for a (data set, task).

    @reader("gulordava2018_linzen2016", "agreement")
    def agreement(files: Files) -> Iterator[Item]:
        for number, (a, b) in columns(files["data/x.tsv"], 2):
            ...

Readers live in the modules of `readers/`, found without a list. They are strict: whatever does not look as it should
raises `ReaderError` with file and line. What a study's own filter leaves out is counted with `files.left_out(reason)`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from bertology_utils.data.items import Item
from bertology_utils.data.original import registry
from bertology_utils.data.original.fetch import fetch, here
from bertology_utils.provenance import sha256


class ReaderError(ValueError):
    """A file is not what its reader expects; the message names file and line."""

    def __init__(self, path: Path | str, line: int | str, problem: object):
        super().__init__(f"{path}:{line}: {problem}")


class Files:
    """The registered files of one data set, fetched when asked for.

    Attributes
    ----------
    touched : dict[str, Path]
        Registered path -> local path of every file asked for so far.
    """

    def __init__(self, dataset: str, mirror: str | Path | None = None, cache: str | Path | None = None):
        self.dataset = registry.dataset(dataset)
        self.touched: dict[str, Path] = {}
        self._mirror, self._cache = mirror, cache
        self._notes: list[str] = []
        self._counted: Counter[str] = Counter()

    def __getitem__(self, path: str) -> Path:
        """The local path of a registered file, its hash verified.

        Raises
        ------
        KeyError
            If no such file is registered.
        DataUnavailable
            If it cannot be had.
        """
        if path not in self.touched:
            if path not in self.dataset.files:
                raise KeyError(f"{self.dataset.name} has no registered file {path!r}")
            self.touched[path] = fetch(self.dataset.files[path], self._mirror, self._cache)
        return self.touched[path]

    def fetch(self, file: registry.File, digest: Callable[[Path], str] = sha256) -> Path:
        """The local path of a file that is not registered like the others, verified with its own digest."""
        return fetch(file, self._mirror, self._cache, digest)

    def here(self, path: str) -> bool:
        """Whether a registered file could be had without the network."""
        return here(self.dataset.files[path], self._mirror, self._cache)

    def of(self, dataset: str) -> Files:
        """The files of another data set, which these annotate or build on; what is noted there is noted here."""
        other = Files(dataset, self._mirror, self._cache)
        other._notes, other._counted = self._notes, self._counted
        return other

    def __contains__(self, path: str) -> bool:
        return path in self.dataset.files

    def names(self, pattern: str = "*") -> list[str]:
        """Registered paths that match a shell pattern (`*` crosses folders), sorted; nothing is fetched.

        Raises
        ------
        KeyError
            If none matches.
        """
        found = sorted(name for name in self.dataset.files if fnmatchcase(name, pattern))
        if not found:
            raise KeyError(f"{self.dataset.name} has no registered file like {pattern!r}")
        return found

    def glob(self, pattern: str) -> list[Path]:
        """The local paths of the files that match, in the order of their registered paths."""
        return [self[name] for name in self.names(pattern)]

    def note(self, text: str) -> None:
        """Say something that must stand beside figures from these items."""
        if text not in self._notes:
            self._notes.append(text)

    def left_out(self, reason: str, n: int = 1) -> None:
        """Count `n` items that a filter of the study, or the lack of an annotation, leaves out."""
        self.count(f"left out: {reason}", n)

    def count(self, what: str, n: int = 1) -> None:
        """Count `n` items of which something must be said; the note will read ``"<n> <what>"``."""
        self._counted[what] += n

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader had to say, with its counts."""
        return (*self._notes, *(f"{n} {what}" for what, n in self._counted.items()))


Reader = Callable[[Files], Iterator[Item]]
_READERS: dict[str, dict[str, Reader]] = {}


R = TypeVar("R", bound=Reader)


def reader(dataset: str, task: str) -> Callable[[R], R]:
    """Register the decorated generator function as the reader of a data set for a task; decorate twice for two tasks."""

    def register(function: R) -> R:
        known = _READERS.setdefault(dataset, {})
        if task in known and known[task].__module__ != function.__module__:
            raise ValueError(f"two readers of {dataset} for {task}: {known[task].__module__} and {function.__module__}")
        known[task] = function
        return function

    return register


@lru_cache(maxsize=1)
def _load() -> None:
    package = importlib.import_module("bertology_utils.data.original.readers")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def readers(dataset: str) -> dict[str, Reader]:
    """The readers of a data set by task (empty where its files are figures, not items)."""
    _load()
    registry.dataset(dataset)
    return dict(sorted(_READERS.get(dataset, {}).items()))


# --- what readers of text files share ---------------------------------------------------------------------------------


@contextmanager
def at(path: Path, line: int | str) -> Iterator[None]:
    """Turn what goes wrong while a line is parsed into a `ReaderError` that names it."""
    try:
        yield
    except ReaderError:
        raise
    except (ValueError, KeyError, IndexError, TypeError) as error:  # ItemError is a ValueError
        raise ReaderError(path, line, f"{type(error).__name__}: {error}") from error


def lines(path: Path, *, encoding: str = "utf-8", blank: bool = False) -> Iterator[tuple[int, str]]:
    """Number (from 1) and text of each line without its line end; empty lines are passed over unless `blank`.

    Lines end at newlines only: other separators that Unicode knows stand inside sentences.
    """
    with path.open("rb") as stream:
        for number, raw in enumerate(stream, 1):
            try:
                line = raw.decode(encoding).rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise ReaderError(path, number, error) from error
            if blank or line.strip():
                yield number, line


def columns(
    path: Path, n: int | tuple[int, ...], *, separator: str | None = "\t", skip: int = 0, encoding: str = "utf-8"
) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each line; `n` is how many it must have (or may have), `skip` leaves out header lines.

    Quotes are plain characters here: most of these files were written so. Use `csv` for those that were not.

    Raises
    ------
    ReaderError
        If a line has another number of fields.
    """
    allowed = (n,) if isinstance(n, int) else n
    for number, line in lines(path, encoding=encoding):
        if number <= skip:
            continue
        fields = line.split(separator)
        if len(fields) not in allowed:
            expected = " or ".join(map(str, allowed))
            raise ReaderError(path, number, f"{len(fields)} fields instead of {expected}: {line[:120]!r}")
        yield number, fields
