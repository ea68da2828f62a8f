"""A run that begins with an exported model's weights."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import torch
from pretrain_corpus import configuration, write
from training_runs import power_cut, saved
from typer.testing import CliRunner

from bertology_pretrain import CheckpointError, ConfigError, modelcard, train
from bertology_utils.cli import app

SHORT = {"tokens": 16_000, "held_out": 0.2, "checkpoint_seconds": 0.0, "eval_tokens": 10**9}


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A folder with the corpus, the cache, and a finished run, `first`."""
    folder = tmp_path_factory.mktemp("start")
    write(folder / "text.txt", documents=40)
    run(folder, configuration(**SHORT), "first")
    return folder


def run(base, config, out):
    return train.run(config, base / "text.txt", base / out, device="cpu", cache=base / "cache")


def further(base, **changes):
    """The configuration of a run that goes on from the first, in its word pieces."""
    start = str(base / "first" / "model")
    return configuration(**SHORT | {"start": start, "vocabulary": start, "seed": 1} | changes)


def record(model):
    return json.loads((model / "training.json").read_text("utf-8"))


def test_it_begins_where_the_other_ended_and_says_so(base):
    model = run(base, further(base), "second")
    first, second = (
        json.loads((base / name / "log.jsonl").read_text("utf-8").splitlines()[0]) for name in ("first", "second")
    )
    assert second["mlm"] < first["mlm"] - 0.1
    before = record(base / "first" / "model")
    told = record(model)["start"]
    assert (told["tokens"], told["name"]) == (before["tokens"], "tiny")
    third = run(base, further(base, start=str(model)), "third")
    assert record(third)["start"]["tokens"] == before["tokens"] + record(model)["tokens"]
    assert [(s["seed"], s["tokens"]) for s in record(third)["start"]["sittings"]] == [
        (0, before["tokens"]),
        (1, record(model)["tokens"]),
    ]
    card = modelcard.write(third, "third").read_text("utf-8")
    for number, sitting in enumerate((base / "first/model", model, third), 1):
        assert f"| {number} | `tiny` | {record(sitting)['tokens']:,} |" in card
    assert f"{sum(record(m)['tokens'] for m in (base / 'first/model', model, third)):,} in all" in card


def test_the_first_step_is_that_of_the_weights(base):
    """Before any step the weights are the exported ones, to the precision in which they are stored."""
    config = further(base)
    with power_cut(lambda run: run.number == 1):
        run(base, replace(config, learning_rate=1e-12), "still")
    one, two = saved(base / "first")["model"], saved(base / "still")["model"]
    assert all(torch.allclose(v, two[k], atol=1e-3) for k, v in one.items())


def test_a_stopped_run_goes_on_to_the_same_weights(base):
    run(base, further(base), "whole")
    with power_cut(lambda run: run.number == 15):
        run(base, further(base), "stopped")
    run(base, further(base), "stopped")
    one, two = saved(base / "whole"), saved(base / "stopped")
    assert one["order"] == two["order"] and all(torch.equal(v, two["model"][k]) for k, v in one["model"].items())


def test_another_model_is_refused(base):
    with pytest.raises(ConfigError, match=r"no model\.safetensors of 'nowhere'"):
        run(base, further(base, start="nowhere"), "x")
    with pytest.raises(ConfigError, match="other sizes"):
        run(base, further(base, ffn=24), "x")
    with pytest.raises(ConfigError, match="other word pieces"):
        run(base, further(base, vocabulary="", vocab=250), "x")
    with pytest.raises(ConfigError, match="other weights"):
        run(base, further(base, layers=4), "x")


def test_a_run_that_began_so_can_be_released(base):
    """At the stable rate for half of the pieces, then decayed in a folder of its own."""
    config = further(base, schedule="stable", decay=0.5, warmup=0.05)
    with power_cut(lambda run: run.seen > 7_000):
        run(base, config, "stable")
    options = {"device": "cpu", "cache": base / "cache", "release": base / "released"}
    made = record(train.run(config, base / "text.txt", base / "stable", **options))
    assert made["finished"] and made["start"] == saved(base / "stable")["record"]["start"]


def test_a_run_does_not_go_on_from_other_weights(base):
    run(base, further(base), "mine")
    other = run(base, further(base, seed=2), "other")
    with pytest.raises(CheckpointError, match="weights"):
        run(base, further(base, start=str(other)), "mine")


def test_a_plan_does_not_take_a_beginning(base):
    asked = ["pretrain", "--plan", "seeds", "--start", "mini", "--corpus", str(base), "--out", str(base / "plan")]
    result = CliRunner().invoke(app, asked)
    assert isinstance(result.exception, ConfigError) and "--start" in str(result.exception)
