"""How a reader is written: a generator over a data set's files, registered for a (data set, task).

    @reader("glue_rte_wnli", "entailment")
    def glue(files: Files) -> Iterator[Item]:
        for number, row in files.table("glue_data/RTE/dev.tsv", ("index", "sentence1", "sentence2", "label")):
            yield Labelled(id=f"RTE/{number}", text=row["sentence1"], ...)

Readers live in the modules of `readers/`, found without a list. They are strict: whatever does not look as it should, or goes
wrong while a line is made an item, raises `ReaderError` with file and line: those that `files.lines`, `files.columns`,
`files.table`, `files.json_lines` and `files.together` have come to. (What is read in another way says where it is by `at`.)
What a study's own filter leaves out is counted with `files.left_out(reason)`.
"""

from __future__ import annotations

import csv
import importlib
import json
import pkgutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, TypeVar

from bertology_utils.data.items import MASK, Item
from bertology_utils.data.original import registry
from bertology_utils.data.original.fetch import fetch, here
from bertology_utils.provenance import sha256

WRONG = (ValueError, KeyError, IndexError, TypeError)  # of a line that is no item; ItemError is a ValueError


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
        self._place: list[tuple[Path, int]] = []  # file and line that are being read, or nothing

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
        other._notes, other._counted, other._place = self._notes, self._counted, self._place
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

    def _placed(self, path: Path, rows: Iterator[tuple]) -> Iterator[Any]:
        """Rows of a file that begin with their line's number; it is what an error names until the next row is asked for."""
        for row in rows:
            self._place[:] = [(path, row[0])]
            yield row
        self._place.clear()

    def lines(self, name: str, **options: Any) -> Iterator[tuple[int, str]]:
        """`lines` of a registered file."""
        return self._placed(path := self[name], lines(path, **options))

    def columns(self, name: str, n: int | tuple[int, ...], **options: Any) -> Iterator[tuple[int, list[str]]]:
        """`columns` of a registered file."""
        return self._placed(path := self[name], columns(path, n, **options))

    def table(self, name: str, header: tuple[str, ...] = (), **options: Any) -> Iterator[tuple[int, dict[str, str]]]:
        """`table` of a registered file."""
        return self._placed(path := self[name], table(path, header, **options))

    def json_lines(self, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """`json_lines` of a registered file."""
        return self._placed(path := self[name], json_lines(path))

    def together(
        self, first: str, second: str, n: int | tuple[int, ...] = 0, m: int | tuple[int, ...] = 0, blank: bool = False
    ) -> Iterator[tuple[int, Any, Any]]:
        """Number and both rows of two registered files that belong together line by line; errors name the first.

        Parameters
        ----------
        n, m : int or tuple of int
            Fields of each file's lines, as of `columns`; 0: lines are text.

        Raises
        ------
        ReaderError
            If they have not as many lines.
        """
        path, other = self[first], self[second]
        a, b = (list(columns(p, k) if k else lines(p, blank=blank)) for p, k in ((path, n), (other, m)))
        if len(a) != len(b):
            raise ReaderError(other, len(b), f"{len(b)} lines, where {first} has {len(a)}")
        return self._placed(path, ((number, x, y) for (number, x), (_, y) in zip(a, b)))

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
        known[task] = _strict(function)
        return function

    return register


def _strict(function: Reader) -> Reader:
    """The reader with whatever goes wrong in a line as a `ReaderError` that names it."""

    @wraps(function)
    def read(files: Files) -> Iterator[Item]:
        try:
            yield from function(files)
        except WRONG as error:
            if isinstance(error, ReaderError) or not files._place:
                raise
            raise ReaderError(*files._place[0], f"{type(error).__name__}: {error}") from error

    return read


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


def one_gap(good: Sequence[str], bad: Sequence[str]) -> tuple[str, str, str]:
    """A sentence, given as words, with the one word masked in which another differs from it; its word, and the other's.

    Raises
    ------
    ValueError
        If they do not differ in one word.

    Examples
    --------
    >>> one_gap(["The", "dog", "sleeps"], ["The", "dog", "sleep"])
    ('The dog [MASK]', 'sleeps', 'sleep')
    """
    gaps = [i for i, (g, b) in enumerate(zip(good, bad)) if g != b]
    if len(good) != len(bad) or len(gaps) != 1:
        raise ValueError(f"the sentences must differ in one word: {' '.join(good)!r}, {' '.join(bad)!r}")
    gap = gaps[0]
    return " ".join([*good[:gap], MASK, *good[gap + 1 :]]), good[gap], bad[gap]


# --- what readers of text files share ---------------------------------------------------------------------------------


@contextmanager
def at(path: Path, line: int | str) -> Iterator[None]:
    """Turn what goes wrong while a line is parsed into a `ReaderError` that names it."""
    try:
        yield
    except ReaderError:
        raise
    except WRONG as error:
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
    path: Path,
    n: int | tuple[int, ...] = (),
    *,
    separator: str | None = "\t",
    skip: int = 0,
    encoding: str = "utf-8",
    quotes: bool = False,
) -> Iterator[tuple[int, list[str]]]:
    """Number and fields of each line.

    Parameters
    ----------
    n : int or tuple of int
        How many fields a line must have, or may have; none: as many as the first has.
    skip : int
        Header lines to leave out.
    quotes : bool
        Whether fields may be quoted, as in CSV files; else quotes are plain characters: most of these files were written so.

    Raises
    ------
    ReaderError
        If a line has another number of fields.
    """
    allowed = (n,) if isinstance(n, int) else n
    with path.open(encoding=encoding, newline="") as stream:
        quoted = csv.reader(stream, delimiter=separator or " ", strict=True)
        rows = ((quoted.line_num, fields) for fields in quoted if fields)
        plain = ((number, line.split(separator)) for number, line in lines(path, encoding=encoding))
        for number, fields in rows if quotes else plain:
            if number <= skip:
                continue
            allowed = allowed or (len(fields),)
            if len(fields) not in allowed:
                expected, shown = " or ".join(map(str, allowed)), (separator or " ").join(fields)[:120]
                raise ReaderError(path, number, f"{len(fields)} fields instead of {expected}: {shown!r}")
            yield number, fields


def table(path: Path, header: tuple[str, ...] = (), **options: Any) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and row of each line of a table whose first line names its columns; options as of `columns`.

    Raises
    ------
    ReaderError
        If the first line is not exactly the `header`, where one is given, or the number of fields is another.
    """
    rows = columns(path, len(header) or (), **options)
    number, names = next(rows, (1, []))
    if header and tuple(names) != header:
        raise ReaderError(path, number, f"header {names} instead of {list(header)}")
    for number, fields in rows:
        yield number, dict(zip(names, fields))


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and object of each line.

    Raises
    ------
    ReaderError
        If a line is not a JSON object.
    """
    for number, line in lines(path):
        with at(path, number):
            entry = json.loads(line)
        if not isinstance(entry, dict):
            raise ReaderError(path, number, f"not an object: {line[:120]!r}")
        yield number, entry
