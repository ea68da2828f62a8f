"""The evidence for download: one archive of everything, and the records of each claim as a file of their own."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Sequence
from pathlib import Path

from ..cards.standing import Standing

NAME = "evidence.zip"
ABOUT = """Evidence of "BERTology, rerun": one JSON file for each (claim, kind, model, data), in a folder for each claim.

Each holds tidy rows (measure, value, 95% interval, items, clusters and key columns), differences over the untrained
twin, notes and provenance. Outcomes are not stored: the clauses of the ledger (the YAML files beside this one) decide
them from the rows. claims.csv and claims.json say what they decided when this archive was made.
"""
_ALWAYS = (1980, 1, 1, 0, 0, 0)  # the same records give the same bytes


def write(static: Path, found: Sequence[Standing], beside: Sequence[Path] = ()) -> Path:
    """Write ``evidence.zip``, with the files `beside` at its top, and ``claims/<id>.json`` into a folder; the archive's path."""
    folder = static / "claims"
    folder.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(static / NAME, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "README.txt", ABOUT)
        for path in beside:
            _add(archive, path.name, path.read_text(encoding="utf-8"))
        for s in found:
            records = [(r.file, r.plain()) for r in s.records]
            for place, raw in records:
                _add(archive, f"evidence/{place.as_posix()}", json.dumps(raw, indent=1, ensure_ascii=False) + "\n")
            own = json.dumps([raw for _, raw in records], ensure_ascii=False)
            (folder / f"{s.row.id}.json").write_text(own + "\n", encoding="utf-8")
    return static / NAME


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, date_time=_ALWAYS)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = 0o644 << 16
    archive.writestr(entry, text)
