"""`check` and the command line of the data layer."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from standin import labelled
from support import mirror
from typer.testing import CliRunner

from bertology_utils.data import cli, original
from bertology_utils.data.original import check, fetch, reading, registry


def test_check_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "_download", lambda file, *_: (_ for _ in ()).throw(fetch.DataUnavailable(file.name)))
    task, files = check.check_dataset("wic", tmp_path, tmp_path / "cache")
    assert task.problem == "DataUnavailable: wic/HW2/WiC_dataset/train/train.data.txt" and task.total == 0
    assert files.problem.startswith("DataUnavailable: wic/") and files.problem.endswith("more)")
    result = CliRunner().invoke(cli.app, ["check", "wic", "--mirror", str(tmp_path), "--cache", str(tmp_path / "c")])
    assert result.exit_code == 1 and "FAILED: DataUnavailable" in result.output and "2 failures" in result.output


def test_check_refuses_a_reader_error_and_ids_given_twice(tmp_path, monkeypatch):
    monkeypatch.setattr(
        reading,
        "readers",
        lambda name: {
            "twice": lambda files: iter(labelled(2, "test") * 2),
            "broken": lambda files: (_ for _ in ()).throw(reading.ReaderError("file.tsv", 3, "odd")),
            "empty": lambda files: iter(()),
        },
    )
    monkeypatch.setattr(check, "fetch", lambda *_: None)
    twice, broken, empty, _ = check.check_dataset("wic", tmp_path, tmp_path)
    assert twice.problem == "2 ids are not unique, such as 'test-0'" and twice.counts == {"test": 4}
    assert broken.problem == "ReaderError: file.tsv:3: odd" and empty.problem == "no items"


@pytest.mark.mirror
def test_check_counts_and_agrees_in_two_processes():
    names = ["ettinger2019_lm_diagnostics", "wic"]
    one, two = ([replace(o, seconds=0) for o in check.check(names, mirror=mirror(), processes=p)] for p in (1, 2))
    assert one == two and not any(o.problem for o in one)
    assert {(o.dataset, o.task): o.total for o in one}["wic", "sense_pairs"] == 7466


SMALL = (
    "ettinger2019_lm_diagnostics",
    "goldberg2019_bert_syntax",
    "gulordava2018_linzen2016",
    "lama_negated",
    "may2019_seat",
    "mrpc_msr_paraphrase",
    "stsb_multi",
    "ud_english_pud",
    "wic",
    "word_similarity",
)
DOCUMENTS = re.compile(r"(^|/)([^/]*read ?me|licen[cs]e)[^/]*$|^results/", re.IGNORECASE)


@pytest.mark.mirror
@pytest.mark.parametrize("name", SMALL)
def test_nothing_is_registered_that_no_reader_reads(name):
    touched = set()
    for reader in reading.readers(name).values():
        files = reading.Files(name, mirror())
        assert list(reader(files))
        touched |= set(files.touched)
    assert [p for p in registry.dataset(name).files if p not in touched and not DOCUMENTS.search(p)] == []


def test_list_names_every_data_set(tmp_path):
    listed = CliRunner().invoke(cli.app, ["list", "--mirror", str(tmp_path), "--cache", str(tmp_path)])
    assert listed.exit_code == 0 and all(f"\n{name}" in listed.output for name in original.datasets())
    assert " yes " not in listed.output  # nothing is there


def test_get_without_data_is_one_clear_error(tmp_path, monkeypatch):
    monkeypatch.delenv("BERTOLOGY_MIRROR", raising=False)
    monkeypatch.setattr(fetch, "_download", lambda file, *_: (_ for _ in ()).throw(fetch.DataUnavailable(file.name)))
    result = CliRunner().invoke(cli.app, ["get", "wic", "--cache", str(tmp_path)])
    assert isinstance(result.exception, original.DataUnavailable) and "wic sense_pairs" in str(result.exception)
