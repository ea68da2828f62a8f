"""Cards in stored notebooks follow the records without anything being executed."""

from __future__ import annotations

import nbformat
from nbformat.v4 import new_code_cell, new_notebook, new_output

from bertology_utils.book import stored_cards
from bertology_utils.claims import evidence

ID = "lay.agreement.goldberg2019"


def notebook(folder, **stored):
    """A chapter with a cell that shows a card and one whose output is another matter."""
    cells = [
        new_code_cell(
            f'card("{ID}")', execution_count=1, outputs=[_result({f"text/{k}": v for k, v in stored.items()})]
        ),
        new_code_cell("2", execution_count=2, outputs=[_result({"text/plain": "3"})]),
    ]
    path = folder / "02_syntax.ipynb"
    path.write_text(nbformat.writes(new_notebook(cells=cells)) + "\n", encoding="utf-8")
    return path


def _result(data):
    return new_output("execute_result", data, execution_count=1)


def test_a_stored_card_follows_the_records_and_nothing_else_changes(tmp_path, monkeypatch):
    path = notebook(tmp_path, plain="old", html="<b>old</b>")
    assert stored_cards.renew(tmp_path) == {"02_syntax": [ID]}
    fresh = path.read_bytes()
    assert stored_cards.renew(tmp_path) == {"02_syntax": []} and path.read_bytes() == fresh
    (card,), (other,) = (cell.outputs for cell in nbformat.read(path, as_version=4).cells)
    assert (
        ID in card.data["text/plain"]
        and ID in card.data["text/html"]
        and card.data.keys() == {"text/plain", "text/html"}
    )
    assert other.data == {"text/plain": "3"}
    measured = "MPNET      does not hold: two thirds - rest"
    assert measured in card.data["text/plain"]
    monkeypatch.setattr(evidence, "SHIPPED", tmp_path / "none")  # the records are gone
    assert stored_cards.renew(tmp_path) == {"02_syntax": [ID]}
    (now, _) = (cell.outputs[0] for cell in nbformat.read(path, as_version=4).cells)
    assert ID in now.data["text/plain"] and measured not in now.data["text/plain"]
