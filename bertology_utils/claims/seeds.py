"""A claim on several pretraining runs that differ in their seed alone: would it hold for another network?

An interval says how far a figure moves with other items; it knows of one network. A record here is what the claim's clauses look
at, for each seed of a smaller model (`family`, tier ``seeds``): one file per claim, a few kilobytes. Whole evidence of
five seeds would be larger than all that the package ships, and the rest of it decides nothing.

As everywhere, no decision is stored: the ledger's clauses, as they are now, decide the rows that were kept. A bound may move
without harm; where a clause looks at other rows than it did, the record is stale and is measured again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from .. import files
from . import believable, ledger
from .clauses import Clause
from .evidence import Evidence, EvidenceError, missing_as_nan, plain, together
from .rules import Decision

SHIPPED = Path(str(resources("bertology_utils") / "assets" / "seeds"))
VERSION = 1  # of the format
KEPT = ("asked", "seed", "draws", "dtype", "seconds", "data_sha256", "date", "git", "versions")  # of the provenance


@dataclass(frozen=True)
class Network:
    """A trained network: which run of the family, and what it is.

    Attributes
    ----------
    seed : int
        Of the pretraining.
    run : str
        Hash of the run (`family.Member.key`).
    sha256 : str
        Of weights and vocabulary, as in evidence.
    layers, hidden, pieces : int
        Shape, and word pieces that it was trained on.
    """

    seed: int
    run: str
    sha256: str
    layers: int
    hidden: int
    pieces: int

    @property
    def shape(self) -> str:
        """In a card's words.

        >>> Network(0, "", "", 4, 192, 4_500_000).shape
        '4 x 192, 4.5 M pieces'
        """
        return f"{self.layers} x {self.hidden}, {self.pieces / 1e6:.2g} M pieces"


@dataclass(frozen=True)
class Seed:
    """A claim on one network.

    Attributes
    ----------
    network : Network
    looks : str
        Of the clauses that chose the rows (`looks`).
    records : tuple of Evidence
        The deciding rows on each headline source, with their differences to the untrained twin.
    """

    network: Network
    looks: str
    records: tuple[Evidence, ...]

    @property
    def stale(self) -> bool:
        """Whether the ledger's clauses look at other rows now than those that were kept."""
        return self.looks != looks(ledger.row(self.records[0].claim).clauses) or not any(
            r.decision for r in self.records
        )

    @cached_property
    def decision(self) -> Decision:
        """By the ledger as it is now, pooled over the sources."""
        return together(self.records)

    @property
    def label(self) -> str:
        """The outcome in the words for our own models."""
        return self.decision.label(ours=True)


def looks(clauses: Iterable[Clause]) -> str:
    """A hash over which rows the clauses look at: measures, keys and sources of their tests and gates, not their bounds."""
    told = [
        [
            c.name,
            [[t.measure, sorted((k, str(v)) for k, v in t.where.items()), t.sources] for t in (*c.tests, *c.gates)],
        ]
        for c in clauses
    ]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def save(claim: str, seeds: Iterable[Seed], root: Path = SHIPPED) -> Path:
    """Write a claim's seeds, in their order, all or nothing.

    Raises
    ------
    CannotWrite
        As of `files.write`.
    """
    ordered = sorted(seeds, key=lambda s: s.network.seed)
    text = ",\n".join(_lines(s) for s in ordered)
    return files.write(root / f"{claim}.json", f'{{"version": {VERSION}, "seeds": [\n{text}\n]}}\n')


def _lines(seed: Seed) -> str:
    """A seed as JSON, a row to a line."""
    head = {"network": asdict(seed.network), "looks": seed.looks}
    parts = ",\n".join(_record(r) for r in seed.records)
    return f'{{{_fields(head)}, "records": [\n{parts}\n]}}'


def _record(record: Evidence) -> str:
    raw = plain(asdict(record))
    facts = {k: v for k, v in raw["provenance"].items() if k in KEPT}
    head = {k: raw[k] for k in ("claim", "model", "data", "notes")} | {"provenance": facts}
    blocks = [f'"{part}": {_block(raw[part])}' for part in ("rows", "over_twin")]
    return f"{{{_fields(head)},\n {', '.join(blocks)}}}"


def _fields(raw: dict[str, Any]) -> str:
    return ", ".join(f'"{k}": {json.dumps(v, ensure_ascii=False, allow_nan=False)}' for k, v in raw.items())


def _block(rows: list[dict[str, Any]] | None) -> str:
    if rows is None:
        return "null"
    return "[" + ",".join(f"\n  {json.dumps(r, ensure_ascii=False, allow_nan=False)}" for r in rows) + "]"


def find(claim: str, root: Path = SHIPPED) -> list[Seed]:
    """A claim's seeds that have been measured, in their order, stale ones among them; none where there is no file.

    Raises
    ------
    EvidenceError
        The file is damaged, of another format or another claim's, or holds figures that cannot be; it is named.
    """
    path = root / f"{claim}.json"
    if not path.is_file():
        return []
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        if raw["version"] != VERSION:
            raise ValueError(f"format {raw['version']}, not {VERSION}")
        return [_seed(told, claim) for told in raw["seeds"]]
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise EvidenceError(f"{path}: no record of seeds: {error!r}") from error


def _seed(raw: dict[str, Any], claim: str) -> Seed:
    records = []
    for told in raw["records"]:
        if told["claim"] != claim:
            raise ValueError(f"it is of {told['claim']}")
        believable.check(told | {"kind": "rerun"})
        told |= {part: missing_as_nan(told[part]) for part in ("rows", "over_twin")}
        records.append(Evidence(**told | {"kind": "rerun", "notes": tuple(told["notes"])}))
    if not records:
        raise ValueError("a seed without records")
    return Seed(Network(**raw["network"]), raw["looks"], tuple(records))
