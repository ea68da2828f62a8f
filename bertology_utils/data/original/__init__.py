"""The studies' own files, pinned by commit and SHA-256, as the same items that `builtin` yields.

``read(dataset, task)`` gives items and notes; the files come from a mirror folder, the cache or the network (`fetch`),
what is registered stands in `datasets.yaml` and `files.csv` (`registry`), the readers are in `readers/` (`reading`).
"""

from __future__ import annotations

import os
from pathlib import Path

from bertology_utils.data.items import Item
from bertology_utils.data.original import hub, reading, registry
from bertology_utils.data.original.fetch import DataUnavailable, HashMismatch, here
from bertology_utils.data.original.reading import Files, ReaderError, reader
from bertology_utils.data.original.registry import UnknownDataset


def datasets() -> list[str]:
    """Names of all registered data sets."""
    return list(registry.datasets())


def tasks(dataset: str) -> list[str]:
    """The tasks a data set (or a configuration on the Hub, as ``hub:sst2``) has items for."""
    if dataset.startswith(hub.PREFIX):
        return hub.tasks(dataset)
    return list(reading.readers(dataset))


def available(dataset: str, *, mirror: str | os.PathLike | None = None, cache: str | os.PathLike | None = None) -> bool:
    """Whether every registered file of a data set is in the mirror or the cache (hashes are checked on reading)."""
    return all(here(file, mirror, cache) for file in registry.dataset(dataset).files.values())


def read(
    dataset: str, task: str, *, mirror: str | os.PathLike | None = None, cache: str | os.PathLike | None = None
) -> tuple[list[Item], tuple[str, ...]]:
    """All items of a data set (or of a configuration of GLUE on the Hub) for a task, and notes on what was left out.

    Raises
    ------
    UnknownDataset, KeyError
        If there is no such data set, or it has no items for the task.
    DataUnavailable
        If a file can be had neither from the mirror, the cache nor the network.
    ReaderError
        If a file is not what its reader expects.
    """
    if dataset.startswith(hub.PREFIX):
        return hub.read(dataset, task)
    known = reading.readers(dataset)
    if task not in known:
        raise KeyError(f"{dataset} has no items for {task!r}; it has: {', '.join(known) or 'figures only'}")
    files = Files(dataset, *(None if folder is None else Path(folder) for folder in (mirror, cache)))
    items = list(known[task](files))
    return items, files.notes
