"""Arrows run one way: no module imports from a floor above its own."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import house
import pytest
from house import FLOORS

ROOT = house.PACKAGE
FLOOR = {part: k for k, parts in enumerate(FLOORS) for part in parts}
MODULES = [p.relative_to(ROOT) for p in sorted(ROOT.rglob("*.py")) if p.name != "__main__.py"]


def imported(path: Path) -> set[str]:
    """The parts of the package that a module names in its imports, wherever they stand in it."""
    package = ("bertology_utils", *path.parent.parts)
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            names = [".".join((*base, *((node.module or "").split(".") if node.module else ())))]
            names = [f"{names[0]}.{a.name}" for a in node.names] if names[0] == "bertology_utils" else names
        else:
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
        found |= {n.split(".")[1] for n in names if n.startswith("bertology_utils.")}
    return found & FLOOR.keys()


@pytest.mark.parametrize("path", MODULES, ids=str)
def test_nothing_imports_from_above(path):
    own = path.parts[0].removesuffix(".py")
    if own == "__init__":
        return
    assert {part for part in imported(path) if FLOOR[part] > FLOOR[own]} == set(), f"{path} reaches up"


def test_every_part_has_its_floor():
    parts = {p.parts[0].removesuffix(".py") for p in MODULES} - {"__init__", "assets"}
    assert parts <= set(FLOOR)


def test_the_map_of_the_house_is_that_of_its_docstrings():
    text = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert house.put(text) == text, "python -m tests.house"
    assert all(row.split(" | ")[1].rstrip(" |") for row in house.rows()), "a package without a docstring"


def test_the_top_level_holds_what_a_notebook_or_a_shell_types():
    assert len([p for p in MODULES if len(p.parts) == 1]) <= 11


@pytest.mark.parametrize("part", sorted({"experiments", *FLOORS[1], *FLOORS[2], *FLOORS[3], *FLOORS[4], *FLOORS[5]}))
def test_no_library_reads_the_environment(part):
    """Settings are passed; whoever starts a process reads the environment, once."""
    reading = [
        str(p)
        for p in MODULES
        if p.parts[0].removesuffix(".py") == part and "os.environ" in (ROOT / p).read_text("utf-8")
    ]
    assert not reading


def test_the_registry_of_claims_knows_no_experiment():
    assert "experiments" not in imported(Path("claims/registry.py"))


def test_tests_share_by_support_modules_and_never_by_one_another():
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        found = re.findall(r"^\s*(?:from|import) ((?:\w+\.)*test_\w+)", path.read_text(encoding="utf-8"), flags=re.M)
        assert not found, f"{path.name} imports from {found}"
