"""The harness: a claim's experiment on its nulls and on its planted subject, decided by the ledger's clauses.

Everything is as in a run of a real model: the same items in the same number, the same intervals, the same differences
to the untrained twin. No null may hold what is *learned*; the planted subject must.
"""

from __future__ import annotations

import contextlib
import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from ..claims import ledger
from ..claims.checks import RuleError, missing, select
from ..claims.clauses import Clause
from ..claims.evidence import Evidence
from ..claims.registry import Claim
from ..data.items import Data
from ..errors import Refusal
from ..provenance import measured
from ..scores.pairs import over
from ..settings import Settings
from ..subject.models import Subject
from .nulls import NULLS, Null
from .trials import NULL, PLANTED, Trial

SIMULATED = ("family", "tuned")  # rows whose subjects are runs: their scores are simulated (`simulated`)
FIGURES = ("measure", "value", "low", "high", "n")


class Uncalibrated(Refusal):
    """Claims without a null or without a planted subject; the message names them."""


def nulls_of(claim: Claim) -> list[Null]:
    """The nulls that a claim names; `Null` records of its own among them.

    Raises
    ------
    KeyError
        If a name is unknown; those there are are listed.
    """
    unknown = [n for n in claim.nulls if isinstance(n, str) and n not in NULLS]
    if unknown:
        raise KeyError(f"{claim.id}: no null {unknown}; there are: {', '.join(NULLS)}")
    return [NULLS[n] if isinstance(n, str) else n for n in claim.nulls]


def lacking(claims: Mapping[str, Claim]) -> list[str]:
    """Ids of claims that nothing calibrates: no null, or no planted subject, and no simulated runs to stand for both."""
    return [
        id for id, claim in claims.items()
        if not (claim.nulls and claim.planted) and not (ledger.row(id).how in SIMULATED and not claim.nulls and not claim.planted)
    ]  # fmt: skip


def complain(ids: Iterable[str]) -> None:
    """Raise `Uncalibrated` if there are any ids."""
    ids = list(ids)
    if ids:
        raise Uncalibrated(f"{len(ids)} claims have no null or no planted subject: {', '.join(ids)}")


def calibrate(claim: Claim, data: Data, base: Subject, settings: Settings, only: Iterable[str] = ()) -> Iterator[Trial]:
    """Run a claim's experiment on its nulls and on its planted subject.

    Parameters
    ----------
    claim : Claim
    data : Data
        Items of one source, as many as the shipped evidence rests on.
    base : Subject
        The subject that stand-ins take tokenizer, layers and heads from; its untrained twin is what they must beat.
    only : iterable of str
        Names of stand-ins; all by default.

    Raises
    ------
    Uncalibrated
        If the claim has no null or no planted subject.
    """
    if not (claim.nulls and claim.planted):
        complain([claim.id])
    says = (claim.planted.__doc__ or "what the claim says").strip().split("\n")[0]
    stands: list[tuple[str, str, str, Any, tuple[str, ...]]] = [
        (NULL, n.name, n.says, n.make, n.clauses) for n in nulls_of(claim)
    ]
    stands.append((PLANTED, PLANTED, says, claim.planted, claim.plantable))
    only = set(only)
    twin_rows = claim.experiment(base.twin(settings.seed), data, settings)
    known = claim.asked(base, data, settings) if claim.asked else data
    for role, name, words, make, aims in stands:
        if only and name not in only:
            continue
        start = time.process_time()
        subject = make(known, base, np.random.default_rng([settings.seed, _number(claim.id), _number(name)]))
        rows = claim.experiment(subject, data, settings)
        yield trial(
            claim.id, role, name, words, rows, over(rows, twin_rows), data.name, settings,
            time.process_time() - start, aims=aims, notes=(*data.notes, *rows.attrs.get("notes", ())),
            data_sha256=data.sha256, base_sha256=base.sha256, unknown=getattr(subject, "unknown", 0),
        )  # fmt: skip


def trial(
    id: str, role: str, name: str, says: str, rows: pd.DataFrame, beaten: pd.DataFrame | None, source: str,
    settings: Settings, seconds: float, *, aims: tuple[str, ...] = (), notes: tuple[str, ...] = (), **facts,
) -> Trial:  # fmt: skip
    """A trial of tidy rows and their differences to a twin; only what the clauses speak of is kept."""
    clauses = ledger.row(id).clauses
    record = Evidence(
        claim=id,
        model=name if role == NULL else PLANTED,
        data=source,
        kind="rerun",
        rows=spoken_of(clauses, rows),
        over_twin=None if beaten is None else spoken_of(clauses, beaten),
        notes=notes,
        provenance=measured(settings, seconds, **facts),
    )
    record.judged()
    return Trial(role, name, says, record, tuple(aims))


def spoken_of(clauses: Iterable[Clause], rows: pd.DataFrame) -> list[dict]:
    """The rows that some test or gate looks at, without draws and without keys they do not have."""
    if not len(rows):
        return []
    rows = rows.reset_index(drop=True)
    kept: set[int] = set()
    for test in (t for c in clauses for t in (*c.tests, *c.gates)):
        with contextlib.suppress(RuleError):  # of another source
            kept.update(select(test, rows).index)
    return [
        {k: v for k, v in r.items() if k != "draws" and (k in FIGURES or not missing(v))}
        for r in rows.loc[sorted(kept)].to_dict("records")
    ]


def _number(name: str) -> int:
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
