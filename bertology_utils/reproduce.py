"""Shipped records rerun: does this machine, with this code, measure what the evidence says?

A rerun differs from its record by rounding, so the two are compared as outputs of notebooks are (`scores.sameness`): a
figure and the ends of its interval by a tenth of half the interval's width, a figure without an interval by a
thousandth, everything else exactly; and the outcome must be the same.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from . import runs
from .claims import evidence as records
from .claims.believable import PARTS, ROUNDED
from .claims.evidence import SHIPPED, Evidence
from .errors import Refusal
from .scores.sameness import allowed_of
from .settings import TWIN, Settings
from .subject import relatives
from .subject.models import bundled


class NothingToRerun(Refusal):
    """No shipped record can be rerun here; the message says what that would take."""


@dataclass(frozen=True)
class Reproduced:
    """A record and what its rerun gave.

    Attributes
    ----------
    record : Evidence
    differences : tuple of str
        What differs by more than it may, one line each; empty where the record is reproduced.
    largest : float
        The largest difference of its figures, in units of what each may differ by.
    skipped : str
        Why it could not be rerun; empty if it was.
    """

    record: Evidence
    differences: tuple[str, ...] = ()
    largest: float = 0.0
    skipped: str = ""


def reproducible(settings: Settings, root: Path = SHIPPED) -> list[Evidence]:
    """The records under `root` that can be rerun here: of models that are there; of original data where a mirror is named."""
    found = [records.read(path) for path in sorted(root.glob("*/rerun--*.json"))]

    def there(model: str) -> bool:
        return model in bundled() or relatives.here(model, settings)

    return [
        r for r in found if there(r.model.removesuffix(TWIN)) and (r.data == "builtin" or settings.mirror is not None)
    ]


def reproduce(settings: Settings, n: int = 3, *, seed: int = 0, root: Path = SHIPPED) -> Iterator[Reproduced]:
    """Rerun `n` records drawn at random and compare, yielding each as it is done.

    A record of a model is rerun together with its twin's, since the differences between the two are part of it.

    Raises
    ------
    NothingToRerun
        If there is no such record.
    """
    everything = reproducible(settings, root)
    if not everything:
        raise NothingToRerun(f"no record in {root} is of a bundled model and of data that are here")
    drawn = np.random.default_rng(seed).permutation(len(everything))[:n]
    for place in sorted(drawn.tolist()):
        yield again(everything[place], settings)


def again(record: Evidence, settings: Settings) -> Reproduced:
    """One record rerun and compared."""
    asked: dict[str, Any] = {k: record.provenance[k] for k in ("seed", "draws", "dtype") if k in record.provenance}
    asked["n"] = record.provenance.get("asked")
    settings = replace(settings, model=record.model, data=record.data, **asked)
    with tempfile.TemporaryDirectory(prefix="bertology-reproduce-") as folder:
        settings = replace(settings, evidence=Path(folder))
        try:
            runs.run(record.claim, settings, twin=not record.is_twin)
        except Refusal as error:
            return Reproduced(record, skipped=" ".join(str(error).split()))
        fresh = records.read(settings.evidence / record.file)  # as a record is: rounded, without draws
    return Reproduced(record, *compare(record, fresh))


def compare(stored: Evidence, fresh: Evidence) -> tuple[tuple[str, ...], float]:
    """What differs between two records by more than it may, and the largest difference in units of what is allowed."""
    said, largest = [], 0.0
    # the last bits of random weights follow the processor's vector instructions: a twin is known by its seed
    for name in ("data_sha256",) if stored.is_twin else ("subject_sha256", "data_sha256"):
        if stored.provenance.get(name) != fresh.provenance.get(name):
            said.append(f"{name} is {fresh.provenance.get(name)}, not {stored.provenance.get(name)}")
    if stored.notes != fresh.notes:
        said.append(f"notes are {fresh.notes}, not {stored.notes}")
    outcomes = [r.decision.outcome if r.decision else None for r in (stored, fresh)]
    if outcomes[0] != outcomes[1]:
        said.append(f"the outcome is {outcomes[1]}, not {outcomes[0]}")
    for part in ("rows", "over_twin"):
        more, moved = _rows(getattr(stored, part) or (), getattr(fresh, part) or (), part)
        said, largest = said + more, max(largest, moved)
    return tuple(said), largest


def _rows(stored: Sequence[dict], fresh: Sequence[dict], part: str) -> tuple[list[str], float]:
    if len(stored) != len(fresh):
        return [f"{len(fresh)} {part}, not {len(stored)}"], math.inf
    said, largest = [], 0.0
    for a, b in zip(map(_filled, stored), map(_filled, fresh)):
        figures = [name for name in a if name.endswith(PARTS) and name in b]
        if {k: v for k, v in a.items() if k not in figures} != {k: v for k, v in b.items() if k not in figures}:
            said.append(f"{part}: {_named(b)}, not {_named(a)}")
            largest = math.inf
            continue
        for name in figures:
            moved = _moved(a, b, name)
            largest = max(largest, moved)
            if moved > 1:
                said.append(f"{part}: {_named(a)}: {name} is {b[name]}, not {a[name]}")
    return said, largest


def _filled(row: dict) -> dict:
    """What a row says: a key that it leaves empty is one that it has not."""
    return {name: value for name, value in row.items() if value is not None}


def _moved(a: dict, b: dict, name: str) -> float:
    """The difference of one figure of two rows, in units of what it may be."""
    if math.isnan(a[name]) or math.isnan(b[name]):
        return 0.0 if math.isnan(a[name]) and math.isnan(b[name]) else math.inf
    prefix = name.removesuffix("value").removesuffix("low").removesuffix("high")
    halves = [(r.get(f"{prefix}high", math.nan) - r.get(f"{prefix}low", math.nan)) / 2 for r in (a, b)]
    half = 0.0 if any(map(math.isnan, halves)) else min(halves)
    size = max(abs(a[name]), abs(b[name]))
    return abs(a[name] - b[name]) / max(allowed_of(half, size), ROUNDED * size)


def _named(row: dict[str, Any]) -> str:
    """A row by its measure and keys."""
    keys = [f"{k} {v}" for k, v in row.items() if not k.endswith(PARTS) and k != "measure" and v is not None]
    return f"{row['measure']} ({', '.join(keys)})"
