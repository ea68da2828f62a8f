"""A reader's own records in the reader's own book: `make real` measures a model, and the book that it builds shows it."""

from __future__ import annotations

from pathlib import Path

from ..claims.evidence import shelves
from ..settings import TWIN, Settings


def bring(model: str, source: Path, target: Path) -> int:
    """Copy a model's records, and its twin's, to the evidence folder that a book is made from; how many there were.

    The book is otherwise made without whatever else lies in the user's folder, so that it does not depend on it.

    Parameters
    ----------
    model : str
        As it was named when it was measured.
    source, target : Path
        Evidence folders.
    """
    counting, beside = shelves(settings=Settings(evidence=source))
    found = [r for r in (*counting, *beside) if r.kind == "rerun" and r.model in (model, model + TWIN)]
    for record in found:
        record.save(target)
    return len(found)
