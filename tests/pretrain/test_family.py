"""The family: hashes of runs, the grid, records, held-out places, and runs that are interrupted."""

from __future__ import annotations

import json
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch
import yaml
from pretrain_corpus import write
from typer.testing import CliRunner

from bertology_utils import provenance
from bertology_utils.cards.family import table as family_table
from bertology_utils.cli import app
from bertology_utils.pretrain import ConfigError, corpus, load_config, wordpiece
from bertology_utils.pretrain.checkpoint import CheckpointError
from bertology_utils.pretrain.family import grid, live, places, record, train
from bertology_utils.pretrain.loop import Run
from bertology_utils.pretrain.signals import Interrupted
from bertology_utils.pretrain.step import build
from bertology_utils.settings import Settings
from bertology_utils.subject.models import load

TIERS = grid.tiers()
SHIPPED = sorted(record.SHIPPED.glob("*/*.json"))


def test_names_do_not_make_runs_but_everything_else_does(monkeypatch):
    base = TIERS["generated"].group("base")[0]
    same = replace(base.config, name="another", log_steps=7, checkpoint_seconds=1.0)
    assert grid.key(same, base.text) == base.key
    others = [replace(base.config, **c) for c in ({"seed": 9}, {"heads": 2}, {"mask_rate": 0.16}, {"eval_length": 16})]
    keys = {base.key, grid.key(base.config, "another text"), *(grid.key(c, base.text) for c in others)}
    assert len(keys) == 6
    monkeypatch.setattr(grid, "CODE", grid.CODE + 1)
    assert base.key not in keys - {base.key} and grid.key(base.config, base.text) not in keys


def test_a_field_at_its_default_is_no_part_of_a_hash():
    config = TIERS["generated"].group("base")[0].config
    assert config.same_rows is False and grid.key(replace(config, same_rows=True), "t") != grid.key(config, "t")
    assert grid.key(replace(config, same_rows=False), "t") == grid.key(config, "t")


def test_what_is_measured_of_a_run_makes_no_other_run(tmp_path):
    told = yaml.safe_load(grid.GRID.read_text("utf-8"))
    groups = told["tiers"]["generated"]["groups"]
    groups["base"] = groups["base"] | {"only": ["heldout"]}
    (tmp_path / "grid.yaml").write_text(yaml.safe_dump(told, sort_keys=False), "utf-8")
    less, whole = grid.tiers(tmp_path / "grid.yaml")["generated"].group("base")[0], TIERS["generated"].group("base")[0]
    assert less.only == ("heldout",) and whole.only == () and less.key == whole.key
    found = {g: TIERS["generated"].group(g)[0].only for g in TIERS["generated"].groups}
    assert {g for g, only in found.items() if only} >= {"three layers", "small, fewer bits"}
    shown = family_table("generated").rows["runs"]
    assert "base" in set(shown) and not any(found[g] for g in shown), "its columns are all measured"


def test_every_run_of_the_grid_is_another_one():
    members = grid.members()
    assert len({m.name for m in members}) == len(members) == len({m.key for m in members})
    assert {m.seed for m in grid.members(["base"])} >= {0, 1, 2}
    assert all(len(t.group(g)) >= 3 for t in TIERS.values() for g in t.groups), "three seeds are the least"
    assert grid.members([members[3].key]) == grid.members([members[3].name]) == [members[3]]  # as `workflow/` asks
    assert grid.members(["bilingual"]) == list(TIERS["bilingual"].members)
    with pytest.raises(ConfigError, match="no run is called nonesuch"):
        grid.members(["nonesuch"])
    with pytest.raises(ConfigError, match="no group"):
        TIERS["generated"].group("nonesuch")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_a_shipped_record_is_of_a_run_of_the_grid(path):
    found = record.read(path)
    member = {m.key: m for m in grid.members(tier=found.tier)}[found.key]
    assert found.config == member.config.as_dict() and found.text == member.text
    assert found.provenance["tokens"] >= member.config.tokens and path.stat().st_size < 20_000


