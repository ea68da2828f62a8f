"""What became of a stand-in, as it is kept: by itself, so that whoever reads it need not load what runs models."""

from __future__ import annotations

from dataclasses import dataclass

from ..claims.clauses import LEARNED
from ..claims.evidence import Evidence
from ..claims.rules import HOLDS, NOT_RERUN, Decision

NULL, PLANTED = "null", "planted"


@dataclass(frozen=True)
class Trial:
    """What became of one stand-in.

    Attributes
    ----------
    role : str
        ``null`` or ``planted``.
    name, says : str
        What it is called, and what it has, in words.
    record : Evidence
        The deciding rows, with their differences to the untrained twin.
    aims : tuple of str
        Of a null: the clauses that it must not hold; empty: all learned ones, or all there are where none is.
    """

    role: str
    name: str
    says: str
    record: Evidence
    aims: tuple[str, ...] = ()

    @property
    def decision(self) -> Decision:
        """By the ledger as it is now; errors as of `Evidence.judged`."""
        return self.record.decision or self.record.judged()

    @property
    def stale(self) -> bool:
        """Whether the ledger's clauses speak of figures that the record lacks: the claim is to be calibrated again."""
        return self.record.decision is None

    @property
    def label(self) -> str:
        """The outcome in the words for our own models; "not rerun" if the record is stale."""
        return NOT_RERUN if self.stale else self.decision.label

    @property
    def wrong(self) -> list[str]:
        """Clauses that came out as they must not: held by a null, not held by the planted subject."""
        tested = self.decision.tested
        if self.role == NULL:
            aims = self.aims or [c.name for c in tested if c.kind == LEARNED] or [c.name for c in tested]
            return [c.name for c in tested if c.outcome == HOLDS and c.name in aims]
        able = [c for c in tested if c.name in self.aims] if self.aims else tested
        learned = [c for c in able if c.kind == LEARNED]
        return [c.name for c in (learned or able) if c.outcome != HOLDS]

    @property
    def unknown(self) -> int:
        """How many of the rows it was given it knew nothing of."""
        return int(self.record.provenance.get("unknown", 0))
