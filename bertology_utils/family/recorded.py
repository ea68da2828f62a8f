"""The recorded runs of a tier in a model's place: what an experiment about training is given."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .grid import TRAINING, Tier, tiers
from .record import SHIPPED, Record, RecordError, find

NAME = "family"


@dataclass(frozen=True, eq=False)
class Recorded:
    """The runs of a tier that have been recorded.

    Attributes
    ----------
    tier : Tier
    root : Path
        Folder of the records.
    """

    tier: Tier
    root: Path = SHIPPED

    name = NAME
    source = "recorded runs"
    is_twin = False
    config = base = None  # there is no one model

    @classmethod
    def of(cls, data: str, root: Path = SHIPPED, about: str = TRAINING) -> Recorded:
        """The tier about training, or about languages, whose evidence is filed under a data source.

        Raises
        ------
        RecordError
            No tier is.
        """
        for tier in tiers().values():
            if (tier.data, tier.about) == (data, about):
                return cls(tier, root)
        raise RecordError(
            f"no runs of the family are on {data}; there are {', '.join(t.data for t in tiers().values() if t.about == about)}"
        )

    def group(self, name: str) -> dict[int, Record]:
        """A group's records by seed.

        Raises
        ------
        RecordError
            None of its runs is recorded.
        ConfigError
            The grid has no such group.
        """
        found = {m.seed: r for m in self.tier.group(name) if (r := find(m, self.root)) is not None}
        if not found:
            raise RecordError(
                f"no run of {self.tier.name}/{name} is recorded: bertology family run '{self.tier.name}/{name}'"
            )
        return found

    def has(self, name: str) -> bool:
        """Whether a run of the group, if the tier has it, is recorded."""
        return name in self.tier.groups and any(find(m, self.root) is not None for m in self.tier.group(name))

    @cached_property
    def sha256(self) -> str:
        """Over the keys of the tier's records."""
        keys = sorted({m.key for m in self.tier.members if find(m, self.root) is not None})
        return hashlib.sha256("\n".join(keys).encode()).hexdigest()
