"""Evidence: one record a (claim, model, data, kind), saying everything needed to measure it again.

Records are JSON, written atomically. Those that come with the package lie in ``assets/evidence``; what a user runs
goes to the folder in the settings and takes precedence.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import re
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timezone
from functools import cache
from importlib import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from ..provenance import commit
from ..scores.intervals import table
from ..settings import Settings
from .rules import Check, Verdict

KINDS = ("rerun", "released", "paper")
SHIPPED = Path(str(files("bertology_utils") / "assets" / "evidence"))


class EvidenceError(ValueError):
    """A record on disk is not what it says; the message names the file."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One record.

    Attributes
    ----------
    claim, model, data, kind : str
        Together the key. `model` of a twin ends in ``-untrained``; `kind` is ``rerun``, ``released`` or ``paper``.
    rows : list of dict
        Tidy rows with intervals.
    checks : list of dict
        The rows the rule looked at and how each came out.
    verdict : Verdict or None
        None for released figures that are not the ones the claim's rule speaks of.
    n : int
        Items measured.
    notes : tuple of str
        What was left out, and how many.
    label : str
        For released outputs: ``authors``, ``rerun`` (an independent one), ``related`` or ``digitised``.
    stance : str
        For released outputs: ``supports``, ``qualifies`` or ``contradicts`` the claim, as we read them.
    source : str
        For released outputs: the public address.
    provenance : dict
        Hashes of subject and data, versions, git commit, device, dtype, seed, seconds, date.
    """

    claim: str
    model: str
    data: str
    kind: str
    rows: list[dict[str, Any]]
    verdict: Verdict | None
    n: int
    checks: list[dict[str, Any]] = field(default_factory=list)
    notes: tuple[str, ...] = ()
    label: str = ""
    stance: str = ""
    source: str = ""
    provenance: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise EvidenceError(f"kind {self.kind!r} is none of {KINDS}")

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.claim, self.kind, self.model, self.data

    @property
    def is_twin(self) -> bool:
        return self.model.endswith("-untrained")

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a tidy data frame."""
        return table(self.rows, self.notes)

    def row_checks(self) -> list[Check]:
        """The rows the rule looked at; a missing interval is nan."""
        return [Check(**{k: math.nan if v is None and k != "holds" else v for k, v in c.items()}) for c in self.checks]

    @property
    def file(self) -> Path:
        """Where the record lies under its root."""
        return place(self.claim, self.kind, self.model, self.data)

    def save(self, root: Path) -> Path:
        """Write the record under `root`, all or nothing."""
        path = root / self.file
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(_plain(asdict(self)), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
        return path


def place(claim: str, kind: str, model: str, data: str) -> Path:
    """The file of a record under its root: one folder a claim."""
    return Path(claim) / f"{kind}--{_safe(model)}--{_safe(data)}.json"


def _safe(name: str) -> str:
    """A file name for a model or data set; a folder keeps its last part and a hash of the whole."""
    if "/" not in name and "\\" not in name:
        return re.sub(r"[^\w.@-]", "_", name)
    twin = "-untrained" if name.endswith("-untrained") else ""
    last = re.sub(r"[^\w.@-]", "_", Path(name.removesuffix(twin)).name)
    return f"{last}-{hashlib.sha256(name.encode()).hexdigest()[:8]}{twin}"


def _plain(value: Any) -> Any:
    """JSON's own types; a missing interval (nan) is null. Figures keep six significant digits: no more was measured."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return None if not math.isfinite(value) else float(f"{value:.6g}")
    return str(value) if isinstance(value, Path) else value


def read(path: Path) -> Evidence:
    """Read one record, refusing what does not fit."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        raw["verdict"] = Verdict(**raw["verdict"]) if raw["verdict"] else None
        raw["notes"] = tuple(raw.get("notes", ()))
        for record in raw["rows"]:
            for name in ("value", "low", "high"):
                record[name] = math.nan if record[name] is None else record[name]
        return Evidence(**raw)
    except (json.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise EvidenceError(f"{path}: not a record of evidence: {error}") from error


def find(claim: str | None = None, settings: Settings | None = None) -> list[Evidence]:
    """All records, or one claim's; the user's own take precedence over those that came with the package."""
    settings = settings or Settings.of()
    found: dict[tuple, Evidence] = {}
    for root in (SHIPPED, settings.evidence):
        for path in _paths(root, claim):
            record = read(path)
            found[record.key] = record
    return [found[key] for key in sorted(found)]


def curves(claim: str, measure: str, *, by: str = "layer", settings: Settings | None = None) -> dict[str, pd.DataFrame]:
    """Released figures of one measure along a number (layer, …): ``"MODEL, released"`` -> tidy rows, in order.

    Rows whose `by` is no number are left out; the dictionary is empty where nothing was released.
    """
    out = {}
    for record in find(claim, settings):
        frame = record.frame
        if record.kind != "released" or by not in frame:
            continue
        at = pd.to_numeric(frame[by], errors="coerce")
        frame = frame.assign(**{by: at})[(frame["measure"] == measure) & at.notna()]
        if len(frame):
            out[f"{record.model}, released"] = frame.sort_values(by).astype({by: int})
    return out


def _paths(root: Path, claim: str | None) -> Iterator[Path]:
    if root.is_dir():
        yield from sorted(root.glob(f"{claim}/*.json" if claim else "*/*.json"))


def without_seconds(record: Evidence) -> Evidence:
    """The record less what differs between two runs of the same code: time, date and machine."""
    kept = {k: v for k, v in record.provenance.items() if k.endswith("sha256") or k in ("dtype", "seed", "draws")}
    return replace(record, provenance=kept)


@cache
def versions() -> dict[str, str]:
    """Versions of what a figure may depend on."""
    names = ("bertology-utils", "torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn")

    def version(name: str) -> str:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return "not installed"

    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def scoring(settings: Settings) -> dict[str, Any]:
    """How figures were computed, whatever ran the model."""
    return {
        "versions": versions(),
        "git": commit(),
        "seed": settings.seed,
        "draws": settings.draws,
        "date": datetime.now(timezone.utc).date().isoformat(),
    }


def provenance(settings: Settings, seconds: float, **hashes: str | None) -> dict[str, Any]:
    """Where and how a figure was measured."""
    import torch

    device = settings.torch_device()
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    where = {"device": str(device), "device_name": name, "dtype": settings.dtype, "seconds": round(seconds, 1)}
    return {**hashes, **where, **scoring(settings)}
