"""Ways of tuning do what they say: adapters start as nothing, mixout at one tunes nothing, perturbations stay in their ball."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import torch
from nouns_and_sizes import items
from support import tiny

from bertology_utils.data.items import ItemError, ScoredPair
from bertology_utils.finetune import Recipe, classify, duplicate, states
from bertology_utils.finetune.adapters import adapters, share_trained
from bertology_utils.finetune.classes import text_rows
from bertology_utils.finetune.features import FROZEN, kept_features
from bertology_utils.finetune.freelb import Ball, freelb, right_under
from bertology_utils.finetune.graded import grade
from bertology_utils.finetune.mixing import FAST, MixedHead, all_states
from bertology_utils.finetune.mixout import Mixed, mixout
from bertology_utils.finetune.restoring import attention_change, restored, special_mass, thirds
from bertology_utils.finetune.tagging import tag
from bertology_utils.subject.encode import batches

SHORT = Recipe(epochs=1, rate=3e-3, batch=16)
QUICK = Recipe(epochs=8, rate=3e-3, batch=16)


def weights(subject):
    return {k: v.clone() for k, v in subject.base.state_dict().items()}


def batch_of(subject, texts):
    (batch,) = batches(subject, text_rows(subject, texts), 10**9)
    return batch


def test_adapters_start_as_the_pretrained_model_and_leave_its_weights_alone():
    subject, texts = tiny(), items(6)
    copied = duplicate(subject)
    learning = adapters(4).prepare(copied)
    batch = batch_of(subject, texts)
    with torch.no_grad():
        assert torch.equal(states(copied, batch), states(subject, batch))
    total = sum(p.numel() for p in learning) / sum(p.numel() for p in subject.base.parameters())
    assert share_trained(subject, 4) == pytest.approx(total)
    tuned = classify(subject, items(160), replace(QUICK, rate=1e-2), way=adapters(4))
    assert tuned.right(items(60, seed=1)).mean() > 0.9
    dense = subject.layers[0].output.dense.weight
    assert torch.equal(tuned.subject.layers[0].output.dense[0].weight, dense)


def test_mixout_at_one_tunes_no_matrix_and_is_gone_afterwards():
    subject = tiny()
    tuned = classify(subject, items(32), SHORT, way=mixout(1.0)).subject
    before, after = weights(subject), weights(tuned)
    assert before.keys() == after.keys()
    same = {k: torch.equal(before[k], after[k]) for k in before}
    assert all(same[k] for k in same if k.startswith("encoder") and k.endswith("dense.weight"))
    assert not same["encoder.layer.0.output.dense.bias"]  # biases learn
    some = classify(subject, items(160), QUICK, way=mixout(0.5))
    assert some.right(items(60, seed=1)).mean() > 0.9


def test_mixout_keeps_the_mean_and_its_gradients_are_those_of_the_entries_in_use():
    before, now = torch.full((200, 200), 2.0), torch.full((200, 200), 5.0, requires_grad=True)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        used = Mixed(before, 0.7)(now)
    put_back = used == 2.0
    assert torch.allclose(used[~put_back], torch.tensor(2 + 3 / 0.3)) and abs(put_back.float().mean() - 0.7) < 0.01
    assert abs(used.mean() - 5) < 0.15, "the mean is the tuned weight"
    used.sum().backward()
    assert torch.allclose(now.grad, (~put_back).float() / 0.3)


def test_perturbations_stay_in_their_ball():
    ball, mask = Ball(radius=0.1, steps=3), torch.tensor([[1.0, 1, 1, 0], [1, 1, 1, 1]])
    around = torch.randn(2, 4, 8, generator=torch.Generator().manual_seed(0))
    moved = torch.zeros_like(around)
    for _ in range(5):
        moved = ball.climb(moved, torch.randn_like(around), around, mask)
        most = 0.1 * (around * mask[..., None]).flatten(1).norm(dim=1)
        assert (moved.flatten(1).norm(dim=1) <= most * (1 + 1e-5)).all() and (moved[0, 3] == 0).all()
    inside = 0.01 * around
    assert torch.allclose(ball.project(inside, around, mask), inside * mask[..., None])


def test_freelb_learns_and_an_attack_costs_accuracy():
    tuned = classify(tiny(), items(160), QUICK, step=freelb(Ball(0.05, 2)))
    held = items(60, seed=1)
    assert tuned.right(held).mean() > 0.9
    assert np.array_equal(right_under(tuned, held, Ball(0.0, 2)), tuned.right(held))
    assert right_under(tuned, held, Ball(2.0, 4)).mean() < tuned.right(held).mean() - 0.2


def test_frozen_features_leave_the_encoder_and_ask_it_once():
    subject = tiny()
    read = kept_features()
    tuned = classify(
        subject, items(160), replace(QUICK, epochs=20, head_rate=10), head=MixedHead, way=FROZEN, read=read
    )
    before, after = weights(subject), weights(tuned.subject)
    assert all(torch.equal(before[k], after[k]) for k in before)
    assert tuned.right(items(60, seed=1)).mean() > 0.9  # a word decides: means show it
    batch = batch_of(subject, items(3))
    first = read(subject, batch)
    assert torch.equal(first, read(None, batch)) and first.shape == (3, 1, subject.hidden_size, subject.n_layers + 1)


def test_all_layers_are_read_and_mixed():
    subject, texts = tiny(), items(3)
    batch = batch_of(subject, texts)
    with torch.no_grad():
        found = all_states(subject, batch)
        assert torch.equal(found[..., -1], states(subject, batch))
    tuned = classify(subject, items(160), QUICK, head=partial(MixedHead, fast=FAST), read=all_states)
    assert tuned.right(items(60, seed=1)).mean() > 0.9
    assert (tuned.head.mixture.scores * FAST).abs().max() > 0.1  # a tenth more for one layer than for another


def test_restored_layers_are_the_pretrained_ones():
    subject = tiny()
    tuned = classify(subject, items(32), SHORT).subject
    back = restored(tuned, subject, [0, 2])
    same = [
        all(torch.equal(a, b) for a, b in zip(x.parameters(), y.parameters()))
        for x, y in zip(back.layers, subject.layers)
    ]
    assert same == [True, False, True]
    assert not torch.equal(tuned.layers[0].output.dense.weight, subject.layers[0].output.dense.weight)
    assert thirds(12) == (range(4), range(8, 12)) and thirds(2) == (range(1), range(1, 2))


def test_attention_before_and_after():
    subject, texts = tiny(), items(5)
    assert np.abs(attention_change(subject, subject, texts)).max() < 1e-5
    tuned = classify(subject, items(64), QUICK).subject
    assert attention_change(tuned, subject, texts).max() > 1e-3
    mass = special_mass(subject, texts)
    assert mass.shape == (5, subject.n_layers, 2) and (mass > 0).all() and (mass.sum(-1) < 1).all()


def test_the_order_has_a_seed_of_its_own():
    losses = [classify(tiny(), items(48), replace(SHORT, seed=s, order=o)).losses for s, o in ((0, 5), (0, 6), (1, 5))]
    assert losses[0] != losses[1] and losses[0] != losses[2]
    assert classify(tiny(), items(48), replace(SHORT, order=0)).losses == classify(tiny(), items(48), SHORT).losses


def test_a_watch_sees_each_epoch_and_stops():
    seen = []

    def watch(so_far, epoch):
        seen.append((epoch, so_far.subject.model.training, len(so_far.predict(items(4)))))
        return epoch < 2

    tuned = classify(tiny(), items(32), replace(SHORT, epochs=5), watch=watch)
    assert seen == [(1, False, 4), (2, False, 4)] and len(tuned.losses) == 4


def test_regression_and_tagging_learn():
    pairs = [ScoredPair(id=i.id, a=i.text, b="the dog runs", score=3 + 2.0 * int(i.label)) for i in items(200)]
    scores = grade(tiny(), pairs[:160], QUICK).score(pairs[160:])
    assert np.abs(scores - [p.score for p in pairs[160:]]).mean() < 0.5
    with pytest.raises(ItemError, match="nothing to learn"):
        grade(tiny(), [pairs[0], pairs[0]], QUICK)
    texts = [i.text.split() for i in items(120)]
    kinds = [["article" if w == "the" else "other" for w in words] for words in texts]
    tagger = tag(tiny(), texts[:80], kinds[:80], QUICK)
    assert tagger.right(texts[80:], kinds[80:]).mean() > 0.99
    with pytest.raises(ItemError, match="1 tags for"):
        tag(tiny(), texts[:1], [["article"]])
