"""Released files on this machine: found below the mirror folder, and refused unless they are the ones we know.

`pins.csv` holds one row a file (folder, path, bytes, SHA-256). The files themselves cannot be downloaded by us in
general and are never part of the package; each folder's SOURCE.txt says where they are public.
"""

from __future__ import annotations

import csv
import hashlib
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from bertology_utils.errors import Refusal
from bertology_utils.settings import Settings

if TYPE_CHECKING:
    import pandas as pd

HERE = Path(str(resources.files("bertology_utils") / "assets" / "released"))  # what comes with the package


class MirrorMissing(Refusal):
    """There is no mirror folder, or it lacks a file; one line says which and what to do."""


class FileChanged(Refusal):
    """A file is there but is not the one that was pinned."""


@lru_cache
def pins() -> dict[tuple[str, str], str]:
    """(folder, path) -> SHA-256 of every released file that is read."""
    text = resources.files(__package__).joinpath("pins.csv").read_text(encoding="utf-8")
    return {(r["folder"], r["path"]): r["sha256"] for r in csv.DictReader(text.splitlines())}


def mirror(root: str | Path | None = None) -> Path:
    """The mirror folder: `root`, else the setting.

    Raises
    ------
    MirrorMissing
        If neither names a folder.
    """
    found = root or Settings.of().mirror
    if found is None or not Path(found).is_dir():
        said = "no mirror folder is set" if found is None else f"{found} is no folder"
        raise MirrorMissing(f"released results need the mirror: {said}; give BERTOLOGY_MIRROR a folder that holds them")
    return Path(found)


def verified(root: Path, folder: str, path: str) -> bytes:
    """The content of one pinned file, whose hash is checked on the very bytes that are handed out.

    Raises
    ------
    KeyError
        If the file was never pinned.
    MirrorMissing
        If the mirror lacks it.
    FileChanged
        If its SHA-256 is another.
    """
    try:
        expected = pins()[folder, path]
    except KeyError:
        raise KeyError(f"{folder}/{path} is not in pins.csv") from None
    place = root / folder / path
    if not place.is_file():
        raise MirrorMissing(
            f"{folder}/{path} is not in the mirror {root}; its public address is in {folder}/SOURCE.txt"
        )
    content = place.read_bytes()
    if (found := hashlib.sha256(content).hexdigest()) != expected:
        raise FileChanged(f"{place} is not the pinned file: SHA-256 {found}, expected {expected}")
    return content


@dataclass
class Files:
    """The files one scorer may read: verified on reading, and remembered so that the record can name them.

    Attributes
    ----------
    root : Path
    folder : str
        Below `root`, e.g. ``released/jain_wallace2019``.
    patterns : tuple of str
        Paths below the folder that may be read; ``*`` matches within the pinned ones.
    read : dict
        Path -> SHA-256 of what has been read so far.
    """

    root: Path
    folder: str
    patterns: tuple[str, ...]
    read: dict[str, str] = field(default_factory=dict)
    prefix: str = ""  # before a path in `read`: of another folder than the record's own

    def paths(self) -> list[str]:
        """The pinned paths that the patterns name, sorted."""
        pinned = sorted(p for f, p in pins() if f == self.folder and any(fnmatchcase(p, q) for q in self.patterns))
        if not pinned:
            raise KeyError(f"no file of {self.folder} is pinned under {self.patterns}")
        return pinned

    def bytes(self, path: str) -> bytes:
        """The verified content of one file."""
        if path not in self.paths():
            raise KeyError(f"{path} is not among the files this scorer declares: {self.patterns}")
        content = verified(self.root, self.folder, path)
        self.read[self.prefix + path] = pins()[self.folder, path]
        return content

    def beside(self, folder: str, *patterns: str) -> Files:
        """The files of another folder; what is read there is remembered here, under that folder's name."""
        return Files(self.root, folder, patterns, self.read, f"{folder}/")

    def text(self, path: str) -> str:
        return self.bytes(path).decode("utf-8")

    def csv(self, path: str, **options) -> pd.DataFrame:
        """A table; compression is told from the name."""
        from io import BytesIO

        import pandas as pd

        compression = "gzip" if path.endswith(".gz") else None
        return pd.read_csv(BytesIO(self.bytes(path)), compression=compression, **options)


def source(root: Path, folder: str) -> str:
    """Repository, commit and files in one line, as the folder's SOURCE.txt (or its parent's SOURCES.txt) says.

    Raises
    ------
    MirrorMissing, FileChanged
        As for any file.
    ValueError
        If the text has no repository.
    """
    if (folder, "SOURCE.txt") in pins():
        text = verified(root, folder, "SOURCE.txt").decode("utf-8")
        found = dict(re.findall(r"^(repo|commit|paths?|path\(s\)|file): *(\S.*)$", text, flags=re.M))
        parts = [found.get("repo", ""), found.get("commit", "")]
        where = found.get("path(s)") or found.get("path") or found.get("file") or ""
    elif folder == "released/bert_attention_maps":
        text = verified(root, folder, "PROVENANCE.txt").decode("utf-8")
        parts, where = [*re.findall(r"^(\S+) @ (\w+)", text)[0]], "attention tensors stored in its notebooks"
    else:
        parent, name = folder.rsplit("/", 1)
        text = verified(root, parent, "SOURCES.txt").decode("utf-8")
        owner, repository = name.split("__")
        names = (repository, repository.rpartition("_")[0] or repository)  # the latter where a folder of it was copied
        told = r"(?: @ (\w+))?(?: \([^)]*\))? : ([^;\n]*)"  # one table came without its commit
        lines = (re.search(rf"^({owner}/{n}\S*){told}", text, flags=re.M) for n in names)
        match = next(filter(None, lines), None)
        parts, where = ([match[1], match[2] or ""], match[3].strip()) if match else (["", ""], "")
    if not parts[0]:
        raise ValueError(f"{folder} names no repository: {text[:200]!r}")
    line = " @ ".join(p for p in parts if p)
    return f"{line}: {where}" if where else line
