"""What readers share, and `load`: samples, hashes, notes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from standin import labelled
from support import mirror

from bertology_utils import data
from bertology_utils.data.items import Sentence, Span
from bertology_utils.data.original import reading
from bertology_utils.settings import Settings

# --- what readers share -----------------------------------------------------------------------------------------------


def test_errors_name_file_and_line(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_text("a\tb\n\nc\td\te\n", encoding="utf-8")
    with pytest.raises(reading.ReaderError, match=r"table\.tsv:3: 3 fields instead of 2: 'c\\td\\te'"):
        list(reading.columns(path, 2))
    assert list(reading.columns(path, (2, 3), skip=1)) == [(3, ["c", "d", "e"])]
    with pytest.raises(reading.ReaderError, match=r"table\.tsv:7: ValueError: no number"), reading.at(path, 7):
        raise ValueError("no number")
    path.write_bytes(b"fine\n\xff\n")
    with pytest.raises(reading.ReaderError, match=r"table\.tsv:2: .*utf-8"):
        list(reading.lines(path))
    path.write_text("one\u2028two\n", encoding="utf-8")  # a line separator of Unicode does not end a line
    assert list(reading.lines(path)) == [(1, "one\u2028two")]


def test_files_are_fetched_when_asked_for_and_known_by_name(tmp_path):
    files = reading.Files("wic", tmp_path, tmp_path / "cache")
    assert "README.txt" in files.names("*README.txt")[0] and files.touched == {}
    with pytest.raises(KeyError, match="no registered file 'nothing'"):
        files["nothing"]
    with pytest.raises(KeyError, match="no registered file like"):
        files.names("*.nothing")


def test_notes_count(tmp_path):
    files = reading.Files("wic", tmp_path)
    files.note("said once"), files.note("said once")
    files.left_out("too long"), files.left_out("too long", 2), files.of("semcor").left_out("no sense")
    assert files.notes == ("said once", "3 left out: too long", "1 left out: no sense")


# --- load -------------------------------------------------------------------------------------------------------------


def test_samples_are_seeded_per_split_and_keep_their_order():
    items = [*labelled(50, "train"), *labelled(5, "dev"), *labelled(20, "test")]
    drawn, notes = data.sample(items, 10, seed=3)
    assert [sum(i.split == s for i in drawn) for s in ("train", "dev", "test")] == [10, 5, 10]
    assert notes == ("10 of 50 train items, drawn with seed 3", "10 of 20 test items, drawn with seed 3")
    assert drawn == sorted(drawn, key=items.index) == data.sample(items, 10, seed=3)[0] != data.sample(items, 10, 4)[0]
    assert data.sample(items, None) == (items, ())


def test_the_hash_sees_every_field():
    base = Sentence(id="a", words=("x", "y"), spans=(Span(start=0, end=1, label="A"),), meta={"k": 1})
    changed = [
        replace(base, words=("x", "z")),
        replace(base, spans=(Span(start=0, end=2, label="A"),)),
        replace(base, meta={"k": 2}),
        replace(base, split="dev"),
    ]
    hashes = {data.sha256([item]) for item in [base, *changed]}
    assert len(hashes) == 5 and data.sha256([replace(base)]) in hashes
    assert data.sha256({"a": [base]}) != data.sha256({"b": [base]})
    with pytest.raises(TypeError):
        data.sha256([replace(base, meta={"k": {1, 2}})])


def test_generated_data_are_loaded_in_the_number_asked_for():
    it = data.load("agreement", "builtin", n=7, seed=1)
    assert it.name == "builtin" and len(it["agreement"]) == 7 and it.sha256 == data.sha256(it.items)
    assert it.sha256 == data.load(["agreement"], "builtin", n=7, seed=1).sha256
    assert it.sha256 != data.load("agreement", "builtin", n=7, seed=2).sha256


@pytest.mark.mirror
def test_original_data_are_loaded_with_their_notes():
    settings = Settings.of(mirror=mirror())
    it = data.load(["roles", "negation"], "ettinger2019_lm_diagnostics", n=20, settings=settings)
    assert {task: len(items) for task, items in it.items.items()} == {"roles": 20, "negation": 20}
    assert "negation: 20 of 68 test items, drawn with seed 0" in it.notes
