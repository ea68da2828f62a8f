"""Ablation does what it says, and leaves nothing behind."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.subject import encode, hooks

SENTENCE = [["the", "dogs", "sleep", "near", "the", "river"]]


def states():
    return dict(encode.hidden_states(tiny(), SENTENCE))[0]


def test_ablated_head_contributes_nothing_and_is_restored():
    before = states()
    with hooks.ablate_heads(tiny(), [(1, 2)]):
        ablated = states()
    np.testing.assert_array_equal(before[:2], ablated[:2])  # layers below are untouched
    assert np.abs(before[2] - ablated[2]).max() > 1e-4
    np.testing.assert_array_equal(before, states())


def test_changed_states_are_what_is_handed_on_and_are_restored():
    before = states()
    with hooks.changed_states(tiny(), 1, lambda hidden: 2 * hidden):
        doubled = states()
    np.testing.assert_array_equal(before[0], doubled[0])
    np.testing.assert_allclose(doubled[1], 2 * before[1], rtol=1e-6)
    assert np.abs(before[2] - doubled[2]).max() > 1e-4
    np.testing.assert_array_equal(before, states())
    with (
        pytest.raises(IndexError, match="layer 4 out of range"),
        hooks.changed_states(tiny(), 4, lambda hidden: hidden),
    ):
        pass


def test_all_heads_off_equals_zeroed_value_projections():
    """Without any head only the projection's bias is left: the same as values that are zero."""
    subject = tiny()
    value = subject.layers[0].attention.self.value
    saved = value.weight.clone(), value.bias.clone()
    with hooks.ablate_heads(subject, [(0, h) for h in range(subject.n_heads)]):
        off = states()[1]
    value.weight.zero_(), value.bias.zero_()
    zero = states()[1]
    value.weight.copy_(saved[0]), value.bias.copy_(saved[1])
    np.testing.assert_allclose(off, zero, atol=1e-6)


@pytest.mark.parametrize("heads", [[(3, 0)], [(0, 4)], [(-1, 0)]])
def test_out_of_range_is_refused(heads):
    with pytest.raises(IndexError, match="counted from 0"), hooks.ablate_heads(tiny(), heads):
        pass
    assert torch.isfinite(torch.tensor(states())).all()
