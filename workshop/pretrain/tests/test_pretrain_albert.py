"""Shared layers and split embeddings: what is trained, exported, loaded again and counted is one layer and two matrices."""

from __future__ import annotations

import json

import pytest
import torch
from pretrain_corpus import configuration, write
from support import tiny

from bertology_pretrain import ConfigError, load_config, loop, train
from bertology_pretrain.family import measure
from bertology_pretrain.step import build
from bertology_utils import Settings
from bertology_utils.compress import file_bytes
from bertology_utils.family import compute
from bertology_utils.subject import encode
from bertology_utils.subject.models import load

FLAT = {"phases": [{"length": 32, "share": 1.0}]}
SMALL = {"tokens": 8_000, "held_out": 0.2, "checkpoint_seconds": 0.0, "eval_tokens": 10**9, "exports": 0}


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A run with shared layers and split embeddings that was stopped and taken up again: its folder and configuration."""
    folder = tmp_path_factory.mktemp("albert")
    config = load_config(configuration(**SMALL), shared=True, embedding=8, phases=load_config("tiny", **FLAT).phases)
    text = write(folder / "text.txt", documents=40)
    advance, done = loop.Run.advance, []

    def crashing(self):
        if len(done) == 5:
            raise KeyboardInterrupt
        done.append(1)
        return advance(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loop.Run, "advance", crashing)
        with pytest.raises(KeyboardInterrupt):
            train.run(config, text, folder / "run", device="cpu", cache=folder / "cache")
    model = train.run(config, text, folder / "run", device="cpu", cache=folder / "cache")
    return model, config, train.load_corpus(text, config, folder / "cache")


def test_what_is_exported_is_read_as_an_albert_and_says_what_the_trained_model_said(trained):
    folder, config, _ = trained
    subject = load(str(folder.resolve()), Settings(device="cpu"))
    assert subject.config.model_type == "albert" and subject.config.num_hidden_groups == 1 and subject.has_mlm
    assert subject.n_layers == config.layers > 1
    state = torch.load(folder.parent / "checkpoint.pt", weights_only=True)["model"]
    model = build(config).eval()
    model.load_state_dict(state)
    rows = encode.tokenize(subject, [["the", "dog"]])
    (batch,) = encode.batches(subject, rows, 10**6)
    with torch.inference_mode():
        was = model(batch.ids).prediction_logits
        now = subject.model(batch.ids).prediction_logits
    assert torch.allclose(was, now, atol=0.05) and now.std() > 0  # in half precision
    told = json.loads((folder / "training.json").read_text("utf-8"))["heldout"]
    assert told["heldout_mlm"] < 7 and "heldout_nsp" in told


def test_of_a_run_what_is_asked_for_is_measured(trained, monkeypatch):
    folder, config, corpus = trained
    monkeypatch.setattr(measure, "tuned", lambda *_: pytest.fail("nobody asked for it"))
    told = measure.measure(folder, corpus, config, ("heldout",))
    held = {k: sum(v) for k, v in told["heldout"].items()}
    assert set(told) == {"heldout"} and 0 < held["loss"] / held["n"] < 8 and held["n"] > 50


def test_a_tuned_copy_is_scored_with_fewer_and_fewer_bits(monkeypatch):
    monkeypatch.setattr(measure, "TOLD", 80)
    told = measure.fewer_bits(tiny(), Settings(device="cpu"), (8, 2))
    assert set(told) == {"32", "8", "2", "majority"} and 0.5 <= told["majority"] < 1
    assert len({len(told[b]["right"]) for b in ("32", "8", "2")}) == 1 and len(told["32"]["right"]) > 5
    assert told["2"]["bytes"] < told["8"]["bytes"] < told["32"]["bytes"]


def test_a_shared_model_has_one_layer_of_weights_and_its_file_is_smaller():
    deep = load_config("tiny", layers=4, **FLAT)
    small = load_config("tiny", layers=4, shared=True, embedding=8, **FLAT)
    assert compute.parameters(small) < 0.6 * compute.parameters(deep)
    assert file_bytes(build(small)) < 0.6 * file_bytes(build(deep))
    # four layers of their own are four times the weights of a shared one; the shared one is as deep
    apart = load_config("tiny", layers=4, embedding=8, **FLAT)
    layer = sum(p.numel() for p in build(small).albert.encoder.albert_layer_groups.parameters())
    assert compute.parameters(apart) - compute.parameters(small) == 3 * layer
    assert small.layers == build(small).config.num_hidden_layers == 4


def test_counted_parameters_are_those_of_the_model_and_nothing_is_drawn():
    config = load_config("tiny")
    before = torch.get_rng_state()
    assert compute.parameters(config) == sum(p.numel() for p in build(config).parameters())
    torch.set_rng_state(before)
    compute.parameters(config)
    assert torch.equal(before, torch.get_rng_state())


def test_narrow_embeddings_cost_fewer_multiplications_in_the_head():
    base = load_config("tiny", **FLAT)
    narrow = load_config("tiny", embedding=8, **FLAT)
    shared = load_config("tiny", shared=True, **FLAT)
    assert compute.total(narrow) < compute.total(base) == compute.total(shared), "sharing saves weights, no products"


@pytest.mark.parametrize(
    "changes, said",
    [
        ({"shared": True, "attention": "uniform"}, "BERT's own layers"),
        ({"shared": True, "objective": "rtd", "pair": "none"}, "objective 'mlm'"),
        ({"embedding": -1}, "below 0"),
        ({"bits": "8 1"}, "numbers from 2 to 8"),
        ({"bits": "eight"}, "numbers from 2 to 8"),
    ],
)
def test_what_an_albert_cannot_be_is_refused(changes, said):
    with pytest.raises(ConfigError, match=said):
        load_config("tiny", **FLAT | changes)
