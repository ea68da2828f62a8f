"""Progressive stacking: what is copied, that training goes on, and that a run resumes over the boundary."""

from __future__ import annotations

import itertools
import json
import signal

import pytest
import torch
import yaml
from pretrain_corpus import configuration, subprocess_python, write
from training_runs import WORLD, power_cut, random_batch, saved
from transformers import BertForPreTraining

from bertology_pretrain import ConfigError, grow, train
from bertology_pretrain.export import export
from bertology_pretrain.step import Step, build
from bertology_utils.family.config import Phase

STACKED = (Phase(length=16, share=0.2, layers=1), Phase(length=32, share=0.3, layers=2), Phase(length=32, share=0.5))


def trained_step(layers: int = 2) -> Step:
    config = configuration(layers=4)
    step = Step(build(config, layers), config, WORLD)
    for number in range(3):
        step(random_batch(), 1e-3, number)
    return step


def test_every_layer_is_a_copy_and_the_rest_is_unchanged():
    step = trained_step(2)
    before = {k: v.clone() for k, v in step.model.state_dict().items()}
    after = grow.grown(step, 4).model.state_dict()
    assert grow.depth(after) == 4
    layers = {k for k in after if ".layer." in k}
    assert len(layers) == 2 * sum(".layer." in k for k in before)
    for name in layers:
        head, _, tail = name.partition(".layer.")
        number, _, rest = tail.partition(".")
        assert torch.equal(after[name], before[f"{head}.layer.{int(number) % 2}.{rest}"]), name
    assert {k for k in before if ".layer." not in k} == set(after) - layers
    for name in set(after) - layers:
        assert torch.equal(after[name], before[name]), name
    assert not torch.equal(
        after["bert.encoder.layer.0.output.dense.weight"], after["bert.encoder.layer.1.output.dense.weight"]
    )  # the copies were not of one layer alone


def test_moments_steps_and_sums_are_carried():
    step = trained_step(2)
    grown = grow.grown(step, 4)
    old, new = dict(step.model.named_parameters()), dict(grown.model.named_parameters())
    for name, parameter in new.items():
        expected = step.optimisers[0].state[old[name.replace("layer.2.", "layer.0.").replace("layer.3.", "layer.1.")]]
        assert set(expected) == {"step", "exp_avg", "exp_avg_sq"}
        for key, value in grown.optimisers[0].state[parameter].items():
            assert torch.equal(value, expected[key]), (name, key)
    assert grown.steps == step.steps == 3 and torch.equal(grown.sums, step.sums) and step.sums[0] > 0
    grouped = [p for g in grown.optimisers[0].param_groups for p in g["params"]]
    assert {id(p) for p in grouped} == {id(p) for p in new.values()} and len(grouped) == len(new)


def test_copies_are_independent():
    """The next step moves the two copies of a layer apart, and the shallow model not at all."""
    step = trained_step(2)
    before = {k: v.clone() for k, v in step.model.state_dict().items()}
    grown = grow.grown(step, 4)
    grown(random_batch(), 1e-3, 3)
    after = grown.model.state_dict()
    name = "bert.encoder.layer.{}.output.dense.weight"
    assert not torch.equal(after[name.format(0)], after[name.format(2)])
    assert all(torch.equal(v, before[k]) for k, v in step.model.state_dict().items())


def test_a_stack_of_layers_that_add_nothing_computes_the_same():
    """Pre-stacking outputs zeroed, a layer is LayerNorm(LayerNorm(x)): idempotent, so any depth gives equal logits."""
    step = trained_step(2)
    with torch.no_grad():
        for layer in step.model.bert.encoder.layer:
            for part in (layer.attention.output, layer.output):
                part.dense.weight.zero_()
                part.dense.bias.zero_()
                part.LayerNorm.weight.fill_(1)
                part.LayerNorm.bias.zero_()
    ids = random_batch().ids
    grown = grow.grown(step, 4)
    with torch.no_grad():
        torch.testing.assert_close(
            grown.model(ids).prediction_logits, step.model(ids).prediction_logits, atol=1e-4, rtol=1e-4
        )


def test_two_layers_are_applied_twice():
    """The grown model's encoder is the shallow one's applied to its own output."""
    step = trained_step(2)
    grown = grow.grown(step, 4)
    ids = random_batch().ids
    with torch.no_grad():
        shallow, deep = step.model.bert, grown.model.bert
        hidden = shallow.embeddings(input_ids=ids)
        for layer in (*shallow.encoder.layer, *shallow.encoder.layer):
            out = layer(hidden)
            hidden = out if torch.is_tensor(out) else out[0]
        torch.testing.assert_close(deep(ids).last_hidden_state, hidden)


