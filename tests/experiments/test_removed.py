"""Attention that is taken away is taken away, from the token that is named and from no other."""

from dataclasses import replace

import numpy as np
import torch

from bertology_utils.attention.importance import masked
from bertology_utils.data import load
from bertology_utils.experiments.heads import removed
from bertology_utils.settings import Settings
from bertology_utils.subject import encode, models
from bertology_utils.subject.hooks import head_outputs, silenced

SETTINGS = Settings.of(draws=50)
WORDS = [i.words for i in load("sentences", "builtin", n=40)["sentences"] if len(i.words) > 3]


def contexts(subject, batch):
    """Maps (B, A, T, T) of the first layer and what its heads give, (B, T, H)."""
    given: list[torch.Tensor] = []
    hook = head_outputs(subject, 0).register_forward_pre_hook(lambda module, args: given.append(args[0]))
    maps = encode.forward(subject, batch, output_attentions=True).attentions[0]
    hook.remove()
    return maps, given[0]


def test_a_removed_token_gets_nothing_and_the_rest_as_before_but_for_a_factor():
    subject = models.load("mini")
    batch, _ = next(masked(subject, WORDS, settings=SETTINGS))
    at = batch.ids == subject.tokenizer.sep_token_id
    (whole, given), (less, _) = contexts(subject, batch), contexts(subject, replace(batch, mask=batch.mask * ~at))
    expected = whole.masked_fill(at[:, None, None], 0)
    torch.testing.assert_close(less, expected / expected.sum(-1, keepdim=True), atol=1e-5, rtol=1e-4)
    with silenced(subject, at):  # weights stay, and the token's part of what the heads give is gone
        quiet, rest = contexts(subject, batch)
    with silenced(subject, ~at):
        own = contexts(subject, batch)[1]
    torch.testing.assert_close(quiet, whole)
    torch.testing.assert_close(rest + own, given, atol=1e-5, rtol=1e-4)
    assert own.abs().max() > 1e-3


def test_words_are_drawn_from_those_to_be_seen_until_they_have_as_much_attention():
    subject = models.load("mini")
    added, share = removed.measured(subject, WORDS, SETTINGS)
    np.testing.assert_allclose(share[removed.BOTH], share["[CLS]"] + share["[SEP]"], atol=1e-6)
    for batch, labels in masked(subject, WORDS, seed=SETTINGS.seed, settings=SETTINGS):
        # [SEP] has what three pieces have
        even = batch.mask * (1.0 + 2 * (batch.ids == subject.tokenizer.sep_token_id))
        taken = removed._taken(subject, batch, labels, WORDS, even, SETTINGS.seed)
        assert not any((at & (labels >= 0)).any() for at in taken.values())
        words = {
            token: [{row.words[t] for t in np.flatnonzero(a)} for row, a in zip(batch.rows, at)]
            for token, at in taken.items()
        }
        assert all(len(w) == 1 for w in words["word"]) and words["[SEP]"] == [{-1}] * len(batch.rows)
        assert all(n >= 3 for n in taken[removed.WORDS].sum(1).tolist()) and max(map(len, words[removed.WORDS])) == 3
        assert {WORDS[i][w] for i, found in zip(batch.index, words[". or ,"]) for w in found} <= {".", ","}
    assert set(added) == {("removed", t) for t in removed.REMOVED} | {("silenced", t) for t in removed.SILENCED}
