"""Running many claims in one go, one after the other or several at once, none stopped by another's failure."""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from .. import processes
from ..claims.evidence import Evidence
from ..claims.registry import NotDefined, NotRunnable
from ..claims.sources import sources
from ..data.items import Data
from ..errors import Refusal
from ..files import writable
from ..runs import get, in_a_line, recorded, run, settings_for, subjects
from ..settings import Settings
from ..subject.models import ModelUnavailable
from ..subject.progress import place

KILLED = "the process that measured it was killed (most likely for want of memory); --missing measures it again"


@dataclass(frozen=True)
class Outcome:
    """What became of one claim on one source.

    Attributes
    ----------
    claim : str
    source : str
        Empty where the claim has no such data.
    records : tuple of Evidence
    error : str
        What went wrong: a line for what a user can mend, a traceback for a bug; empty if nothing.
    mendable : bool
        Whether it is the former.
    skipped : bool
        The claim has no experiment for the data asked for, or is not defined for such a model.
    seconds : float
        What it took, with the twin.
    """

    claim: str
    source: str = ""
    records: tuple[Evidence, ...] = ()
    error: str = ""
    mendable: bool = False
    skipped: bool = False
    seconds: float = 0.0


def many(
    ids: Sequence[str],
    settings: Settings,
    jobs: int | None = None,
    *,
    twin: bool = True,
    save: bool = True,
    missing: bool = False,
    quick: bool = False,
    items: Data | None = None,
) -> Iterator[Outcome]:
    """Rerun claims, yielding each outcome as it comes.

    Parameters
    ----------
    ids : sequence of str
        Ledger ids.
    settings : Settings
    jobs : int, optional
        Processes at work at the same time, each with its share of the cores; the figures do not depend on it. A process
        that is killed takes the claim that it measures with it, and no other. By default this process measures all.
    twin, save, missing, items
        As of `run`.
    quick : bool
        Of each claim as many items as a quick try of it takes (`Claim.quick`), whatever the settings say.

    Raises
    ------
    Refusal
        If no model can be had, or the only claim asked for cannot be run (of several, its outcome says so).
    """
    work, left_out = planned(ids, settings, twin=twin, missing=missing, quick=quick)
    yield from left_out
    if work and save:
        writable(settings.evidence)
    work, out_of_reach = _reachable(work, settings)
    yield from out_of_reach
    options = {"twin": twin, "save": save, "items": items}
    calls = [
        (id, source, for_quick_try(id, settings) if quick else settings, options, f"[{number}/{len(work)}] ")
        for number, (id, source) in enumerate(work, 1)
    ]
    if jobs is None:
        yield from map(_one, calls)
        return
    for call, outcome in processes.each(_one, calls, jobs, _share):
        yield outcome or Outcome(*call[:2], error=f"{call[0]} on {call[1]}: {KILLED}", mendable=True)


def planned(
    ids: Sequence[str], settings: Settings, *, twin: bool = True, missing: bool = False, quick: bool = False
) -> tuple[list[tuple[str, str]], list[Outcome]]:
    """What `many` would run, as (claim, source), and what is left out of it because there is no such experiment or data.

    Raises
    ------
    NotRunnable
        If the only claim asked for is left out.
    """
    work, left_out = [], []
    for id in ids:
        try:
            it = get(id)
            work += [
                (id, source)
                for source in sources(it, settings)
                if not (missing and recorded(id, source, for_quick_try(id, settings) if quick else settings, twin))
            ]
        except NotRunnable as error:
            if len(ids) == 1:
                raise
            left_out.append(Outcome(id, error=in_a_line(error), mendable=True, skipped=True))
    return work, left_out


def for_quick_try(id: str, settings: Settings) -> Settings:
    """The settings with as few items as a quick try of the claim takes."""
    it = get(id)
    return replace(settings, n=min(it.quick, it.n))


def _reachable(work: list[tuple[str, str]], settings: Settings) -> tuple[list[tuple[str, str]], list[Outcome]]:
    """What of the work has a model that can be had, and the outcomes of the rest: a section may have a model of its own."""
    meant = {id: settings_for(id, settings) for id, _ in work}
    lacking: dict[Settings, ModelUnavailable] = {}
    for wanted in dict.fromkeys(meant.values()):
        try:
            subjects(wanted, twin=False)
        except ModelUnavailable as error:
            lacking[wanted] = error
    if lacking and len(lacking) == len(set(meant.values())):
        raise next(iter(lacking.values()))  # said once, not once a claim
    left = [
        Outcome(id, source, error=in_a_line(lacking[meant[id]]), mendable=True)
        for id, source in work
        if meant[id] in lacking
    ]
    return [(id, source) for id, source in work if meant[id] not in lacking], left


def _one(call: tuple[str, str, Settings, dict, str]) -> Outcome:
    id, source, settings, options, says = call
    if place.get() is not None:
        place.set(says)
    start = time.perf_counter()
    found: dict = {}
    try:
        found = {"records": run(id, settings, data=source, **options).records}
    except Refusal as error:
        found = {"error": in_a_line(error), "mendable": True, "skipped": isinstance(error, NotDefined)}
    except Exception:
        found = {"error": f"{id} on {source}\n{traceback.format_exc().rstrip()}"}
    return Outcome(id, source, **found, seconds=time.perf_counter() - start)


def _share(jobs: int) -> None:
    """Give a process its share of the cores: more threads than cores slow one another down."""
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // jobs))
    if jobs > 1:
        place.set(None)  # several lines at once would write over one another
