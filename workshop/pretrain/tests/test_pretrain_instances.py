"""Sentence pairs: what is next, what is random, what fits, and that nothing is lost or used twice."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from pretrain_corpus import configuration

from bertology_pretrain import CorpusError, instances
from bertology_pretrain.corpus import Corpus
from bertology_pretrain.heldout import HeldOut
from bertology_pretrain.instances import A_LENGTH, A_START, B_LENGTH, B_START, RANDOM, Stream, generator, plan

CONFIG = configuration()


def corpus(documents: int = 400, most: int = 12, longest: int = 15, files: int = 1, held: float = 0, seed: int = 0):
    """Documents of 1 to `most` sentences of 1 to `longest` pieces, in turn from each of the files."""
    rng = np.random.default_rng(seed)
    sentences = rng.integers(1, most + 1, documents)
    lengths = rng.integers(1, longest + 1, sentences.sum())
    return Corpus(
        tokens=rng.integers(5, 300, lengths.sum()).astype(np.uint16),
        sentences=np.concatenate([[0], np.cumsum(lengths)]),
        documents=np.concatenate([[0], np.cumsum(sentences)]),
        groups=np.arange(documents) % files,
        held=rng.random(documents) < held,
        tokenizer=None,
        files=[{"name": f"file{i}.txt"} for i in range(files)],
    )


def document_of(c: Corpus, piece: np.ndarray) -> np.ndarray:
    """The document each of these pieces is in."""
    return np.searchsorted(c.sentences[c.documents], piece, side="right") - 1


def everything(c: Corpus) -> np.ndarray:
    return np.arange(len(c.held))


def covered(c: Corpus, rows: np.ndarray) -> np.ndarray:
    """How often each piece is in an A or a true B."""
    count = np.zeros(len(c.tokens), int)
    for a, n, b, m, random in rows:
        count[a : a + n] += 1
        if not random:
            count[b : b + m] += 1
    return count


@pytest.mark.parametrize("length", [16, 32, 64])
@pytest.mark.parametrize("nsp", [True, False])
def test_no_row_is_too_long_or_empty(length, nsp):
    c = corpus(longest=40)
    rows = plan(c, everything(c), length, configuration(pair="nsp" if nsp else "none"), generator(0))
    assert instances.row_lengths(rows).max() <= length
    assert rows[:, A_LENGTH].min() >= 1 and (rows[:, B_LENGTH].min() >= 1 if nsp else not rows[:, B_LENGTH].any())
    for start, size in ((A_START, A_LENGTH), (B_START, B_LENGTH))[: 1 + nsp]:
        assert rows[:, start].min() >= 0
        assert (document_of(c, rows[:, start]) == document_of(c, rows[:, start] + rows[:, size] - 1)).all()


def test_true_next_segments_follow_and_random_ones_are_of_other_documents():
    c = corpus()
    rows = plan(c, everything(c), 64, CONFIG, generator(0))
    home, other = document_of(c, rows[:, A_START]), document_of(c, rows[:, B_START])
    random = rows[:, RANDOM] == 1
    assert (home[random] != other[random]).all() and (home[~random] == other[~random]).all()
    true, whole = rows[~random], instances.row_lengths(rows[~random]) < 64  # whole: nothing was cut off
    assert (true[:, B_START] >= true[:, A_START] + true[:, A_LENGTH]).all()
    assert (true[whole, B_START] == true[whole, A_START] + true[whole, A_LENGTH]).all()


def test_half_of_the_pairs_are_random():
    """Within 4.5 binomial standard deviations, a document's last lone sentences apart, which have no next one."""
    c = corpus(documents=3000)
    rows = plan(c, everything(c), 64, CONFIG, generator(0))
    sentence = np.searchsorted(c.sentences, rows[:, A_START], side="right") - 1
    last = c.documents[document_of(c, rows[:, A_START]) + 1] - 1
    lone = sentence == last
    assert (rows[lone, RANDOM] == 1).all() and lone.any()
    free = rows[~lone, RANDOM]
    assert abs(free.sum() - len(free) / 2) < 4.5 * (len(free) / 4) ** 0.5


