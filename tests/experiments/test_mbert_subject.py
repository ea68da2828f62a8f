"""Which model the section about multilingual BERT is about."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bertology_utils import calibrate, runs, sweep
from bertology_utils.cards.standing import Standing, standing
from bertology_utils.claims import ledger
from bertology_utils.claims.evidence import Evidence
from bertology_utils.claims.registry import Claim
from bertology_utils.plotting.theme import look
from bertology_utils.settings import Settings
from bertology_utils.subject.models import ModelUnavailable

ID = "mbt.retrieval.pires2019"
NAMES = {
    "mini": "mini-multi",
    "mini-untrained": "mini-multi-untrained",
    "mini-multi": "mini-multi",
    "bert-base-uncased": "bert-base-multilingual-cased",
    "bert-base-uncased-untrained": "bert-base-multilingual-cased-untrained",
    "bert-base-cased": "bert-base-cased",  # a monolingual model may be asked, as a null
    "./mini": "./mini",
}


class Asked(Exception):
    """The model that would have been loaded."""


@pytest.fixture
def loading(monkeypatch):
    """Nothing is loaded: the name that is asked for is raised."""

    def refuse(settings, twin=True):
        raise Asked(settings.model)

    monkeypatch.setattr(runs, "subjects", refuse)
    monkeypatch.setattr(sweep, "subjects", refuse)
    claim = Claim(ID, ("translations",), lambda *given: None, n=20)
    monkeypatch.setattr(runs, "get", lambda id: replace(claim, id=id))
    monkeypatch.setattr(sweep, "get", runs.get)


@pytest.mark.parametrize("name", NAMES)
def test_the_switch_stands_for_a_multilingual_model_in_this_section_alone(name):
    assert runs.settings_for(ID, Settings(model=name)).model == NAMES[name]
    assert ledger.subject("mbert", name) == NAMES[name]
    assert runs.settings_for("syn.agreement.goldberg2019", Settings(model=name)).model == name


def test_what_is_run_calibrated_and_looked_up_is_the_multilingual_model(loading, tmp_path):
    plain = Settings(evidence=tmp_path)
    ways = [
        lambda: runs.run(ID, plain, save=False),
        lambda: calibrate.calibrate(ID, plain),
        lambda: list(sweep.many([ID], plain)),
    ]
    for way in ways:
        with pytest.raises(Asked, match=r"^mini-multi$"):
            way()
    with pytest.raises(Asked, match=r"^bert-base-multilingual-cased$"):
        runs.run(ID, replace(plain, model="bert-base-uncased"), save=False)
    with pytest.raises(Asked, match=r"^toy$"):
        runs.run(ID, plain, model="toy", save=False)


def test_its_records_stand_in_our_slot():
    row = {"measure": "P@1", "value": 0.5, "low": 0.4, "high": 0.6, "n": 20}
    made = [Evidence(claim=ID, model=m, data="builtin", kind="rerun", rows=[row]) for m in ("mini-multi", "mini")]
    found = Standing(ledger.row(ID), tuple(made), standing(ID).ours)
    assert [name for name, _ in found.slots] == ["real BERT", "mini-multi", "mini-multi, untrained"]
    assert found._reruns(found.ours) == made[:1]
    assert standing("syn.agreement.goldberg2019").ours == "mini"


def test_a_model_that_is_not_there_is_said_once_by_its_own_name(loading, monkeypatch, tmp_path):
    def missing(settings, twin=True):
        raise ModelUnavailable(f"model {settings.model!r} is not there")

    monkeypatch.setattr(sweep, "subjects", missing)
    with pytest.raises(ModelUnavailable, match="mini-multi"):
        list(sweep.many([ID, "mbt.zero_shot.pires2019"], Settings(evidence=tmp_path)))


def test_it_has_the_colours_of_mini():
    assert look("mini-multi") == look("mini") == 0 and look("mini-multi, untrained") == 1


def test_a_section_maps_names_to_names():
    text = "name: x\ntitle: X\nchapter: x\nmodels: {mini: 3}\nrows: []\n"
    with pytest.raises(ledger.LedgerError, match="models, mini is 3"):
        ledger.parse(text)
    assert ledger.parse(text.replace("3", "other"))[0].models == {"mini": "other"}
