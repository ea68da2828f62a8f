"""Building the book: from a copy of the checkout, with whatever models and errors there are."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

from bertology_utils.book import claim_pages, pages, stage, trying
from bertology_utils.book.__main__ import build
from bertology_utils.cards.standing import standing as standing_of
from bertology_utils.claims.evidence import SHIPPED
from bertology_utils.claims.evidence import read as read_record
from bertology_utils.settings import Settings

ID = "syn.malformed.ettinger2019"


@pytest.fixture
def root(tmp_path, monkeypatch) -> Path:
    """A checkout with one short notebook, stored without outputs, and one claim's page: `site` has all of them."""
    write = claim_pages.write
    monkeypatch.setattr(
        claim_pages, "write", lambda folder, found, *more: write(folder, [s for s in found if s.row.id == ID], *more)
    )
    root = tmp_path / "checkout"
    (root / "notebooks").mkdir(parents=True)
    shutil.copytree(stage.ROOT / "book", root / "book", ignore=shutil.ignore_patterns("_build"))
    for name in ("_config.yml", "_toc.yml"):
        shutil.copy2(stage.ROOT / name, root)
    code = "import os\nprint('executed with', os.environ['BERTOLOGY_MODEL'], 6 * 7)"
    cells = [nbformat.v4.new_markdown_cell("# Syntax\n\n$x^2$"), nbformat.v4.new_code_cell(code)]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), root / "notebooks" / "02_syntax.ipynb")
    return root


def hashes(folder: Path) -> dict[str, str]:
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in folder.rglob("*") if p.is_file()}


def test_a_folder_that_holds_no_book_is_not_replaced(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(stage.BookError, match="holds no book"):
        stage.render(tmp_path / "source", tmp_path)
    assert (tmp_path / "thesis.tex").is_file()


def measured_here(folder: Path, model: str) -> None:
    """A full run of a model of the Hub in a reader's own evidence folder (its figures are mini's)."""
    full = read_record(SHIPPED / ID / "rerun--mini--builtin.json")
    replace(full, model=model, provenance={**full.provenance, "subject_source": "hub@86b5e09"}).save(folder)


@pytest.mark.book
def test_the_book_executes_copies_and_leaves_the_checkout_alone(root, tmp_path, monkeypatch):
    """And it shows the reader's own records of the model that is named (`make real`), of no other."""
    monkeypatch.setenv("BERTOLOGY_MODEL", "something-else")
    monkeypatch.setenv("BERTOLOGY_EVIDENCE", str(tmp_path / "mine"))
    for model in ("bert-base-uncased", "bert-base-uncased-untrained", "bert-large-uncased"):
        measured_here(tmp_path / "mine", model)
    before = hashes(root)
    first = build(tmp_path / "html", ("mini", "builtin", "cpu"), root, own="bert-base-uncased")
    (listed,) = [c for c in json.loads((first.parent / "_static/claims.json").read_text()) if c["id"] == ID]
    shown = {e["model"] for e in listed["evidence"] if e["kind"] == "rerun"}
    assert {"bert-base-uncased", "bert-base-uncased-untrained"} <= shown and "bert-large-uncased" not in shown
    assert (
        listed["outcomes"]["real"]["data"]
        == ["builtin"]
        != standing_of(ID, Settings(evidence=tmp_path / "none")).real.data
    )
    assert "(our rerun" in first.parent.joinpath("claims", f"{ID}.html").read_text()
    page = BeautifulSoup((first.parent / "notebooks" / "02_syntax.html").read_text("utf-8"), "html.parser")
    assert "executed with mini 42" in page.get_text()
    assert page.select_one("article math msup") and not page.select("script[src*=mathjax], script[src*=thebe]")
    assert hashes(root) == before
    assert json.loads((root / "notebooks" / "02_syntax.ipynb").read_text())["cells"][1]["outputs"] == []


@pytest.mark.book
def test_a_reference_to_nothing_is_an_error(root, tmp_path, monkeypatch):
    """In a book of one page, which has nothing else to complain of."""
    monkeypatch.setattr(pages, "write", lambda folder, *_: trying.weights(folder.parent / "_static/try" / trying.NAME))
    (root / "_toc.yml").write_text("format: jb-book\nroot: book/cite\n", encoding="utf-8")
    (root / "book" / "cite.md").write_text("# Cite\n\n{cite:p}`nobody1900`\n", encoding="utf-8")
    with pytest.raises(stage.BookError, match="nobody1900") as told:
        build(tmp_path / "html", None, root)
    assert str(told.value).count("WARNING") == 1
    assert not (tmp_path / "html").exists()
