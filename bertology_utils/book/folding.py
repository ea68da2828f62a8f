"""What of a chapter a reader of its page sees at once: an item and what the network says, one figure, the verdict.

Code that shows something ready-made (items, a card) is left out, and so is a finding, which the card holds. Code that draws a
figure is folded, the call that fetches its rows with it, and so are a figure in numbers and a claim's further figures. The
rule is applied when the book is rendered: the notebooks themselves hide nothing from who runs them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any

import nbformat

from ..cards.standing import standing
from ..claims.rules import NOT_RERUN, OPEN, UNTESTABLE

SPEAKING = {"card", "examples", "found", "five", "overview"}  # what these give speaks for itself
READ = "**How to read this chapter**"
UNASKED = "no live answer"  # `examples` begins with it where a claim compares recorded runs
FETCHING = {"recall", "recorded", "results"}
ITEMS = dict.fromkeys(("code_prompt_show", "code_prompt_hide"), "An item, and what the network says")
DRAWN = dict.fromkeys(ITEMS, "How this figure is drawn")
ROWS = dict.fromkeys(ITEMS, "Rows for the figures")
TABLE = dict.fromkeys(ITEMS, "The whole table")
NUMBERS = dict.fromkeys(ITEMS, "The figure in numbers")
HELP = dict.fromkeys(ITEMS, "Imports and helpers")
# the parts of a unit that the page has places for
LIVE, FIGURE, CARD, UNDECIDED = "unit-live", "unit-figure", "unit-card", "unit-undecided"


def fold(notebook: Any) -> Any:
    """The notebook with tags for the page: what is left out, and what is folded under which words.

    Of a claim that is open for every trained network, item and figure are folded too: they decide nothing.

    Examples
    --------
    >>> cell = nbformat.v4.new_code_cell('card("syn.npi.warstadt2019")')
    >>> fold(nbformat.v4.new_notebook(cells=[cell])).cells[0].metadata["tags"]
    ['remove-input', 'unit-card']
    """
    notebook.cells = list(_merged(notebook.cells))
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and cell.source.startswith(READ):
            cell.source = f":::{{dropdown}} {READ.strip('*')}\n{cell.source.removeprefix(READ).strip()}\n:::"
    for unit in _units(notebook.cells):
        shown = 0 if all(map(_decided, filter(None, map(_claim, unit)))) else None
        for cell in unit:
            before = shown
            tag, words, shown = _tag(cell, shown)
            if tag:
                others = [t for t in cell.metadata.get("tags", []) if not t.startswith("hide-")]
                cell.metadata["tags"] = [*others, tag, *_place(cell, shown, before)]
                cell.metadata["mystnb"] = {**cell.metadata.get("mystnb", {}), **words}
    return notebook


def _merged(cells: Sequence[Any]) -> Iterator[Any]:
    """The cells, the call that fetches a figure's rows at the head of the cell that draws it, if that is the next one."""
    for cell, following in zip_longest(cells, cells[1:]):
        if following is not None and _draws(following) and not cell.get("outputs") and _fetches(cell):
            following.source = f"{cell.source}\n{following.source}"
        else:
            yield cell


def _draws(cell: Any) -> bool:
    return any(kind.startswith("image/") for out in cell.get("outputs", ()) for kind in out.get("data", {}))


def _units(cells: Sequence[Any]) -> list[list[Any]]:
    """The code cells between one heading and the next."""
    units: list[list[Any]] = [[]]
    for cell in cells:
        if cell.cell_type == "code":
            units[-1].append(cell)
        elif re.search(r"^#", cell.source, re.M):
            units.append([])
    return units


