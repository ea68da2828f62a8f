"""Hand-written files in place of a data set's own, so that readers can be tested without the original data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from bertology_utils.data.items import Item
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
        return StandIn(dataset, self.folder, there)


def read(
    dataset: str, task: str, folder: Path, contents: Mapping[str, str | bytes]
) -> tuple[list[Item], tuple[str, ...]]:
    """Items and notes that the registered reader makes of hand-written files."""
    files = StandIn(dataset, folder, contents)
    return list(readers(dataset)[task](files)), files.notes
