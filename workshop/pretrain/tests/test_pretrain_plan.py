"""Plans: many runs in stretches; the plan `full` dry, on a processor; parts of a batch sized to the memory."""

from __future__ import annotations

import hashlib
import json
import lzma
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch
import yaml
from pretrain_corpus import configuration, write
from training_runs import WORLD, random_batch

from bertology_pretrain import ConfigError, load_config, loop, memory, plan, unfinished
from bertology_pretrain import step as steps
from bertology_pretrain.signals import Interrupted
from bertology_pretrain.step import Step, build


@pytest.fixture
def small(tmp_path):
    """A plan of three small runs, one with a budget in time, and its corpus folder."""
    (tmp_path / "text" / "english").mkdir(parents=True)
    write(tmp_path / "text" / "english" / "a.txt")
    first = {"config": "tiny", "set": {"tokens": 4_000, "exports": 1}}
    stages = [first, first | {"seed": 1}, {"config": "tiny", "seed": 2, "minutes": 0.02, "set": {"compile": False}}]
    (tmp_path / "small.yaml").write_text(yaml.safe_dump({"stages": stages}), "utf-8")
    return tmp_path


def go(folder, **options):
    said = []
    done = plan.run(
        folder / "small.yaml",
        folder / "text",
        folder / "out",
        device="cpu",
        cache=folder / "cache",
        say=said.append,
        **options,
    )
    return done, said


def test_a_plan_goes_on_in_stretches_until_it_is_done(small):
    done, said = go(small, minutes=1e-9)
    assert not done and [s.split(": ")[1][:7] for s in said] == ["waiting"] * 3
    assert len(list((small / "cache" / "pretrain").iterdir())) == 1  # tokenised once for all three
    done, said = go(small, minutes=0.005)
    assert not done and said[0] != "tiny-0: waiting"  # how far it gets depends on the machine
    done, said = go(small)
    assert done and not any("waiting" in s for s in said)
    records = [json.loads((small / "out" / f"tiny-{k}" / "model/training.json").read_text()) for k in range(3)]
    assert [r["config"]["seed"] for r in records] == [0, 1, 2] and all(r["finished"] for r in records)
    assert records[0]["tokens"] >= 4_000 and len({r["order"] for r in records}) == 3
    assert records[2]["config"]["tokens"] == json.loads((small / "out/tiny-2/budget.json").read_text())["tokens"]
    assert go(small) == (True, said)  # nothing is left to do


def test_of_stages_that_time_did_not_last_for_models_are_made_and_the_plan_goes_on(small, monkeypatch):
    """The first stage is done, the second cut in its stable part, the third has not begun."""
    stable = {"schedule": "stable", "decay": 0.25, "warmup": 0.05, "tokens": 4_000, "checkpoint_seconds": 0.0}
    stages = [{"config": "tiny", "seed": k, "set": stable} for k in range(3)]
    (small / "small.yaml").write_text(yaml.safe_dump({"stages": stages}), "utf-8")
    advance = loop.Run.advance

    def cut(self):
        if self.config.seed == 1 and self.seen > 1_500:
            os.kill(os.getpid(), signal.SIGTERM)
        return advance(self)

    with monkeypatch.context() as patch:
        patch.setattr(loop.Run, "advance", cut)
        with pytest.raises(Interrupted):
            go(small)
    assert plan.finished(small / "out/tiny-0") and not plan.finished(small / "out/tiny-1")
    said: list[str] = []
    where = (small / "small.yaml", small / "text", small / "out", small / "released")
    unfinished.decayed(*where, device="cpu", cache=small / "cache", say=said.append)
    assert [p.name for p in (small / "released").iterdir()] == ["tiny-1"] and plan.finished(small / "released/tiny-1")
    record = json.loads((small / "released/tiny-1/model/training.json").read_text("utf-8"))
    assert 1_500 < 0.75 * record["tokens"] < 3_000 and said[0].startswith(f"tiny-1: {record['tokens']:,} of ")
    unfinished.decayed(*where, device="cpu", cache=small / "cache", say=said.append)
    assert len(said) == 1  # nothing is left to decay
    assert go(small)[0]  # and the plan goes on where it was


