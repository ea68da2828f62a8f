"""Gradients, gates, permutations and null spaces against finite differences and known cases."""

from __future__ import annotations

from contextlib import contextmanager

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.attention.identifiability import (
    left_out,
    null_space,
    permuted_attention,
    rerun,
    without_heads,
)
from bertology_utils.attention.importance import head_importance, kind_gradients, masked, masked_hits
from bertology_utils.attention.maps import recorded_values
from bertology_utils.settings import Settings
from bertology_utils.subject import encode
from bertology_utils.subject.hooks import ablate_heads, layer_calls

SENTENCES = [
    ["the", "dog", "sees", "unlikeable", "cats", "."],
    ["he", "runs"],
    ["she", "likes", "the", "old", "house", "."],
]
SETTINGS = Settings(seed=3)


def test_masking_does_not_depend_on_the_batch_and_masks_words_only():
    def one(budget):
        found = {}
        for batch, labels in masked(tiny(), SENTENCES, seed=1, settings=Settings(batch_tokens=budget)):
            for b, i in enumerate(batch.index):
                places = torch.nonzero(labels[b] >= 0)[:, 0].tolist()
                assert all(batch.rows[b].words[t] >= 0 for t in places) and places
                assert all(batch.ids[b, t] == tiny().tokenizer.mask_token_id for t in places)
                assert [int(labels[b, t]) for t in places] == [batch.rows[b].ids[t] for t in places]
                found[i] = places
        return found

    assert one(1) == one(1000)


@contextmanager
def replaced_context(subject, layer, contexts, head):
    """While open, a head's output in `layer` is `contexts`, (B, T, d)."""
    size = subject.hidden_size // subject.n_heads

    def put(module, args):
        (context, *rest) = args
        context = context.clone()
        context[..., head * size : (head + 1) * size] = contexts
        return (context, *rest)

    handle = subject.layers[layer].attention.output.dense.register_forward_pre_hook(put)
    try:
        yield
    finally:
        handle.remove()


def test_separator_gradients_equal_finite_differences():
    """A nudge of one head's weight on [SEP] changes the loss by the derivative."""
    subject, layer, head = tiny(), 1, 2
    gradients = kind_gradients(subject, SENTENCES[:1], SETTINGS)["[SEP]"]
    assert gradients.shape == (1, 3, 4) and (gradients > 0).all()
    ((batch, labels),) = masked(subject, SENTENCES[:1], seed=SETTINGS.seed, settings=SETTINGS)
    where = labels >= 0

    def loss():
        hidden = encode.forward(subject, batch).last_hidden_state
        logs = torch.log_softmax(subject.predict(hidden[where]).double(), -1)
        return -logs.gather(1, labels[where][:, None]).mean().item()

    with recorded_values(subject) as values:
        maps = encode.forward(subject, batch, output_attentions=True).attentions
    size = subject.hidden_size // subject.n_heads
    value = values[layer][..., head * size : (head + 1) * size]
    total, step = 0.0, 1e-2
    for q in range(maps[layer].shape[-1]):
        sides = []
        for sign in (1, -1):
            moved = maps[layer][:, head].clone()
            moved[:, q, -1] += sign * step
            with replaced_context(subject, layer, moved @ value, head):
                sides.append(loss())
        total += abs(sides[0] - sides[1]) / (2 * step)
    assert total / maps[layer].shape[-1] == pytest.approx(gradients[0, layer, head], rel=0.02)


def test_gradients_do_not_depend_on_the_batch():
    together = kind_gradients(tiny(), SENTENCES, SETTINGS)["[SEP]"]
    alone = kind_gradients(tiny(), SENTENCES, Settings(seed=3, batch_tokens=1))["[SEP]"]
    np.testing.assert_allclose(together, alone, rtol=1e-3, atol=1e-7)


def test_head_importance_sees_only_heads_the_loss_depends_on():
    """A loss that reads what layer 0 wrote cannot depend on later heads; a head without an output projection does nothing."""
    subject = tiny().twin(5)
    batches = list(masked(subject, SENTENCES, settings=SETTINGS))
    size = subject.hidden_size // subject.n_heads
    subject.layers[1].attention.output.dense.weight[:, :size] = 0
    importance = head_importance(subject, batches, lambda output, labels: output.last_hidden_state[:, 0, 0].sum())
    assert importance[1, 0] == 0 and (importance[0] > 0).all() and (importance[1, 1:] > 0).all()
    np.testing.assert_allclose(np.linalg.norm(importance, axis=1), 1)


