"""Each row of the table of inputs and faults is put in, and what the table says is what is said: one line, no traceback."""

from __future__ import annotations

import item_cases  # noqa: F401 (each of these adds its cases)
import model_cases  # noqa: F401
import place_cases  # noqa: F401
import pytest
import record_cases  # noqa: F401
import word_cases  # noqa: F401
from bench import CASES, Bench

from bertology_utils.book import faults

ROWS = faults.rows()


def test_every_row_has_a_case_and_every_case_a_row():
    assert sorted(CASES) == sorted(row.id for row in ROWS)


@pytest.mark.filterwarnings("default::bertology_utils.claims.evidence.Skipped")
@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_what_is_said_is_what_the_table_says(row, tmp_path, monkeypatch, capsys):
    said = CASES[row.id](Bench(tmp_path, monkeypatch, capsys))
    lines = [line for line in said.err.splitlines() if line.startswith("bertology: ")]
    assert said.code == row.code, said
    assert "Traceback" not in said.err and len(lines) == 1 and row.said in lines[0], said
    assert row.code == 0 or "HOLDS" not in said.out.upper(), said  # no verdict beside a refusal


def test_the_table_shows_every_row():
    text = faults.table()
    assert all(f"<code>{row.id}</code>" in text for row in ROWS) and text.count("<tr>") == len(ROWS) + text.count(
        "<thead>"
    )
