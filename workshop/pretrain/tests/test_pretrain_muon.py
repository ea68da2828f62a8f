"""Muon, the warm-up-stable-decay schedule, and a release from the middle of a stable run."""

from __future__ import annotations

import json

import pytest
import torch
from pretrain_corpus import configuration, write
from training_runs import WORLD, power_cut, saved

from bertology_pretrain import CheckpointError, ConfigError, grow, rates, train
from bertology_pretrain.muon import Muon, orthogonal
from bertology_pretrain.step import Step, build

MUON = configuration(name="muon", optimiser="muon", schedule="stable", decay=0.25, checkpoint_seconds=0.0)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A folder with the corpus, the cache and the uninterrupted run."""
    folder = tmp_path_factory.mktemp("muon")
    write(folder / "text.txt")
    run(folder, "whole")
    return folder


def run(base, out, config=MUON, **options):
    return train.run(config, base / "text.txt", base / out, device="cpu", cache=base / "cache", **options)


def test_singular_vectors_stay_and_singular_values_become_about_one():
    rng = torch.Generator().manual_seed(0)
    for shape in ((3, 12, 40), (3, 40, 12)):
        u, _, v = torch.linalg.svd(torch.randn(shape, generator=rng), full_matrices=False)
        found = orthogonal(u @ torch.diag(torch.logspace(-1, 1, 12)) @ v, 5, torch.float32)
        inner = u.mT @ found @ v.mT  # diagonal where the vectors are the same
        values = inner.diagonal(dim1=1, dim2=2)
        assert values.min() > 0.6 and values.max() < 1.3
        assert (inner - torch.diag_embed(values)).abs().max() < 1e-4


def test_a_step_is_that_of_torch():
    """The same as `torch.optim.Muon`, which works in bfloat16, with AdamW's scale."""
    if not hasattr(torch.optim, "Muon"):
        pytest.skip("this torch has no Muon to compare with")
    rng = torch.Generator().manual_seed(0)
    start = [torch.randn(s, generator=rng) for s in ((8, 24), (24, 8), (8, 24))]
    ours, theirs = ([torch.nn.Parameter(x.clone()) for x in start] for _ in range(2))
    one = Muon(ours, lr=0.02, weight_decay=0.1, dtype=torch.bfloat16)
    two = torch.optim.Muon(theirs, lr=0.02, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for _ in range(3):
        for a, b in zip(ours, theirs, strict=True):
            a.grad = torch.randn(a.shape, generator=rng)
            b.grad = a.grad.clone()
        one.step()
        two.step()
    for a, b, x in zip(ours, theirs, start, strict=True):
        torch.testing.assert_close(a, b, atol=1e-3, rtol=0)
        assert (a - x).abs().max() > 0.01


def test_vectors_are_refused():
    with pytest.raises(ValueError, match=r"not for a parameter of shape \(3,\)"):
        Muon([torch.nn.Parameter(torch.zeros(3))], lr=0.1)


def test_the_encoder_s_matrices_are_muon_s_and_all_others_adamw_s():
    model = build(MUON)
    adam, muon = Step(model, MUON, WORLD).optimisers
    names = {id(p): n for n, p in model.named_parameters()}
    mine = {names[id(p)] for g in muon.param_groups for p in g["params"]}
    rest = {names[id(p)] for g in adam.param_groups for p in g["params"]}
    assert len(mine) == 6 * MUON.layers and all(".encoder.layer." in n and n.endswith("weight") for n in mine)
    assert not mine & rest and mine | rest == set(names.values())


def test_a_stopped_run_goes_on_to_the_same_weights(base):
    """Muon's momenta are part of a checkpoint."""
    with power_cut(lambda run: run.number == 40):
        run(base, "stopped")
    assert saved(base / "stopped")["number"] == 40
    run(base, "stopped")
    one, two = saved(base / "whole"), saved(base / "stopped")
    assert one["order"] == two["order"] and all(torch.equal(v, two["model"][k]) for k, v in one["model"].items())


def test_momenta_are_stacked_with_the_layers():
    step = Step(build(configuration(layers=2), 1), MUON, WORLD)
    for name, parameter in step.model.named_parameters():
        parameter.grad = torch.full_like(parameter, 1.0 if "encoder" in name else 0.5)
    for optimiser in step.optimisers:
        optimiser.step()
    out = grow.grown(step, 2)
    weights = {n: p for n, p in out.model.named_parameters() if n.endswith("attention.self.query.weight")}
    assert len(weights) == 2
    for parameter in weights.values():
        assert torch.allclose(out.optimisers[1].state[parameter]["momentum_buffer"], torch.tensor(0.05))


def test_the_rate_is_stable_until_it_decays():
    config = configuration(tokens=1000, warmup=0.1, learning_rate=1.0, schedule="stable", decay=0.2)
    assert [rates.rate(config, t) for t in (50, 100, 500, 800, 900, 1000)] == pytest.approx([0.5, 1, 1, 1, 0.5, 0])
    assert [rates.stable(config, t) for t in (50, 100, 800, 900)] == [False, True, True, False]
    for wrong in ({"decay": 0.95}, {"optimiser": "sgd"}, {"schedule": "cosine"}, {"muon_steps": 0}):
        with pytest.raises(ConfigError, match=next(iter(wrong))):
            configuration(**({"warmup": 0.1} | wrong))


def test_a_stable_run_is_released_at_any_time_and_goes_on(base):
    with power_cut(lambda run: run.seen >= 15_000):
        run(base, "stable")
    before = saved(base / "stable")
    model = run(base, "stable", release=base / "released", minutes=1e-9)
    assert not json.loads((model / "training.json").read_text())["finished"]
    model = run(base, "stable", release=base / "released")  # taken up again, not begun anew
    record = json.loads((model / "training.json").read_text())
    assert record["finished"] and record["config"]["tokens"] == round(before["seen"] / 0.75)
    assert record["order"] != before["order"] and saved(base / "released")["number"] > before["number"]
    after = saved(base / "stable")
    assert after["number"] == before["number"]  # the stable run is as it was
    run(base, "stable")
    assert all(torch.equal(v, saved(base / "stable")["model"][k]) for k, v in saved(base / "whole")["model"].items())


def test_only_stable_runs_are_released(base):
    with pytest.raises(ConfigError, match="'linear' has no stable part"):
        run(base, "whole", configuration(), release=base / "x")
    with pytest.raises(CheckpointError, match="not in the stable part"):
        run(base, "whole", release=base / "x")
    with pytest.raises(CheckpointError, match="no checkpoint in"):
        run(base, "nothing", release=base / "x")
