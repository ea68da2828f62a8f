"""One record per run: its configuration, its curve and what it can do, in a few kilobytes of JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from importlib.resources import files as resources
from pathlib import Path
from typing import Any

from .. import files
from ..errors import Refusal
from .grid import Member

SHIPPED = Path(str(resources("bertology_utils") / "assets" / "family"))
VERSION = 1  # of the format
PROBES = ("upos", "deprel")  # what linear probes of a run are asked, on the generated treebank


class RecordError(Refusal, ValueError):
    """A record of the family is damaged or is not what its name says; the message names the file."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """A run of the family.

    Attributes
    ----------
    key, tier : str
        Where the record lies: ``tier/key.json``.
    config : dict
        As `Config.as_dict`.
    text : str
        SHA-256.
    curve : list of dict
        ``tokens``, ``heldout_mlm`` (nats per masked piece, on rows of the run's own seed) and what else was measured then.
    items : dict
        Name of a measurement -> scores of its items, in the same order in every record of a tier; see `measure`.
    cost : dict
        Layers -> seconds of processor time per 1,000 pieces of training.
    passes : float
        How often the run has seen its training text.
    seconds : float
        Of training by the clock; a busy machine makes it longer.
    provenance : dict
        Versions, device, threads, commit, precision.
    """

    key: str
    tier: str
    config: dict[str, Any]
    text: str
    curve: list[dict[str, Any]]
    items: dict[str, Any]
    cost: dict[str, float]
    passes: float
    seconds: float
    provenance: dict[str, Any] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        return self.config["seed"]

    @property
    def precision(self) -> str:
        """In which numbers the run multiplied, ``bf16`` or ``fp32``: what its configuration asks, where nothing else is told."""
        asked = self.config.get("precision")
        return self.provenance.get("precision", "bf16" if asked == "bf16" else "fp32")

    @property
    def says(self) -> str:
        """How the run ended, in a line."""
        last = self.curve[-1]
        unit, figure = (
            ("nats", last["heldout_mlm"]) if "heldout_mlm" in last else ("detected", last["heldout_detected"])
        )
        return f"{figure:.3f} {unit}, {self.seconds:.0f} s"

    def save(self, root: Path = SHIPPED) -> Path:
        """Write the record under `root`, all or nothing.

        Raises
        ------
        CannotWrite
            As of `files.write`.
        """
        lines = [f' "{k}": {json.dumps(v, sort_keys=True, separators=(",", ":"))}' for k, v in asdict(self).items()]
        text = "{\n" + ",\n".join([f' "version": {VERSION}', *lines]) + "\n}\n"
        return files.write(root / self.tier / f"{self.key}.json", text)


def place(member: Member, root: Path = SHIPPED) -> Path:
    """The file of a run's record."""
    return root / member.tier / f"{member.key}.json"


def read(path: Path) -> Record:
    """Read a record.

    Raises
    ------
    RecordError
        It is damaged, of another format or lies in another's place.
    """
    try:
        raw = json.loads(path.read_text("utf-8"))
        if raw.pop("version") != VERSION:
            raise ValueError("it is of another format")
        record = Record(**raw)
        if (record.tier, f"{record.key}.json") != (path.parent.name, path.name):
            raise ValueError(f"it says it is {record.tier}/{record.key}")
        return record
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{path}: not a record of the family: {error}") from error


def find(member: Member, root: Path = SHIPPED) -> Record | None:
    """The record of a run; None where it has not been run."""
    path = place(member, root)
    return read(path) if path.is_file() else None
