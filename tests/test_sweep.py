"""Many claims in one go: the same figures however many processes, and a failure that stops nobody else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support import tiny_folder

from bertology_utils import runs, sweep
from bertology_utils.claims import evidence, registry
from bertology_utils.errors import Refusal
from bertology_utils.settings import Settings
from bertology_utils.subject import models

SMALL = ("syn.agreement.goldberg2019", "syn.malformed.ettinger2019")


@pytest.fixture
def settings(tmp_path):
    return Settings(model=str(tiny_folder()), n=40, draws=100, evidence=tmp_path)


def kept(folder) -> dict:
    return {(p.parent.name, p.name): evidence.without_seconds(evidence.read(p)) for p in folder.rglob("*.json")}


def test_several_processes_measure_what_one_does(settings, tmp_path):
    for jobs in (None, 2):
        outcomes = list(sweep.many(SMALL, replace(settings, evidence=tmp_path / str(jobs)), jobs))
        assert sorted(o.claim for o in outcomes) == sorted(SMALL) and not any(o.error for o in outcomes)
        assert all(o.seconds > 0 for o in outcomes)
    assert kept(tmp_path / "None") == kept(tmp_path / "2") and len(kept(tmp_path / "2")) == 4


def test_a_claim_whose_process_is_killed_is_named_and_the_rest_goes_on(settings, monkeypatch):
    """`test_processes` kills one."""

    def each(function, calls, jobs, begin):
        return ((call, None if call[0] == SMALL[0] else function(call)) for call in calls)

    monkeypatch.setattr(sweep.processes, "each", each)
    killed, well = sweep.many(SMALL, settings, 2)
    assert killed.error == f"{SMALL[0]} on builtin: {sweep.KILLED}" and killed.mendable and not killed.records
    assert well.records and not well.error


def test_a_section_whose_own_model_cannot_be_had_leaves_the_rest_going(settings, monkeypatch):
    load = sweep.subjects

    def subjects(wanted, twin=True):
        if wanted.model == "bert-base-multilingual-cased":
            raise models.ModelUnavailable("no such model here")
        return load(replace(wanted, model=settings.model), twin)

    monkeypatch.setattr(sweep, "subjects", subjects)
    monkeypatch.setattr(sweep, "_one", lambda call: sweep.Outcome(*call[:2]))
    ids = [SMALL[0], "mbt.retrieval.pires2019"]
    outcomes = {o.claim: o.error for o in sweep.many(ids, replace(settings, model="bert-base-uncased"))}
    assert outcomes == {ids[0]: "", ids[1]: "no such model here"}


def test_what_fails_is_named_and_the_rest_goes_on(settings, monkeypatch):
    broken = replace(runs.get(SMALL[0]), experiment=lambda *_: 1 / 0)
    refused = replace(runs.get("syn.negation.ettinger2019"), experiment=lambda *_: refuse())
    monkeypatch.setitem(registry._CLAIMS, SMALL[0], broken)
    monkeypatch.setitem(registry._CLAIMS, "syn.negation.ettinger2019", refused)
    bug, mendable, well = sweep.many([SMALL[0], "syn.negation.ettinger2019", SMALL[1]], settings)
    assert "ZeroDivisionError" in bug.error and SMALL[0] in bug.error and not bug.records
    assert mendable.error == "too small a model"
    assert not well.error and len(well.records) == 2


def refuse():
    raise Refusal("too small\n  a model")


def test_a_claim_without_original_data_is_measured_on_generated_ones(settings):
    """And a claim about training runs, which measures no model, is left out with its reason."""
    work, (left,) = sweep.planned(["syn.tpdn.jawahar2019", "trn.nsp.liu2019b"], replace(settings, data="original"))
    assert work == [("syn.tpdn.jawahar2019", "builtin")]
    assert left.skipped and "training runs" in left.error


def test_of_several_what_has_no_such_data_is_skipped_alone_it_is_refused(settings):
    sent = replace(settings, data="clams")
    outcomes = list(sweep.many(SMALL, sent))
    assert all(o.skipped and "clams" in o.error for o in outcomes)
    with pytest.raises(registry.NotRunnable, match="clams"):
        list(sweep.many(SMALL[:1], sent))


def test_a_model_that_cannot_be_had_is_said_once(settings):
    with pytest.raises(models.ModelUnavailable, match="no such folder"):
        list(sweep.many(SMALL, replace(settings, model="./nowhere")))


def test_a_run_is_taken_up_where_a_record_is_missing(settings, tmp_path):
    assert len(list(sweep.many(SMALL, settings))) == 2
    assert not list(sweep.many(SMALL, settings, missing=True))
    (twin,) = tmp_path.glob(f"{SMALL[1]}/*-untrained--builtin.json")
    twin.unlink()
    assert not list(sweep.many(SMALL, settings, missing=True, twin=False))
    (again,) = sweep.many(SMALL, settings, missing=True)
    assert again.claim == SMALL[1] and twin.is_file()


def test_a_quick_try_takes_as_many_items_as_a_claim_says(settings, monkeypatch):
    for id, changes in zip(SMALL, ({"quick": 60}, {"quick": 200, "n": 30})):  # and no more than in earnest
        monkeypatch.setitem(registry._CLAIMS, id, replace(runs.get(id), **changes))
    options = {"twin": False, "quick": True}
    asked = {o.claim: o.records[0].provenance["asked"] for o in sweep.many(SMALL, settings, **options)}
    assert asked == {SMALL[0]: 60, SMALL[1]: 30}
    assert not list(sweep.many(SMALL, settings, missing=True, **options))
    assert len(list(sweep.many(SMALL, settings, twin=False, missing=True))) == 2  # of 40 items as asked there is none


def test_a_record_says_how_many_resamples_it_rests_on(settings):
    outcome = next(iter(sweep.many(SMALL[:1], settings)))
    assert all(r.provenance["draws"] == 100 and r.provenance["draws_used"] == [100] for r in outcome.records)
    kept_ = [evidence.read(p) for p in settings.evidence.rglob("*.json")]
    assert all(r.provenance["draws_used"] == [100] and "draws" not in r.rows[0] for r in kept_)


def test_of_many_claims_one_that_no_such_model_can_be_asked_is_skipped(settings):
    asks_another = "wld.closed_book.roberts2020"
    left_out, measured = sorted(sweep.many([asks_another, SMALL[0]], settings, twin=False), key=lambda o: not o.skipped)
    assert left_out.claim == asks_another and "text-to-text" in left_out.error and left_out.mendable
    assert not measured.skipped and measured.records
