"""Hand-written files in place of a data set's own, and the originals where there is a mirror."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from support import mirror

from bertology_utils.data import original
from bertology_utils.data.items import Item, Labelled
from bertology_utils.data.original.reading import Files, readers


class StandIn(Files):
    """Files of a data set that hold what a test gives; a path that is not registered is an error, as in `Files`.

    Parameters
    ----------
    contents : mapping of str to str
        Registered path -> text. Paths of other data sets are written ``other_dataset::path``.
    """

    def __init__(self, dataset: str, folder: Path, contents: Mapping[str, str | bytes]):
        super().__init__(dataset)
        self.folder, self.contents = folder, dict(contents)

    def __getitem__(self, path: str) -> Path:
        if path not in self.dataset.files or path not in self:
            raise KeyError(f"no such file in {self.dataset.name}: {path}")
        content = self.contents[path]
        target = self.folder / self.dataset.name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
        return target

    def __contains__(self, path: str) -> bool:
        return path in self.contents

    def names(self, pattern: str = "*") -> list[str]:
        return [name for name in super().names(pattern) if name in self]

    def of(self, dataset: str) -> StandIn:
        prefix = f"{dataset}::"
        there = {k.removeprefix(prefix): v for k, v in self.contents.items() if k.startswith(prefix)}
        other = StandIn(dataset, self.folder, there)
        other._place = self._place
        return other


def read(
    dataset: str, task: str, folder: Path, contents: Mapping[str, str | bytes]
) -> tuple[list[Item], tuple[str, ...]]:
    """Items and notes that the registered reader makes of hand-written files."""
    files = StandIn(dataset, folder, contents)
    return list(readers(dataset)[task](files)), files.notes


def labelled(n: int, split: str) -> list[Labelled]:
    """Items that differ in nothing but their number."""
    return [Labelled(id=f"{split}-{i}", split=split, text=f"text {i}", label="1") for i in range(n)]


def zipped(**contents: str) -> bytes:
    """An archive with these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in contents.items():
            archive.writestr(name, text)
    return buffer.getvalue()


@lru_cache(maxsize=3)  # all data sets together would take gigabytes
def items_of(dataset: str, task: str) -> tuple[list[Item], tuple[str, ...]]:
    """Items and notes of the original files, or the test is skipped: there is no mirror."""
    return original.read(dataset, task, mirror=mirror())