def test_a_budget_in_minutes_is_as_many_pieces_as_the_pace_gives(small, monkeypatch):
    monkeypatch.setattr(plan, "pace", lambda *_: 1_000.0)
    stage = plan.Stage(config="tiny", minutes=0.5)
    arguments = (stage, configuration(), small / "text", small / "x", "cpu", small / "cache", 0.1)
    assert plan.budget(*arguments) == 3_000
    monkeypatch.setattr(plan, "pace", lambda *_: 5.0)
    assert plan.budget(*arguments) == 3_000  # decided once


def test_wrong_plans_say_what_is_wrong(tmp_path, monkeypatch):
    with pytest.raises(ConfigError, match=r"no plan 'none': give a \.yaml file or one of full, mini-sittings, seeds"):
        plan.load("none")
    file = tmp_path / "p.yaml"
    file.write_text("stages: [{config: tiny}, {config: tiny}]", "utf-8")
    with pytest.raises(ConfigError, match="two stages are called tiny-0"):
        plan.load(file)
    file.write_text("stages: [{config: tiny, after: tiny-1}, {config: tiny, seed: 1}]", "utf-8")
    with pytest.raises(ConfigError, match="tiny-0 begins with 'tiny-1', which is no stage before it"):
        plan.load(file)
    file.write_text("stages: [{config: tiny}, {config: tiny, seed: 1, after: {tiny-0: .5, tiny-2: .5}}]", "utf-8")
    with pytest.raises(ConfigError, match="tiny-1 begins with 'tiny-2', which is no stage before it"):
        plan.load(file)
    file.write_text("stages: [{colour: red}]", "utf-8")
    with pytest.raises(ConfigError, match="colour"):
        plan.load(file)
    with pytest.raises(ConfigError, match="one corpus folder"):
        plan.main("full", None, tmp_path)
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ConfigError, match="a plan runs in one process"):
        plan.main("full", [tmp_path], tmp_path)


def test_the_seeds_differ_in_nothing_else():
    configs = [s.configuration(".").as_dict() for s in plan.load("seeds")]
    assert [c.pop("seed") for c in configs] == list(range(5)) and all(c == configs[0] for c in configs)
    assert configs[0]["name"] == "mini-s" and configs[0]["tokens"] == 20_000_000


def words(path, alphabet: str, seed: int = 0) -> None:
    """A compressed file of 480 documents with many different words, so that a large vocabulary can be made of it."""
    rng = np.random.default_rng(seed)
    letters = np.array(list(alphabet))
    known = np.array(["".join(rng.choice(letters, 7)) for _ in range(6_000)])
    documents = [" ".join(rng.choice(known, 60)) + ". " + " ".join(rng.choice(known, 30)) + "." for _ in range(480)]
    with lzma.open(path, "wt", encoding="utf-8", preset=0) as stream:
        stream.write("\n\n".join(documents))


def test_the_full_plan_runs_dry(tmp_path, monkeypatch):
    """Every stage of `full` with its own shape and vocabulary, at less than a thousandth of its budget."""
    monkeypatch.setattr(plan, "WARM", 0)
    monkeypatch.setattr(plan, "TIMED", 1)
    english, multilingual = tmp_path / "text/english", tmp_path / "text/multilingual"
    english.mkdir(parents=True)
    multilingual.mkdir()
    words(english / "a.txt.xz", "abcdefghijklmnoprstu")
    words(multilingual / "prose_eng.txt.xz", "abcdefghijklmnoprstu", 1)
    words(multilingual / "prose_rus.txt.xz", "абвгдежзиклмнопрстуф", 2)
    said: list[str] = []
    assert plan.run(
        "full", tmp_path / "text", tmp_path / "out", device="cpu", cache=tmp_path, scale=1e-7, say=said.append
    )
    stages = plan.load("full")
    assert [s.split(":")[0] for s in said] == [s.name for s in stages]
    for stage in stages:
        record = json.loads((tmp_path / "out" / stage.name / "model/training.json").read_text("utf-8"))
        whole = load_config(stage.config)
        assert record["finished"] and (record["config"]["layers"], record["config"]["vocab"]) == (
            whole.layers,
            whole.vocab,
        )
        assert record["config"]["optimiser"] == "muon" and record["config"]["tokens"] < whole.tokens / 1000


