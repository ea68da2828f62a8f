"""The cards and findings that notebooks hold among their outputs, made again from the records: nothing is executed.

A cell of a chapter that shows a card is ``card("id")`` and no more, and a card follows from records alone; so do what was
found, the five things a chapter shows and its overview. Where records or texts have changed (of seeds, say, which no other
cell reads), what is stored can be brought to what executing would give; `pytest --nbval` proves that it is.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat

from .. import files
from ..cards import card, five, found, overview
from ..settings import Settings
from . import notebooks

SHOWS: dict[str, Callable[..., Any]] = {"card": card, "found": found, "five": five, "overview": overview}
_CELL = re.compile(rf'(?:from bertology_utils import [\w, ]+\n\n)?({"|".join(SHOWS)})\("([\w.]+)"\)')


def renew(folder: Path) -> dict[str, list[str]]:
    """Make the stored cards and findings of all notebooks again; per notebook, the ids or sections of those that changed.

    A notebook in which nothing has changed is left alone, to the byte.
    """
    with tempfile.TemporaryDirectory() as empty:  # as a notebook is executed: with no records of one's own
        settings = Settings(evidence=Path(empty))
        return {path.stem: _renewed(path, settings) for path in notebooks.paths(folder)}


def _renewed(path: Path, settings: Settings) -> list[str]:
    notebook, changed = nbformat.read(path, as_version=4), []
    for cell in notebook.cells:
        shown = _CELL.fullmatch(cell.source.strip()) if cell.cell_type == "code" else None
        if shown is None:
            continue
        made = SHOWS[shown[1]](shown[2], settings)
        told = {"text/html": made._repr_html_(), "text/plain": repr(made)}
        for output in cell.outputs:
            if output.output_type == "execute_result" and told != {k: output.data.get(k) for k in told}:
                output.data.update(told)
                changed.append(shown[2])
    if changed:
        files.write(path, nbformat.writes(notebook) + "\n")
    return changed
