"""The first code cell of every notebook: it brings the package to a runtime that has none, and holds the two switches.

`ADDRESS` is the one place that says where a notebook opened alone takes the package from. While it is empty, the cell
asks for a wheel beside the notebook, and says so.
"""

from __future__ import annotations

from pathlib import Path

import jupytext
import nbformat

ADDRESS = ""  # what pip is to install: a wheel's address, or git+https://...
TAGS = ["remove-cell"]
CELL = """# @title Model and data {{display-mode: "form"}}
MODEL = "default"  # @param ["default", "mini", "bert-base-uncased"] {{allow-input: true}}
DATA = "default"  # @param ["default", "builtin", "original"]
PACKAGE = "{address}"  # what pip is to install; empty: a wheel that lies here
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

if not find_spec("bertology_utils"):
    wheels = [PACKAGE] if PACKAGE else list(Path().glob("bertology_utils-*.whl")) or sys.exit("upload the wheel first")
    subprocess.check_call([sys.executable, "-m", "pip", "install", "-q", *wheels])
from bertology_utils import choose

choose(MODEL, DATA)"""


def source() -> str:
    """The cell's text with the configured address."""
    return CELL.format(address=ADDRESS)


def put(folder: Path) -> list[Path]:
    """Give every notebook of a folder the cell as it is now, in place of the one it has; what was changed.

    Stored outputs stay as they are: the cell has none, and the cells behind it count from there.
    """
    changed = []
    for path in sorted(folder.glob("*.ipynb")):
        book = nbformat.read(path, as_version=4)
        cells = [c for c in book.cells if c.cell_type == "code"]
        if cells[0].source == source():
            continue
        if cells[0].metadata.get("tags") == TAGS:
            cells[0].source = source()
        else:
            for cell in cells:
                cell.execution_count = cell.execution_count and cell.execution_count + 1
            cell = nbformat.v4.new_code_cell(source(), id="switches", execution_count=1, metadata={"tags": TAGS})
            book.cells.insert(book.cells.index(cells[0]), cell)
        nbformat.write(book, path)
        jupytext.write(book, path.with_suffix(".py"), fmt="py:percent")
        changed.append(path)
    return changed