def test_the_records_of_a_tier_were_asked_the_same():
    for tier in (name for name, t in TIERS.items() if t.about != grid.LANGUAGES):
        found = [record.read(p) for p in SHIPPED if p.parent.name == tier]
        asked = [f.items["heldout"] for f in found if "heldout" in f.items]
        assert all(a["n"] == asked[0]["n"] and a["unigram"] == asked[0]["unigram"] for a in asked)
        told = [{k: len(v) for k, v in f.items["agreement"].items()} for f in found if "agreement" in f.items]
        assert all(t == told[0] for t in told)
        assert len({json.dumps(f.items["probes"]["upos"]["n"]) for f in found if "probes" in f.items}) <= 1


def test_runs_on_several_languages_were_asked_the_same_too():
    for tier in (name for name, t in TIERS.items() if t.about == grid.LANGUAGES):
        found = [record.read(p) for p in SHIPPED if p.parent.name == tier]
        assert {len(f.items["retrieval"][way]) for f in found for way in ("to", "back")} <= {400}
        by_text: dict[tuple[str, str], set[str]] = {}  # the same places, in one language and one half of the text
        for f in found:
            assert {k: sum(v["n"]) for k, v in f.items["probes"].items() if isinstance(v, dict)}["own"] > 1000
            for language, told in f.items["heldout"].items():
                by_text.setdefault((language, "n"), set()).add(json.dumps(told["n"]))
        assert all(len(told) == 1 for told in by_text.values())


def test_a_damaged_record_is_named(tmp_path):
    good = record.read(SHIPPED[0])
    path = good.save(tmp_path)
    assert record.read(path) == good
    path.write_text(path.read_text()[:-20])
    with pytest.raises(record.RecordError, match=path.name):
        record.read(path)
    other = good.save(tmp_path).rename(path.with_name("0" * 16 + ".json"))
    with pytest.raises(record.RecordError, match="it says it is"):
        record.read(other)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """A grid of one tier with two groups of one configuration and one of another, its text, its work folder."""
    folder = tmp_path_factory.mktemp("family")
    (folder / "text").mkdir()
    text = write(folder / "text" / "a.txt")
    config = load_config("tiny").as_dict() | {"tokens": 6_000, "exports": 0, "log_steps": 2, "eval_tokens": 1_500}
    config = {k: v for k, v in config.items() if k not in ("name", "seed", "nsp")}
    groups = {"base": {"seeds": 2}, "again": {}, "wide": {"ffn": 2 * config["ffn"]}}
    tier = {"says": "small", "data": "corpus", "seeds": 1, "base": config, "groups": groups}
    tier["text"] = {"files": ["a.txt"], "sha256": provenance.sha256(text)}
    (folder / "grid.yaml").write_text(yaml.safe_dump({"tiers": {"small": tier}}, sort_keys=False), "utf-8")
    return folder


@pytest.fixture
def go(small, tmp_path, monkeypatch):
    """Runs of the small grid, with next to nothing measured at their end."""
    tiers = grid.tiers(small / "grid.yaml")
    monkeypatch.setattr(train, "tiers", lambda: tiers)
    monkeypatch.setattr(train, "measure", lambda *_: {"none": "0"})
    monkeypatch.setattr(train, "cost", lambda *_: {"2": 1.0})

    def run(members=None, root=tmp_path / "records", **options):
        chosen = tiers["small"].members if members is None else members
        options = {"root": root, "corpus": small / "text", "cache": small / "cache", "device": "cpu"} | options
        return train.run(chosen, tmp_path / "work", **options)

    run.tier, run.root = tiers["small"], tmp_path / "records"
    return run


def test_what_is_recorded_is_not_run_again_and_one_configuration_is_one_run(go):
    base, _, again, wide = go.tier.members
    assert base.key == again.key != wide.key
    said = go([base, again, wide])
    assert [s.split(":")[0] for s in said] == ["small/base-0", "small/wide-0"]
    assert record.find(again, go.root) == record.find(base, go.root)
    assert go([base, again, wide]) == [] and train.missing(go.tier.members, go.root) == [go.tier.members[1]]
    assert not list((go.root.parent / "work").iterdir()), "a recorded run leaves no checkpoint"


