"""Claims put to several networks: data and twin once, what is recorded is left out, and a failure stops nobody else."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pandas as pd
import pytest
from seeded import HOLDS, ID, seed
from support import write_model
from typer.testing import CliRunner

from bertology_utils import runs, seeds
from bertology_utils.calibration.harness import spoken_of
from bertology_utils.claims import ledger, registry
from bertology_utils.claims import seeds as records
from bertology_utils.claims.evidence import plain
from bertology_utils.claims.seeds import Network
from bertology_utils.cli import app
from bertology_utils.errors import Refusal
from bertology_utils.family.grid import members
from bertology_utils.family.record import Record
from bertology_utils.seeds import measuring
from bertology_utils.settings import Settings
from bertology_utils.subject import models

CLAIM, OTHER = "syn.malformed.ettinger2019", "syn.agreement.goldberg2019"
SETTINGS = Settings(device="cpu", n=40, draws=100)


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Three networks of one shape."""
    made = []
    for k in range(3):
        folder = write_model(tmp_path_factory.mktemp("models") / f"mini-s-{k}", seed=k + 1)
        subject = replace(models.load(str(folder), SETTINGS), name="mini-s")
        made.append(seeds.Trained(Network(k, f"run {k}", subject.sha256, 3, 32, 1000), subject))
    return made


@pytest.fixture(autouse=True)
def generated(request, monkeypatch):
    """Generated sentences in place of headline data, which not everybody has."""
    if "headline" not in request.node.name:
        monkeypatch.setattr(measuring, "headline", lambda it, settings: ["builtin"])


@pytest.fixture
def calls(monkeypatch):
    """Counts what is measured and read; `stop_at` ends the process, as it were, at that measurement."""
    it, counted = runs.get(CLAIM), Counter()
    load = measuring.load_for

    def experiment(subject, data, settings):
        counted["measured"] += 1
        counted[f"twins {subject.is_twin}"] += 1
        if counted["measured"] == counted["stop_at"]:
            raise KeyboardInterrupt
        return it.experiment(subject, data, settings)

    def loads(*given):
        counted["read"] += 1
        return load(*given)

    monkeypatch.setitem(registry._CLAIMS, CLAIM, replace(it, experiment=experiment))
    monkeypatch.setattr(measuring, "load_for", loads)
    return counted


def figures(seed):
    """All that is kept of a seed but times, rounded as records are."""
    return plain([(r.data, r.rows, r.over_twin, r.notes) for r in seed.records])


def test_the_twin_is_measured_once_and_figures_are_those_of_a_run(networks, calls, tmp_path, monkeypatch):
    found = seeds.measure(CLAIM, networks, SETTINGS, tmp_path)
    assert calls == {"measured": 4, "twins True": 1, "twins False": 3, "read": 1}
    assert [figures(s) for s in records.find(CLAIM, tmp_path)] == [figures(s) for s in found]
    monkeypatch.setattr(runs, "subjects", lambda *_: [networks[1].subject, networks[1].subject.twin(0)])
    alone = runs.run(CLAIM, SETTINGS, save=False).records[0]
    clauses, (record,) = ledger.row(CLAIM).clauses, found[1].records
    beaten = pd.DataFrame(alone.over_twin)
    assert plain(record.rows) == plain(spoken_of(clauses, alone.frame)) and len(record.rows) < len(alone.rows)
    assert plain(record.over_twin) == plain(spoken_of(clauses, beaten)) != []
    assert figures(found[0]) != figures(found[1])


def test_a_killed_run_goes_on_with_the_seed_that_is_lacking(networks, calls, tmp_path):
    whole = seeds.measure(CLAIM, networks, SETTINGS, tmp_path / "whole")
    calls.clear()
    calls["stop_at"] = 4  # twin, two seeds, and in the third
    with pytest.raises(KeyboardInterrupt):
        list(seeds.many([CLAIM], networks, SETTINGS, tmp_path))
    assert [s.network.seed for s in records.find(CLAIM, tmp_path)] == [0, 1]
    calls.clear()
    (done,) = seeds.many([CLAIM], networks, SETTINGS, tmp_path)
    assert [s.network.seed for s in done.seeds] == [2] and calls["measured"] == 2
    assert [figures(s) for s in records.find(CLAIM, tmp_path)] == [figures(s) for s in whole]
    calls.clear()
    (again,) = seeds.many([CLAIM], networks, SETTINGS, tmp_path)
    assert again == seeds.Outcome(CLAIM, (), again.seconds) and not calls


