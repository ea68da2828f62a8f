"""On an accelerator: tensors of two devices never meet. Pretended here (`pretended`), so that no GPU is needed to see it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from pretended import NAME, Mixed, Pretended, there
from support import tiny_folder
from torch.nn import functional as F

from bertology_utils import runs
from bertology_utils.data import load
from bertology_utils.experiments.size import studied, teaching
from bertology_utils.experiments.training import tuned_runs, tuned_steady
from bertology_utils.finetune import Recipe, classify
from bertology_utils.settings import Settings
from bertology_utils.subject import models

CLAIMS = (  # of each way in which vectors, maps, gaps and tuned models are used, one
    "emb.anisotropy.ethayarajh2019",
    "hed.syntactic.clark2019",
    "hed.norms.kobayashi2020",
    "hed.negation_scope.zhao2020",
    "trn.cls_norm.zhou2019",
    "trn.adversarial.zhu2019",
    "siz.head_pruning.michel2019",
    "siz.token_elimination.goyal2020",
    "siz.specialised_survive.voita2019b",
    "siz.distillation.sanh2019",
    "siz.theseus.xu2020",
    "siz.quantization.zafrir2019",
)


@pytest.fixture
def small(monkeypatch):
    """Two seeds, few items, one epoch, and something to compress whatever was learnt."""
    for name, value in {"TRAIN": 16, "CHOICE": 8, "TEST": 20, "SEEDS": 1, "PAIRS": 5, "learnt": True}.items():
        monkeypatch.setattr(studied.Study if name == "learnt" else studied, name, value)
    monkeypatch.setattr(tuned_runs, "RECIPE", replace(tuned_runs.RECIPE, epochs=1))
    monkeypatch.setattr(tuned_steady, "SEEDS", 2)
    monkeypatch.setattr(teaching, "MORE", 8)


@pytest.mark.parametrize("id", CLAIMS)
def test_what_an_experiment_computes_stays_where_the_model_is(id, small):
    claim = runs.get(id)
    settings = Settings(model=str(tiny_folder()), device=NAME, draws=10, n=min(claim.quick, 120))
    with Pretended():
        subject = models.load(settings.model, settings)
        assert there(next(iter(subject.model.parameters())))
        data = load(claim.tasks, "builtin", n=settings.n, seed=0)
        assert len(claim.experiment(subject, data, settings))


def test_what_would_mix_two_devices_raises():
    with Pretended():
        far, near = torch.ones(3, device=NAME), torch.ones(3)
        for mixed in (lambda: far + near, lambda: near[far.long()], lambda: F.mse_loss(far, near)):
            with pytest.raises(Mixed, match="same device"):
                mixed()
        with pytest.raises(TypeError, match="numpy"):
            np.asarray(far)
        assert there(far * 2) and there(near.to(far.device)) and not there((far + 1).cpu())
        assert there(far[near.long()]) and there(far + torch.tensor(1.0))  # as on a GPU
        layer = torch.nn.Linear(3, 3).to(NAME)
        layer(far).sum().backward()
        assert there(layer.weight.grad) and str(far.device) == NAME and str(near.device) == "cpu"
    assert torch.equal(far + near, torch.full((3,), 2.0))  # and only within the context


def test_half_precision_is_tuned_in_single():
    """Steps of 3e-5 would be lost in 16 bits."""
    subject = models.load(str(tiny_folder()), Settings(dtype="bfloat16", device="cpu"))
    items = [i for i in load("entailment", "builtin", n=40, seed=0)["entailment"] if i.split == "train"]
    tuned = classify(subject, items, Recipe(epochs=1, batch=16, rate=3e-5)).subject
    assert {p.dtype for p in tuned.model.parameters()} == {torch.float32}
    assert {p.dtype for p in subject.model.parameters()} == {torch.bfloat16}
    before, after = (s.layers[0].output.dense.weight.float() for s in (subject, tuned))
    assert 0 < float((after - before).abs().max()) < 1e-3
