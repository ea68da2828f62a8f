"""Runs of the family: recorded once, resumed as if nothing had been, refused on another text; their first part is retraced."""

from __future__ import annotations

import signal
import sys
from dataclasses import replace

import numpy as np
import pytest
import yaml
from pretrain_corpus import write

from bertology_pretrain import ConfigError, load_config
from bertology_pretrain.checkpoint import CheckpointError
from bertology_pretrain.family import live, train
from bertology_pretrain.loop import Run
from bertology_pretrain.signals import Interrupted
from bertology_utils import provenance
from bertology_utils.family import grid, record

TIERS = grid.tiers()
SHIPPED = sorted(record.SHIPPED.glob("*/*.json"))


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


def test_a_record_says_in_which_numbers_its_run_multiplied(go):
    go([go.tier.members[0]])
    found = record.find(go.tier.members[0], go.root)
    assert found.provenance["precision"] == found.precision == "fp32"
    asked = replace(found, config=found.config | {"precision": "bf16"})
    assert asked.precision == "fp32", "what was, not what was asked for"
    assert replace(asked, provenance={}).precision == "bf16", "records from before runs said it"


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


def test_what_a_run_remarks_on_its_processor_is_not_on_the_page_that_retraces_it(go, small, monkeypatch, capsys):
    base = go.tier.members[0]
    go([base])
    capsys.readouterr()
    monkeypatch.setattr(live, "Run", lambda *a, **k: print("no bfloat16 here", file=sys.stderr) or Run(*a, **k))
    told = record.find(base, go.root)
    live.retrace(base, told.curve[0]["tokens"], root=go.root, corpus=small / "text", cache=small / "cache")
    assert capsys.readouterr().err == ""


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
