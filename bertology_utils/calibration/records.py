"""Stored calibrations: one file per claim, with the deciding rows of every stand-in, so that anybody can decide again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..claims.evidence import Evidence, EvidenceError, missing_as_nan, plain
from ..files import read_once, write
from .trials import NULL, PLANTED, Trial

SHIPPED = Path(str(files("bertology_utils") / "assets" / "calibration"))
KEPT = ("seconds", "unknown", "data_sha256", "base_sha256", "seed", "draws", "date", "git", "versions")


def save(trials: Iterable[Trial], root: Path = SHIPPED) -> Path:
    """Write a claim's trials on one source, all or nothing; those on its other sources stay.

    Raises
    ------
    ValueError
        If there is none, or they are of several claims or sources.
    """
    trials = list(trials)
    ids, sources = {t.record.claim for t in trials}, {t.record.data for t in trials}
    if len(ids) != 1 or len(sources) != 1:
        raise ValueError(f"trials of one claim on one source are needed, not {sorted(ids)} on {sorted(sources)}")
    (id,), (source,) = ids, sources
    path = root / f"{id}.json"
    kept = [t for t in (read(path) if path.is_file() else []) if t.record.data != source]
    text = "[\n" + ",\n".join(_line(t) for t in [*kept, *trials]) + "\n]\n"
    return write(path, text)


def _line(trial: Trial) -> str:
    """A trial as JSON, a row to a line."""
    record = plain(asdict(trial.record))
    facts = {k: v for k, v in record["provenance"].items() if k in KEPT}
    head: dict[str, Any] = {"role": trial.role, "name": trial.name, "says": trial.says, "aims": list(trial.aims)}
    head |= {"claim": record["claim"], "data": record["data"], "notes": record["notes"], "provenance": facts}
    lines = [f" {json.dumps(k)}: {_dump(v)}" for k, v in head.items()]
    for part in ("rows", "over_twin"):
        rows = record[part]
        block = "null" if rows is None else "[\n  " + ",\n  ".join(map(_dump, rows)) + "\n ]" if rows else "[]"
        lines.append(f' "{part}": {block}')
    return "{\n" + ",\n".join(lines) + "\n}"


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


@read_once
def read(path: Path) -> list[Trial]:
    """The trials of one file.

    Raises
    ------
    EvidenceError
        If the file is not what it should be; it is named.
    """
    try:
        return [_trial(raw) for raw in json.loads(path.read_text(encoding="utf-8"))]
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise EvidenceError(f"{path}: not a record of calibration: {error!r}") from error


def _trial(raw: dict) -> Trial:
    raw |= {part: missing_as_nan(raw[part]) for part in ("rows", "over_twin")}
    if raw["role"] not in (NULL, PLANTED):
        raise ValueError(f"role {raw['role']!r}")
    record = Evidence(
        claim=raw["claim"], model=raw["name"] if raw["role"] == NULL else PLANTED, data=raw["data"], kind="rerun",
        rows=raw["rows"], over_twin=raw["over_twin"], notes=tuple(raw["notes"]), provenance=raw["provenance"],
    )  # fmt: skip
    return Trial(raw["role"], raw["name"], raw["says"], record, tuple(raw["aims"]))


def find(id: str | None = None, root: Path = SHIPPED) -> list[Trial]:
    """All stored trials, or one claim's."""
    paths = sorted(root.glob(f"{id or '*'}.json")) if root.is_dir() else []
    return [trial for path in paths for trial in read(path)]
