"""What only a GPU takes: compiled bf16 steps on fused attention, growth, a run cut and taken up, the tests' own tolerance."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import pytest
import torch
from pretrain_corpus import configuration, write

from bertology_pretrain import train
from bertology_pretrain.corpus import load as load_corpus
from bertology_pretrain.loop import Run
from bertology_pretrain.parallel import World
from bertology_utils.family.config import Phase
from bertology_utils.subject import models

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
GROWING = (Phase(length=16, share=0.4, layers=1), Phase(length=32, share=0.6))


def test_a_compiled_run_grows_is_cut_and_goes_on_to_a_model_that_loads(tmp_path):
    text = write(tmp_path / "text.txt")
    config = configuration(phases=GROWING, precision="auto", compile=True, micro_tokens=0, tokens=40_000)
    options = {"device": "cuda", "cache": tmp_path / "cache"}
    model = train.run(config, text, tmp_path / "run", minutes=1e-9, **options)
    assert not json.loads((model / "training.json").read_text("utf-8"))["finished"]
    model = train.run(config, text, tmp_path / "run", **options)
    record = json.loads((model / "training.json").read_text("utf-8"))
    assert record["finished"] and record["layers"] == 2 and torch.cuda.get_device_name() in record["device"]
    assert record["heldout"]["heldout_mlm"] < math.log(300) - 0.5
    assert models.load(str(model)).n_layers == 2


def test_gradients_on_a_gpu_are_a_processor_s(tmp_path):
    """Of the same batch: losses within 1e-3 nats, gradients within a hundredth of their largest (TF32)."""
    config = configuration(precision="fp32", compile=False)
    corpus = load_corpus(write(tmp_path / "text.txt"), config, tmp_path / "cache")
    near, far = (Run(config, corpus, tmp_path, World(0, 1, torch.device(d)), resume=False) for d in ("cpu", "cuda"))
    batch = near._masked(torch.from_numpy(near.stream.batch(16, 64)), 16)
    moved = replace(batch, **{k: v.cuda() for k, v in batch.__dict__.items() if v is not None})
    for run, given in ((near, batch), (far, moved)):
        run.step._gradients(given, given.weights.sum(), len(given.ids))
    assert near.step.means() == pytest.approx(far.step.means(), abs=1e-3)
    for a, b in zip(near.step.parameters, far.step.parameters, strict=True):
        assert (a.grad is None) == (b.grad is None)
        if a.grad is not None:
            torch.testing.assert_close(b.grad.cpu(), a.grad, atol=1e-2 * float(a.grad.abs().max()), rtol=0)
