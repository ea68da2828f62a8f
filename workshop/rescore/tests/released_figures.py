"""What tests of released results share: the files as they stand, a figure of the scored rows, what records decide."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from support import mirror

from bertology_rescore import rescoring, scores
from bertology_utils.cards.standing import Standing
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import decide
from bertology_utils.settings import Settings


def folder(name: str) -> Path:
    """One release on the mirror."""
    return mirror() / "released" / name


def lines(name: str) -> list[str]:
    """The lines of a released file as they stand."""
    return folder(name).read_text(encoding="utf-8").splitlines()


def released_rows(claim: str, study: str, label: str | None = None):
    """The rows that one study's release gives for a claim; the label tells its releases apart where there are several."""
    (found,) = [s for s in scores(claim) if s.release.study == study and label in (None, s.release.label)]
    return found.rows


def table_rows(folder_name: str, name: str) -> list[dict]:
    """The rows of a released table as they stand, without our readers."""
    text = (folder(folder_name) / name).read_text()
    if text.lstrip('"').startswith("#"):
        text = text.split("\n", 1)[1]
    return list(csv.DictReader(io.StringIO(text)))


def real(claim: str):
    """What the released records alone say of a claim for the real BERT."""
    return Standing(ledger.row(claim), tuple(rescoring.score(claim, Settings.of(), save=False))).real


def figures(frame, *keys: str):
    """The values of scored rows by their keys and their measure."""
    return frame.set_index([*keys, "measure"]).value.sort_index()


def outcomes(claim: str, study: str, subject: str) -> dict[str, str]:
    """Clause -> outcome of one record."""
    (found,) = [s for s in scores(claim) if s.release.study == study]
    decision = decide(ledger.row(claim).clauses, found.rows[found.rows.subject == subject], None, found.release.folder)
    return {c.name: c.outcome for c in decision.clauses}
