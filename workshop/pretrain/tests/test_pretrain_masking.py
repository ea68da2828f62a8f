"""Rows written out and masked: 15%, of these 80/10/10; special symbols and padding never; both attentions agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from pretrain_corpus import configuration

from bertology_pretrain import instances, masking, wordpiece
from bertology_pretrain.objectives import logits
from bertology_pretrain.step import build

VOCAB = 300
TOKENS = torch.randint(5, VOCAB, (5000,), generator=torch.Generator().manual_seed(0), dtype=torch.int32)


def rows(count: int, length: int, seed: int = 0, full: bool = False) -> torch.Tensor:
    """Planned rows of random pairs: of all lengths that fit, or exactly filling the row."""
    rng = np.random.default_rng(seed)
    a = rng.integers(1, length - 3, count)
    b = length - 3 - a if full else rng.integers(1, length - 2 - a)
    return torch.from_numpy(
        np.stack([rng.integers(0, 2000, count), a, rng.integers(2000, 4000, count), b, rng.integers(0, 2, count)], 1)
    )


def masked(planned: torch.Tensor, length: int, seed: int = 0, rate: float = 0.15):
    ids, types, words = masking.assemble(TOKENS, planned, length)
    rng = torch.Generator().manual_seed(seed)
    return ids, words, masking.mask(ids, types, words, planned[:, instances.RANDOM], rate, VOCAB, rng)


def test_rows_are_written_out_as_bert_reads_them():
    planned = torch.tensor([[10, 3, 50, 2, 1], [20, 2, 0, 0, 0]])
    ids, types, words = masking.assemble(TOKENS, planned, 12)
    cls, sep, pad = wordpiece.CLS, wordpiece.SEP, wordpiece.PAD
    t = TOKENS.tolist()
    assert ids[0].tolist() == [cls, *t[10:13], sep, *t[50:52], sep, *[pad] * 4]
    assert types[0].tolist() == [0] * 5 + [1] * 3 + [0] * 4
    assert words[0].tolist() == [False] + [True] * 3 + [False] + [True] * 2 + [False] * 5
    assert ids[1].tolist() == [cls, *t[20:22], sep, *[pad] * 8]
    assert types[1].tolist() == [0] * 12 and words[1].sum() == 2
    assert instances.row_lengths(planned.numpy()).tolist() == [8, 4] == (ids != pad).sum(1).tolist()


@pytest.mark.parametrize("length", [16, 64, 128])
def test_fifteen_per_cent_are_predicted(length):
    ids, words, batch = masked(rows(500, length), length)
    present = (ids != wordpiece.PAD).sum(1)
    expected = torch.minimum((present * 0.15).round().clamp(min=1), words.sum(1))
    assert torch.equal(batch.weights.sum(1), expected.float())
    full, _, batch = masked(rows(500, length, full=True), length)
    assert batch.weights.sum().item() / full.numel() == pytest.approx(round(0.15 * length) / length)


def test_eighty_ten_ten():
    """Each share within 4.5 binomial standard deviations; a random piece is the right one once in `VOCAB`."""
    _ids, _, batch = masked(rows(2000, 128, full=True), 128)
    used = batch.weights.bool()
    shown, labels = batch.ids.gather(1, batch.slots)[used], batch.labels[used]
    n = len(labels)
    assert n == 2000 * 19
    hidden, kept = shown == wordpiece.MASK, shown == labels
    other = shown[~hidden & ~kept]
    for count, share in (
        (hidden.sum(), 0.8 + 0.1 / VOCAB),
        (kept.sum(), 0.1 + 0.1 / VOCAB),
        (len(other), 0.1 * (1 - 2 / VOCAB)),
    ):
        assert abs(int(count) - n * share) < 4.5 * (n * share * (1 - share)) ** 0.5
    spread = torch.bincount(other, minlength=VOCAB).double()
    expected = len(other) / VOCAB
    chi = float(((spread - expected) ** 2 / expected).sum())
    assert abs(chi - VOCAB) < 4.5 * (2 * VOCAB) ** 0.5  # all pieces equally often


def test_special_symbols_and_padding_are_never_masked():
    for length in (8, 32, 128):
        ids, words, batch = masked(rows(400, length), length)
        used = batch.weights.bool()
        assert words.gather(1, batch.slots)[used].all()
        assert torch.equal(batch.ids[~words], ids[~words])
        assert torch.equal(batch.labels, ids.gather(1, batch.slots))
        touched = torch.zeros_like(words).scatter(1, batch.slots, used)
        assert torch.equal(batch.ids[~touched], ids[~touched])
        assert torch.equal(batch.mask[:, 0, 0], ids != wordpiece.PAD)


def test_no_slot_is_used_twice_and_every_place_is_as_likely():
    _ids, words, batch = masked(rows(4000, 32, full=True), 32)
    used = batch.weights.bool()
    assert all(len(set(row.tolist())) == len(row) for row in batch.slots[:200])
    where = torch.bincount(batch.slots[used], minlength=32).double()
    odds = words.double().mean(0)  # a place that holds [SEP] in some rows is text in the others
    expected = odds / odds.sum() * used.sum()
    inner = expected > 0
    assert float(((where - expected)[inner] ** 2 / expected[inner]).sum()) < 32 + 4.5 * 8
    assert where[~inner].sum() == 0


def test_shortest_rows_still_predict_one_piece():
    _ids, _, batch = masked(torch.tensor([[0, 1, 9, 1, 0], [0, 1, 0, 0, 0]]), 16)
    assert batch.weights.sum(1).tolist() == [1, 1]


def test_masks_follow_from_seed_and_step():
    planned = rows(50, 64)
    one, same, other = (masked(planned, 64, masking.seed("masks", 0, step))[2] for step in (7, 7, 8))
    assert torch.equal(one.ids, same.ids) and torch.equal(one.slots, same.slots)
    assert not torch.equal(one.slots, other.slots)
    assert masking.seed("masks", 0, 7) != masking.seed("masks", 1, 7)


def test_parts_of_a_batch_are_its_rows():
    _, _, batch = masked(rows(10, 16), 16)
    batch = replace(batch, positions=torch.arange(160).view(10, 16))
    part = batch.part(3, 7)
    for name, value in batch.__dict__.items():
        assert torch.equal(getattr(part, name), value[3:7]), name


def test_both_attentions_give_the_published_model_s_logits_on_padded_rows():
    """Additive mask and eager attention, or a boolean one and sdpa: as the model called plainly with a mask."""
    config = configuration()
    eager, fused = build(config, device="cpu").eval(), build(config, device="cuda").eval()
    assert (eager.config._attn_implementation, fused.config._attn_implementation) == ("eager", "sdpa")
    for model in (eager, fused):  # larger weights than at the start, so that attention matters
        with torch.no_grad():
            for p in model.parameters():
                p.mul_(4 if p.ndim > 1 else 1)
    ids, _, batch = masked(rows(20, 32), 32)
    assert (ids == wordpiece.PAD).any()
    with torch.no_grad():
        pieces, relation = logits(eager, batch)
        other_pieces, other_relation = logits(fused, batch)
        plain = eager(batch.ids, attention_mask=batch.mask[:, 0, 0].long(), token_type_ids=batch.types)
        wrong = eager(batch.ids, token_type_ids=batch.types)
    at_slots = batch.slots[:, :, None].expand(-1, -1, VOCAB)
    for one, two in (
        (pieces, other_pieces),
        (relation, other_relation),
        (pieces, plain.prediction_logits.gather(1, at_slots)),
        (relation, plain.seq_relationship_logits),
    ):
        torch.testing.assert_close(one, two, atol=1e-4, rtol=1e-4)
    assert not torch.allclose(relation, wrong.seq_relationship_logits, atol=1e-2)  # the padding would have shown
