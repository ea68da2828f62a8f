"""Every live claim on each seed's model: data are read once per claim, and the untrained twin is measured once.

Models that differ in the seed of their pretraining have one and the same untrained twin (same shape, same random weights), so
five seeds cost six measurements and not ten. Headline data only: the study's own, or generated sentences where a claim has no
others. After each seed the claim's file is written; the same command goes on with what is lacking.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import pandas as pd

from ..calibration.harness import spoken_of
from ..claims import ledger
from ..claims import seeds as records
from ..claims.evidence import Evidence
from ..claims.registry import Claim
from ..claims.seeds import Seed
from ..claims.sources import load_for, sources
from ..data.items import Data
from ..errors import Refusal
from ..provenance import measured, requested
from ..runs import get, in_a_line, registered, rows_of
from ..scores.pairs import over
from ..settings import Settings
from ..subject.models import Subject
from ..sweep import for_quick_try
from .networks import NAME, Trained

LIVE = "live"


@dataclass(frozen=True)
class Outcome:
    """What became of one claim: its seeds measured now, what they took, or what went wrong (`bug`: with a traceback)."""

    claim: str
    seeds: tuple[Seed, ...] = ()
    seconds: float = 0.0
    error: str = ""
    bug: bool = False


def claims() -> list[str]:
    """The claims that seeds of `mini-s` are asked: live ones whose subject is `mini`."""
    return [id for id in registered() if ledger.row(id).how == LIVE and ledger.subject(id, "mini") == "mini"]


def headline(it: Claim, settings: Settings) -> list[str]:
    """A claim's headline sources: the study's own data, or generated sentences where it has no others."""
    return sources(it, replace(settings, data="original"))


def current(seed: Seed, trained: Trained, wanted: Sequence[str], settings: Settings) -> bool:
    """Whether a record is of this network, of the rule as it is, on all sources, measured as the settings say."""
    same = all(r.provenance.get(k) == v for r in seed.records for k, v in requested(settings).items() if k != "noise")
    draws = all(r.provenance.get("draws") == settings.draws for r in seed.records)
    whole = [r.data for r in seed.records] == list(wanted)
    return seed.network == trained.network and not seed.stale and same and draws and whole


def lacking(id: str, networks: Iterable[Trained], settings: Settings, root: Path) -> list[Trained]:
    """The networks without a current record of a claim (`current`)."""
    wanted = headline(get(id), settings)
    there = {s.network.seed: s for s in records.find(id, root)}
    return [
        t for t in networks
        if (s := there.get(t.network.seed)) is None or not current(s, t, wanted, settings)
    ]  # fmt: skip


def measure(id: str, networks: Sequence[Trained], settings: Settings, root: Path) -> list[Seed]:
    """Put a claim to networks, writing its file after each.

    Raises
    ------
    Refusal
        As of `runs.run`.
    """
    it, clauses = get(id), ledger.row(id).clauses
    settings = replace(settings, model=NAME)  # whose companions, if any, are none of mini's
    held: dict[str, Data] = {}
    twins: dict[tuple[str, str], pd.DataFrame] = {}  # (hash of the twin, source) -> its rows
    out = []
    for trained in networks:
        twin, found = _twin(trained, settings.seed), []
        for source in headline(it, settings):
            if source not in held:
                held[source] = load_for(it, source, settings)
            if (key := (twin.sha256, source)) not in twins:
                twins[key] = rows_of(it, twin, held[source], settings)
            found.append(_record(it, trained.subject, held[source], twins[key], settings))
        out.append(Seed(trained.network, records.looks(clauses), tuple(found)))
        others = [s for s in records.find(id, root) if s.network.seed != trained.network.seed]
        records.save(id, [*others, out[-1]], root)
    return out


@lru_cache(maxsize=8)
def _twin(trained: Trained, seed: int) -> Subject:
    """The same object for all claims: what is fitted once per subject is fitted once."""
    return trained.subject.twin(seed)


def _record(it: Claim, subject: Subject, data: Data, twin: pd.DataFrame, settings: Settings) -> Evidence:
    start, clauses = time.perf_counter(), ledger.row(it.id).clauses
    rows = rows_of(it, subject, data, settings)
    record = Evidence(
        claim=it.id,
        model=NAME,
        data=data.name,
        kind="rerun",
        rows=spoken_of(clauses, rows),
        over_twin=spoken_of(clauses, over(rows, twin)),
        notes=(*data.notes, *rows.attrs.get("notes", ())),
        provenance=measured(settings, time.perf_counter() - start, data_sha256=data.sha256),
    )
    record.judged()  # rows that no clause finds are an error now, not on a card
    return record


def many(
    ids: Iterable[str], networks: Sequence[Trained], settings: Settings, root: Path, *, quick: bool = False
) -> Iterator[Outcome]:
    """Put claims to networks one after the other, none stopped by another's failure; what is recorded is not measured again.

    With `quick`, each claim is asked as many items as a quick try of it takes (`Claim.quick`).
    """
    for id in ids:
        start = time.perf_counter()
        try:
            meant = for_quick_try(id, settings) if quick else settings
            found = measure(id, lacking(id, networks, meant, root), meant, root)
            yield Outcome(id, tuple(found), time.perf_counter() - start)
        except Refusal as error:
            yield Outcome(id, error=in_a_line(error))
        except Exception:
            yield Outcome(id, error=f"{id}\n{traceback.format_exc().rstrip()}", bug=True)
