"""Why a reader's model has no rows for a claim: what `results` came upon last, for the claim's card."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refused:
    """Why a subject has no rows on a source, in one line.

    Examples
    --------
    >>> print(Refused("roberta-base", "builtin", "it has no segments"))
    roberta-base was not measured on builtin: it has no segments
    """

    subject: str
    source: str
    reason: str

    def __str__(self) -> str:
        return f"{self.subject} was not measured on {self.source}: {self.reason}"


latest: dict[str, tuple[Refused, ...]] = {}  # claim -> refusals of this process's last call
