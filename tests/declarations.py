"""What tests of packaging share: projects as they declare themselves, and what their files import."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]


def toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def tracked(folder: Path) -> list[str]:
    """The files of a folder that are in the repository."""
    listed = ["git", "-C", str(folder), "ls-files", "--", "."]
    return [x for x in subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split("\n") if x]


def imported(*roots: Path, but: Path | None = None) -> set[str]:
    """The distributions whose modules the Python files of some folders import, wherever in them."""
    homes = packages_distributions()
    found = set()
    for path in (p for root in roots for p in root.rglob("*.py") if but is None or but not in p.parents):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                found.add(node.module.partition(".")[0])
    own = {"bertology_utils", "tests", "tomli", "IPython"}  # pytest brings tomli to 3.10; a notebook has IPython
    own |= {p.name for p in ROOT.glob("workshop/*/bertology_*")}
    own |= {p.stem for tests in ("tests", "workshop/*/tests") for p in ROOT.glob(f"{tests}/**/*.py")}
    return {canonicalize_name(homes.get(name, [name])[0]) for name in found - own - sys.stdlib_module_names}


def declared(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(r).name) for r in requirements}
