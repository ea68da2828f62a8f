"""Concordance: BERT's figures beside a relative's, only where the test is the same."""

from __future__ import annotations

import pandas as pd
import pytest
from typer.testing import CliRunner

from bertology_utils.book.concordance_page import headline, page
from bertology_utils.cards.concordance import alike, concordance, picture, save, sentence, stored
from bertology_utils.cards.standing import standing, standings
from bertology_utils.claims.checks import Check
from bertology_utils.claims.rules import ClauseOutcome, Decision
from bertology_utils.cli import app


@pytest.fixture(scope="module")
def made():
    return concordance(standings("syntax"), ["mini"])


def test_figures_are_those_of_the_records(made):
    (row,) = made.figures.query("claim == 'syn.agreement.goldberg2019' and key == 'items distractor'").to_dict(
        "records"
    )
    s = standing("syn.agreement.goldberg2019")
    bert = next(
        r for r in s.records if r.kind == "released" and r.model == "bert-base-uncased" and r.data == row["data"]
    )
    mine = next(r for r in s.records if r.kind == "rerun" and r.model == "mini" and r.data == row["data"])
    for record, name in ((bert, "bert"), (mine, "value")):
        frame = record.frame
        chosen = frame[(frame["measure"] == row["measure"]) & (frame["items"] == "distractor")]
        assert chosen["value"].item() == pytest.approx(row[name])
    assert row["same_texts"] and row["within"] == (row["low"] <= row["bert_high"] and row["bert_low"] <= row["high"])


def part(name: str, outcome: str, *measures: str) -> ClauseOutcome:
    checks = tuple(Check(m, "", 0.6, 0.5, 0.7, 100, 0.5, "above", None) for m in measures)
    return ClauseOutcome(name, "", "property", outcome, "", checks)


def test_parts_are_compared_only_where_both_decide_by_the_same_measures():
    bert = Decision(
        "mixed", (part("a", "holds", "UUAS"), part("b", "does not hold", "UUAS"), part("c", "holds", "over one"))
    )
    other = Decision(
        "mixed",
        (part("a", "holds, untrained too", "UUAS"), part("b", "open", "UUAS"), part("c", "does not hold", "over two")),
    )
    assert alike(bert, other) == [True]
    assert alike(bert, Decision("holds", (part("b", "holds", "UUAS"), part("d", "holds", "UUAS")))) == [False]
    assert alike(bert, Decision("open", (part("a", "untestable", "UUAS"),))) == []


def test_it_is_stored_and_read_again(made, tmp_path):
    again = stored(save(made, tmp_path / "c.json"))
    assert len(again.figures) == len(made.figures)
    assert again.summary()["agree"].tolist() == made.summary()["agree"].tolist()


def test_its_words_and_its_picture_say_its_counts(made):
    line = made.summary().iloc[0]
    assert f"agree on {line['agree']} of" in sentence(made, "mini", "mini") and sentence(made, "mpnet", "mpnet") == ""
    assert picture(made, {"mini": "mini"}).count("<circle") == line["shares"]


def test_what_is_stored_is_what_the_shipped_records_give():
    """Of networks whose records are shipped; others' were measured by who made the table."""
    book = stored()
    shipped = [n for n in dict.fromkeys(book.outcomes["network"]) if n in ("mini", "all-MiniLM-L6-v2")]
    again = concordance(standings(), shipped)
    for name in ("outcomes", "figures", "profiles"):
        before = (
            getattr(book, name).query("network in @shipped", local_dict={"shipped": shipped}).reset_index(drop=True)
        )
        now = getattr(again, name)
        pd.testing.assert_frame_equal(before, now, check_dtype=False, rtol=1e-4, atol=1e-6)


def test_the_page_says_the_counts_and_links_each_disagreement(made):
    parts = page(made)
    line = made.summary().iloc[0]
    assert f"agree on {line['agree']} of" in parts["said"] and f"{line['agree']} [" in parts["summary"]
    differ = made.outcomes[made.outcomes["agree"].eq(False)]["claim"]
    assert all(f'href="../claims/{claim}.html"' in parts["disagreements"] for claim in differ)
    assert headline(made).endswith("(concordance.md).")


def test_the_command_says_it_and_writes_the_tables(tmp_path):
    done = CliRunner().invoke(app, ["concordance", "mini", "nobody", "--out", str(tmp_path / "c.json")])
    assert done.exit_code == 0 and "both decide at least in part" in done.output
    assert "nobody: no record of a claim" in done.output
    assert set(stored(tmp_path / "c.json").made["mini"]) >= {"subject_sha256", "dtype"}
