"""The workshops beside the package: it needs none of them, and each says what it needs itself."""

from __future__ import annotations

import ast
import fnmatch
import os
import subprocess
import sys
from pathlib import Path

import pytest
from declarations import ROOT, declared, imported, toml, tracked

WORKSHOPS = sorted(p.parent for p in ROOT.glob("workshop/*/pyproject.toml"))
PACKAGES = {w.name: f"bertology_{w.name}" for w in WORKSHOPS}

# as if none were installed: no module of theirs, and no command
WITHOUT = f"""
import importlib, importlib.metadata, pkgutil, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(PACKAGES.values())}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
importlib.metadata.entry_points = lambda **chosen: ()
"""
EVERYTHING = """
import bertology_utils
import warnings
from bertology_utils import cards, runs
from bertology_utils.cards import family
from bertology_utils.cli import app
from bertology_utils.data import builtin
from bertology_utils.settings import Settings

for found in pkgutil.walk_packages(bertology_utils.__path__, "bertology_utils."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
assert len(runs.registered()) > 120
assert all(len(builtin.build(task, 10)) == 10 for task in builtin.tasks())
assert "BERT base, uncased" in cards.card("syn.agreement.goldberg2019", whole=True)._repr_html_()
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    curves = family.live(["base"], 190_000)
assert "bertology-pretrain" in str(said[-1].message), said
assert len(curves["base, recorded"]) == len(curves["base, now"]) > 1 and curves["base, now"]["value"].isna().all()
settings = Settings(data="corpus", draws=20)
print(*(len(r.rows) for r in runs.run("trn.hidden_size.wang2019b", settings, save=False).records))
print(*sorted(c.name or c.callback.__name__ for c in app.registered_commands))
sys.argv[1:] = ["score", "all"]
from bertology_utils.cli import main
main()
"""


def test_there_is_a_workshop_and_each_has_its_package_readme_and_tests():
    assert PACKAGES
    for workshop in WORKSHOPS:
        assert (workshop / PACKAGES[workshop.name] / "__init__.py").is_file() and list(workshop.glob("tests/test_*.py"))
        assert 20 <= len((workshop / "README.md").read_text(encoding="utf-8").splitlines()) <= 70


def named(folder: Path) -> set[str]:
    """The packages that the files of a folder import, wherever in them."""
    found = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add((node.module or "").partition(".")[0])
    return found


def test_the_package_imports_no_workshop_and_a_workshop_no_other_but_the_generated_world():
    assert not named(ROOT / "bertology_utils") & set(PACKAGES.values())
    for workshop in WORKSHOPS:
        others = named(workshop / PACKAGES[workshop.name]) & set(PACKAGES.values()) - {PACKAGES[workshop.name]}
        assert others <= {PACKAGES["world"]} and (not others or workshop.name == "pretrain")


def test_the_package_works_without_them(tmp_path):
    """Every module is imported, a card is made, recorded runs are compared; the workshops' commands are not offered."""
    said = subprocess.run(
        [sys.executable, "-c", WITHOUT + EVERYTHING],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "BERTOLOGY_EVIDENCE": str(tmp_path)},
    )
    assert said.returncode == 2 and said.stderr.startswith("bertology: score is a command of workshop/rescore"), (
        said.stderr
    )
    rows, commands = said.stdout.strip().splitlines()
    assert int(rows) > 0 and "run" in commands.split() and not {"score", "pretrain", "adapt"} & set(commands.split())


@pytest.mark.parametrize("workshop", WORKSHOPS, ids=lambda p: p.name)
def test_a_workshop_declares_what_it_imports_and_brings_its_data(workshop: Path):
    project, package = toml(workshop / "pyproject.toml"), workshop / PACKAGES[workshop.name]
    needs = declared(project["project"]["dependencies"])
    beside = {f"bertology-{w.name}" for w in WORKSHOPS}
    assert imported(package) == needs - {"bertology-utils"} - beside and "bertology-utils" in needs
    assert {name.replace("-", "_") for name in needs & beside} == named(package) & set(PACKAGES.values()) - {
        package.name
    }
    core = toml(ROOT / "pyproject.toml")["project"]
    assert f"bertology-utils=={core['version']}" in project["project"]["dependencies"]
    assert project["project"]["version"] == core["version"]
    bounds = {r.partition(">=")[0]: r for r in core["dependencies"]}
    assert not [
        r for r in project["project"]["dependencies"] if "==" not in r and bounds.get(r.partition(">=")[0], r) != r
    ]
    patterns = project["tool"]["setuptools"]["package-data"][package.name]
    data = [name for name in tracked(package) if not name.endswith(".py")]
    assert not [name for name in data if not any(fnmatch.fnmatch(name, p.replace("**/", "*")) for p in patterns)]


def test_make_installs_all_of_them():
    dry = subprocess.run(["make", "-n", "setup", "VENV=nowhere"], cwd=ROOT, capture_output=True, text=True).stdout
    assert all(f"-e workshop/{w.name}" in dry for w in WORKSHOPS)
