"""Fine-tuning learns what can be learnt, leaves the subject alone, and is the same every time."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
import torch
from nouns_and_sizes import items
from support import tiny

from bertology_utils.data.items import ItemError, Labelled
from bertology_utils.finetune import Recipe, classify, fitting, text_rows, train
from bertology_utils.subject.encode import TooLong, hidden_states

QUICK = Recipe(epochs=8, rate=3e-3, batch=16)


def test_a_word_decides():
    tuned = classify(tiny(), items(160), QUICK)
    assert tuned.right(items(60, seed=1)).mean() > 0.95
    assert tuned.losses[-1] < tuned.losses[0] / 2 and len(tuned.losses) == 80
    assert tuned.logits(items(5)).shape == (5, 2)


def test_the_subject_is_unchanged_and_the_tuned_one_is_a_subject():
    subject = tiny()
    before = subject.base.embeddings.word_embeddings.weight.clone()
    texts = [("the", "dog", "runs")]
    vectors = dict(hidden_states(subject, texts))[0]
    tuned = classify(subject, items(32), Recipe(epochs=1)).subject
    assert torch.equal(before, subject.base.embeddings.word_embeddings.weight)
    assert not any(p.requires_grad for p in (*subject.model.parameters(), *tuned.model.parameters()))
    assert not tuned.model.training
    assert np.array_equal(vectors, dict(hidden_states(subject, texts))[0])
    assert not np.allclose(vectors, dict(hidden_states(tuned, texts))[0])


def test_the_same_seed_gives_the_same_model_and_the_callers_draws_are_left_alone():
    torch.manual_seed(5)
    expected = torch.rand(1)
    torch.manual_seed(5)
    one = classify(tiny(), items(32), Recipe(epochs=1))
    assert torch.equal(torch.rand(1), expected)
    two, other = classify(tiny(), items(32), Recipe(epochs=1)), classify(tiny(), items(32), Recipe(epochs=1, seed=1))
    assert one.losses == two.losses and one.losses != other.losses
    assert np.array_equal(one.logits(items(4)), two.logits(items(4)))


def test_a_model_in_bfloat16_is_tuned_in_mixed_precision():
    """Products are rounded, weights are not: the losses differ a little, and what was learnt is in single precision."""
    subject = replace(tiny(), model=copy.deepcopy(tiny().model).to(torch.bfloat16))
    same = replace(subject, model=copy.deepcopy(subject.model).float())
    mixed, whole = (classify(s, items(160), QUICK) for s in (subject, same))
    assert {p.dtype for p in mixed.subject.model.parameters()} == {torch.float32}
    assert mixed.losses[:5] != whole.losses[:5] and np.allclose(mixed.losses[:5], whole.losses[:5], atol=0.02)
    assert mixed.right(items(60, seed=1)).mean() > 0.95


def test_only_the_named_layers_learn():
    subject = tiny()
    tuned = classify(subject, items(32), Recipe(epochs=1, layers=(2,))).subject
    same = [
        all(torch.equal(a, b) for a, b in zip(x.parameters(), y.parameters()))
        for x, y in zip((subject.base.embeddings, *subject.layers), (tuned.base.embeddings, *tuned.layers))
    ]
    assert same == [True, True, True, False]


def test_the_head_may_learn_faster():
    """Without the encoder's layers only the head moves, and tenfold as far in a first step."""

    def moved(factor):
        tuned = classify(
            tiny(), items(16), Recipe(epochs=1, layers=(), decay=0.0, rate=1e-4, head_rate=factor, batch=16)
        )
        start = classify(tiny(), items(16), Recipe(epochs=1, layers=(), decay=0.0, rate=0.0, batch=16))
        return (tuned.head.out.weight - start.head.out.weight).abs().mean().item()

    assert moved(10.0) == pytest.approx(10 * moved(1.0), rel=1e-3)


def test_the_rate_rises_and_falls():
    recipe = Recipe(warmup=0.2)
    factors = [recipe.factor(s, 10) for s in range(10)]
    assert factors[:2] == [0.5, 1.0] and factors[2] == 1.0 and factors[-1] == pytest.approx(1 / 8)
    assert np.all(np.diff(factors[2:]) < 0)
    assert (
        recipe.peak(768) == 3e-5
        and recipe.peak(256) == 5e-4
        and recipe.peak(512) == pytest.approx(1.0125e-4)
        and Recipe(rate=0.1).peak(9) == 0.1
    )


def test_a_head_of_ones_own():
    """The loop trains any head: here one number a word, 1 for "dog" and -1 for "cat"."""
    subject = tiny()
    words = [("the", ("dog", "cat")[k % 2]) for k in range(64)]
    rows = text_rows(subject, [Labelled(id=str(k), text=" ".join(w), label="") for k, w in enumerate(words)])
    gold = torch.tensor([1.0 if w[1] == "dog" else -1.0 for w in words])
    torch.manual_seed(0)
    head = torch.nn.Linear(subject.hidden_size, 1)
    seen = []

    def loss(hidden, batch):
        seen.extend(batch.index)
        return (head(hidden[:, 2])[:, 0] - gold[batch.index]).pow(2).mean()  # position 0 is [CLS]

    _, losses = train(subject, rows, head, loss, Recipe(epochs=10, rate=5e-3, batch=16))
    assert np.mean(losses[-4:]) < 0.2 < losses[0] and sorted(seen) == sorted([*range(64)] * 10)


def test_loud_errors():
    with pytest.raises(ItemError, match="two classes"):
        classify(tiny(), [i for i in items(8) if i.label == "1"])
    with pytest.raises(ItemError, match="pairs"):
        text_rows(tiny(), [items(1)[0], items(1, pairs=True)[0]])
    with pytest.raises(ValueError, match="no row"):
        train(tiny(), [], torch.nn.Linear(1, 1), lambda h, b: h.sum())
    long = [Labelled(id="x", text="dog " * 200, label="1"), *items(3)]
    with pytest.raises(TooLong):
        text_rows(tiny(), long)
    kept, note = fitting(tiny(), long)
    assert len(kept) == 3 and note.startswith("1 of 4")