def test_random_segments_come_from_everywhere():
    c = corpus(documents=30)
    rows = np.concatenate([plan(c, everything(c), 64, CONFIG, generator(0, i)) for i in range(60)])
    chosen = document_of(c, rows[rows[:, RANDOM] == 1, B_START])
    count = np.bincount(chosen, minlength=30)
    assert count.min() > 0.5 * count.mean()


@pytest.mark.parametrize("nsp", [True, False])
def test_an_epoch_loses_no_sentence_of_documents_that_fit(nsp):
    """Documents so small that no pair is ever cut: each piece is in exactly one A or true B."""
    c = corpus(most=5, longest=4)
    rows = plan(c, everything(c), 64, configuration(pair="nsp" if nsp else "none"), generator(0))
    assert (covered(c, rows) == 1).all()


@pytest.mark.parametrize("length", [16, 64])
@pytest.mark.parametrize("nsp", [True, False])
def test_an_epoch_loses_only_what_is_cut_from_full_rows(length, nsp):
    c = corpus(most=40)
    rows = plan(c, everything(c), length, configuration(pair="nsp" if nsp else "none"), generator(0))
    count = covered(c, rows)
    assert count.max() == 1
    full = np.zeros(len(c.tokens) + 1, bool)  # beside a piece of a row that was filled to the brim
    for (a, n, b, m, random), size in zip(rows, instances.row_lengths(rows)):
        for start, stop in ((a, a + n), (b, b + m) if not random else (a, a + n)):
            full[start - 1] |= size == length
            full[stop] |= size == length
    lost = count == 0
    assert 0 < lost.mean() < 0.35
    begins = np.flatnonzero(lost & ~np.concatenate([[False], lost[:-1]]))
    ends = np.flatnonzero(lost & ~np.concatenate([lost[1:], [False]]))
    assert (full[begins] | full[ends]).all()


def test_rows_are_mostly_full():
    c = corpus(documents=200, most=100)
    sizes = instances.row_lengths(plan(c, everything(c), 64, CONFIG, generator(0)))
    assert (sizes == 64).mean() > 0.75


def test_plans_follow_from_their_key():
    c = corpus()
    one, same, seed, epoch = (
        plan(c, everything(c), 32, CONFIG, generator(*k)) for k in ((0, 1), (0, 1), (1, 1), (0, 2))
    )
    assert np.array_equal(one, same)
    for other in (seed, epoch):
        assert len(other) != len(one) or not np.array_equal(one, other)


def test_negatives_stay_in_their_file():
    c = corpus(files=3)
    rows = plan(c, everything(c), 64, configuration(by_file=True), generator(0))
    home, other = document_of(c, rows[:, A_START]), document_of(c, rows[:, B_START])
    assert (c.groups[home] == c.groups[other]).all()
    mixed = plan(c, everything(c), 64, CONFIG, generator(0))
    assert (c.groups[document_of(c, mixed[:, A_START])] != c.groups[document_of(c, mixed[:, B_START])]).any()


def test_a_file_of_one_document_has_no_negatives():
    c = corpus(documents=4, files=3)
    with pytest.raises(CorpusError, match=r"file1\.txt has but one"):
        plan(c, everything(c), 32, configuration(by_file=True), generator(0))


def test_smoothing_draws_files_by_a_power_of_their_size():
    c = corpus(documents=900, files=2)
    small = (c.groups == 0) & (np.arange(900) < 90)
    kept = np.flatnonzero(small | (c.groups == 1))
    sizes = c.sizes()
    before = np.bincount(c.groups[kept], sizes[kept]).astype(float)
    share = []
    for i in range(20):
        drawn = instances.smoothed(c, kept, 0.5, generator(i))
        after = np.bincount(c.groups[drawn], sizes[drawn])
        assert set(np.flatnonzero(small)) <= set(drawn.tolist())  # seen more than once a time, so never left out
        assert after.sum() == pytest.approx(before.sum(), rel=0.1)
        share.append(after[0] / after.sum())
    root = before**0.5
    assert np.mean(share) == pytest.approx(root[0] / root.sum(), abs=0.01)
    assert np.array_equal(instances.smoothed(c, kept, 1.0, generator(0)), kept)