def _tag(cell: Any, shown: int | None) -> tuple[str, dict[str, str], int | None]:
    """A cell's tag, the words of its fold, and how many figures of the claim are open; None where none is to be."""
    tags, (last, _) = cell.metadata.get("tags", []), shows(cell)
    if "hide-output" in tags:
        return ("remove-cell", {}, shown) if shown is None else ("hide-cell", NUMBERS, shown)
    if last == "found":  # the card holds it
        return "remove-cell", {}, shown
    if last == "examples" and printed(cell).startswith(UNASKED):
        return "remove-cell", {}, shown
    if last == "examples" and shown is None:
        return "hide-cell", ITEMS, shown
    if last == "table":
        return "hide-cell", TABLE, shown
    if last in SPEAKING:
        return ("remove-input", {}, shown) if _alone(cell.source) else ("hide-input", HELP, shown)
    if _draws(cell):
        if shown == 0:
            return "hide-input", DRAWN, 1
        return "hide-cell", _further(cell), shown
    if not cell.get("outputs") and _fetches(cell):
        return "hide-cell", ROWS, shown
    if "hide-input" in tags:
        return ("hide-input", HELP, shown) if cell.get("outputs") else ("remove-cell", {}, shown)
    return "", {}, shown


def _place(cell: Any, shown: int | None, before: int | None) -> list[str]:
    """The part of a unit that a cell is, by how many of the unit's figures are open with it and without."""
    if _claim(cell):
        return [CARD] if shown is not None else [CARD, UNDECIDED]
    return [FIGURE] if shown != before else [LIVE] if shows(cell)[0] == "examples" else []


def fold_all(folder: Path, beside: Mapping[tuple[str, str], str] = MappingProxyType({})) -> None:
    """Fold every notebook of a staged book, in place.

    `beside`: (function, claim) -> Markdown to stand under the cell that calls the function for the claim.
    """
    for path in sorted(folder.glob("*.ipynb")):
        notebook = fold(nbformat.read(path, as_version=4))
        for at in range(len(notebook.cells), 0, -1):
            text = beside.get(shows(notebook.cells[at - 1]))
            if text:
                notebook.cells.insert(at, nbformat.v4.new_markdown_cell(text))
        nbformat.write(notebook, path)


def _further(cell: Any) -> dict[str, str]:
    """The line that a figure is folded under: what its caption says first."""
    caption = cell.metadata.get("mystnb", {}).get("figure", {}).get("caption", "")
    words = "Figure" + (f": {re.split(r'[.;:] ', caption)[0].rstrip('.')}" if caption else "")
    return dict.fromkeys(ITEMS, words)


def _lines(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except SyntaxError:  # magics
        return []


def _called(value: ast.AST | None) -> str:
    """The name of the function, or method, that an expression calls."""
    called = value.func if isinstance(value, ast.Call) else None
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""


def _alone(source: str) -> bool:
    """Whether nothing but imports comes before the last line."""
    return all(isinstance(line, (ast.Import, ast.ImportFrom)) for line in _lines(source)[:-1])


def _fetches(cell: Any) -> bool:
    """Whether all that a cell does is fetch rows for figures, under a name each."""
    lines = _lines(cell.source) if cell.cell_type == "code" else []
    return bool(lines) and all(isinstance(line, ast.Assign) and _called(line.value) in FETCHING for line in lines)


def shows(cell: Any) -> tuple[str, str]:
    """The function that a cell's last line calls and the claim that it is called for; empty if none."""
    lines = _lines(cell.source) if cell.cell_type == "code" else []
    call = lines[-1].value if lines and isinstance(lines[-1], ast.Expr) else None
    first = call.args[0] if isinstance(call, ast.Call) and call.args else None
    return _called(call), first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def printed(cell: Any) -> str:
    """What a cell has printed."""
    return "".join(out.get("text", "") for out in cell.get("outputs", ()))


def answered(lines: Sequence[str]) -> list[int]:
    """Where an item and its answers, which are indented, end among lines: how many lines there are up to each end.

    >>> answered(["one item", "  its answer", "another", "in two lines", "  an answer", "  and more"])
    [2, 6]
    """
    answers = [*(line.startswith(" ") for line in lines), False]
    return [k for k in range(1, len(answers)) if answers[k - 1] and not answers[k]]


def _claim(cell: Any) -> str:
    """The claim whose card a cell shows; empty if none."""
    function, claim = shows(cell)
    return claim if function == "card" else ""


def _decided(id: str) -> bool:
    """Whether the claim came out one way or the other for some trained network."""
    try:
        s = standing(id)
    except KeyError:  # a claim in the making
        return True
    trained = [slot.label for _, slot in s.slots if slot is not s.untrained]
    return not {OPEN, UNTESTABLE, NOT_RERUN}.issuperset(trained)
