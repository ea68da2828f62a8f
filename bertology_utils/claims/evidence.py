"""Evidence: one record per (claim, model, data, kind), saying everything needed to measure it again.

Records are JSON, written atomically. Those that come with the package lie in ``assets/evidence``; what a user runs goes
to the folder in the settings. There it is shown beside the shipped record; it stands in its place only if it was
measured as that one was (items asked for, seed, precision, weights), so that no quick try displaces a record.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

import pandas as pd

from .. import files
from ..data.own import PREFIX as OWN
from ..errors import Refusal
from ..settings import TWIN, Settings
from . import believable, ledger
from .checks import RuleError
from .rules import UNTESTABLE, Decision, decide, pooled

KINDS = ("rerun", "released", "paper")
ROUNDING = 1e-6  # share of a hidden state by which two processors differ
VERSION = 2  # of the format of a record
READING = 0.02  # by which figures read off a picture may be wrong: the most that any release here says of itself
SHIPPED = Path(str(resources("bertology_utils") / "assets" / "evidence"))


class EvidenceError(Refusal, ValueError):
    """A record on disk is not what it says; the message names the file."""


class Skipped(UserWarning):
    """A record in the user's folder was left out; the message names it and says why."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One record.

    Attributes
    ----------
    claim, model, data, kind : str
        Together the key. `model` of a twin ends in ``-untrained``; `kind` is ``rerun``, ``released`` or ``paper``.
    rows : list of dict
        Tidy rows with intervals.
    over_twin : list of dict or None
        Differences subject - twin, row by row, paired where the items were the same; None where there is no twin.
    notes : tuple of str
        What was left out, and how many.
    label : str
        For released outputs: ``authors``, ``rerun`` (an independent one), ``related`` or ``digitised``.
    stance : str
        For released outputs: ``supports``, ``qualifies`` or ``contradicts`` the claim, as we read them; empty for
        baselines.
    source : str
        For released outputs: the public address.
    provenance : dict
        Hashes of every model and every text the figures rest on, versions, git commit, device, dtype, seed, draws,
        seconds, date.

    The decision is not stored: it is made from the rows by the ledger's clauses whenever a record is read.
    """

    claim: str
    model: str
    data: str
    kind: str
    rows: list[dict[str, Any]]
    over_twin: list[dict[str, Any]] | None = None
    notes: tuple[str, ...] = ()
    label: str = ""
    stance: str = ""
    source: str = ""
    provenance: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise EvidenceError(f"kind {self.kind!r} is none of {KINDS}")
        object.__setattr__(self, "rows", [_in_range(row) for row in self.rows])
        if self.over_twin is not None:
            object.__setattr__(self, "over_twin", [_in_range(row, difference=True) for row in self.over_twin])

    @cached_property
    def decision(self) -> Decision | None:
        """What the ledger's clauses say of the rows; None where no clause speaks of them."""
        try:
            return self.judged()
        except RuleError:
            return None

    def judged(self, over: Mapping[str, int] | None = None) -> Decision:
        """As `decision`; rows that a clause does not find are an error (`RuleError`): a misspelt name, most likely."""
        twin = None if self.is_twin else self.over_twin
        return decide(ledger.row(self.claim).clauses, self.rows, twin, self.data, over, partial=self.is_own)

    @property
    def decides(self) -> bool:
        """Whether released outputs may decide the claim.

        Related ones (another measure, another network) only bear on it. Of those read off a picture every figure that decides
        must lie three times the reading error from its bound.
        """
        if self.label == "digitised":
            checks = self.decision.checks if self.decision else ()
            return bool(checks) and all(abs(c.value - c.bound) >= 3 * READING for c in checks)
        return self.label != "related"

    @property
    def n(self) -> int:
        """Items scored: the most that any deciding row rests on."""
        checks = self.decision.checks if self.decision else ()
        return max((c.n for c in checks), default=max((int(r["n"]) for r in self.rows), default=0))

    @property
    def clusters(self) -> int | None:
        """Independent units behind the deciding rows, where they are known: the fewest."""
        checks = self.decision.checks if self.decision else ()
        return min((c.clusters for c in checks if c.clusters is not None), default=None)

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.claim, self.kind, self.model, self.data

    @property
    def is_twin(self) -> bool:
        return self.model.endswith(TWIN)

    @property
    def is_own(self) -> bool:
        """Whether it is of a reader's own items: shown, and no part of the claim's outcome."""
        return self.data.startswith(OWN)

    @property
    def frame(self) -> pd.DataFrame:
        """The rows as a tidy data frame."""
        from ..scores.intervals import table

        return table(self.rows, self.notes)

    @property
    def conditions(self) -> dict[str, Any]:
        """How it was measured: what must be the same for one record to stand in another's place."""
        names = ["asked", "seed", "dtype"]
        if not self.is_twin:  # the last bits of a twin's random weights follow the processor: its seed says what it is
            names.append("subject_sha256")
        noise = self.provenance.get("noise") or 0.0  # that of rounding is what another processor has too
        return {name: self.provenance.get(name) for name in names} | {"noise": noise if noise > ROUNDING else None}

    @property
    def file(self) -> Path:
        """Where the record lies under its root."""
        return place(self.claim, self.kind, self.model, self.data)

    @property
    def aside(self) -> Path:
        """Where it lies under its root if its place is taken by a fuller record, or by one of another seed."""
        return aside(self.file, self.conditions)

    def plain(self) -> dict[str, Any]:
        """As JSON's own types, with the format's version: what is written."""
        return {"version": VERSION} | {f.name: plain(getattr(self, f.name)) for f in fields(self)}

    def save(self, root: Path) -> Path:
        """Write the record under `root`, all or nothing.

        A record of the same weights that was measured in another way, on as many items or more, keeps its place; this one
        then lies beside it (`aside`).

        Raises
        ------
        CannotWrite
            No room, no permission, or something else stands in the way; what was there before stays.
        EvidenceError
            It cannot be true, so that nobody could read it again.
        """
        raw = self.plain()
        try:
            believable.check(raw)
        except ValueError as error:
            raise EvidenceError(f"{self.file}: not a record of evidence: {error}") from error
        place = root / (self.aside if _stays(root / self.file, self) else self.file)
        return files.write(place, json.dumps(raw, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def _in_range(row: dict[str, Any], difference: bool = False) -> dict[str, Any]:
    """A row, or one of differences over the twin, with its intervals within what the measure can be."""
    try:
        ends: dict[str, Any] = {
            k: believable.within(row["measure"], row[k], difference=difference)[0] for k in ("low", "high")
        }
        twin: dict[str, Any] = {
            k: believable.within(row["measure"], row[k])[0] for k in ("twin_low", "twin_high") if k in row
        }
    except (KeyError, TypeError):  # what is no row is refused where it is read or written
        return row
    return {**row, **ends, **twin}


def together(records: Iterable[Evidence]) -> Decision:
    """One decision from the records of a subject on several sources, any of which will do: each clause's intervals are wider.

    A source whose items another one has too (`Row.part_of`) is left out beside it.

    Raises
    ------
    ValueError
        No clause speaks of any of them.
    """
    records = [r for r in records if r.decision]
    if not records:
        raise ValueError("no clause speaks of these records")
    sources = {r.data for r in records}
    records = [r for r in records if ledger.row(r.claim).part_of.get(r.data) not in sources]
    able = Counter(c.name for r in records if r.decision for c in r.decision.tested if c.outcome != UNTESTABLE)
    several = {name: n for name, n in able.items() if n > 1}
    return pooled([r.judged(several) if several else r.decision for r in records if r.decision])


def is_real(model: str) -> bool:
    """Whether a name is one of the published BERTs (of whatever size or casing), as authors' files name them."""
    name = model.rpartition("/")[2]
    return name.startswith("bert-") and not name.endswith(TWIN)


def place(claim: str, kind: str, model: str, data: str) -> Path:
    """The file of a record under its root: one folder a claim."""
    return Path(claim) / f"{kind}--{_safe(model)}--{_safe(data)}.json"


def aside(file: Path, conditions: Mapping[str, Any]) -> Path:
    """The name of a record that lies beside another of the same claim, model and data: it says how it was measured."""
    said = [f"{k}-{conditions[k]}" for k in ("asked", "seed", "dtype", "noise") if conditions.get(k) is not None]
    return file.with_name(f"{file.stem}--{'-'.join(said)}.json")


def _stays(path: Path, new: Evidence) -> bool:
    """Whether the record at a path stays where a new one of the same name was measured in another way."""
    try:
        old = read(path) if path.is_file() else None
    except EvidenceError:
        return False
    if old is None or old.kind != "rerun" or old.conditions == new.conditions:
        return False
    weights = [r.conditions.get("subject_sha256") for r in (old, new)]
    return weights[0] == weights[1] and _items(old) >= _items(new)


def _items(record: Evidence) -> float:
    """How many items per task were asked for; all, where no number was named."""
    asked = record.provenance.get("asked")
    return math.inf if asked is None else asked


def _safe(name: str) -> str:
    """A file name for a model or data set; a folder keeps its last part and a hash of the whole."""
    if "/" not in name and "\\" not in name and name.strip("."):
        return re.sub(r"[^\w.@-]", "_", name)
    twin = TWIN if name.endswith(TWIN) else ""
    last = re.sub(r"[^\w.@-]", "_", Path(name.removesuffix(twin)).name)
    return f"{last}-{hashlib.sha256(name.encode()).hexdigest()[:8]}{twin}"


def plain(value: Any) -> Any:
    """JSON's own types, rows without their bootstrap draws; a missing interval (nan) is null.

    Figures keep six significant digits: no more was measured.
    """
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items() if k != "draws" or "measure" not in value}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    if isinstance(value, float):
        return None if not math.isfinite(value) else float(f"{value:.6g}")
    return str(value) if isinstance(value, Path) else value


def missing_as_nan(rows: list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """Rows as read from JSON, with nan for figures that are null there: the inverse of `plain`."""
    if rows is None:
        return None
    ends = ("value", "low", "high")
    return [{k: math.nan if v is None and k.endswith(ends) else v for k, v in r.items()} for r in rows]


@files.read_once
def read(path: Path) -> Evidence:
    """Read one record, refusing what does not fit.

    Raises
    ------
    EvidenceError
        It is damaged, of another format, lies in another record's place, is of no row of the ledger, or holds figures
        that cannot be (`believable`).
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(raw, dict):
            raise ValueError("it is no JSON object")
        version = raw.pop("version", None)
        if version != VERSION:
            newer = isinstance(version, int) and version > VERSION
            raise ValueError(
                f"format {version}, not {VERSION}{': a newer release of the package wrote it' if newer else ''}"
            )
        believable.check(raw)
        raw["notes"] = tuple(raw.get("notes", ()))
        raw |= {part: missing_as_nan(raw.get(part)) for part in ("rows", "over_twin")}
        record = Evidence(**raw)
        if Path(*path.parts[-2:]) not in (record.file, record.aside):
            raise ValueError(f"it says it is {record.file}")
        ledger.row(record.claim)
        return record
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError, RecursionError) as error:
        raise EvidenceError(f"{path}: not a record of evidence: {error}") from error


def find(claim: str | None = None, settings: Settings | None = None) -> list[Evidence]:
    """All records that count, or one claim's: the shipped ones, and of the user's own the full runs.

    An own record stands in a shipped one's place only if it was measured under the same conditions. A quick try (another
    number of items than the claim's own) never counts; `own` has it. A record that cannot be read is left out with
    a warning (`Skipped`).
    """
    return shelves(claim, settings)[0]


def shelves(claim: str | None = None, settings: Settings | None = None) -> tuple[list[Evidence], list[Evidence]]:
    """What counts (`find`) and what of the user's is shown beside it, quick tries and other seeds; the files read once."""
    settings = settings or Settings.of()
    found: dict[tuple, Evidence] = {}
    for path in _paths(SHIPPED, claim):
        record = read(path)
        found[record.key] = record
    shipped, beside = dict(found), []
    mine = _paths(settings.evidence, claim) if settings.evidence.resolve() != SHIPPED.resolve() else ()
    for path in mine:
        try:
            record = read(path)
        except EvidenceError as error:
            warnings.warn(f"left out: {error}", Skipped, stacklevel=3)
            continue
        there = shipped.get(record.key)
        if _counts(record, there, path):
            found[record.key] = record
        else:
            beside.append(record)
    return [found[key] for key in sorted(found)], sorted(beside, key=lambda r: r.key)


def _counts(record: Evidence, shipped: Evidence | None, path: Path) -> bool:
    if shipped is not None:
        return record.conditions == shipped.conditions
    full = record.provenance.get("asked") is None and path.name == record.file.name  # none that lies aside
    return full and not record.is_own


def curves(claim: str, measure: str, *, settings: Settings | None = None) -> dict[str, pd.DataFrame]:
    """Released figures of one measure by layer: ``"MODEL, released"`` -> tidy rows, in order.

    Rows whose layer is no number are left out; the dictionary is empty where nothing was released.
    """
    out = {}
    for record in find(claim, settings):
        frame = record.frame
        if record.kind != "released" or "layer" not in frame:
            continue
        at = pd.to_numeric(frame["layer"], errors="coerce")
        frame = frame.assign(layer=at)[(frame["measure"] == measure) & at.notna()]
        if len(frame):
            out[f"{record.model}, released"] = frame.sort_values("layer").astype({"layer": int})
    return out


def _paths(root: Path, claim: str | None) -> Iterator[Path]:
    if root.is_dir():
        yield from sorted(root.glob(f"{claim}/*.json" if claim else "*/*.json"))


def without_seconds(record: Evidence) -> Evidence:
    """The record less what differs between two runs of the same code: time, date and machine."""
    kept = {k: v for k, v in record.provenance.items() if k.endswith("sha256") or k in ("dtype", "seed", "draws")}
    return replace(record, provenance=kept)
