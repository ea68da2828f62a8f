"""What the project knows of each study's data: where every file is, what it must contain, and what one may do with it.

`datasets.yaml` has one entry a data set, `files.csv` one row a file. A file's public address is its repository at a
pinned commit; its SHA-256 is what makes it that file. Nothing here reads a file's content or touches the network.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from urllib.parse import quote

import yaml

from bertology_utils.errors import Refusal
from bertology_utils.files import write
from bertology_utils.provenance import sha256

RAW = "https://raw.githubusercontent.com"
FILES = Path(str(resources.files(__package__))) / "files.csv"


@dataclass(frozen=True)
class File:
    """One registered file.

    Attributes
    ----------
    dataset, path : str
    bytes : int
    sha256 : str
    url : str | None
        Public address; None for the few tables that exist in a mirror only.
    folder : str
        The data set's, where that is not its name.
    """

    dataset: str
    path: str
    bytes: int
    sha256: str
    url: str | None
    folder: str = ""

    @property
    def name(self) -> str:
        """Where it lies below a mirror or the cache."""
        return f"{self.folder or self.dataset}/{self.path}"


@dataclass(frozen=True)
class Dataset:
    """One study's data: what it is, where it comes from, its licence as stated there, and its files by path.

    `redistribute` says whether the stated licence lets one pass the files on (perhaps under conditions, as CC BY-NC);
    where nothing is stated, it does not. `short` names the data on a card. `cite` holds keys of the bibliography. `folder` is
    where it lies below a mirror or the cache: under its name, or with the outputs that it was released with.
    """

    name: str
    folder: str
    title: str
    short: str
    repository: str | None
    commit: str | None
    licence: str
    redistribute: bool
    cite: tuple[str, ...]
    files: dict[str, File]

    @property
    def bytes(self) -> int:
        return sum(f.bytes for f in self.files.values())


class UnknownDataset(Refusal, KeyError):
    """No data set has that name."""

    def __str__(self) -> str:
        return self.args[0]


def _address(entry: dict, row: dict[str, str]) -> str | None:
    """The raw file at its commit; `row["source"]` is given where it is not its own path in the data set's repository."""
    if row["source"]:
        repository, rest = row["source"].split("@", 1)
        commit, path = rest.split(":", 1)
    else:
        repository, commit, path = entry.get("repository", ""), entry.get("commit", ""), row["path"]
    return f"{RAW}/{repository}/{commit}/{quote(path)}" if repository else None


@lru_cache(maxsize=1)
def datasets() -> dict[str, Dataset]:
    """All data sets by name, in alphabetical order."""
    here = resources.files(__package__)
    entries = yaml.safe_load((here / "datasets.yaml").read_text(encoding="utf-8"))
    files: dict[str, dict[str, File]] = {name: {} for name in sorted(entries)}
    with io.StringIO(FILES.read_text(encoding="utf-8")) as rows:
        for row in csv.DictReader(rows):
            name, path = row["dataset"], row["path"]
            url, folder = _address(entries[name], row), entries[name].get("folder", "")
            files[name][path] = File(name, path, int(row["bytes"]), row["sha256"], url, folder)
    return {
        name: Dataset(
            name=name,
            folder=e.get("folder", name),
            title=e["title"],
            short=e["short"],
            repository=e.get("repository"),
            commit=e.get("commit"),
            licence=e["licence"],
            redistribute=e["redistribute"],
            cite=tuple(e["cite"]),
            files=files[name],
        )
        for name, e in sorted(entries.items())
    }


def dataset(name: str) -> Dataset:
    """The data set of that name.

    Raises
    ------
    UnknownDataset
        With the names there are.
    """
    try:
        return datasets()[name]
    except KeyError:
        raise UnknownDataset(f"no data set {name!r}; there are: {', '.join(datasets())}") from None


def pin(name: str, paths: Sequence[str], mirror: Path) -> None:
    """Register files of a data set by size and SHA-256, in place of what was registered under their names.

    Raises
    ------
    UnknownDataset
        `datasets.yaml` has no such entry.
    Refusal
        The mirror lacks a file. Nothing is written then.
    """
    folder = dataset(name).folder
    rows = {(r["dataset"], r["path"]): r for r in csv.DictReader(io.StringIO(FILES.read_text(encoding="utf-8")))}
    for path in paths:
        file = mirror / folder / path
        if not file.is_file():
            raise Refusal(f"{file} is not there: the file is pinned as it lies in the mirror")
        known = rows.get((name, path), {"dataset": name, "path": path, "source": ""})
        rows[name, path] = known | {"bytes": file.stat().st_size, "sha256": sha256(file)}
    out = io.StringIO()
    writer = csv.DictWriter(out, ("dataset", "path", "bytes", "sha256", "source"), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows[key] for key in sorted(rows))
    write(FILES, out.getvalue())
    datasets.cache_clear()


def below(folder: Path, file: File) -> Path:
    """Where a file lies in a mirror or in the cache."""
    return folder / file.name