@pytest.mark.parametrize("sentences", [SENTENCES, SENTENCES[:1]])
def test_a_rerun_with_contexts_of_zeros_is_ablation_of_each_head_and_leaves_no_trace(sentences):
    subject = tiny()
    (batch,) = encode.batches(subject, encode.tokenize(subject, sentences), 1000)
    with layer_calls(subject) as inputs, torch.inference_mode():
        before = encode.forward(subject, batch).last_hidden_state
    size = subject.hidden_size // subject.n_heads
    zeros = torch.zeros(len(sentences), subject.n_heads, batch.ids.shape[1], size)
    for layer in range(subject.n_layers):
        with torch.inference_mode():
            found = rerun(subject, layer, inputs[layer], zeros)
        for head in range(subject.n_heads):
            with ablate_heads(subject, [(layer, head)]):
                expected = encode.forward(subject, batch).last_hidden_state
            assert torch.allclose(found[head], expected, atol=1e-5) and not torch.allclose(before, expected)
    assert torch.equal(before, encode.forward(subject, batch).last_hidden_state)


def test_permuting_an_even_map_changes_nothing():
    even = tiny().twin(1)
    for layer in even.layers:  # keys that say nothing make all weights alike
        layer.attention.self.query.weight.zero_()
        layer.attention.self.query.bias.zero_()
    np.testing.assert_allclose(permuted_attention(even, SENTENCES, settings=SETTINGS), 0, atol=1e-5)
    for together, shape in ((False, (3, 12)), (True, (3, 3))):
        np.testing.assert_allclose(
            permuted_attention(even, SENTENCES, together=together, settings=SETTINGS), 0, atol=1e-5
        )
        moved = permuted_attention(tiny(), SENTENCES, together=together, settings=SETTINGS)
        assert moved.shape == shape and (moved > 1e-6).any() and (moved <= 1).all()
        alone = permuted_attention(tiny(), SENTENCES, together=together, settings=Settings(seed=3, batch_tokens=1))
        np.testing.assert_allclose(moved, alone, atol=1e-4)


def test_all_heads_of_a_block_at_once_are_its_ablation():
    subject = tiny()
    (batch,) = encode.batches(subject, encode.tokenize(subject, SENTENCES), 1000)
    with layer_calls(subject) as inputs, torch.inference_mode():
        encode.forward(subject, batch)
    zeros = torch.zeros(3, subject.n_heads, batch.ids.shape[1], subject.hidden_size // subject.n_heads)
    with torch.inference_mode():
        found = rerun(subject, 1, inputs[1], zeros, together=True)
        with ablate_heads(subject, [(1, head) for head in range(subject.n_heads)]):
            expected = encode.forward(subject, batch).last_hidden_state
    assert found.shape[0] == 1 and torch.allclose(found[0], expected, atol=1e-5)
    off = without_heads(subject, SENTENCES, SETTINGS)
    assert off.shape == (3,) and ((off >= 0) & (off <= 1)).all() and off.any()


def test_leaving_words_out_equals_masking_two_by_hand():
    sentence, place = ["the", "dog", "sees", "birds"], 2
    (found,) = left_out(tiny(), [sentence], [place], SETTINGS)

    def predicted(*hidden):
        words = [encode.Gapped("[MASK]") if k in hidden else w for k, w in enumerate(sentence)]
        (batch,) = encode.batches(tiny(), encode.tokenize(tiny(), [words]), 100)
        states = encode.forward(tiny(), batch).last_hidden_state
        return tiny().predict(states[0, batch.rows[0].words.index(place)]).softmax(-1)

    wanted = [0.5 * (predicted(place, w) - predicted(place)).abs().sum().item() for w in (0, 1, 3)]
    np.testing.assert_allclose(found, wanted, atol=1e-5)


def test_null_space_has_the_dimensions_that_algebra_says():
    texts = [["dog"] * 2, ["the", "old", "dog", "sees", "a", "small", "bird", "near", "the", "house", "."] * 2]
    found = null_space(tiny(), texts, SETTINGS)
    head_size = tiny().hidden_size // tiny().n_heads  # 8
    assert (found[0] == 0).all()  # 4 tokens, all different: position makes them so
    assert (found[1] == 24 - head_size - 1).all()


def test_masked_hits_are_shares_of_the_predicted():
    shares = masked_hits(tiny(), SENTENCES, SETTINGS)
    assert shares.shape == (3,) and ((shares >= 0) & (shares <= 1)).all()
    knows = tiny().twin(2)
    knows.model.cls.predictions.bias.zero_()
    knows.model.cls.predictions.bias[tiny().tokenizer.convert_tokens_to_ids("runs")] = 1e4
    ((_, labels),) = masked(knows, [["runs", "runs"]], settings=SETTINGS)
    assert masked_hits(knows, [["runs", "runs"]], SETTINGS)[0] == 1 and (labels >= 0).sum() == 1
