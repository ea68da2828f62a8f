"""Many claims in one go: one after the other or several at once, and none stopped by another's failure."""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context

import torch

from . import claims
from .errors import Refusal
from .evidence import Evidence
from .settings import Settings


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
    skipped : bool
        The claim has no experiment for the data asked for.
    """

    claim: str
    source: str = ""
    records: tuple[Evidence, ...] = ()
    error: str = ""
    skipped: bool = False


def many(
    ids: Sequence[str],
    settings: Settings,
    jobs: int = 1,
    *,
    twin: bool = True,
    save: bool = True,
    missing: bool = False,
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
        As of `claims.run`.

    Raises
    ------
    Refusal
        If the model cannot be had, or the only claim asked for cannot be run (of several, its outcome says so).
    """
    work = []
    for id in ids:
        try:
            it = claims.get(id)
            work += [
                (id, source)
                for source in claims.sources(it, settings)
                if not (missing and claims.recorded(id, source, settings, twin))
            ]
        except claims.NotRunnable as error:
            if len(ids) == 1:
                raise
            yield Outcome(id, error=_line(error), skipped=True)
    if work:
        claims.subjects(settings, twin=False)  # a model that cannot be had is said once, not once a claim
    options = {"twin": twin, "save": save}
    if jobs == 1:
        yield from (_one(id, source, settings, options) for id, source in work)
        return
    context = get_context("spawn")  # a forked process would share torch's threads and the accelerator's state
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_share, initargs=(jobs,)) as pool:
        for future in as_completed([pool.submit(_one, id, source, settings, options) for id, source in work]):
            yield future.result()


def _one(id: str, source: str, settings: Settings, options: dict) -> Outcome:
    try:
        return Outcome(id, source, claims.run(id, settings, data=source, **options).records)
    except Refusal as error:
        return Outcome(id, source, error=_line(error))
    except Exception:
        return Outcome(id, source, error=f"{id} on {source}\n{traceback.format_exc().rstrip()}")


def _share(jobs: int) -> None:
    """Give a worker its share of the cores: more threads than cores slow one another down."""
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // jobs))


def _line(error: Exception) -> str:
    return " ".join(str(error).split())
