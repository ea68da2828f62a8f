"""The first code cells of every notebook: one brings the package to a runtime that has none, one holds the switches.

`ADDRESS` is the one place that says where a notebook opened alone takes the package from. While it is empty, the first
installs a wheel that lies beside the notebook, or the copy of the repository that the notebook lies in; where there is
neither, it says in plain words what to do, and on Colab asks for the file. All that needs the package is in `hosted`.
"""

from __future__ import annotations

from pathlib import Path

import jupytext
import nbformat

from ..claims import ledger

ADDRESS = ""  # what pip is to install: a wheel's address, or git+https://...
TAGS = ["remove-cell"]
PACKAGE = """# @title The package {{display-mode: "form"}}
PACKAGE = "{address}"  # what pip is to install; empty: a wheel beside this notebook, or the repository around it
import sys
from importlib.util import find_spec
from pathlib import Path
from subprocess import check_call

if not find_spec("bertology_utils"):
    here = [*Path().glob("bertology_utils-*.whl"), *(p.parent for p in Path("..").glob("bertology_utils"))]
    if not (wanted := [PACKAGE] if PACKAGE else here[:1]):
        print("The package bertology_utils is not installed. In a copy of the repository, `pip wheel --no-deps .` makes a file")
        print("bertology_utils-(version).whl: put it beside this notebook and run this cell again; on Colab, choose it below.")
        colab = sys.modules.get("google.colab")
        wanted = (colab and list(colab.files.upload())) or sys.exit("The package is still missing.")
    check_call([sys.executable, "-m", "pip", "install", "-q", *wanted])"""
SWITCHES = """# @title Model and data {{display-mode: "form"}}
MODEL = "default"  # @param ["default", "mini", "bert-base-uncased"] {{allow-input: true}}
DATA = "default"  # @param ["default", "builtin", "original"]
FAST = False  # @param {{type: "boolean"}}
from bertology_utils import choose

choose(MODEL, DATA, "{section}", fast=FAST)"""
CELLS = {"package": PACKAGE, "switches": SWITCHES}  # by their ids


def sources(notebook: str) -> list[str]:
    """The cells' texts for a notebook (its file's name without the ending).

    Raises
    ------
    ValueError
        If no section of the ledger has such a chapter.
    """
    for section in ledger.sections():
        if section.chapter == notebook:
            return [cell.format(address=ADDRESS, section=section.name) for cell in CELLS.values()]
    raise ValueError(f"no section of the ledger has the chapter {notebook!r}")


def put(folder: Path) -> list[Path]:
    """Give every notebook of a folder the cells as they are now, in place of those it has; what was changed.

    Stored outputs stay as they are: the cells have none, and those behind them count from there.
    """
    changed = []
    for path in sorted(folder.glob("*.ipynb")):
        book = nbformat.read(path, as_version=4)
        code = [c for c in book.cells if c.cell_type == "code"]
        mine = [c for c in code if c.metadata.get("tags") == TAGS]
        if [c.source for c in mine] == sources(path.stem):
            continue
        at = book.cells.index(code[0])
        book.cells = [c for c in book.cells if c not in mine]
        made = zip(CELLS, sources(path.stem), strict=True)
        book.cells[at:at] = [nbformat.v4.new_code_cell(text, id=id, metadata={"tags": TAGS}) for id, text in made]
        for count, cell in enumerate((c for c in book.cells if c.cell_type == "code"), 1):
            cell.execution_count = count
            for output in cell.outputs:
                if "execution_count" in output:
                    output.execution_count = count
        nbformat.write(book, path)
        jupytext.write(book, path.with_suffix(".py"), fmt="py:percent")
        changed.append(path)
    return changed
