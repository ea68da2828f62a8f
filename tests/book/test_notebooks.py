"""The stored notebooks, and the comparison that proves them: what it lets pass and what it does not."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections.abc import Iterator
from pathlib import Path

import jupytext
import nbformat
import pytest
from nbval.plugin import find_comment_markers, find_metadata_tags

from bertology_utils.book import notebooks, stage
from bertology_utils.book.halves import halves
from bertology_utils.scores.sameness import plain, same

NOTEBOOKS = notebooks.paths(stage.ROOT / "notebooks")
LINES = 15  # of a code cell
AROUND = 3  # lines before and after a number that say how much it may differ: its interval may stand on another one


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    return [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]


def texts(path: Path) -> Iterator[str]:
    """Whatever of the stored outputs is compared."""
    for cell in code_cells(path):
        for output in cell.outputs:
            yield from (plain(v) for k, v in output.get("data", {}).items() if k.startswith("text/"))
            if "text" in output:
                yield output["text"]


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
class TestStored:
    def test_is_executed_from_top_to_bottom_and_silently(self, path):
        cells = code_cells(path)
        assert [c.execution_count for c in cells] == list(range(1, len(cells) + 1))
        assert not [o for c in cells for o in c.outputs if o.output_type == "error" or o.get("name") == "stderr"]

    def test_no_cell_is_exempt_from_comparison(self, path):
        for cell in code_cells(path):
            assert not [*find_comment_markers(cell.source), *find_metadata_tags(cell.metadata)], cell.source

    def test_cells_are_short(self, path):
        for cell in code_cells(path):
            assert len(cell.source.splitlines()) <= LINES, cell.source

    def test_pictures_have_alternative_text_and_numbers_below_them(self, path):
        """The numbers stand in the picture's own cell or, folded, in one of the next, up to the claim's card."""
        cells = code_cells(path)
        drawn = [any("image/svg+xml" in o.get("data", {}) for o in cell.outputs) for cell in cells]
        for k, cell in enumerate(cells):
            if drawn[k]:
                assert len(cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "").split()) > 4, cell.source
                until = next((m for m in range(k, len(cells)) if cells[m].source.startswith("card(")), len(cells))
                printed = [o for c in cells[k:until] for o in c.outputs if o.get("name") == "stdout"]
                assert any(re.search(r"\d", o.text) for o in printed), cell.source

    def test_percent_script_says_the_same(self, path):
        script, stored = halves(path)
        assert script == stored

    def test_no_digit_of_an_output_can_be_changed_unseen(self, path):
        """The first digit of every number counts, in text and in the text of HTML."""
        for text in texts(path):
            lines = text.splitlines()
            for k, line in enumerate(lines):
                for match in re.finditer(r"(?<![\w.])\d+(\.\d+)?", line):
                    digit = "7" if match[0][0] != "7" else "3"
                    changed = line[: match.start()] + digit + line[match.start() + 1 :]
                    before, after = lines[max(0, k - AROUND) : k], lines[k + 1 : k + 1 + AROUND]
                    one, other = ("\n".join([*before, middle, *after]) for middle in (changed, line))
                    assert not same(one, other), f"{match[0]} may become {digit}{match[0][1:]} in {line[:200]!r}"


@pytest.mark.parametrize("half", [".py", ".ipynb"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("One more.", "One more. And another."),
        ("print(1)", "print(2)"),
        ("hide-output", "hide-input"),
        ("A picture.", "Another picture."),
    ],
    ids=["text", "code", "tag", "caption"],
)
def test_what_one_half_of_a_notebook_alone_says_is_noticed(tmp_path, half, old, new):
    script, notebook = tmp_path / "01_one.py", tmp_path / "01_one.ipynb"
    script.write_text(
        "# ---\n# jupyter:\n#   jupytext:\n#     formats: ipynb,py:percent\n# ---\n\n"
        "# %% [markdown]\n# # One\n#\n# A paragraph.\n#\n# One more.\n\n"
        '# %% mystnb={"figure": {"caption": "A picture."}} tags=["hide-output"]\nprint(1)\n'
    )
    notebooks.sync(tmp_path)
    said, stored = halves(notebook)
    assert said == stored and len(said) == 2
    changed = tmp_path / f"01_one{half}"
    text = changed.read_text()
    assert text.count(old) == 1
    changed.write_text(text.replace(old, new))
    said, stored = halves(notebook)
    assert said != stored


@pytest.mark.parametrize("path", NOTEBOOKS[:1], ids=lambda p: p.stem)
@pytest.mark.parametrize("half", [".py", ".ipynb"])
def test_a_stored_notebook_that_has_lost_a_paragraph_is_noticed(tmp_path, path, half):
    for suffix in (".py", ".ipynb"):
        (tmp_path / f"{path.stem}{suffix}").write_bytes(path.with_suffix(suffix).read_bytes())
    copy = tmp_path / path.name
    kept = jupytext.read(copy.with_suffix(half))
    cell = next(c for c in kept.cells if c.cell_type == "markdown" and "\n\n" in c.source)
    cell.source = cell.source.rpartition("\n\n")[0]
    jupytext.write(kept, copy.with_suffix(half), fmt="py:percent" if half == ".py" else "ipynb")
    script, stored = halves(copy)
    assert [k for k, (a, b) in enumerate(zip(script, stored, strict=True)) if a != b] == [kept.cells.index(cell)]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory) -> dict[str, str]:
    """How `pytest --nbval` judges a notebook and its tampered copies: name -> passed, or the failure's text."""
    folder = tmp_path_factory.mktemp("nbval")
    (folder / "conftest.py").write_text('pytest_plugins = ["tests.nbval_numbers"]\n')
    code = "import sys\nprint('accuracy 0.8333 [0.7333, 0.9333] of', 12, 'items: learned')\nsys.executable[:0];"
    drawn = "'<svg xmlns=\"http://www.w3.org/2000/svg\"><text>' + 'drawn' + '</text></svg>'"
    picture = f"from IPython.display import SVG\nSVG({drawn})"
    html = "from IPython.display import HTML\nHTML('<b>0.512</b> of <i>40</i>')"
    cells = [nbformat.v4.new_code_cell(source) for source in (code, html, picture)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "original.ipynb")
    notebooks.execute(folder / "original.ipynb", notebooks.switches(folder / "own"))
    text = (folder / "original.ipynb").read_text()
    tampered = {
        "integer": ("of 12 items", "of 13 items"),
        "tenth": ("0.8333 [0.7333, 0.9333] of 12", "0.8433 [0.7333, 0.9333] of 12"),
        "fifth": ("0.8333 [0.7333, 0.9333] of 12", "0.8533 [0.7333, 0.9333] of 12"),
        "fifth_down": ("0.8333 [0.7333, 0.9333] of 12", "0.8133 [0.7333, 0.9333] of 12"),
        "end": ("0.8333 [0.7333, 0.9333] of 12", "0.8333 [0.7133, 0.9333] of 12"),
        "word": ("items: learned\\n", "items: open\\n"),
        "html": ('"<b>0.512</b> of <i>40</i>"\n', '"<b>0.522</b> of <i>40</i>"\n'),
        "count": ('"<b>0.512</b> of <i>40</i>"\n', '"<b>0.512</b> of <i>41</i>"\n'),
        "markup": ('"<b>0.512</b> of <i>40</i>"\n', '"<em>0.512</em> of 40<i></i>"\n'),
        "never_run": ('"execution_count": 1,', '"execution_count": null,'),
        "picture": (">drawn</text>", ">redrawn</text>"),
        "warning": ('"name": "stdout"', '"name": "stderr"'),
    }
    for name, (old, new) in tampered.items():
        assert text.count(old) == 1, f"{name}: {old!r} occurs {text.count(old)} times"
        (folder / f"{name}.ipynb").write_text(text.replace(old, new))
    report = folder / "report.xml"
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "--nbval", f"--junitxml={report}", "-p", "no:cacheprovider", str(folder)],
        capture_output=True,
        text=True,
        cwd=stage.ROOT,
    )
    assert ran.returncode == 1, ran.stdout
    found: dict[str, str] = {}
    for case in xml.parse(report).iter("testcase"):
        name = re.search(r"(\w+)\.ipynb", case.get("classname") + case.get("name"))[1]
        failure = case.find("failure")
        found[name] = found.get(name, "") + (
            "" if failure is None else failure.get("message", "") + (failure.text or "")
        )
    return {name: said or "passed" for name, said in found.items()}