def test_a_tier_may_keep_its_models_and_its_records_say_which(go, monkeypatch, tmp_path):
    member = go.tier.members[1]
    monkeypatch.setattr(train, "tiers", lambda: {"small": replace(go.tier, keeps="model")})
    save = record.Record.save
    monkeypatch.setattr(record.Record, "save", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):  # killed just before the record is written
        go([member])
    monkeypatch.setattr(record.Record, "save", save)
    go([member])
    kept = train.model_of(member, tmp_path / "work")
    assert [p.name for p in (tmp_path / "work").iterdir()] == ["base-1"] == [kept.name]
    assert load(str(kept), Settings(device="cpu")).sha256 == record.find(member, go.root).model != ""
    assert all(not record.read(p).model for p in SHIPPED if not TIERS[p.parent.name].keeps)


@pytest.mark.parametrize("last", [9, 3])  # the step of the last checkpoint: what the log tells beyond it is told again
def test_a_killed_run_goes_on_and_ends_as_if_it_had_not_been(go, monkeypatch, tmp_path, last):
    member = go.tier.members[1]
    go([member])
    whole = record.find(member, go.root)
    advance, steps = Run.advance, []

    def dies(self):
        if len(steps) == 9:
            raise KeyboardInterrupt
        steps.append(1)
        if len(steps) <= last:
            self.saved = -1e9  # a checkpoint behind this step
        return advance(self)

    monkeypatch.setattr(Run, "advance", dies)
    with pytest.raises(KeyboardInterrupt):
        go([member], root=tmp_path / "other")
    assert record.find(member, tmp_path / "other") is None and len(steps) == 9
    seen = []
    monkeypatch.setattr(Run, "advance", lambda self: seen.append(1) or advance(self))
    go([member], root=tmp_path / "other")
    after = record.find(member, tmp_path / "other")
    assert after.curve == whole.curve and len(whole.curve) > 3 and after.passes == whole.passes
    assert after.provenance["order"] == whole.provenance["order"]
    assert len(seen) == whole.provenance["steps"] - last, "it did not begin again"


def test_the_first_part_of_a_run_trained_again_draws_the_recorded_curve(go, small):
    """It does on one machine to the last recorded digit; text in another order is told, not drawn."""
    base, _, _, wide = go.tier.members
    go([base])
    told, given = record.find(base, go.root), {"root": go.root, "corpus": small / "text", "cache": small / "cache"}
    again = live.retrace(base, told.curve[1]["tokens"], **given)
    assert list(again["tokens"]) == [p["tokens"] for p in told.curve[:2]]
    assert np.allclose(again["value"], again["recorded"], atol=1e-3) and again["value"].diff()[1] != 0
    with pytest.raises(ConfigError, match="the first recorded point is at"):
        live.retrace(base, 1, **given)
    with pytest.raises(ConfigError, match="no record yet"):
        live.retrace(wide, 10_000, **given)
    moved = [p | {"tokens": p["tokens"] - 1} for p in told.curve]
    replace(told, curve=moved).save(go.root)
    with pytest.raises(ConfigError, match="another text"):
        live.retrace(base, 10_000, **given)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_run_ended_by_a_signal_leaves_no_record(go, monkeypatch, number):
    """It ends in good order, with a model exported: what is no whole run must not pass for one."""
    member, advance, steps = go.tier.members[1], Run.advance, []

    def told_to_stop(self):
        steps.append(1)
        if len(steps) == 3:
            signal.raise_signal(number)
        return advance(self)

    monkeypatch.setattr(Run, "advance", told_to_stop)
    with pytest.raises(Interrupted) as ended:
        go([member])
    assert ended.value.code == 128 + number and len(steps) == 3
    assert record.find(member, go.root) is None and train.missing([member], go.root) == [member]
    monkeypatch.setattr(Run, "advance", advance)
    go([member])
    assert record.find(member, go.root).provenance["tokens"] >= member.config.tokens


