"""Removed parts are really gone, and what is left computes what the masked model does."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils import Settings
from bertology_utils.compress import Off, drop_layers, dropped, file_bytes, parts, remove_heads, remove_units
from bertology_utils.compress.structures import NoHeads
from bertology_utils.data.items import Labelled
from bertology_utils.finetune import ClassHead, Classifier
from bertology_utils.subject.encode import batches, tokenize
from bertology_utils.subject.hooks import ablate_heads

TEXTS = [
    "the dog sleeps .",
    "the old key near the cabinets was small .",
    "she likes the young cats .",
    "a robin runs .",
]
HEADS = [(0, 1), (0, 3), (2, 0)]


def hidden(subject, batch=None):
    """Hidden states (B, T, H) of the texts, all in one batch."""
    (batch,) = batches(subject, tokenize(subject, [t.split() for t in TEXTS]), 10**6)
    with torch.inference_mode():
        return subject.base(**batch.inputs()).last_hidden_state, batch


def classifier(subject):
    """A head with random weights that tells the texts apart somehow."""
    torch.manual_seed(0)
    head = ClassHead(subject, 2)
    with torch.no_grad():
        head.out.weight.mul_(50)
        head.dense.weight.mul_(10)
    return Classifier(subject, head.eval().requires_grad_(False), ("0", "1"))


def items():
    return [Labelled(id=str(k), split="test", text=t, label=str(k % 2)) for k, t in enumerate(TEXTS)]


def test_a_pruned_model_gives_what_the_masked_one_gives():
    subject = tiny()
    with ablate_heads(subject, HEADS):
        masked, _ = hidden(subject)
    removed, _ = hidden(remove_heads(subject, HEADS))
    torch.testing.assert_close(removed, masked, atol=1e-5, rtol=1e-5)
    whole, _ = hidden(subject)
    assert not torch.allclose(whole, masked, atol=1e-3)  # the heads did something


def test_removed_heads_are_gone_from_the_weights_and_from_the_file():
    subject, less = tiny(), remove_heads(tiny(), HEADS)
    assert less.layers[0].attention.self.query.weight.shape == (16, 32)
    assert less.layers[0].attention.output.dense.weight.shape == (32, 16)
    assert subject.layers[0].attention.self.query.weight.shape == (32, 32)  # the subject itself is left alone
    assert file_bytes(less.base) < file_bytes(subject.base)


def test_a_layer_can_lose_all_its_heads():
    subject, every = tiny(), [(1, h) for h in range(4)]
    with ablate_heads(subject, every):
        masked, _ = hidden(subject)
    less = remove_heads(subject, every)
    assert isinstance(less.layers[1].attention.self, NoHeads)
    torch.testing.assert_close(hidden(less)[0], masked, atol=1e-5, rtol=1e-5)


def test_removed_units_give_what_masked_ones_give():
    subject, gone = tiny(), [(1, u) for u in range(0, 64, 3)] + [(2, 5)]
    less = remove_units(subject, gone)
    assert less.layers[1].intermediate.dense.weight.shape == (64 - 22, 32)

    def silence(module, args):
        (units,) = args[:1]
        units = units.clone()
        units[..., ::3] = 0
        return (units, *args[1:])

    one = remove_units(subject, [(2, 5)])
    handle = one.layers[1].output.dense.register_forward_pre_hook(silence)
    masked, _ = hidden(one)
    handle.remove()
    torch.testing.assert_close(hidden(less)[0], masked, atol=1e-5, rtol=1e-5)


@contextmanager
def skipped(subject, layer):
    """Within the context the layer, counted from 0, hands its input on unchanged."""

    def bypass(module, args, kwargs, output):
        hidden = args[0] if args else kwargs["hidden_states"]
        return (hidden, *output[1:]) if isinstance(output, tuple) else hidden

    with subject.layers[layer].register_forward_hook(bypass, with_kwargs=True, prepend=True):
        yield


def test_dropped_layers_are_gone_and_the_rest_is_what_skipping_gives():
    subject, less = tiny(), drop_layers(tiny(), [1])
    assert less.n_layers == len(less.layers) == 2 and subject.n_layers == 3
    with skipped(subject, 1):
        bypassed, _ = hidden(subject)
    torch.testing.assert_close(hidden(less)[0], bypassed, atol=1e-5, rtol=1e-5)
    assert file_bytes(less.base) < file_bytes(subject.base)


@pytest.mark.parametrize("which", ["top", "bottom", "alternate"])
@pytest.mark.parametrize("n", [1, 4, 7])
def test_so_many_layers_are_dropped_as_asked(which, n):
    gone = dropped(12, n, which)
    assert len(set(gone)) == n and gone == sorted(gone)
    assert which == "top" or 11 not in gone


def test_parts_that_are_not_there_are_refused():
    with pytest.raises(IndexError, match=r"\(0, 4\)"):
        remove_heads(tiny(), [(0, 4)])
    with pytest.raises(IndexError, match="3"):
        drop_layers(tiny(), [3])
    with pytest.raises(ValueError, match="one at least"):
        drop_layers(tiny(), [0, 1, 2])
    with pytest.raises(ValueError, match="sideways"):
        dropped(12, 3, "sideways")


def test_parts_off_in_turn_are_those_switched_off_one_by_one():
    one, settings = classifier(tiny()), Settings()
    changes = [*parts.every_part(one.subject), *parts.all_but(one.subject, [0, 1, 2])]
    found = parts.right(one, items(), changes, settings)
    for row, change in zip(found, changes):
        off = (
            ablate_heads(one.subject, [(change.layer, h) for h in change.heads])
            if change.heads
            else skipped(one.subject, change.layer)
        )
        with off:
            assert np.array_equal(row, one.right(items(), settings)), str(change)
    assert len({tuple(r) for r in found}) > 1  # some part matters


def test_a_compressed_classifier_classifies():
    one = classifier(tiny())
    less = replace(one, subject=remove_heads(one.subject, HEADS))
    assert less.logits(items(), Settings()).shape == (4, 2)
    with pytest.raises(IndexError, match="counted from 0"):
        parts.right(one, items(), [Off(3)], Settings())
