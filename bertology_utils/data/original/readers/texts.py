"""What readers of running text share: JSON lines, tables with headers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from bertology_utils.data.original.reading import ReaderError, at, columns, lines


def json_lines(path: Path) -> Iterator[tuple[int, dict]]:
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


def table(path: Path, header: tuple[str, ...], separator: str = "\t") -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and row of each line of a table that must have exactly this header; quotes are plain characters.

    Raises
    ------
    ReaderError
        If the header or the number of fields is another.
    """
    rows = columns(path, len(header), separator=separator)
    number, names = next(rows, (1, []))
    if tuple(names) != header:
        raise ReaderError(path, number, f"header {names} instead of {list(header)}")
    for number, fields in rows:
        yield number, dict(zip(header, fields))