def test_what_is_not_of_this_network_rule_or_budget_is_measured_again(networks, tmp_path, monkeypatch):
    seeds.measure(CLAIM, networks, SETTINGS, tmp_path)

    def left(settings=SETTINGS, these=networks):
        return [t.network.seed for t in seeds.lacking(CLAIM, these, settings, tmp_path)]

    assert left() == []
    assert (
        left(replace(SETTINGS, n=41))
        == left(replace(SETTINGS, draws=101))
        == left(replace(SETTINGS, seed=1))
        == [0, 1, 2]
    )
    other = replace(networks[1].network, sha256="another training")
    assert left(these=[networks[0], seeds.Trained(other, networks[1].subject)]) == [1]
    monkeypatch.setattr(measuring, "headline", lambda it, settings: ["builtin", "another"])
    assert left() == [0, 1, 2]
    monkeypatch.setattr(measuring, "headline", lambda it, settings: ["builtin"])
    row = ledger.row(CLAIM)
    elsewhere = [replace(c, tests=tuple(replace(t, where={"layer": 1}) for t in c.tests)) for c in row.clauses]
    monkeypatch.setattr(ledger, "row", lambda id: replace(row, clauses=tuple(elsewhere)))
    assert left() == [0, 1, 2]


def test_what_fails_is_named_and_the_rest_goes_on(networks, monkeypatch, tmp_path):
    def refuses(*_):
        raise Refusal("too small\n  a model")

    broken = replace(runs.get(OTHER), experiment=lambda *_: 1 / 0)
    refused = replace(runs.get("syn.negation.ettinger2019"), experiment=refuses)
    monkeypatch.setitem(registry._CLAIMS, OTHER, broken)
    monkeypatch.setitem(registry._CLAIMS, refused.id, refused)
    bug, mendable, well = seeds.many([OTHER, refused.id, CLAIM], networks[:1], SETTINGS, tmp_path)
    assert bug.bug and "ZeroDivisionError" in bug.error and OTHER in bug.error
    assert not mendable.bug and mendable.error == "too small a model"
    assert not well.error and len(well.seeds) == 1 and [p.stem for p in tmp_path.iterdir()] == [CLAIM]


def test_live_claims_about_mini_are_asked_on_their_headline_data():
    asked = seeds.claims()
    assert {ledger.row(id).how for id in asked} == {"live"} and not any(id.startswith("mbt.") for id in asked)
    assert len(asked) > 50
    agreement, numbers = (runs.get(id) for id in (OTHER, "sem.numbers.wallace2019b"))
    assert set(seeds.headline(agreement, SETTINGS)) == set(agreement.sources()) and "builtin" not in agreement.sources()
    assert seeds.headline(numbers, SETTINGS) == ["builtin"]


def test_models_are_found_by_name_and_known_by_their_hash(tmp_path):
    first, second = members(["seeds/mini-s"])[:2]
    folder = write_model(tmp_path / "work" / first.short, seed=1)

    def recorded(member, sha256):
        facts = {"tokens": 1000, "model_sha256": sha256}
        Record(
            key=member.key,
            tier="seeds",
            config={},
            text="",
            curve=[],
            items={},
            cost={},
            passes=0,
            seconds=0,
            provenance=facts,
        ).save(tmp_path)

    def trained(*numbers):
        return seeds.trained(tmp_path / "work", SETTINGS, numbers, root=tmp_path)

    with pytest.raises(seeds.NoModels, match="mini-s-0 has no record"):
        trained(0)
    recorded(first, "another")
    with pytest.raises(seeds.NoModels, match="is not the model that the record of seeds/mini-s-0 names"):
        trained(0)
    recorded(first, models.load(str(folder), SETTINGS).sha256)
    (one,) = trained(0)
    assert one.network == Network(0, first.key, one.subject.sha256, 3, 32, 1000) and one.subject.name == "mini-s"
    recorded(second, "any")
    with pytest.raises(seeds.NoModels, match="mini-s-1 has no model"):
        trained()
    with pytest.raises(seeds.NoModels, match="no seed 9"):
        trained(0, 9)


def test_the_command_lists_records_and_refuses_what_is_not_live(tmp_path):
    records.save(ID, [seed(0, HOLDS), replace(seed(1, HOLDS), looks="another")], tmp_path)
    run = CliRunner().invoke
    said = run(app, ["seeds", "list", ID, CLAIM, "--records", str(tmp_path)])
    assert "0 learned, 1 stale" in said.output and "not measured" in said.output and "1 of 2 claims" in said.output
    refused = run(app, ["seeds", "run", "mbt.zero_shot.pires2019", "--models", str(tmp_path), "--device", "cpu"])
    assert "no live claim" in str(refused.exception) and isinstance(refused.exception, registry.NotRunnable)