@pytest.mark.parametrize("name", ["original", "tenth", "markup", "picture"])
def test_what_the_code_gives_passes(outcomes, name):
    assert outcomes[name] == "passed"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *((name, "outputs differ") for name in ("integer", "fifth", "fifth_down", "end", "word", "html", "count")),
        ("never_run", "never run"),
        ("warning", "stderr"),
    ],
)
def test_a_changed_output_fails(outcomes, name, said):
    assert said in outcomes[name]


@pytest.mark.parametrize(
    ("source", "said"), [("1 / 0", "ZeroDivisionError"), ("import sys; print(1, file=sys.stderr)", "wrote to stderr")]
)
def test_executing_a_notebook_that_fails_or_warns_is_an_error(tmp_path, source, said):
    path = tmp_path / "bad.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), path)
    with pytest.raises(notebooks.NotebookError, match=f"(?s)bad.ipynb.*{said}"):
        notebooks.execute(path, {})


def test_notebooks_are_executed_side_by_side_and_a_failure_is_the_whole_runs(tmp_path, capfd):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    slow = "import time\nprint('from one', flush=True)\ntime.sleep(0.5)\nprint('and later')"
    for name, source in (("one", slow), ("two", "print('from two')")):
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), folder / f"{name}.ipynb")
    notebooks.run(folder, tmp_path / "kept")
    for name in ("one", "two"):
        (output,) = code_cells(folder / f"{name}.ipynb")[0].outputs  # one, however slowly it is printed
        assert output.text == f"from {name}\n" + "and later\n" * (name == "one")
    said = capfd.readouterr().err
    assert "[1/2]" in said and "[2/2]" in said and "one" in said and "two" in said
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")]), folder / "two.ipynb")
    with pytest.raises(notebooks.NotebookError, match=r"two\.ipynb"):
        notebooks.run(folder, tmp_path / "kept")


