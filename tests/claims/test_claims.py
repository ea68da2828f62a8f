"""The whole path from a model folder and items to a record, a card and the command line."""

from __future__ import annotations

import json
import os
from functools import partial

import pytest
from huggingface_hub import constants
from support import say, tiny_folder

from bertology_utils import cards, runs
from bertology_utils.claims import evidence, ledger, registry
from bertology_utils.claims.clauses import KINDS
from bertology_utils.claims.rules import LABELS
from bertology_utils.settings import Settings

ID = "syn.agreement.goldberg2019"


@pytest.fixture(scope="module")
def settings(tmp_path_factory):
    return Settings(model=str(tiny_folder()), n=40, draws=200, evidence=tmp_path_factory.mktemp("evidence"))


@pytest.fixture(scope="module")
def negated(settings):
    return runs.run("syn.malformed.ettinger2019", settings)


def test_a_run_measures_subject_and_twin_and_keeps_both(negated, settings):
    assert [r.is_twin for r in negated.records] == [False, True]
    assert negated.rows["n"].gt(0).all() and not negated.twin.empty
    beside = evidence.shelves("syn.malformed.ettinger2019", settings)[1]
    kept = [e for e in beside if e.model in {r.model for r in negated.records}]
    assert len(kept) == 2
    facts = negated.records[0].provenance
    assert {"subject_sha256", "data_sha256", "versions", "device", "dtype", "seed", "seconds", "git"} <= set(facts)


def test_a_run_is_repeatable(negated, settings):
    again = runs.run("syn.malformed.ettinger2019", settings, save=False)
    assert [evidence.without_seconds(r) for r in again.records] == [
        evidence.without_seconds(r) for r in negated.records
    ]


def test_a_row_that_is_not_rerun_says_so_with_its_reason(settings):
    cited = next(r for r in ledger.rows() if r.how == "cite")
    said = repr(cards.card(cited.id, settings))
    assert "not rerun" in said and all(clause.reason in said for clause in cited.clauses)
    with pytest.raises(registry.NotRunnable, match="not rerun"):
        runs.run(cited.id, settings)


def test_registered_claims_are_ledger_rows_with_data_they_can_use():
    from bertology_utils.data import builtin

    for id, claim in runs.registered().items():
        row = ledger.row(id)
        if "builtin" in row.data and not claim.family:  # recorded runs stand for the text they were trained on
            assert set(claim.tasks) & set(builtin.tasks()), f"{id}: builtin data has none of {claim.tasks}"
        assert claim.experiment.__doc__, f"{id}: an experiment says what it measures"
        assert any(key in claim.experiment.__doc__ for key in row.studies), (
            f"{id}: the docstring names no study of the row"
        )


def test_unknown_data_is_refused_with_what_there_is(settings):
    with pytest.raises(registry.NotRunnable, match="builtin"):
        runs.run(ID, settings, data="clams")


def test_one_experiment_a_row():
    with pytest.raises(KeyError, match="nearest"):
        registry.claim("syn.agreement.goldberg2018", tasks="agreement")


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """The command line in this process, with nobody's settings and without a Hub."""
    for name in [n for n in os.environ if n.startswith("BERTOLOGY_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("BERTOLOGY_EVIDENCE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return partial(say, monkeypatch, capsys)


def test_list_json_is_one_object_a_row(command):
    done = command("list", "--json")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [r["id"] for r in rows] == [r.id for r in ledger.rows()] and done.code == 0
    for row in rows:
        assert {"id", "section", "how", "clauses", "outcomes", "nulls", "planted", "evidence"} <= set(row)
        assert set(row["outcomes"]) == {"real", "sized", "relative", "mini", "untrained"}
        for slot in row["outcomes"].values():
            assert set(slot) == {"label", "data", "n", "clusters"} and slot["label"] in LABELS
        for clause in row["clauses"]:
            assert clause["says"] and clause["kind"] in KINDS
        for entry in row["evidence"]:
            assert set(entry) == {"model", "data", "kind", "label", "n"} and entry["kind"] in evidence.KINDS


def test_the_report_has_a_line_for_every_record(command, tmp_path):
    """Also for released figures that the claim's rule does not speak of."""
    done = command("report")
    assert done.code == 0, done.err
    assert len(done.out.splitlines()) == 2 + len(list(evidence.find(settings=Settings(evidence=tmp_path))))


def test_run_on_any_folder(command, tmp_path):
    done = command("run", ID, "--model", str(tiny_folder()), "--n", "30", "--evidence", str(tmp_path))
    assert done.code == 0, done.err
    assert "accuracy" in done.out and "-untrained on builtin" in done.out
    assert len(list(tmp_path.rglob("*.json"))) == 2


@pytest.mark.parametrize(
    "words",
    [
        ("run", ID, "--model", "bert-base-uncased"),
        ("run", ID, "--model", "./no-such-folder"),
        ("run", "syn.nothing.nobody1999"),
        ("run", ID, "--data", "nonsense", "--model", "TINY"),
        ("run", "trn.permutation.yang2019"),
        ("show", "nothing"),
    ],
)
def test_what_a_user_can_mend_is_one_line_without_a_traceback(command, words):
    done = command(*(str(tiny_folder()) if w == "TINY" else w for w in words))
    assert done.code != 0 and "Traceback" not in done.err
    assert len(done.err.strip().splitlines()) == 1, done.err


def test_original_data_without_mirror_or_network_says_which_file_and_how(command, monkeypatch, tmp_path):
    monkeypatch.setenv("BERTOLOGY_CACHE", str(tmp_path / "cache"))
    for name in ("HTTPS_PROXY", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    done = command("run", ID, "--model", str(tiny_folder()), "--data", "gulordava2018_linzen2016")
    assert done.code != 0 and "Traceback" not in done.err
    (line,) = done.err.strip().splitlines()
    assert "BERTOLOGY_MIRROR" in line and "gulordava2018_linzen2016" in line and "http" in line
