"""Writing files: whole or not at all, and nothing left beside them, however a process ends.

What is written goes to a scratch name beside its place, is forced to disk and moved there in one step. The scratch name
holds machine and process, so that two writers never share one and the next writer can sweep up after one that was
killed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import socket
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import TypeVar

from .errors import Refusal

STALE = 24 * 3600.0  # seconds after which another machine's scratch file is taken for litter
PLACE = tuple(  # what may be wrong with a place
    getattr(errno, name)
    for name in (
        "ENOSPC",
        "EDQUOT",
        "EFBIG",
        "EROFS",
        "EACCES",
        "EPERM",
        "ENOTDIR",
        "EISDIR",
        "ENOENT",
        "EEXIST",
        "EIO",
        "ENAMETOOLONG",
    )
    if hasattr(errno, name)
)
Content = TypeVar("Content")
_HOST = socket.gethostname().replace("-", "_") or "here"


class CannotWrite(Refusal, OSError):
    """A file or folder cannot be written; the message names it and says why."""

    def __init__(self, path: Path, error: OSError | str) -> None:
        why = error if isinstance(error, str) else error.strerror or str(error)
        super().__init__(f"{path} cannot be written: {why}")


def read_once(read: Callable[[Path], Content]) -> Callable[[Path], Content]:
    """A reader of files that reads one again only where it has changed since; what it gives is shared, not to be changed.

    Examples
    --------
    >>> length = read_once(lambda path: print("reading") or len(path.read_bytes()))
    >>> length(Path(__file__)) == length(Path(__file__))
    reading
    True
    """
    known = cache(lambda path, *version: read(path))

    @wraps(read)
    def reader(path: Path) -> Content:
        try:
            status = path.stat()
        except OSError:
            return read(path)  # it says what is wrong
        return known(path, status.st_ino, status.st_mtime_ns, status.st_size)

    return reader


def write(path: Path, text: str) -> Path:
    """Write a text file, all or nothing; its folder is made where there is none.

    Raises
    ------
    CannotWrite
        No room, no permission, or something else stands in the way; what was there before stays as it was.
    """
    with scratch(path) as temporary, temporary.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    return path


@contextmanager
def scratch(path: Path) -> Iterator[Path]:
    """A name to write to in place of `path`; when the context ends well, it becomes `path`, else it is removed.

    It may become a folder too; one that is there by then stays. Scratch files of writers that are gone are removed first.

    Raises
    ------
    CannotWrite
        As of `write`.
    """
    temporary = path.parent / f".{path.name}.{_HOST}-{os.getpid()}-{uuid.uuid4().hex[:8]}.part"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep(path.parent)
        yield temporary
        if temporary.is_file():
            os.chmod(temporary, 0o644)
        if temporary.is_dir() and path.is_dir():
            _remove(temporary)  # another process was quicker, with the same content
        else:
            os.replace(temporary, path)
    except BaseException as error:
        _remove(temporary)
        if isinstance(error, OSError) and not isinstance(error, Refusal) and _is_ours(error, path):
            raise CannotWrite(path, error) from error
        raise


def _is_ours(error: OSError, path: Path) -> bool:
    """Whether an error is about the place to be written: not a network's, nor about a file that was being read."""
    if error.errno not in PLACE:
        return False
    named = str(error.filename or path)
    return named in str(path) or named.startswith(str(path.parent))


def sweep(folder: Path) -> None:
    """Remove what killed writers left in a folder; what somebody may still be writing stays."""
    for path in folder.glob(".*.part"):
        owner = path.name.removesuffix(".part").rpartition(".")[2]
        host, _, rest = owner.partition("-")
        number = rest.partition("-")[0]
        with contextlib.suppress(OSError):
            ours = host == _HOST and number.isdigit()
            if not _alive(int(number)) if ours else time.time() - path.stat().st_mtime > STALE:
                _remove(path)


def writable(folder: Path) -> Path:
    """The folder, made where it was missing, after a trial: said before hours of work and not after.

    Raises
    ------
    CannotWrite
        Nothing can be written there.
    """
    trial = folder / f".trial.{_HOST}-{os.getpid()}-{uuid.uuid4().hex[:8]}.part"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        trial.write_bytes(b"trial")
    except OSError as error:
        raise CannotWrite(folder, error) from error
    finally:
        _remove(trial)
    return folder


def _alive(number: int) -> bool:
    if os.name == "nt":  # there signal 0 would end the process
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:  # somebody else's process, but there
        return True
    return True


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
