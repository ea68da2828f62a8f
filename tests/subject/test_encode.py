"""Words to pieces and back: alignment, pooling, maps, batches."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.settings import Settings
from bertology_utils.subject import encode
from bertology_utils.subject.attentions import attentions, word_units

SENTENCES = [
    "the keys to the cabinet are old .".split(),
    ["unable", "dogs", "walked"],  # un ##able | dogs | walk ##ed
    ["a"],
    ["the", "\x00", "cat", "antidisestablishment", "slept-well", "."],
]


def plain(subject, row):
    """Hidden states and maps of one row by itself: no padding, no pooling."""
    with torch.no_grad():
        out = subject.base(
            input_ids=torch.tensor([row.ids]),
            token_type_ids=torch.tensor([row.types]),
            output_hidden_states=True,
            output_attentions=True,
        )
    return torch.stack(out.hidden_states)[:, 0].numpy(), torch.stack(out.attentions)[:, 0].numpy()


def test_every_word_has_a_piece_and_every_piece_its_word():
    for sentence, row in zip(SENTENCES, encode.tokenize(tiny(), SENTENCES)):
        inside = [w for w in row.words if w >= 0]
        assert sorted(set(inside)) == list(range(len(sentence)))
        assert inside == sorted(inside)
        assert row.words[0] == row.words[-1] == -1


def test_pieces_of_a_known_word():
    (row,) = encode.tokenize(tiny(), [["unable", "dogs", "walked"]])
    assert tiny().tokenizer.convert_ids_to_tokens(list(row.ids)) == [
        "[CLS]",
        "un",
        "##able",
        "dogs",
        "walk",
        "##ed",
        "[SEP]",
    ]
    assert row.words == (-1, 0, 0, 1, 2, 2, -1)


def test_second_segment_counts_on():
    (row,) = encode.tokenize(tiny(), [["the", "dog"]], [["unable", "cat"]])
    assert row.words == (-1, 0, 1, -1, 2, 2, 3, -1)
    assert row.types == (0, 0, 0, 0, 1, 1, 1, 1)
    assert row.n_words == 4


def test_a_word_without_pieces_becomes_unknown_not_nothing():
    (row,) = encode.tokenize(tiny(), [["the", "\x00", "cat"]])
    assert row.ids[2] == tiny().tokenizer.unk_token_id and row.words == (-1, 0, 1, 2, -1)


@pytest.mark.parametrize("budget", [1, 20, 10_000])
@pytest.mark.parametrize("pool", ["mean", "first", "last", None])
def test_batched_states_equal_each_sentence_by_itself(budget, pool):
    rows = encode.tokenize(tiny(), SENTENCES)
    seen = set()
    for i, states in encode.hidden_states(tiny(), SENTENCES, pool=pool, settings=Settings(batch_tokens=budget)):
        want, _ = plain(tiny(), rows[i])
        if pool is not None:
            members = [[t for t, w in enumerate(rows[i].words) if w == k] for k in range(len(SENTENCES[i]))]
            pick = {"mean": lambda m: m, "first": lambda m: m[:1], "last": lambda m: m[-1:]}[pool]
            want = np.stack([want[:, pick(m)].mean(1) for m in members], 1)
        np.testing.assert_allclose(states, want, atol=2e-5)
        seen.add(i)
    assert seen == set(range(len(SENTENCES)))


def test_word_maps_sum_over_targets_and_average_over_sources():
    rows = encode.tokenize(tiny(), SENTENCES)
    for i, units, maps in attentions(tiny(), SENTENCES, settings=Settings(batch_tokens=30)):
        _, want = plain(tiny(), rows[i])
        _, member = word_units(tiny(), rows[i])
        n = len(units.words)
        loop = np.zeros((*want.shape[:2], n, n), np.float32)
        for q in range(n):
            for k in range(n):
                block = want[:, :, member == q][:, :, :, member == k]
                loop[:, :, q, k] = block.sum(-1).mean(-1)
        np.testing.assert_allclose(maps, loop, atol=2e-5)
        np.testing.assert_allclose(maps.sum(-1), 1, atol=1e-4)
        assert units.tokens[0] == "[CLS]" and units.tokens[-1] == "[SEP]"
        assert [w for w in units.words if w >= 0] == list(range(len(SENTENCES[i])))


def test_too_long_is_refused_with_the_sentence():
    with pytest.raises(encode.TooLong, match=r"takes 160.*dog dog"):
        encode.tokenize(tiny(), [["dog"] * 159])
    assert encode.fits(tiny(), [["dog"] * 159, ["dog"] * 158]).tolist() == [False, True]


def test_text_instead_of_words_is_refused():
    with pytest.raises(TypeError, match="sequences of words"):
        encode.tokenize(tiny(), ["the dog"])


def test_batches_keep_to_the_budget_and_lose_nothing():
    rows = encode.tokenize(tiny(), [["dog"] * k for k in (3, 9, 1, 9, 4, 2)])
    found = list(encode.batches(tiny(), rows, 24))
    assert sorted(i for b in found for i in b.index) == list(range(6))
    assert all(b.ids.numel() <= 24 or len(b.index) == 1 for b in found)
    assert all((b.mask.sum(1).tolist() == [len(r.ids) for r in b.rows]) for b in found)


def test_streams_do_not_hold_the_corpus():
    """A generator is consumed window by window: the first result comes before the corpus ends."""
    taken = []

    def corpus():
        for k in range(3 * encode.WINDOW):
            taken.append(k)
            yield ["dog"]

    next(encode.hidden_states(tiny(), corpus()))
    assert len(taken) == encode.WINDOW


def test_the_share_of_pieces_that_the_vocabulary_lacks():
    """Of "the 猫 sleeps" one of three, of "un ##able dogs" none; a gap is no piece of the text."""
    assert encode.unknown_share(tiny(), ["the 猫 sleeps"]) == pytest.approx(1 / 3)
    assert encode.unknown_share(tiny(), ["the 猫 sleeps", "unable dogs [MASK]"]) == pytest.approx(1 / 6)
    assert encode.unknown_share(tiny(), []) == 0.0
