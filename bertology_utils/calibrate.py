"""Calibrating claims by name: the data a claim would be run on, its stand-ins, and the records that are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from . import runs
from .calibration import harness, records, simulated
from .calibration.trials import Trial
from .claims import ledger
from .claims.sources import load_for, sources
from .settings import Settings


def calibrate(
    id: str, settings: Settings | None = None, *, only: Iterable[str] = (), save: Path | None = None
) -> list[Trial]:
    """Try a claim's rule on its nulls and its planted subject, on every source that the settings ask for.

    Parameters
    ----------
    id : str
        The ledger row. Where its subjects are runs of training (`family`, `tuned`) and it names no stand-ins of its own,
        their scores are simulated.
    only : iterable of str
        Names of stand-ins; all by default.
    save : Path, optional
        Folder for the records; none are kept by default.

    Raises
    ------
    Uncalibrated
        If the claim has no null or no planted subject.
    """
    settings = runs.settings_for(id, settings)
    if _simulated(id):
        found = (list(simulated.trials(id, source, settings)) for source in simulated.sources(id, settings))
    else:
        claim = runs.get(id)
        (base,) = runs.subjects(settings, twin=False)
        found = (
            list(harness.calibrate(claim, load_for(claim, source, settings), base, settings, only))
            for source in sources(claim, settings)
        )
    out = []
    for trials in found:
        if save is not None and not tuple(only):
            records.save(trials, save)
        out += trials
    return out


def _simulated(id: str) -> bool:
    """Whether a row's subjects are runs of training and it names no stand-ins of its own."""
    claim, row = runs.registered().get(id), ledger.row(id)
    return (
        row.how in harness.SIMULATED
        and any(c.tests for c in row.clauses)
        and not (claim and (claim.nulls or claim.planted))
    )


def expand(names: Iterable[str]) -> list[str]:
    """As `runs.expand`, of claims that stand-ins or simulated runs can be made for."""
    return runs.expand(names, lambda id: id in runs.registered() or _simulated(id))


def lacking() -> list[str]:
    """Ids of claims with an experiment that nothing calibrates."""
    return harness.lacking(runs.registered())


def in_words(trials: Iterable[Trial]) -> Iterator[str]:
    """A line for each trial: who, on what, how it came out, and whether it should have."""
    for t in trials:
        wrong = f"  WRONG: {', '.join(t.wrong)}" if t.wrong else ""
        unknown = f", {t.unknown} rows that are no item's text" if t.unknown else ""
        name = t.role if t.role == t.name else f"{t.role} {t.name}"
        seconds = t.record.provenance.get("seconds", 0)
        items = f"(n = {t.record.n}{unknown}, {seconds:.0f} s)"
        yield f"{t.record.claim}  {name} on {t.record.data} {items}: {t.label}{wrong}"
