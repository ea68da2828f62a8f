"""What of a chapter's code the page shows, folds and leaves out."""

import nbformat
import pytest

from bertology_utils.book import folding, notebooks, stage

NEW = nbformat.v4
UNANSWERED = NEW.new_output("stream", text=f"{folding.UNASKED}: a.b.c compares recorded runs of ours\n")
PICTURE = NEW.new_output("display_data", {"image/svg+xml": "", "text/plain": "<Figure>"})


def folded(source, outputs=(), **metadata):
    cell = NEW.new_code_cell(source, outputs=list(outputs), metadata=metadata)
    return folding.fold(NEW.new_notebook(cells=[cell])).cells[0]


@pytest.mark.parametrize(
    ("source", "outputs", "metadata", "tags"),
    [
        ('card("a.b.c")', (), {}, ["remove-input", folding.CARD]),
        ('from bertology_utils import five\n\nfive("heads")', (), {}, ["remove-input"]),
        ('x = 1\nfive("heads")', (), {}, ["hide-input"]),
        ("import numpy as np", (), {"tags": ["hide-input"]}, ["remove-cell"]),
        ("plotting.plt.show()", (PICTURE,), {"tags": ["slow"]}, ["slow", "hide-input", folding.FIGURE]),
        ("print(1)", (), {"tags": ["hide-output"]}, ["hide-cell"]),
        ('x = results("a.b.c")', (), {}, ["hide-cell"]),
        ('x = family.recall("a.b.c")', (), {}, ["hide-cell"]),
        ('found("a.b.c")', (), {}, ["remove-cell"]),
        ('examples("a.b.c")', (UNANSWERED,), {}, ["remove-cell", folding.LIVE]),
        ("%matplotlib inline", (), {}, None),
        ('x = card("a.b.c")', (), {}, None),
        ('cards("a.b.c")', (), {}, None),
    ],
)
def test_what_is_folded(source, outputs, metadata, tags):
    assert folded(source, outputs, **metadata).metadata.get("tags") == tags


def test_captions_stay():
    cell = folded("plotting.plt.show()", (PICTURE,), mystnb={"figure": {"caption": "A curve."}})
    assert cell.metadata["mystnb"] == {"figure": {"caption": "A curve."}, **folding.DRAWN}


def tagged(*cells):
    made = folding.fold(NEW.new_notebook(cells=list(cells))).cells
    return [(c.source, next(t for t in c.metadata["tags"] if "unit" not in t)) for c in made if c.cell_type == "code"]


def test_the_call_that_fetches_a_figure_s_rows_stands_with_the_code_that_draws_it():
    fetched, drawn = NEW.new_code_cell('x = results("a.b.c")'), NEW.new_code_cell("draw(x)", outputs=[PICTURE])
    head = NEW.new_markdown_cell("# A")
    assert tagged(head, fetched, drawn) == [('x = results("a.b.c")\ndraw(x)', "hide-input")]


@pytest.mark.parametrize(
    "decided, tags", [(True, ["hide-input", "hide-cell", "hide-input"]), (False, ["hide-cell"] * 3)]
)
def test_a_claim_has_one_figure_open_and_one_that_is_open_for_all_has_none(monkeypatch, decided, tags):
    monkeypatch.setattr(folding, "_decided", lambda id: decided)
    figures = [NEW.new_code_cell("draw()", outputs=[PICTURE]) for _ in range(2)]
    card, other = NEW.new_code_cell('card("a.b.c")'), NEW.new_code_cell('card("d.e.f")')
    first, second = NEW.new_markdown_cell("## A"), NEW.new_markdown_cell("## B")
    last = NEW.new_code_cell("draw()", outputs=[PICTURE])
    found = tagged(first, *figures, card, second, last, other)
    assert [tag for source, tag in found if source == "draw()"] == tags


@pytest.mark.parametrize("path", notebooks.paths(stage.ROOT / "notebooks"), ids=lambda path: path.stem)
def test_every_chapter_keeps_the_calls_of_its_figures(path):
    cells = [c for c in folding.fold(nbformat.read(path, as_version=4)).cells if c.cell_type == "code"]
    folded = [c.source for c in cells if {"hide-input", "hide-cell"}.intersection(c.metadata.get("tags", []))]
    assert any(f"{name}(" in s for s in folded for name in folding.FETCHING)
    seen = [c.source for c in cells if not c.metadata.get("tags")]
    assert not any(s.startswith(("card(", "found(")) for s in seen)
    assert sum(len(s.split()) for s in seen) < 1200  # code words that a reader meets without asking
