"""Items for experiments: generated (`builtin`) or the studies' own (`original`), behind one call."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from bertology_utils.data.items import SPLITS, Data, Item
from bertology_utils.settings import Settings

BUILTIN_N = 1000  # items per task where the caller names no number


def load(
    tasks: str | Sequence[str],
    source: str = "builtin",
    *,
    path: str | Path | None = None,
    n: int | None = None,
    seed: int = 0,
    settings: Settings | None = None,
) -> Data:
    """The items of one source for the tasks of a claim.

    Parameters
    ----------
    tasks : str or sequence of str
    source : str
        ``"builtin"``, the name of a registered data set (the caller expands ``"original"``: a claim names its own), or a
        configuration of a set on the Hub (``"hub:sst2"``, ``"hub:xnli.de"``).
    path : str or Path, optional
        A file of one's own for a single task, instead of a source: as `own.read` has it.
    n : int, optional
        Items per task to generate; of original data at most `n` of each split, drawn with `seed`. None: `settings.n`,
        else `BUILTIN_N` generated items, or all original ones.
    settings : Settings, optional
        For mirror and cache folder.

    Returns
    -------
    Data
        Its notes say what was left out and how many of how many items were drawn.

    Raises
    ------
    KeyError
        If the source, or the task in it, does not exist.
    DataUnavailable
        If a file of the data set can be had neither from the mirror, the cache nor the network.
    OwnDataError
        If `path` cannot be read.

    Examples
    --------
    >>> load("agreement", n=20)["agreement"][0].good != load("agreement", n=20)["agreement"][0].bad
    True
    """
    if path is not None:
        if not isinstance(tasks, str):
            raise ValueError(f"a file holds the items of one task, not of {', '.join(tasks)}")
        from bertology_utils.data import own

        given, idle = own.with_notes(path, tasks)
        made = of({tasks: given})
        named = made.name.replace(own.PREFIX, f"{own.PREFIX}{Path(path).name}-")
        return replace(made, name=named, notes=idle)
    names = (tasks,) if isinstance(tasks, str) else tuple(tasks)
    n = n if n is not None else (settings.n if settings is not None else None)
    items: dict[str, list] = {}
    notes: list[str] = []
    for task in names:
        if source == "builtin":
            from bertology_utils.data import builtin

            items[task], said = builtin.read(task, n or BUILTIN_N, seed)
        else:
            from bertology_utils.data import original

            folders = {} if settings is None else {"mirror": settings.mirror, "cache": settings.cache}
            found, said = original.read(source, task, **folders)
            items[task], drawn = sample(found, n, seed)
            said = (*said, *drawn)
        notes += [f"{task}: {note}" if len(names) > 1 else note for note in said]
    return Data(name=source, items=items, sha256=sha256(items), notes=tuple(notes))


def of(items: Mapping[str, Sequence[Item]], name: str = "") -> Data:
    """Data from items made elsewhere: a researcher's own, by task.

    Where no name is given it holds a digest of the items, so that the records of two sets are never one.
    """
    from bertology_utils.data.own import PREFIX

    given = {task: list(group) for task, group in items.items()}
    digest = sha256(given)
    return Data(name=name or f"{PREFIX}{digest[:8]}", items=given, sha256=digest)


def sample(items: Sequence[Item], n: int | None, seed: int = 0) -> tuple[list[Item], tuple[str, ...]]:
    """At most `n` items of each split, in their order, and a note for each split that was cut.

    The draw depends on seed, split and the number of items alone, so it is the same wherever it is made.
    """
    if n is None:
        return list(items), ()
    chosen: set[int] = set()
    notes = []
    for split in SPLITS:
        places = [i for i, item in enumerate(items) if item.split == split]
        if len(places) > n:
            notes.append(f"{n} of {len(places)} {split} items, drawn with seed {seed}")
            places = random.Random(f"{seed} {split}").sample(places, n)
        chosen.update(places)
    return [item for i, item in enumerate(items) if i in chosen], tuple(notes)


def sha256(items: Iterable[Item] | Mapping[str, Iterable[Item]]) -> str:
    """SHA-256 over every field of every item (meta included), in order: what the evidence records.

    Raises
    ------
    TypeError
        If a field holds what JSON has no word for; the message names it.
    """
    digest = hashlib.sha256()
    for task, group in items.items() if isinstance(items, Mapping) else [("", items)]:
        digest.update(f"{task}\n".encode())
        for item in group:
            record = [type(item).__name__, item]
            line = json.dumps(record, default=vars, sort_keys=True, ensure_ascii=False, allow_nan=False)
            digest.update(line.encode() + b"\n")
    return digest.hexdigest()
