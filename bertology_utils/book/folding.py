"""What of a chapter's code a reader of its page sees at once: the calls that measure and what they print.

Code that only shows a card or a finding is left out, code that draws a figure is folded, and so is a figure in numbers.
The rule is applied when the book is rendered: the notebooks themselves hide nothing from who runs them.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import nbformat

SPEAKING = {"card", "found", "five", "overview"}  # what these give speaks for itself
DRAWN = {"code_prompt_show": "How this figure is drawn", "code_prompt_hide": "How this figure is drawn"}
NUMBERS = {"code_prompt_show": "The figure in numbers", "code_prompt_hide": "The figure in numbers"}
HELP = {"code_prompt_show": "Imports and helpers", "code_prompt_hide": "Imports and helpers"}


def fold(notebook: Any) -> Any:
    """The notebook with tags for the page: what is left out, and what is folded under which words.

    Examples
    --------
    >>> cell = nbformat.v4.new_code_cell('card("syn.npi.warstadt2019")')
    >>> fold(nbformat.v4.new_notebook(cells=[cell])).cells[0].metadata["tags"]
    ['remove-input']
    """
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        tags = cell.metadata.get("tags", [])
        if "hide-output" in tags:
            tag, words = "hide-cell", NUMBERS
        elif (speaks := _speaks(cell.source)) is not None:
            tag, words = ("hide-input", HELP) if speaks else ("remove-input", {})
        elif any("image/png" in out.get("data", {}) for out in cell.get("outputs", ())):
            tag, words = "hide-input", DRAWN
        elif "hide-input" in tags:
            tag, words = "hide-input", HELP
        else:
            continue
        cell.metadata["tags"] = [*(t for t in tags if not t.startswith("hide-")), tag]
        cell.metadata["mystnb"] = {**cell.metadata.get("mystnb", {}), **words}
    return notebook


def fold_all(folder: Path) -> None:
    """Fold every notebook of a staged book, in place."""
    for path in sorted(folder.glob("*.ipynb")):
        nbformat.write(fold(nbformat.read(path, as_version=4)), path)


def _speaks(source: str) -> bool | None:
    """Whether more than imports comes before a last line that speaks for itself; None where the last line does not."""
    try:
        lines = ast.parse(source).body
    except SyntaxError:  # magics
        return None
    last = lines[-1].value if lines and isinstance(lines[-1], ast.Expr) else None
    if isinstance(last, ast.Call) and isinstance(last.func, ast.Name) and last.func.id in SPEAKING:
        return not all(isinstance(line, (ast.Import, ast.ImportFrom)) for line in lines[:-1])
    return None
