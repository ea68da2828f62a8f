"""The survey's Table 1: 26 rows, equal to a second reader's copy; a figure that is changed does not pass."""

from __future__ import annotations

import pytest

from bertology_rescore import FileChanged, Files, files, scores
from bertology_rescore import survey_table as table1
from bertology_utils.cards.survey_table import survey

ROWS = survey()


def test_all_rows_are_there_by_group_and_each_study_that_is_named_is_in_the_bibliography():
    assert len(ROWS) == 26 and ROWS["name"].is_unique
    assert ROWS["group"].value_counts().to_dict() == table1.ROWS
    from bertology_utils.book.studies import BIBLIOGRAPHY

    text = BIBLIOGRAPHY.read_text(encoding="utf-8")
    named = ROWS["study"][ROWS["study"] != ""]
    assert all(f"{{{key}," in text for key in named)
    assert ROWS["name"][ROWS["study"] == ""].tolist() == ["BERT-small"]  # a baseline of the survey's own choosing


@pytest.mark.parametrize("name", ROWS["name"])
def test_each_row_is_equal_in_both_copies(name):
    equal = table1.agreement(ROWS).loc[name]
    assert equal["row"] and equal["score"] and equal["time"]
    assert bool(equal["size"]) is (name != "ALBERT-xxlarge"), "its share is coarse; its factor is the same"


@pytest.mark.parametrize(
    "name, column, wrong, figure",
    [
        ("TinyBERT", "compression", "7.1", "size"),  # 14 per cent, where the second reader has 13
        ("DistilBERT", "performance", "97", "score"),
        ("WaLDORf", "speedup", "8", "time"),
        ("MiniLM", "size_percent", "50", "size"),
        ("GOBO", "speedup", "9", "time"),  # where the table gives none
        ("ALBERT-xxlarge", "compression", "0.74", "row"),
        ("PoWER-BERT", "compression", "6", "size"),
    ],
)
def test_a_changed_figure_is_told(name, column, wrong, figure):
    changed = ROWS.copy()
    changed.loc[changed["name"] == name, column] = wrong
    equal = table1.agreement(changed)
    assert not equal.loc[name, figure] and equal.drop(index=name).equals(table1.agreement(ROWS).drop(index=name))


def test_a_share_may_be_cut_or_rounded_and_nothing_else():
    assert [table1.same(100 / 1.5, s) for s in ("65", "66", "67", "68")] == [False, True, True, False]
    assert table1.same(25.0, "25") and not table1.same(25.0, "24") and not table1.same(25.0, "26")
    assert table1.same(100 / 434, "0.2") and not table1.same(100 / 434, "0.3")


def test_the_record_says_so_without_a_mirror_and_a_changed_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("BERTOLOGY_MIRROR", raising=False)
    (found,) = scores("siz.table1")
    values = found.rows.set_index("measure")["value"]
    assert values["rows equal to the survey's"] == 26 and values["sizes equal as shares"] == 25
    assert values["factors equal to the first edition's"] == 21  # of 22: PoWER-BERT had a factor then
    assert "unraveling-bert-article @ c461b77" in found.source
    copy = tmp_path / "rogers2020_table1"
    copy.mkdir()
    text = (files.HERE / "rogers2020_table1" / table1.FILE).read_text(encoding="utf-8")
    (copy / table1.FILE).write_text(text.replace("7.5,96", "7.5,97"), encoding="utf-8")
    with pytest.raises(FileChanged):
        table1.read(Files(tmp_path, "rogers2020_table1", (table1.FILE,)))