def test_an_export_before_the_budget_is_no_record(go, monkeypatch):
    """Whoever stopped it: what the export says of itself is looked at."""
    member, run = go.tier.members[1], train.training.run
    monkeypatch.setattr(train.training, "run", lambda *a, **k: run(*a, **{**k, "minutes": 1e-9}))
    with pytest.raises(CheckpointError, match="was stopped after"):
        go([member])
    assert record.find(member, go.root) is None


def test_another_text_is_refused_and_a_claimed_run_left_alone(go, small, tmp_path):
    member = go.tier.members[0]
    with pytest.raises(ConfigError, match="it is another text"):
        go([replace(member, text="0" * 64)])
    with pytest.raises(ConfigError, match="needs a folder of text"):
        go([member], corpus=None)
    with train.claimed(tmp_path / "work" / member.key):
        assert go([member]) == ["small/base-0: in other hands"]
    assert go([member], minutes=1e-9) == ["small/base-0: waiting"]


@pytest.fixture(scope="module")
def cut(small):
    config = load_config("tiny", held_out=0.2)
    return places.of(corpus.load(small / "text" / "a.txt", config, small / "cache")), config


def test_the_same_pieces_are_hidden_from_runs_on_pairs_and_on_single_segments(cut):
    found, _ = cut
    two, one = (places._masked(found, pairs, "mask", 0) for pairs in (True, False))
    for row in range(len(found.rows)):
        hidden = [sorted(b.labels[row][b.weights[row] > 0].tolist()) for b in (two, one)]
        assert hidden[0] == hidden[1]
    assert two.weights.sum() > 50 and (two.ids.gather(1, two.slots)[two.weights > 0] == wordpiece.MASK).all()
    unk = places._masked(found, True, "unk", 0)
    assert (unk.ids.gather(1, unk.slots)[unk.weights > 0] == wordpiece.UNK).all()
    assert (unk.labels == two.labels).all()
    share = float(two.weights.sum() / (two.ids > wordpiece.MASK).sum())
    assert 0.1 < share < 0.25
    assert not torch.equal(places._masked(found, True, "mask", 1).slots, two.slots)


def test_held_out_places_are_held_out_and_in_place(cut):
    found, _ = cut
    corpus_, bounds = found.corpus, found.corpus.sentences
    sentence = np.searchsorted(bounds, found.rows[:, [0, 2]], side="right") - 1
    document = np.searchsorted(corpus_.documents, sentence, side="right") - 1
    assert corpus_.held[document].all() and (document[:, 0] == document[:, 1]).all()
    assert (found.rows[:, 0] + found.rows[:, 1] == found.rows[:, 2]).all(), "B goes on where A ends"
    assert (found.rows[:, 1] + found.rows[:, 3] <= places.LENGTH - 3).all()


def test_a_model_that_knows_nothing_has_the_loss_of_a_fair_die(cut):
    found, config = cut
    model = build(config).eval()
    with torch.no_grad():
        model.cls.predictions.decoder.weight.zero_()
        model.cls.predictions.bias.zero_()
    told = places.losses(model, found, pairs=True)
    assert told["loss"].sum() / told["n"].sum() == pytest.approx(np.log(config.vocab), rel=1e-5)
    assert (told["unigram"] / told["n"]).mean() < np.log(config.vocab), "frequencies say something"
    said = places.relations(model, found)
    with torch.no_grad():  # it calls every pair spoilt: half of them are
        model.cls.seq_relationship.weight.zero_()
        model.cls.seq_relationship.bias.copy_(torch.tensor([0.0, 1.0]))
    said = places.relations(model, found)
    assert {name: v.mean() for name, v in said.items()} == {"nsp": 0.5, "sop": 0.5}


def test_the_command_line_lists_runs(tmp_path):
    out = CliRunner().invoke(app, ["family", "list", "generated/base", "--records", str(tmp_path)])
    assert out.exit_code == 0 and "0 of 5 runs are recorded" in out.output and "missing" in out.output