def test_a_notebook_is_made_from_its_script_and_follows_it(tmp_path):
    head = "# ---\n# jupyter:\n#   jupytext:\n#     formats: ipynb,py:percent\n# ---\n\n"
    script, notebook = tmp_path / "01_one.py", tmp_path / "01_one.ipynb"
    script.write_text(f"{head}# %% [markdown]\n# # One\n\n# %%\nprint(1)\n")
    notebooks.sync(tmp_path)
    assert [c.source for c in nbformat.read(notebook, as_version=4).cells] == ["# One", "print(1)"]
    notebooks.execute(notebook, {})
    script.write_text(script.read_text().replace("# # One", "# # First"))
    os.utime(script, (notebook.stat().st_mtime + 10,) * 2)
    notebooks.sync(tmp_path)
    cells = nbformat.read(notebook, as_version=4).cells
    assert cells[0].source == "# First" and cells[1].outputs[0].text == "1\n"  # outputs outlast a change of text


@pytest.mark.parametrize("older", [".py", ".ipynb"])
def test_a_change_that_was_not_committed_is_not_overwritten_by_the_other_half(tmp_path, older):
    script, notebook = tmp_path / "01_one.py", tmp_path / "01_one.ipynb"
    script.write_text("# ---\n# jupyter:\n#   jupytext:\n#     formats: ipynb,py:percent\n# ---\n\n# %%\nprint(1)\n")
    notebooks.sync(tmp_path)
    someone = ("-c", "user.name=n", "-c", "user.email=e", "-c", "commit.gpgsign=false")
    for words in (("init", "-q"), ("add", "."), (*someone, "commit", "-qm", "One")):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    mine, other = (script, notebook) if older == ".py" else (notebook, script)
    mine.write_text(mine.read_text().replace("print(1)", "print(2)"))
    os.utime(mine, (other.stat().st_mtime - 10,) * 2)
    both = script.read_text(), notebook.read_text()
    with pytest.raises(notebooks.NotebookError, match=f"01_one{older}: changed"):
        notebooks.sync(tmp_path)
    assert both == (script.read_text(), notebook.read_text())
    os.utime(mine, (other.stat().st_mtime + 10,) * 2)  # the one changed last wins over one as it was committed
    notebooks.sync(tmp_path)
    assert "print(2)" in other.read_text()


def test_the_environment_is_a_kernels_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("BERTOLOGY_N", "5")
    monkeypatch.setenv("EMPTY", "")
    monkeypatch.delenv("BERTOLOGY_MODEL", raising=False)
    told = notebooks.environment(notebooks.switches(tmp_path))
    assert "BERTOLOGY_N" not in told and told["BERTOLOGY_MODEL"] == "mini"
    assert told["EMPTY"] == "" and told["PATH"] == os.environ["PATH"]
    assert os.environ["BERTOLOGY_N"] == "5" and "BERTOLOGY_MODEL" not in os.environ
