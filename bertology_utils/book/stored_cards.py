"""The cards that notebooks hold among their outputs, made again from the records: nothing is executed.

A cell of a chapter that shows a card is ``card("id")`` and no more, and a card follows from records alone. So where records
have come or gone (of seeds, say, which no other cell reads), the stored cards can be brought to what executing would give;
`pytest --nbval` proves that they are.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import nbformat

from .. import files
from ..cards import card
from ..settings import Settings
from .notebooks import found

_CELL = re.compile(r'card\("([\w.]+)"\)')


def renew(folder: Path) -> dict[str, list[str]]:
    """Make the stored cards of all notebooks again; per notebook, the ids of those that have changed.

    Parameters
    ----------
    folder : Path
        Of the notebooks. A notebook in which no card has changed is left alone, to the byte.
    """
    with tempfile.TemporaryDirectory() as empty:  # as a notebook is executed: with no records of one's own
        settings = Settings(evidence=Path(empty))
        return {path.stem: _renewed(path, settings) for path in found(folder)}


def _renewed(path: Path, settings: Settings) -> list[str]:
    notebook, changed = nbformat.read(path, as_version=4), []
    for cell in notebook.cells:
        shown = _CELL.fullmatch(cell.source.strip()) if cell.cell_type == "code" else None
        if shown is None:
            continue
        made = card(shown[1], settings)
        told = {"text/html": made._repr_html_(), "text/plain": repr(made)}
        for output in cell.outputs:
            if output.output_type == "execute_result" and told != {k: output.data.get(k) for k in told}:
                output.data.update(told)
                changed.append(shown[1])
    if changed:
        files.write(path, nbformat.writes(notebook) + "\n")
    return changed