def test_depths_that_do_not_stack_are_refused():
    with pytest.raises(ValueError, match="2 layers does not stack to 3"):
        grow.grown(trained_step(2), 3)
    with pytest.raises(ConfigError, match="layers"):
        configuration(layers=4, phases=(Phase(length=16, share=0.5, layers=3), Phase(length=16, share=0.5)))
    with pytest.raises(ConfigError, match="layers"):
        configuration(layers=4, phases=(Phase(length=16, share=0.5), Phase(length=16, share=0.5, layers=2)))


KILLED_WHILE_GROWING = """
import os, signal, sys
from bertology_pretrain import grow, train
def dies(step, layers):
    os.kill(os.getpid(), signal.SIGKILL)
grow.grown = dies
train.run(sys.argv[1], sys.argv[2], sys.argv[3], device="cpu", cache=sys.argv[4])
"""


def test_a_run_grows_learns_and_resumes_over_every_boundary(tmp_path):
    corpus = write(tmp_path / "text.txt")
    config = configuration(name="stacked", layers=4, phases=STACKED, tokens=24_000, checkpoint_seconds=0.0, log_steps=2)
    file, cache = tmp_path / "stacked.yaml", tmp_path / "cache"
    file.write_text(yaml.safe_dump(config.as_dict()), "utf-8")
    whole = train.run(file, corpus, tmp_path / "whole", device="cpu", cache=cache)

    interrupted = tmp_path / "interrupted"
    killed = subprocess_python(KILLED_WHILE_GROWING, file, corpus, interrupted, cache)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    state = saved(interrupted)
    assert grow.depth(state["model"]) == 1 and state["seen"] >= 0.2 * 24_000
    assert export(interrupted, tmp_path / "shallow")
    assert BertForPreTraining.from_pretrained(tmp_path / "shallow").config.num_hidden_layers == 1

    steps = itertools.count(1)
    with power_cut(lambda run: run.model.config.num_hidden_layers == 2 and next(steps) == 5):
        train.run(file, corpus, interrupted, device="cpu", cache=cache)
    assert grow.depth(saved(interrupted)["model"]) == 2

    resumed = train.run(file, corpus, interrupted, device="cpu", cache=cache)
    one, other = (saved(p.parent) for p in (whole, resumed))
    assert one["order"] == other["order"] and one["steps"] == other["steps"]
    assert all(torch.equal(v, other["model"][k]) for k, v in one["model"].items())
    for number, moments in one["optimisers"][0]["state"].items():
        assert all(torch.equal(v, other["optimisers"][0]["state"][number][k]) for k, v in moments.items())

    log = [json.loads(line) for line in (whole.parent / "log.jsonl").read_text("utf-8").splitlines()]
    assert [n for i, n in enumerate(r["layers"] for r in log) if i == 0 or n != log[i - 1]["layers"]] == [1, 2, 4]
    last = [r["mlm"] for r in log if r["layers"] == 1][-1]
    assert log[-1]["mlm"] < last < log[0]["mlm"]
    assert max(r["mlm"] for r in log if r["layers"] > 1) < log[0]["mlm"]
    record = json.loads((whole / "training.json").read_text("utf-8"))
    assert record["layers"] == 4 and record["finished"]
    for folder in sorted(whole.parent.glob("step-*")):
        told = json.loads((folder / "training.json").read_text("utf-8"))["layers"]
        assert BertForPreTraining.from_pretrained(folder).config.num_hidden_layers == told
    assert len(list(whole.parent.glob("step-*"))) == config.exports


def test_new_positions_start_as_copies_of_the_trained_ones():
    model = build(configuration())
    positions = model.bert.embeddings.position_embeddings.weight
    before = positions.detach().clone()
    grow.lengthen(model, 16, 40)
    assert torch.equal(positions[:16], before[:16])
    assert torch.equal(positions[16:32], before[:16]) and torch.equal(positions[32:40], before[:8])
    assert torch.equal(positions[40:], before[40:])
    grow.lengthen(model, 40, 32)
    assert torch.equal(positions[:16], before[:16]) and torch.equal(positions[40:], before[40:])
