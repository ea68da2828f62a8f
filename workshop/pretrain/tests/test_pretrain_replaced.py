"""Replaced-token detection: what is sampled, what is to be told, what is learnt, and what is exported."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch
from pretrain_corpus import configuration, write
from torch.nn import functional as F
from training_runs import WORLD, power_cut, saved
from transformers import BertForPreTraining

from bertology_pretrain import (
    ConfigError,
    grow,
    heldout,
    masking,
    modelcard,
    replaced,
    train,
    wordpiece,
)
from bertology_pretrain.export import export
from bertology_pretrain.step import Step, build

RTD = configuration(
    name="rtd", objective="rtd", pair="none", tokens=20_000, held_out=0.2, eval_tokens=10_000, checkpoint_seconds=0.0
)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """A folder with the corpus, the cache and the uninterrupted run."""
    folder = tmp_path_factory.mktemp("rtd")
    write(folder / "text.txt", documents=40)
    run(folder, "whole")
    return folder


def run(base, out, config=RTD):
    return train.run(config, base / "text.txt", base / out, device="cpu", cache=base / "cache")


def batch(rows: int = 40, length: int = 32, seed: int = 0) -> tuple[torch.Tensor, masking.Batch]:
    """Rows of one segment, some of them padded."""
    rng = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, RTD.vocab, (rows, length), generator=rng)
    ids[:, 0], ids[:, -1] = wordpiece.CLS, wordpiece.SEP
    ids[: rows // 2, length // 2 :] = wordpiece.PAD
    words = ids > wordpiece.MASK
    types = torch.zeros_like(ids)
    return ids, masking.mask(ids, types, words, types[:, 0], 0.15, RTD.vocab, rng)


def test_what_was_masked_is_put_back():
    ids, made = batch()
    assert torch.equal(replaced.originals(made), ids) and not torch.equal(made.ids, ids)


def test_pieces_are_sampled_as_the_generator_says():
    scores = torch.randn(1, 1, 6, generator=torch.Generator().manual_seed(0)).expand(1, 60_000, 6)
    draw = torch.rand(1, 60_000, generator=torch.Generator().manual_seed(1))
    found = torch.bincount(replaced.sampled(scores, draw)[0], minlength=6) / 60_000
    torch.testing.assert_close(found, scores[0, 0].softmax(0), atol=4.5 * 0.5 / 60_000**0.5, rtol=0)


def test_only_wrong_pieces_at_gaps_are_replacements():
    ids, made = batch()
    model = build(RTD).eval()
    with torch.no_grad():
        pieces, found, wrong = replaced.scores(model, made)
    assert pieces.shape == (*made.slots.shape, RTD.vocab) and found.shape == ids.shape == wrong.shape
    used = torch.zeros_like(wrong).scatter(1, made.slots, made.weights > 0)
    assert not (wrong & ~used).any() and (wrong & used).sum() > 0.9 * used.sum()  # an untaught generator is wrong
    taught = F.one_hot(made.labels, RTD.vocab).float() * 100
    assert torch.equal(replaced.sampled(taught, made.draw), made.labels)  # one that is right replaces nothing


def test_losses_are_those_of_the_parts():
    """At the start: chance among the pieces for the generator, ln 2 for the detector, over all pieces but padding."""
    ids, made = batch(rows=200)
    mlm, rtd = replaced.losses(build(RTD), made)
    assert (mlm / made.weights.sum()).item() == pytest.approx(math.log(RTD.vocab), abs=0.1)
    assert (rtd / (ids != wordpiece.PAD).sum()).item() == pytest.approx(math.log(2), abs=0.05)


def test_no_gradient_of_the_detector_reaches_the_generator():
    _, made = batch()
    model = build(RTD)
    replaced.losses(model, made)[1].backward()
    assert all(p.grad is None for p in model.generator.parameters())
    assert all(p.grad is not None for p in model.head.parameters())


def test_parts_of_a_batch_give_the_same_step():
    """What is sampled belongs to the row, so it does not depend on how the batch is handled."""
    _, made = batch()
    steps = [
        Step(build(RTD), configuration(objective="rtd", pair="none", micro_tokens=n), WORLD) for n in (64, 100_000)
    ]
    for step in steps:
        step(made, 1e-3, 0)
    for one, two in zip(*(s.parameters for s in steps), strict=True):
        torch.testing.assert_close(one, two, atol=2e-3, rtol=0)  # Adam's first step is the gradient's sign
    torch.testing.assert_close(steps[0].sums, steps[1].sums)


def test_a_run_says_what_it_measures(base):
    record = json.loads((base / "whole/model/training.json").read_text("utf-8"))
    held = record["heldout"]
    assert set(held) == {
        "heldout_rtd", "heldout_detected", "heldout_replaced", "heldout_generator_mlm", "heldout_unigram", "heldout_predictions",
    }  # fmt: skip
    assert 0 < held["heldout_rtd"] < 0.8 * math.log(2) and 0 < held["heldout_replaced"] < 0.2
    rows = [json.loads(line) for line in (base / "whole/log.jsonl").read_text("utf-8").splitlines()]
    assert rows[-1]["generator_mlm"] < rows[0]["generator_mlm"] - 0.1 and rows[-1]["rtd"] < rows[0]["rtd"]
    assert all("mlm" not in row for row in rows)
    card = modelcard.write(base / "whole/model", "detector").read_text("utf-8")
    assert f"{held['heldout_rtd']:.4f} nats per piece" in card and "replaced pieces told from original ones" in card


def test_a_detector_learns_what_does_not_belong():
    """Rows of one and the same piece, filled in by an untaught generator: what differs was replaced."""
    rng = torch.Generator().manual_seed(0)
    ids = torch.randint(5, RTD.vocab, (40, 1), generator=rng).expand(-1, 24).clone()
    types = torch.zeros_like(ids)
    made = masking.mask(ids, types, types == 0, types[:, 0], 0.15, RTD.vocab, rng)
    model = build(RTD)
    adam = torch.optim.AdamW([*model.bert.parameters(), *model.head.parameters()], lr=3e-3)
    even = torch.full((RTD.vocab,), math.log(RTD.vocab))
    first = replaced.recorded(replaced.figures(model, made, even).tolist())
    for _ in range(60):
        adam.zero_grad()
        (replaced.losses(model, made)[1] / ids.numel()).backward()
        adam.step()
    last = replaced.recorded(replaced.figures(model, made, even).tolist())
    assert first["heldout_unigram"] == pytest.approx(math.log(RTD.vocab))
    assert first["heldout_detected"] < 0.65 and last["heldout_detected"] > 0.95 and last["heldout_rtd"] < 0.1


def test_frequencies_are_those_of_the_training_text(base):
    corpus = train.load_corpus(base / "text.txt", RTD, base / "cache")
    found = heldout.frequencies(corpus, RTD.vocab)
    assert float((-found).exp().sum()) == pytest.approx(1, abs=1e-5)
    training = [
        int(t)
        for d in np.flatnonzero(~corpus.held)
        for t in corpus.tokens[slice(*corpus.sentences[corpus.documents[d : d + 2]])]
    ]
    common = max(set(training), key=training.count)
    share = (training.count(common) + 1) / (len(training) + RTD.vocab)
    assert int(found.argmin()) == common and float(found[common]) == pytest.approx(-math.log(share), abs=1e-5)


def test_told_figures_of_a_known_case():
    """80 pieces, 8 replaced, 6 of them and 54 of the others told: (6 / 8 + 54 / 72) / 2."""
    found = replaced.recorded([20.0, 16.0, 10.0, 80.0, 8.0, 6.0, 54.0, 30.0])
    assert found["heldout_detected"] == 0.75 and found["heldout_replaced"] == 0.1 and found["heldout_rtd"] == 0.2
    assert found["heldout_generator_mlm"] == 2.0 and found["heldout_unigram"] == 3.0


def test_a_stopped_run_goes_on_to_the_same_weights(base):
    with power_cut(lambda run: run.number == 15):
        run(base, "stopped")
    run(base, "stopped")
    one, two = saved(base / "whole"), saved(base / "stopped")
    assert one["number"] > 15 and all(torch.equal(v, two["model"][k]) for k, v in one["model"].items())


def test_the_encoder_alone_is_exported(base):
    for folder in (base / "whole/model", export(base / "whole", base / "again")):
        model, told = BertForPreTraining.from_pretrained(folder, output_loading_info=True)
        assert not told["unexpected_keys"]
        assert all(k.startswith("cls.") or "pooler" in k for k in told["missing_keys"])
        weights = saved(base / "whole")["model"]
        for name, value in model.bert.state_dict().items():
            if "pooler" not in name:
                torch.testing.assert_close(value, weights[f"bert.{name}"].half().float())


def test_a_detector_is_stacked():
    shallow = Step(build(RTD, 1), RTD, WORLD)
    deep = grow.grown(shallow, 2).model
    for encoder in (deep.bert.encoder, deep.generator.bert.encoder):
        one, two = (layer.state_dict() for layer in encoder.layer)
        assert all(torch.equal(value, two[name]) for name, value in one.items())
    grow.lengthen(deep, 16, 32)
    for bert in (deep.bert, deep.generator.bert):
        positions = bert.embeddings.position_embeddings.weight
        assert torch.equal(positions[:16], positions[16:32]) and not torch.equal(positions[:16], positions[32:48])


def test_what_it_does_not_go_with_is_refused():
    for wrong in ({}, {"pair": "none", "attention": "uniform"}, {"pair": "none", "sublayers": "ssff"}):
        with pytest.raises(ConfigError, match="objective 'rtd' is for"):
            configuration(objective="rtd", **wrong)
