"""From a registered file to a verified path on this machine: mirror folder, then cache, then download.

Whatever is handed out has the registered SHA-256. A mirror is never written to: a wrong file there is refused and
named; a wrong file in the cache is removed and had again. Downloads land under a temporary name in the cache and are
moved into place when their hash is right, so an interrupted one leaves nothing under the file's name and two processes
may ask at once.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from bertology_utils.data.original.registry import File, below
from bertology_utils.errors import Refusal
from bertology_utils.files import CannotWrite, scratch
from bertology_utils.provenance import sha256
from bertology_utils.settings import Settings

TIMEOUT = (5.0, 30.0)  # seconds to connect, and between two bytes: without a network one waits seconds, not minutes


class DataUnavailable(Refusal):
    """A file could not be had; the message is one line: which, from where, and how to give a mirror."""


class HashMismatch(DataUnavailable):
    """A file is there but is not the registered one."""


def folders(
    mirror: str | os.PathLike | None = None, cache: str | os.PathLike | None = None
) -> tuple[Path | None, Path]:
    """Mirror and cache: as given, else as in the settings."""
    settings = Settings.of(mirror=mirror or None, cache=cache or None)
    return settings.mirror, settings.cache


def here(file: File, mirror: str | os.PathLike | None = None, cache: str | os.PathLike | None = None) -> bool:
    """Whether the mirror or the cache has a file of that name (its content is looked at by `fetch` alone)."""
    return any(below(folder, file).is_file() for folder in folders(mirror, cache) if folder is not None)


def fetch(
    file: File,
    mirror: str | os.PathLike | None = None,
    cache: str | os.PathLike | None = None,
    digest: Callable[[Path], str] = sha256,
) -> Path:
    """A local path with exactly the registered content.

    Parameters
    ----------
    digest : callable
        What `file.sha256` was computed with; other than SHA-256 over the bytes only where the order of a file's parts
        is free.

    Raises
    ------
    HashMismatch
        If the mirror's file, or what was downloaded, is not the registered one.
    DataUnavailable
        If neither the mirror, the cache nor the network has the file.
    """
    mirror_folder, cache_folder = folders(mirror, cache)
    if mirror_folder is not None:
        path = below(mirror_folder, file)
        if path.is_file():
            _verify(path, str(path), file, digest)
            return path
    path = below(cache_folder, file)
    if path.is_file():
        try:
            _verify(path, str(path), file, digest)
            return path
        except HashMismatch:
            path.unlink(missing_ok=True)
    return _download(file, path, mirror_folder, digest)


def _verify(path: Path, shown: str, file: File, digest: Callable[[Path], str]) -> None:
    if (found := digest(path)) != file.sha256:
        raise HashMismatch(f"{shown} is not the registered file: SHA-256 {found}, expected {file.sha256}")


def _download(file: File, path: Path, mirror: Path | None, digest: Callable[[Path], str]) -> Path:
    tried = f"not in the mirror {mirror}" if mirror is not None else "no mirror was given"
    hint = f"give a folder that holds {file.name} as --mirror or BERTOLOGY_MIRROR"
    if file.url is None:
        raise DataUnavailable(f"{file.name} could not be had: {tried}, and it has no public address; {hint}")

    import pooch  # late: it brings half of what the command line would import, and most files are here

    try:
        with scratch(path) as temporary:
            pooch.HTTPDownloader(timeout=TIMEOUT)(file.url, str(temporary), None)
            _verify(temporary, file.url, file, digest)
    except CannotWrite as error:
        raise DataUnavailable(f"{file.name} could not be had: {error}") from None
    except OSError as error:  # requests' exceptions are OSErrors too
        message = f"{file.name} could not be had: {tried}, and {file.url} failed ({_line(error)}); {hint}"
        raise DataUnavailable(message) from None
    return path


def _line(error: Exception) -> str:
    """What went wrong, in a few words: the server's answer where there was one."""
    import requests

    response = getattr(error, "response", None)
    if response is not None:
        return f"{response.status_code} {response.reason}"
    name = type(error).__name__
    if isinstance(error, requests.RequestException):  # their texts quote the address again, at length
        return {"ConnectTimeout": "no connection in time", "ConnectionError": "no connection"}.get(name, name)
    return f"{name}: {' '.join(str(error).split())[:160]}"
