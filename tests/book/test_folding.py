"""What of a chapter's code the page shows, folds and leaves out."""

import nbformat
import pytest

from bertology_utils.book import folding, notebooks, stage

NEW = nbformat.v4
PICTURE = NEW.new_output("display_data", {"image/png": "", "text/plain": "<Figure>"})


def folded(source, outputs=(), **metadata):
    cell = NEW.new_code_cell(source, outputs=list(outputs), metadata=metadata)
    return folding.fold(NEW.new_notebook(cells=[cell])).cells[0]


@pytest.mark.parametrize(
    ("source", "outputs", "metadata", "tags"),
    [
        ('card("a.b.c")', (), {}, ["remove-input"]),
        ('from bertology_utils import five\n\nfive("heads")', (), {}, ["remove-input"]),
        ('x = 1\nfive("heads")', (), {}, ["hide-input"]),
        ("import numpy as np", (), {"tags": ["hide-input"]}, ["hide-input"]),
        ("plotting.plt.show()", (PICTURE,), {"tags": ["slow"]}, ["slow", "hide-input"]),
        ("print(1)", (), {"tags": ["hide-output"]}, ["hide-cell"]),
        ('x = results("a.b.c")', (), {}, None),
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


@pytest.mark.parametrize("path", notebooks.found(stage.ROOT / "notebooks"), ids=lambda path: path.stem)
def test_every_chapter_keeps_its_calls_in_sight(path):
    cells = [c for c in folding.fold(nbformat.read(path, as_version=4)).cells if c.cell_type == "code"]
    seen = [c.source for c in cells if not c.metadata.get("tags")]
    assert any("results(" in s or s.startswith("examples(") for s in seen)
    assert not any(s.startswith(("card(", "found(")) for s in seen)
    assert sum(len(s.split()) for s in seen) < 1200  # code words that a reader meets without asking
