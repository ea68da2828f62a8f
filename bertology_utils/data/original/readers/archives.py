"""Members of zip archives, read in memory: nothing is ever unpacked to disk."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from bertology_utils.data.original.reading import ReaderError

LARGEST = 64 << 20  # bytes a member may have when unpacked


def member(path: Path, name: str) -> str:
    """The text of one member.

    Raises
    ------
    ReaderError
        If there is no such member, it is larger than `LARGEST`, or not in UTF-8.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(name).file_size > LARGEST:
                raise ReaderError(path, name, f"unpacks to more than {LARGEST} bytes")
            return archive.read(name).decode()
    except (KeyError, zipfile.BadZipFile, UnicodeDecodeError) as error:
        raise ReaderError(path, name, error) from error


def members(path: Path, pattern: str) -> Iterator[tuple[re.Match, str]]:
    """Match and text of all members whose whole name matches a regular expression, in the order of their names.

    Raises
    ------
    ReaderError
        If none matches.
    """
    with zipfile.ZipFile(path) as archive:
        found = [match for name in sorted(archive.namelist()) if (match := re.fullmatch(pattern, name))]
    if not found:
        raise ReaderError(path, "zip", f"no member like {pattern}")
    for match in found:
        yield match, member(path, match[0])
