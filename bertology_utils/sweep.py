"""Running many claims in one go, one after the other or several at once, none stopped by another's failure."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, replace
from multiprocessing import get_context

import torch

from .claims.evidence import Evidence
from .claims.registry import NotDefined, NotRunnable
from .claims.sources import sources
from .errors import Refusal
from .files import writable
from .runs import get, in_a_line, recorded, run, settings_for, subjects
from .settings import Settings
from .subject.progress import place


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
    """

    claim: str
    source: str = ""
    records: tuple[Evidence, ...] = ()
    error: str = ""
    mendable: bool = False
    skipped: bool = False


def many(
    ids: Sequence[str],
    settings: Settings,
    jobs: int = 1,
    *,
    twin: bool = True,
    save: bool = True,
    missing: bool = False,
    quick: bool = False,
) -> Iterator[Outcome]:
    """Rerun claims, yielding each outcome as it comes.

    Parameters
    ----------
    ids : sequence of str
        Ledger ids.
    settings : Settings
    jobs : int
        Processes at work at the same time, each with its share of the cores; the figures do not depend on it.
    twin, save, missing
        As of `run`.
    quick : bool
        Of each claim as many items as a quick try of it takes (`Claim.quick`), whatever the settings say.

    Raises
    ------
    Refusal
        If the model cannot be had, or the only claim asked for cannot be run (of several, its outcome says so).
    """
    work, left_out = planned(ids, settings, twin=twin, missing=missing, quick=quick)
    yield from left_out
    if work and save:
        writable(settings.evidence)
    for meant in {settings_for(id, settings) for id, _ in work}:
        subjects(meant, twin=False)  # a model that cannot be had is said once, not once a claim
    options = {"twin": twin, "save": save}

    def asked(id: str) -> Settings:
        return for_quick_try(id, settings) if quick else settings

    if jobs == 1:
        for number, (id, source) in enumerate(work, 1):
            place.set(f"[{number}/{len(work)}] ")
            yield _one(id, source, asked(id), options)
        return
    context = get_context("spawn")  # a forked process would share torch's threads and the accelerator's state
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_share, initargs=(jobs,)) as pool:
        for future in as_completed([pool.submit(_one, id, source, asked(id), options) for id, source in work]):
            yield future.result()


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


def _one(id: str, source: str, settings: Settings, options: dict) -> Outcome:
    try:
        return Outcome(id, source, run(id, settings, data=source, **options).records)
    except Refusal as error:
        return Outcome(id, source, error=in_a_line(error), mendable=True, skipped=isinstance(error, NotDefined))
    except Exception:
        return Outcome(id, source, error=f"{id} on {source}\n{traceback.format_exc().rstrip()}")


def _share(jobs: int) -> None:
    """Give a worker its share of the cores: more threads than cores slow one another down."""
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // jobs))
    place.set(None)  # several lines at once would write over one another
