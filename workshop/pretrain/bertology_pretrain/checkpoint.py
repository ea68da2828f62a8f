"""Checkpoints: written whole or not at all, and enough to go on with the very next row.

No generator's state is among what is kept, since none is carried from step to step: the rows follow from (seed,
epoch, place), masks and dropout from (seed, step).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import torch
from filelock import FileLock, Timeout

from bertology_utils.errors import Refusal
from bertology_utils.family.config import FREE
from bertology_utils.files import CannotWrite, writable


class CheckpointError(Refusal):
    """A checkpoint is missing or belongs to another run; the message says which, or how they differ."""


def atomic(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write a file beside its place, force it to disk, and move it there in one step.

    The file beside it has one name, so that what a killed process left behind is written over by the next.

    Raises
    ------
    CannotWrite
        No room, or no permission; what was there before stays as it was.
    """
    scratch = path.with_name(path.name + ".part")
    try:
        with scratch.open("wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(scratch, path)
    except BaseException as error:
        with suppress(OSError):
            scratch.unlink(missing_ok=True)
        # torch reports a full disk as a RuntimeError of its writer
        full = isinstance(error, RuntimeError) and "PytorchStreamWriter" in str(error)
        if full or (isinstance(error, OSError) and not isinstance(error, Refusal)):
            raise CannotWrite(path, error if isinstance(error, OSError) else "no room, or a broken disk") from error
        raise


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Keep a run's folder to this process; the lock falls with the process, however it ends.

    Raises
    ------
    CheckpointError
        Another process trains there.
    CannotWrite
        The folder cannot be made or written.
    """
    writable(folder)
    try:
        with FileLock(folder / ".lock", timeout=0):
            yield
    except Timeout:
        raise CheckpointError(f"another process is training in {folder}: wait for it, or give another folder") from None


def save(path: Path, state: dict[str, Any]) -> None:
    """Write a checkpoint atomically."""
    atomic(path, lambda stream: torch.save(state, stream))


def load(path: Path, identity: dict[str, Any]) -> dict[str, Any]:
    """Read a checkpoint of the same run, onto the CPU.

    Raises
    ------
    CheckpointError
        The configuration or the corpus differs from the checkpoint's, or the file is damaged.
    """
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        before = state["identity"]
    except Exception as error:  # a damaged file shows itself in many ways
        why = " ".join(str(error).split())[:120] or type(error).__name__
        raise CheckpointError(
            f"{path} is no checkpoint, or damaged ({why}): start afresh, or give another folder"
        ) from error
    changed = [
        f"{k} {before.get(k)!r} -> {identity.get(k)!r}"
        for k in sorted(before.keys() | identity.keys())
        if k not in FREE and before.get(k) != identity.get(k)
    ]
    if changed:
        raise CheckpointError(f"{path} is of another run ({'; '.join(changed)}): give another folder, or start afresh")
    return state
