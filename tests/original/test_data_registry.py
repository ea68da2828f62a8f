"""The registry: what it pins, where it points, and what may be passed on."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bertology_utils.claims import ledger
from bertology_utils.data import original
from bertology_utils.data.cli import app
from bertology_utils.data.original import registry
from bertology_utils.errors import Refusal

runner = CliRunner()
ROOT = Path(__file__).resolve().parents[2]


def test_every_file_is_pinned():
    for dataset in registry.datasets().values():
        assert dataset.files, dataset.name
        for file in dataset.files.values():
            assert re.fullmatch(r"[0-9a-f]{64}", file.sha256) and file.bytes >= 0, file
            assert ".." not in file.path.split("/") and not file.path.startswith("/"), file
            if file.url:
                assert re.fullmatch(r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/\S+", file.url), file


def test_addresses_are_made_of_repository_commit_and_path():
    files = registry.dataset("gulordava2018_linzen2016").files
    assert files["data/linzen_testset/subj_agr_filtered.gold"].url == (
        "https://raw.githubusercontent.com/facebookresearch/colorlessgreenRNNs/"
        "dbffbf0f2ef86c50bac204d7a2292862e1c6036f/data/linzen_testset/subj_agr_filtered.gold"
    )
    # one repository a language: the address is the file's own, not the data set's
    pud = registry.dataset("ud_pud_multilingual").files
    assert {f.url.split("/")[4] for f in pud.values()} >= {"UD_Hindi-PUD", "UD_Finnish-PUD"}
    assert "%20" in registry._address({"repository": "a/b", "commit": "c"}, {"source": "", "path": "d e.txt"})


def test_the_ledger_names_no_data_that_is_not_registered():
    named = {name for row in ledger.rows() for name in row.data} - {"builtin", "corpus", "corpus_multilingual"}
    assert named <= set(registry.datasets()), named - set(registry.datasets())


def test_every_data_set_can_be_cited():
    keys = set(re.findall(r"@\w+\{([^,\s]+)", (ROOT / "book" / "references.bib").read_text(encoding="utf-8")))
    for dataset in registry.datasets().values():
        assert dataset.cite and set(dataset.cite) <= keys, (dataset.name, set(dataset.cite) - keys)


def test_what_states_no_licence_may_not_be_passed_on():
    for dataset in registry.datasets().values():
        if re.match(r"none|not stated", dataset.licence, re.IGNORECASE):
            assert not dataset.redistribute, dataset.name


def test_an_unknown_data_set_is_an_error_that_names_the_known():
    with pytest.raises(original.UnknownDataset, match=r"no data set 'wics'.*wic,"):
        original.read("wics", "sense_pairs")
    with pytest.raises(KeyError, match="wic has no items for 'agreement'; it has: sense_pairs"):
        original.read("wic", "agreement")


@pytest.mark.parametrize(
    ("name", "folder"),
    [("wic", "wic"), ("shivagunde2023_ettinger_extended", "released/shivagunde2023_ettinger_extended")],
)
def test_a_file_is_pinned_as_it_lies_in_the_mirror(tmp_path, monkeypatch, name, folder):
    """By the command: nothing else changes, a second time it replaces its own line, and what is not there is refused."""
    kept = tmp_path / "files.csv"
    kept.write_text(before := registry.FILES.read_text("utf-8"), "utf-8")
    monkeypatch.setattr(registry, "FILES", kept)
    file = tmp_path / "mirror" / folder / "more" / "new.txt"
    file.parent.mkdir(parents=True)
    for content in ("one\n", "two\n"):
        file.write_text(content)
        assert runner.invoke(app, ["pin", name, "more/new.txt", "--mirror", str(tmp_path / "mirror")]).exit_code == 0
        found = registry.dataset(name).files["more/new.txt"]
        assert registry.below(tmp_path / "mirror", found) == file
        assert (found.bytes, found.sha256) == (4, hashlib.sha256(content.encode()).hexdigest())
        assert set(kept.read_text("utf-8").splitlines()) - set(before.splitlines()) == {
            f"{name},more/new.txt,4,{found.sha256},"
        }
    with pytest.raises(Refusal, match=r"absent\.txt is not there"):
        registry.pin(name, ["more/new.txt", "absent.txt"], tmp_path / "mirror")
    registry.datasets.cache_clear()