def test_held_out_documents_are_never_trained_on():
    c = corpus(held=0.1)
    stream = Stream(c, CONFIG)
    first = stream.rows(32)
    rows = stream.batch(32, 3 * len(first))
    assert stream.epoch >= 2
    for start in (A_START, B_START):
        assert not c.held[document_of(c, rows[:, start])].any()
    assert set(document_of(c, first[:, A_START])) == set(np.flatnonzero(~c.held))


def test_a_stream_takes_each_row_once_and_goes_on_from_any_place():
    c = corpus(documents=100)
    stream = Stream(c, CONFIG)
    whole = np.concatenate([stream.rows(32).copy()])
    parts = [stream.batch(32, 7) for _ in range(len(whole) // 7)]
    assert np.array_equal(np.concatenate(parts), whole[: 7 * len(parts)])
    epoch, place = stream.epoch, stream.place
    after = [stream.batch(32, 7) for _ in range(20)]
    resumed = Stream(c, CONFIG)
    resumed.epoch, resumed.place = epoch, place
    assert all(np.array_equal(resumed.batch(32, 7), part) for part in after)
    assert stream.epoch == resumed.epoch > 0
    other = Stream(c, configuration(seed=1))
    assert not np.array_equal(other.batch(32, 7), parts[0])


def test_files_with_one_held_out_document_are_not_evaluated():
    """Each file is a language: one held-out document has no other of its file to be paired with."""
    c = corpus(documents=60, files=3)
    c.held[:] = False
    c.held[[0, 3, 6, 1]] = True  # three of the first file, one of the second, none of the third
    tokens = torch.from_numpy(c.tokens.astype("int32"))
    by_file = HeldOut(c, tokens, configuration(by_file=True))
    together = HeldOut(c, tokens, configuration())
    assert 0 < len(by_file.batch.ids) < len(together.batch.ids)
    c.held[[3, 6]] = False
    with pytest.raises(CorpusError, match="0 of 60 documents held out"):
        HeldOut(c, tokens, configuration(by_file=True))


@pytest.mark.parametrize("length", [16, 64])
def test_swapped_sentences_are_each_other_s_neighbours(length):
    """Of the pairs of sentence-order prediction: B ends where A begins, or the other way round, and nothing is lost."""
    c = corpus(longest=6)
    rows = plan(c, everything(c), length, configuration(pair="sop"), generator(0))
    swapped = rows[:, RANDOM] == 1
    assert abs(swapped.mean() - 0.5) < 4.5 * 0.5 / len(rows) ** 0.5
    assert instances.row_lengths(rows).max() <= length and rows[:, [A_LENGTH, B_LENGTH]].min() >= 1
    assert (document_of(c, rows[:, A_START]) == document_of(c, rows[:, B_START])).all()
    assert ((rows[:, A_START] < rows[:, B_START]) != swapped).all()
    early = np.where(swapped, rows[:, B_START] + rows[:, B_LENGTH], rows[:, A_START] + rows[:, A_LENGTH])
    late = np.where(swapped, rows[:, A_START], rows[:, B_START])
    assert (early <= late).all()
    if length == 64:  # nothing is cut: the two halves touch
        assert np.isin(early[early == late], c.sentences).all() and (early == late).mean() > 0.7
        count = np.zeros(len(c.tokens), int)
        for a, n, b, m, _ in rows:
            count[a : a + n] += 1
            count[b : b + m] += 1
        several = np.repeat(np.diff(c.documents) > 1, c.sizes())
        assert count.max() == 1 and not count[~several].any() and count[several].mean() > 0.9


def test_order_needs_two_sentences():
    c = corpus(most=1)
    with pytest.raises(CorpusError, match="documents of at least two"):
        plan(c, everything(c), 32, configuration(pair="sop"), generator(0))
