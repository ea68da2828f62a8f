"""The floors of the house, and its map in CONTRIBUTING.md: ``python -m tests.house`` writes it anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "bertology_utils"
FLOORS = (  # from the ground up; what stands on one floor may import its neighbours there
    ("errors", "settings", "provenance", "files", "processes"),
    ("data", "family"),
    ("subject",),
    ("scores", "plotting"),
    ("vectors", "attention", "probes", "finetune", "compress"),
    ("claims",),
    ("calibration",),
    ("experiments",),
    ("runs", "sweep", "calibrate", "reproduce", "worked_examples", "side_by_side", "hosted"),
    ("cards",),
    ("book", "cli"),
)
BEGIN, END = "<!-- the map, by python -m tests.house -->\n", "<!-- end of the map -->\n"


def says(path: Path) -> str:
    """The first sentence of a module's or package's docstring, on one line."""
    source = path / "__init__.py" if path.is_dir() else path
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")  # a bar would end the cell


def rows() -> Iterator[str]:
    """A line per package and top-level module, floor by floor; then the workshops."""
    for floor in FLOORS:
        for part in floor:
            path = PACKAGE / part
            if not path.is_dir():
                yield f"| `{part}.py` | {says(path.with_suffix('.py'))} |"
                continue
            for inside in (path, *sorted(p.parent for p in path.glob("*/__init__.py"))):
                yield f"| `{inside.relative_to(PACKAGE)}/` | {says(inside)} |"
    for package in sorted(p.parent for p in ROOT.glob("workshop/*/bertology_*/__init__.py")):
        yield f"| `{package.parent.relative_to(ROOT)}/` | {says(package)} |"


def house() -> str:
    """The arrows, and the map."""
    arrows = " → ".join(", ".join(f"`{part}`" for part in floor) for floor in FLOORS)
    table = "\n".join(["| part | holds |", "|---|---|", *rows()])
    return f"{BEGIN}{arrows}\n\n{table}\n{END}"


def put(text: str) -> str:
    """CONTRIBUTING.md with the map as it is now."""
    before, rest = text.split(BEGIN)
    return before + house() + rest.split(END)[1]


if __name__ == "__main__":
    file = ROOT / "CONTRIBUTING.md"
    file.write_text(put(file.read_text(encoding="utf-8")), encoding="utf-8")
