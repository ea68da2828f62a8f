"""The table that a run of many claims ends with: what became of each, and what it took."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ..settings import Settings
    from ..sweep import Outcome

LINE = "{:44} {:28} {:26} {:>7}  {}"
LENGTH = 160  # characters of a reason; the file of failures has the whole


class Row(NamedTuple):
    claim: str
    source: str
    kind: str  # what the last line counts it as
    outcome: str = ""
    seconds: float = 0.0
    why: str = ""


def of(outcomes: Sequence[Outcome], asked: Sequence[tuple[str, str]], settings: Settings) -> str:
    """One line per claim and source, in the ledger's order, and a last one that counts them.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Of this run.
    asked : sequence of (claim, source)
        What was asked for; of which this run has no outcome is looked up in the settings' evidence folder.
    """
    from ..runs import registered

    rows = {(o.claim, o.source): _row(o) for o in outcomes}
    rows = {key: _recorded(*key, settings) for key in asked if key not in rows} | rows
    place = {id: number for number, id in enumerate(registered())}
    ordered = sorted(rows.values(), key=lambda row: place[row.claim])
    lines = [
        LINE.format(r.claim, r.source or "-", r.outcome or r.kind, f"{r.seconds:,.0f}", r.why).rstrip() for r in ordered
    ]
    counts = ", ".join(f"{n} {kind}" for kind, n in Counter(r.kind for r in ordered).items())
    hours = sum(r.seconds for r in ordered) / 3600
    head = LINE.format("claim", "data", "outcome", "seconds", "").rstrip()
    return "\n".join([head, *lines, f"{counts}; {hours:.1f} hours"])


def _row(outcome: Outcome) -> Row:
    if outcome.error:
        kind = "not defined" if outcome.skipped else "not measured" if outcome.mendable else "failed"
        why = outcome.error.splitlines()[-1].removeprefix(f"{outcome.claim}: ").removeprefix(f"{outcome.claim} ")
        why = why if len(why) <= LENGTH else why[: LENGTH - 1] + "…"
        return Row(outcome.claim, outcome.source, kind, seconds=outcome.seconds, why=why)
    said = outcome.records[0].judged().outcome
    return Row(outcome.claim, outcome.source, "measured", said, outcome.seconds)


def _recorded(claim: str, source: str, settings: Settings) -> Row:
    """The row of what an earlier run measured; `planned` has looked whether it is what was asked for."""
    from ..claims import evidence
    from ..family.recorded import NAME as FAMILY
    from ..runs import get, settings_for, where
    from ..settings import TWIN

    settings = settings_for(claim, settings)
    names = [FAMILY] if get(claim).family else [settings.model, settings.model + TWIN]
    records = [evidence.read(p) for name in names if (p := where(claim, name, source, settings)).is_file()]
    if not records:
        return Row(claim, source, "not reached")
    seconds = sum(r.provenance.get("seconds", 0.0) for r in records)
    return Row(claim, source, "measured before", records[0].judged().outcome, seconds)
