"""The first code cell of every notebook: it brings the package to a runtime that has none, and holds the switches.

`ADDRESS` is the one place that says where a notebook opened alone takes the package from. While it is empty, the cell
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
CELL = """# @title Model and data {{display-mode: "form"}}
MODEL = "default"  # @param ["default", "mini", "bert-base-uncased"] {{allow-input: true}}
DATA = "default"  # @param ["default", "builtin", "original"]
FAST = False  # @param {{type: "boolean"}}
PACKAGE = "{address}"  # what pip is to install; empty: a wheel beside this notebook, or the repository around it
import sys
from importlib.util import find_spec
from pathlib import Path
from subprocess import check_call

if not find_spec("bertology_utils"):
    here = [*Path().glob("bertology_utils-*.whl"), *(p.parent for p in Path("..").glob("bertology_utils"))]
    wanted = [PACKAGE] if PACKAGE else here[:1]
    if not wanted:
        print("The package bertology_utils is not installed here, and this notebook has no address to take it from.")
        print("In a copy of the repository, `pip wheel --no-deps .` makes a file bertology_utils-(version).whl.")
        print("Put that file beside this notebook and run this cell again; on Colab, choose it below.")
        colab = sys.modules.get("google.colab")
        wanted = (colab and list(colab.files.upload())) or sys.exit("The package is still missing.")
    check_call([sys.executable, "-m", "pip", "install", "-q", *wanted])
from bertology_utils import choose

choose(MODEL, DATA, "{section}", fast=FAST)"""


def source(notebook: str, address: str | None = None) -> str:
    """The cell's text for a notebook (its file's name without the ending), with the configured address or another.

    Raises
    ------
    ValueError
        If no section of the ledger has such a chapter.
    """
    for section in ledger.sections():
        if section.chapter == notebook:
            return CELL.format(address=ADDRESS if address is None else address, section=section.name)
    raise ValueError(f"no section of the ledger has the chapter {notebook!r}")


def put(folder: Path) -> list[Path]:
    """Give every notebook of a folder the cell as it is now, in place of the one it has; what was changed.

    Stored outputs stay as they are: the cell has none, and the cells behind it count from there.
    """
    changed = []
    for path in sorted(folder.glob("*.ipynb")):
        book = nbformat.read(path, as_version=4)
        cells = [c for c in book.cells if c.cell_type == "code"]
        text = source(path.stem)
        if cells[0].source == text:
            continue
        if cells[0].metadata.get("tags") == TAGS:
            cells[0].source = text
        else:
            for cell in cells:
                cell.execution_count = cell.execution_count and cell.execution_count + 1
            cell = nbformat.v4.new_code_cell(text, id="switches", execution_count=1, metadata={"tags": TAGS})
            book.cells.insert(book.cells.index(cells[0]), cell)
        nbformat.write(book, path)
        jupytext.write(book, path.with_suffix(".py"), fmt="py:percent")
        changed.append(path)
    return changed
