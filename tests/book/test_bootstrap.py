"""The first code cell of the notebooks, where there is no package: it installs a wheel, or says what to do."""

import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from bertology_utils.book import bootstrap

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
PIP = """
import sys
from pathlib import Path
Path("asked").write_text(" ".join(sys.argv[1:]))
Path("bertology_utils.py").write_text("def choose(model, data):\\n    print(model, data)")
"""


def bare(folder: Path, source: str) -> subprocess.CompletedProcess:
    """The cell in an empty folder, in an interpreter without any package."""
    return subprocess.run([sys.executable, "-S", "-c", source], cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_notebook_begins_with_it(path):
    first = next(c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code")
    assert (first.source, first.metadata["tags"]) == (bootstrap.source(), bootstrap.TAGS)


def test_without_a_package_or_a_wheel_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(bootstrap, "ADDRESS", "")
    found = bare(tmp_path, bootstrap.source())
    assert found.returncode == 1 and found.stderr.strip() == "upload the wheel first"


@pytest.mark.parametrize("address", ["", "git+https://example.org/book"])
def test_it_installs_the_wheel_or_the_address_and_goes_on(tmp_path, monkeypatch, address):
    monkeypatch.setattr(bootstrap, "ADDRESS", address)
    (tmp_path / "bertology_utils-0.1.0-py3-none-any.whl").touch()
    (tmp_path / "pip.py").write_text(PIP)
    found = bare(tmp_path, bootstrap.source())
    assert (found.returncode, found.stdout) == (0, "default default\n")
    wanted = address or "bertology_utils-0.1.0-py3-none-any.whl"
    assert (tmp_path / "asked").read_text() == f"install -q {wanted}"


def test_another_address_reaches_every_notebook_and_no_output(tmp_path, monkeypatch):
    shutil.copy(NOTEBOOKS[0], tmp_path)
    copied = tmp_path / NOTEBOOKS[0].name
    before = nbformat.read(copied, as_version=4)
    assert bootstrap.put(tmp_path) == []
    monkeypatch.setattr(bootstrap, "ADDRESS", "git+https://example.org/book")
    assert bootstrap.put(tmp_path) == [copied]
    after = nbformat.read(copied, as_version=4)
    changed = [(a.source, b.source) for a, b in zip(before.cells, after.cells, strict=True) if a != b]
    assert [b for _, b in changed] == [bootstrap.source()] and 'PACKAGE = "git+https://example.org/book"' in changed[0][
        1
    ]
