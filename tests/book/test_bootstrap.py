"""The first code cells of the notebooks, where there is no package: it installs a wheel, or says what to do."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from bertology_utils.book import bootstrap

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("*.ipynb"))
WHEEL = "bertology_utils-0.1.0-py3-none-any.whl"
PIP = """
import sys
from pathlib import Path
Path("asked").write_text(" ".join(sys.argv[1:]))
Path("bertology_utils.py").write_text("def choose(*words, **more):\\n    print(words, more)")
"""
COLAB = """
import sys
from pathlib import Path
from types import SimpleNamespace
def upload():
    for name in {chosen!r}:
        Path(name).touch()
    return dict.fromkeys({chosen!r}, b"")
sys.modules["google.colab"] = SimpleNamespace(files=SimpleNamespace(upload=upload))
"""
CHOSEN = "('default', 'default', 'syntax') {'fast': False}"


def source(notebook: str, address: str) -> str:
    return re.sub(r'^PACKAGE = "[^"]*"', f'PACKAGE = "{address}"', "\n".join(bootstrap.sources(notebook)), flags=re.M)


def bare(folder: Path, source: str) -> subprocess.CompletedProcess:
    """The cells in a folder, in an interpreter without any package; pip does nothing but write down what it is asked."""
    (folder / "pip.py").write_text(PIP)
    return subprocess.run([sys.executable, "-ES", "-c", source], cwd=folder, capture_output=True, text=True, timeout=60)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_notebook_begins_with_it(path):
    first = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"][: len(bootstrap.CELLS)]
    assert [c.source for c in first] == bootstrap.sources(path.stem)
    assert all(c.metadata["tags"] == bootstrap.TAGS for c in first)


def test_without_a_package_an_address_or_a_wheel_it_says_what_to_do(tmp_path):
    found = bare(tmp_path, source("02_syntax", ""))
    assert found.returncode == 1 and found.stderr.strip() == "The package is still missing."
    assert "`pip wheel --no-deps .` makes a file" in found.stdout and "run this cell again" in found.stdout
    assert not (tmp_path / "asked").exists()


@pytest.mark.parametrize("address", ["", "git+https://example.org/book"])
def test_it_installs_the_wheel_or_the_address_and_goes_on(tmp_path, address):
    (tmp_path / WHEEL).touch()
    found = bare(tmp_path, source("02_syntax", address))
    assert (found.returncode, found.stdout.strip()) == (0, CHOSEN)
    assert (tmp_path / "asked").read_text() == f"install -q {address or WHEEL}"


def test_in_a_copy_of_the_repository_it_installs_that(tmp_path):
    (tmp_path / "bertology_utils").mkdir()
    (tmp_path / "notebooks").mkdir()
    found = bare(tmp_path / "notebooks", source("02_syntax", ""))
    assert (found.returncode, found.stdout.strip()) == (0, CHOSEN)
    assert (tmp_path / "notebooks" / "asked").read_text() == "install -q .."


@pytest.mark.parametrize("chosen", [[WHEEL], []])
def test_on_colab_it_asks_for_the_wheel(tmp_path, chosen):
    found = bare(tmp_path, COLAB.format(chosen=chosen) + source("02_syntax", ""))
    assert "choose it below" in found.stdout
    if chosen:
        assert found.returncode == 0 and found.stdout.strip().endswith(CHOSEN)
        assert (tmp_path / "asked").read_text() == f"install -q {WHEEL}"
    else:
        assert (found.returncode, found.stderr.strip()) == (1, "The package is still missing.")


def test_another_address_reaches_every_notebook_and_no_output(tmp_path, monkeypatch):
    shutil.copy(NOTEBOOKS[0], tmp_path)
    copied = tmp_path / NOTEBOOKS[0].name
    before = nbformat.read(copied, as_version=4)
    assert bootstrap.put(tmp_path) == []
    monkeypatch.setattr(bootstrap, "ADDRESS", "git+https://example.org/book")
    assert bootstrap.put(tmp_path) == [copied]
    after = nbformat.read(copied, as_version=4)
    ((_, cell),) = [(a, b) for a, b in zip(before.cells, after.cells, strict=True) if a != b]
    assert (
        cell.source == bootstrap.sources(copied.stem)[0] and 'PACKAGE = "git+https://example.org/book"' in cell.source
    )