def test_a_stage_begins_with_the_model_of_the_one_before(tmp_path):
    """All sittings of `mini` from text alone; what each began with is in its record, with the pieces before it.

    The last begins with an average of two of them, which has gone as far as the model that most of it is of.
    """
    (tmp_path / "text/english").mkdir(parents=True)
    words(tmp_path / "text/english/a.txt.xz", "abcdefghijklmnoprstu")
    where = (tmp_path / "text", tmp_path / "out")
    assert plan.run("mini-sittings", *where, device="cpu", cache=tmp_path, scale=1e-4, say=lambda _: None)
    before = None
    for stage in plan.load("mini-sittings"):
        folder = tmp_path / "out" / stage.name / "model"
        record = json.loads((folder / "training.json").read_text("utf-8"))
        if before:
            begun = stage.start(tmp_path / "out")
            assert (begun == before[0]) == isinstance(stage.after, str)
            assert record["start"]["sha256"] == hashlib.sha256((begun / "model.safetensors").read_bytes()).hexdigest()
            assert record["start"]["tokens"] == before[1]
        if isinstance(stage.after, dict):
            said = json.loads((begun / "training.json").read_text("utf-8"))["average"]
            parts = {name: tmp_path / "out" / name / "model/model.safetensors" for name in stage.after}
            assert {(p["sha256"], p["share"]) for p in said} == {
                (hashlib.sha256(parts[name].read_bytes()).hexdigest(), share) for name, share in stage.after.items()
            }
            assert len(said) == 2 and (begun / "model.safetensors").read_bytes() not in {
                p.read_bytes() for p in parts.values()
            }
        before = folder, record["tokens"] + record.get("start", {"tokens": 0})["tokens"]


def test_parts_are_sized_to_the_memory(monkeypatch):
    config = load_config("mini-gpu")
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (80 * 2**30, 80 * 2**30))
    cuda = torch.device("cuda", 0)
    positions = memory.fitting(config, cuda)
    assert 0.5 * 80 * 2**30 < positions * memory.position(config) <= 0.6 * 80 * 2**30
    assert memory.fitting(replace(config, layers=16), cuda) < positions
    assert memory.fitting(replace(config, micro_tokens=512), cuda) == 512
    assert memory.fitting(config, torch.device("cpu")) == memory.CPU
    for name, value in {"memory_reserved": 30 * 2**30, "memory_allocated": 10 * 2**30}.items():
        monkeypatch.setattr(torch.cuda, name, lambda device, value=value: value)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (60 * 2**30, 80 * 2**30))
    assert memory.fitting(config, cuda) == positions  # what an earlier run left with the allocator counts as free
    for name in ("memory_reserved", "memory_allocated"):
        monkeypatch.setattr(torch.cuda, name, lambda device: 0)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda device: (1, 1))
    assert memory.fitting(config, cuda) == config.max_positions  # one row at least


def test_too_little_memory_means_smaller_parts_and_the_same_step(monkeypatch, tmp_path):
    config = configuration(layers=2)
    one, two = (Step(build(config), config, WORLD) for _ in range(2))
    two.part, real, sizes = 64, steps.losses, []

    def limited(model, batch):
        sizes.append(len(batch.ids))
        if len(batch.ids) > 1:
            raise torch.cuda.OutOfMemoryError("out of memory")
        return real(model, batch)

    two._losses = limited
    for step in (one, two):
        step(random_batch(), 1e-3, 0)
    assert sizes == [4, 2, 1, 1, 1, 1] and two.part == 16
    torch.testing.assert_close(one.sums, two.sums)
    for a, b in zip(one.parameters, two.parameters, strict=True):
        torch.testing.assert_close(a, b, atol=2e-3, rtol=0)
    two._losses = lambda model, batch: (_ for _ in ()).throw(torch.cuda.OutOfMemoryError("out of memory"))
    with pytest.raises(torch.cuda.OutOfMemoryError):
        two(random_batch(), 1e-3, 1)  # a single row does not fit
