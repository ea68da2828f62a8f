"""Packaging: pins, bounds and texts that must agree with one another."""

from __future__ import annotations

import fnmatch
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from declarations import ROOT, declared, imported, toml, tracked
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import bertology_utils

PROJECT = toml(ROOT / "pyproject.toml")
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def pins(lines: list[str]) -> dict[str, str]:
    found = [re.fullmatch(r"([\w.-]+)==([\w.]+)", line.strip()) for line in lines]
    return {canonicalize_name(m[1]): m[2] for m in found if m}


CONSTRAINTS = [
    line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")
]
PINS = pins(CONSTRAINTS)


def direct() -> list[Requirement]:
    extras = PROJECT["project"]["optional-dependencies"]
    return [Requirement(r) for r in (*PROJECT["project"]["dependencies"], *extras["book"], *extras["test"])]


def test_every_constraint_is_an_exact_release_and_torch_is_among_them():
    assert len(PINS) == len(CONSTRAINTS) > 100
    assert re.fullmatch(r"\d+\.\d+\.\d+", PINS["torch"])  # without a local label, so that any build of it fits


@pytest.mark.parametrize("requirement", direct(), ids=lambda r: r.name)
def test_pins_meet_the_bounds(requirement):
    assert requirement.specifier.contains(PINS[canonicalize_name(requirement.name)], prereleases=True)


# declared and imported nowhere: programs, plugins, and what others find by name
NOT_IMPORTED = {
    "book": {
        "jupyter-book",
        "ipykernel",
        "ipywidgets",
        "sphinxcontrib-bibtex",
        "sphinxext-opengraph",
        "sphinx-sitemap",
    },
    "test": {"pytest-timeout", "pytest-xdist", "ruff", "mypy"},
}
BOOK = ROOT / "bertology_utils" / "book"  # what it imports is in the extra of that name


def test_what_is_imported_is_declared_and_what_is_declared_is_imported():
    core = declared(PROJECT["project"]["dependencies"])
    extras = {name: declared(given) for name, given in PROJECT["project"]["optional-dependencies"].items()}
    used = imported(ROOT / "bertology_utils", ROOT / "notebooks", but=BOOK)
    assert used == core
    assert imported(BOOK) - core == extras["book"] - NOT_IMPORTED["book"]
    workshops = [declared(toml(p)["project"]["dependencies"]) for p in ROOT.glob("workshop/*/pyproject.toml")]
    tests = imported(ROOT / "tests", *ROOT.glob("workshop/*/tests")) - core.union(extras["book"], *workshops)
    assert tests == extras["test"] - NOT_IMPORTED["test"]


def test_the_package_has_lower_bounds_only():
    uppers = [
        r for r in map(Requirement, PROJECT["project"]["dependencies"]) if any(s.operator != ">=" for s in r.specifier)
    ]
    assert not uppers


def test_conda_environment_equals_the_constraints():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    (listed,) = [d["pip"] for d in environment["dependencies"] if isinstance(d, dict)]
    named = pins(listed)
    assert named == {name: PINS[name] for name in named}
    assert {canonicalize_name(r.name) for r in direct()} <= named.keys()
    assert "-c constraints.txt" in listed and "-e .[book,test]" in listed
    assert {f"-e {p.parent.relative_to(ROOT)}" for p in ROOT.glob("workshop/*/pyproject.toml")} <= set(listed)


def test_versions_agree():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    version = PROJECT["project"]["version"]
    assert version == bertology_utils.__version__ == citation["version"]
    assert citation["license"] == PROJECT["project"]["license"] == "MIT"
    assert "MIT" in (ROOT / "LICENSE").read_text(encoding="utf-8")


def test_all_data_of_the_package_is_in_the_wheel():
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["bertology_utils"]
    package = ROOT / "bertology_utils"
    data = [name for name in tracked(package) if not name.endswith(".py")]
    assert data
    # `**/*` of setuptools stands for any number of folders, none included
    wide = [p.replace("**/", "*") for p in patterns]
    assert not [name for name in data if not any(fnmatch.fnmatch(name, p) for p in wide)]


def test_make_lists_its_commands_and_uses_what_it_is_given(tmp_path):
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {"book", "html", "test", "notebooks", "clean"} <= {line.split()[1] for line in listed.splitlines()}
    dry = subprocess.run(
        ["make", "-n", "book", f"VENV={tmp_path}/env", "PYTHON=python9", "CONSTRAINTS=", "MODEL=other"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"python9 -m venv {tmp_path}/env" in dry and "-c constraints.txt" not in dry and "--model other" in dry


def test_scripts_stop_at_the_first_error():
    run = ROOT / ".ci" / "run"
    assert os.access(run, os.X_OK)
    subprocess.run(["bash", "-n", str(run)], check=True)
    assert "set -euo pipefail" in run.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_workflows_stop_at_the_first_error(path: Path):
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["defaults"]["run"]["shell"] == "bash"
    steps = [s for job in workflow["jobs"].values() for s in job["steps"] if "run" in s]
    assert steps
    for step in steps:
        assert step["run"].startswith("set -euo pipefail\n"), step
        subprocess.run(["bash", "-n"], input=re.sub(r"\$\{\{.*?\}\}", "X", step["run"]), text=True, check=True)


def test_workflows_cover_the_versions():
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    assert [m["python"] for m in workflow["jobs"]["test"]["strategy"]["matrix"]["include"]] == ["3.10", "3.12", "3.13"]
    tried = [(m["python"], m["releases"]) for m in workflow["jobs"]["releases"]["strategy"]["matrix"]["include"]]
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert (oldest, "oldest") in tried and {python for python, _ in tried} == {"3.10", "3.11", "3.12", "3.13"}
    assert {how for _, how in tried} == {"oldest", "newest"}


def test_the_oldest_python_is_the_same_everywhere():
    oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert f"sys.version_info >= ({oldest.replace('.', ', ')})" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert PROJECT["tool"]["ruff"]["target-version"] == f"py{oldest.replace('.', '')}"
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    (python,) = [d for d in environment["dependencies"] if str(d).startswith("python=")]
    assert SpecifierSet(PROJECT["project"]["requires-python"]).contains(python.removeprefix("python="))


def test_the_oldest_releases_are_the_lower_bounds():
    """What `make oldest` installs is what the package and its workshops say they can do with."""
    lines = (ROOT / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines()
    pinned = {name: Version(version) for name, version in pins(lines).items()}
    stated = {}
    projects = [PROJECT, *map(toml, ROOT.glob("workshop/*/pyproject.toml"))]
    for requirement in [Requirement(r) for p in projects for r in p["project"]["dependencies"] if "==" not in r]:
        (bound,) = requirement.specifier
        stated[canonicalize_name(requirement.name)] = Version(bound.version)
    assert pinned == stated


@pytest.mark.parametrize("which, constraints", [("oldest", "-c constraints-oldest.txt"), ("newest", "install -e")])
def test_make_has_an_environment_for_each_end_of_the_releases(tmp_path, which, constraints):
    words = ["make", "-n", which, "PYTHON=python9"]
    dry = " ".join(subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split())
    assert f"python9 -m venv .venv-{which}" in dry and "tests/test_guards.py" in dry
    assert constraints in dry.replace("--quiet --disable-pip-version-check ", "")
