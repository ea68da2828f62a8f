"""Released files are read only from a mirror, and only if they are the pinned ones."""

from __future__ import annotations

import hashlib

import pytest

import bertology_rescore as released
from bertology_rescore import FileChanged, Files, MirrorMissing, Release, files, scores


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A mirror with one pinned table and its SOURCE.txt."""
    texts = {"table.csv": "a,b\n1,2\n", "SOURCE.txt": "repo: example.org/study\ncommit: 0123\npath(s): table.csv\n"}
    place = tmp_path / "study"
    place.mkdir()
    for name, text in texts.items():
        (place / name).write_text(text)
    pinned = {("study", name): hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    monkeypatch.setattr(files, "pins", lambda: pinned)
    return tmp_path


def test_a_pinned_file_is_read_and_remembered(folder):
    found = Files(folder, "study", ("*.csv",))
    assert found.csv("table.csv").to_dict("list") == {"a": [1], "b": [2]}
    assert found.read == {"table.csv": files.pins()["study", "table.csv"]}
    assert files.source(folder, "study") == "example.org/study @ 0123: table.csv"


def test_a_changed_file_is_refused(folder):
    (folder / "study" / "table.csv").write_text("a,b\n1,3\n")
    with pytest.raises(FileChanged, match=r"table\.csv is not the pinned file"):
        Files(folder, "study", ("*.csv",)).csv("table.csv")


def test_a_missing_file_and_a_missing_mirror_are_said_in_one_line(folder, monkeypatch):
    (folder / "study" / "table.csv").unlink()
    with pytest.raises(MirrorMissing, match=r"study/table\.csv is not in the mirror") as caught:
        Files(folder, "study", ("*.csv",)).csv("table.csv")
    assert "\n" not in str(caught.value)
    monkeypatch.delenv("BERTOLOGY_MIRROR", raising=False)
    with pytest.raises(MirrorMissing, match="BERTOLOGY_MIRROR") as caught:
        scores("syn.agreement.goldberg2019")
    assert "\n" not in str(caught.value)


def test_a_scorer_reads_only_what_it_declares(folder):
    with pytest.raises(KeyError, match="not among the files this scorer declares"):
        Files(folder, "study", ("SOURCE.txt",)).csv("table.csv")


def test_labels_and_stances_are_checked():
    with pytest.raises(ValueError, match="label 'hearsay'"):
        Release("x", "module.function", "s", "f", "hearsay", "supports", "n")


def test_every_release_is_of_a_claim_in_the_ledger_has_a_scorer_and_says_what_it_is():
    from bertology_utils.claims.ledger import rows

    known = {row.id for row in rows()}
    assert set(released.claims()) <= known
    assert len(released.claims()) >= 35
    pinned = {folder for folder, _ in files.pins()}
    for release in released.releases():
        assert callable(release.score) and release.note.endswith(".") and release.study and release.folder in pinned


def test_a_claim_without_a_release_has_no_scores():
    assert scores("no.such.claim", root="/nonexistent") == []
