"""Whole words, spans and entities: hidden whole, within the budget, as often as they should be."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from pretrain_corpus import configuration, write

from bertology_pretrain import corpus as corpora
from bertology_pretrain import draws, entities, masking, units, wordpiece
from bertology_pretrain.draws import Fresh, Repeated

VOCAB = 300
LENGTH, ROWS = 64, 400


def fresh(seed: int = 0) -> Fresh:
    return Fresh(torch.Generator().manual_seed(seed))


def text(seed: int = 0, length: int = LENGTH, rows: int = ROWS):
    """Rows of two segments, words of one to three pieces, a tenth of the words named entities of up to two words.

    Returns ids, types, words, marks; the second segment begins in the middle of a word.
    """
    rng = np.random.default_rng(seed)
    ids = rng.integers(10, VOCAB, (rows, length))
    marks = ((rng.random((rows, length)) < 0.4) * units.INSIDE).astype(np.uint8)
    marks |= ((rng.random((rows, length)) < 0.1) * units.NAMED).astype(np.uint8)
    middle = length // 2
    ids[:, 0], ids[:, middle], ids[:, -1] = wordpiece.CLS, wordpiece.SEP, wordpiece.SEP
    marks[:, middle + 1] |= units.INSIDE  # the rest of a word that was cut
    words = np.ones((rows, length), bool)
    words[:, [0, middle, length - 1]] = False
    types = np.zeros((rows, length), np.int64)
    types[:, middle + 1 :] = 1
    return tuple(map(torch.from_numpy, (ids, types, words, marks)))


def segments(marks: torch.Tensor, words: torch.Tensor) -> list[list[int]]:
    """The units of one row as lists of positions, found the slow way."""
    out: list[list[int]] = []
    for at, (mark, word) in enumerate(zip(marks.tolist(), words.tolist(), strict=True)):
        if word and (mark & units.INSIDE) and out and out[-1][-1] == at - 1:
            out[-1].append(at)
        elif word:
            out.append([at])
    return out


@pytest.mark.parametrize("kind", ["word", "span", "entity"])
def test_units_are_hidden_whole_or_not_at_all(kind):
    ids, types, words, marks = text()
    batch = masking.mask(ids, types, words, types[:, 0], 0.15, VOCAB, fresh(), kind=kind, marked=marks)
    used = batch.weights.bool()
    for row in range(ROWS):
        hidden = set(batch.slots[row][used[row]].tolist())
        parts = [hidden & set(unit) for unit in segments(marks[row], words[row])]
        whole = [set(unit) for unit in segments(marks[row], words[row])]
        assert all(not part or part == unit for part, unit in zip(parts, whole, strict=True))
        assert len(hidden) == sum(map(len, parts)) <= round(0.15 * LENGTH)
    assert batch.weights.sum(1).mean() > 0.9 * round(0.15 * LENGTH)  # what does not fit is made up for
    single = masking.mask(ids, types, words, types[:, 0], 0.15, VOCAB, fresh())
    cut = sum(0 < len(set(single.slots[0].tolist()) & set(unit)) < len(unit) for unit in segments(marks[0], words[0]))
    assert cut  # single pieces do cut units


def test_every_place_is_hidden_as_often():
    """Words of one piece: each is chosen with the same probability, whichever the kind."""
    ids, types, words, _ = text(rows=6000)
    marks = torch.zeros_like(ids, dtype=torch.uint8)
    for kind in ("word", "entity"):
        batch = masking.mask(ids, types, words, types[:, 0], 0.15, VOCAB, fresh(), kind=kind, marked=marks)
        where = torch.bincount(batch.slots[batch.weights.bool()], minlength=LENGTH).double()[words[0]]
        expected = where.sum() / len(where)
        assert float(((where - expected) ** 2 / expected).sum()) < len(where) + 4.5 * (2 * len(where)) ** 0.5


def test_span_lengths_are_geometric_and_3_8_on_average():
    drawn = units.span_lengths(fresh().uniform(1, 200_000))[0]
    odds = units.STOP * (1 - units.STOP) ** np.arange(units.LONGEST)
    odds /= odds.sum()
    mean = float((odds * np.arange(1, units.LONGEST + 1)).sum())
    assert mean == pytest.approx(3.8, abs=0.01)
    assert float(drawn.float().mean()) == pytest.approx(mean, abs=4.5 * 2.7 / 200_000**0.5)
    shares = torch.bincount(drawn, minlength=units.LONGEST + 1)[1:].double() / len(drawn)
    np.testing.assert_allclose(shares, odds, atol=4.5 * 0.5 / 200_000**0.5)


def test_spans_are_runs_of_words_that_share_their_fate_and_stop_at_segments():
    """With room for all of them, hidden runs are as long as drawn; words of one piece, rows of 512."""
    ids, types, words, _ = text(length=512, rows=300)
    marks = torch.zeros_like(ids, dtype=torch.uint8)
    wanted = torch.full((300,), 77)
    chosen, group = units.choose(words, types, marks, wanted, "span", fresh())
    assert int(chosen.sum(1).min()) == 77  # spans are cut to what is left
    lengths = torch.stack([torch.bincount(g[c], minlength=512) for g, c in zip(group, chosen, strict=True)])
    found = lengths[lengths > 0].double()
    assert float(found.mean()) == pytest.approx(3.8, abs=0.15)  # the last of a row is shorter than drawn
    for row in range(50):
        for number in group[row][chosen[row]].unique():
            at = torch.nonzero(chosen[row] & (group[row] == number)).flatten()
            assert int(at[-1] - at[0]) == len(at) - 1 and len(set(types[row][at].tolist())) == 1
    batch = masking.mask(ids, types, words, types[:, 0], 0.15, VOCAB, fresh(1), kind="span", marked=marks)
    masked = batch.ids.gather(1, batch.slots) == wordpiece.MASK
    alike = [
        (masked[row, one] == masked[row, one + 1]).item()
        for row in range(300)
        for one in range(76)
        if batch.slots[row, one + 1] == batch.slots[row, one] + 1
    ]
    assert 0.9 < np.mean(alike) < 1  # neighbours are of one span mostly; of two, they differ in a third of the cases


@pytest.mark.parametrize(("kind", "share"), [("entity", 0.5 + 0.5 / 4**4), ("word", 1 / 4**4)])
def test_entities_come_first_in_half_of_the_rows(kind, share):
    """Every fourth word is a name: four chosen words are all names where names come first, or by chance."""
    ids, types, words, _ = text(rows=4000)
    marks = torch.zeros_like(ids, dtype=torch.uint8)
    marks[:, ::4] = units.NAMED
    chosen, _ = units.choose(words, types, marks, torch.full((4000,), 4), kind, fresh())
    only = (chosen & (marks == 0)).sum(1) == 0
    assert (chosen.sum(1) == 4).all()
    assert abs(float(only.double().mean()) - share) < 0.02 * share + 4.5 * (share / 4000) ** 0.5


@pytest.mark.parametrize("symbol", ["unk", "random"])
def test_symbols_hide_the_same_places(symbol):
    """What [MASK] hides, and nothing else, is shown as [UNK] or as any piece; what else happens to a row stays."""
    ids, types, words, _ = text(rows=4000)
    plain = masking.mask(ids, types, words, types[:, 0], 0.15, VOCAB, fresh())
    batch = masking.mask(ids, types, words, types[:, 0], 0.15, VOCAB, fresh(), symbol=symbol)
    assert torch.equal(batch.slots, plain.slots) and torch.equal(batch.labels, plain.labels)
    changed = batch.ids != plain.ids
    assert (plain.ids[changed] == wordpiece.MASK).all()
    shown, n = batch.ids[changed], float(plain.weights.sum())
    assert abs(len(shown) - 0.8 * n) < 4.5 * (0.16 * n) ** 0.5 + 0.01 * n  # a random piece may be [MASK] itself
    if symbol == "unk":
        assert (shown == wordpiece.UNK).all()
    else:
        spread = torch.bincount(shown, minlength=VOCAB).double()
        spread[wordpiece.MASK] = expected = len(shown) / (VOCAB - 1)
        assert float(((spread - expected) ** 2 / expected).sum()) < VOCAB + 4.5 * (2 * VOCAB) ** 0.5


def test_repeated_draws_are_even_and_follow_from_the_row_alone():
    rows = torch.stack(
        [torch.arange(3000), torch.full((3000,), 20), torch.zeros(3000), torch.zeros(3000), torch.zeros(3000)], 1
    )
    rows = rows.long()
    drawn = Repeated(rows, 3)
    first, second = drawn.uniform(3000, 40), drawn.uniform(3000, 40)
    other = torch.randperm(3000, generator=torch.Generator().manual_seed(0))
    assert torch.equal(Repeated(rows[other], 3).uniform(3000, 40), first[other])
    assert not torch.equal(Repeated(rows, 4).uniform(3000, 40), first)
    for values in (first, second):
        counts = torch.histc(values, 50, 0, 1).double()
        assert float(((counts - 2400) ** 2 / 2400).sum()) < 50 + 4.5 * 10 and values.min() >= 0 and values.max() < 1
    for one, two in ((first, second), (first[:, 1:], first[:, :-1]), (first[1:], first[:-1])):
        assert abs(float(torch.corrcoef(torch.stack([one.flatten(), two.flatten()]))[0, 1])) < 4.5 / 117_000**0.5
    pieces = torch.bincount(drawn.pieces(7, 3000, 40).flatten(), minlength=7).double()
    expected = 3000 * 40 / 7
    assert len(pieces) == 7 and float(((pieces - expected) ** 2 / expected).sum()) < 7 + 4.5 * 14**0.5


def test_the_mixer_is_splitmix64():
    """Its published first numbers for the seed 1234567."""
    state, golden = 1234567, 0x9E3779B97F4A7C15
    states = torch.tensor([state, (state + golden) - 2**64])
    assert [int(x) % 2**64 for x in draws.mixed(states)] == [6457827717110365317, 3203168211198807973]


def test_names_are_found_by_their_capitals(tmp_path):
    """The generated language's names, wherever they stand in a sentence; the cache keeps them beside the pieces."""
    sentences = [f"{a} saw {b} Lee ." for a, b in (("Ann", "Bob"), ("Bob", "Ann"), ("The", "Ann"))]
    sentences += ["We saw the dog and Ann .", "Dog food and Bob ."]
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join(" ".join(sentences) for _ in range(40)), "utf-8")
    config = configuration(vocab=45, alphabet=20, masking="entity", held_out=0.0)
    corpus = corpora.load(path, config, tmp_path / "cache")
    assert corpus.names is not None and len(corpus.names) == len(corpus.tokens)
    continues = units.continuation(corpus.tokenizer)
    pieces = [corpus.tokenizer.id_to_token(int(t)).removeprefix("##") for t in corpus.tokens]
    found, entity = set(), ""
    for piece, mark in [*zip(pieces, corpus.names.tolist(), strict=True), ("", 0)]:
        if entity and not (mark & units.INSIDE):
            found.add(entity)
            entity = ""
        entity += piece if mark & units.NAMED else ""
    assert found == {"ann", "bob", "annlee", "boblee"}
    marked = units.marks(corpus.tokens, corpus.tokenizer, corpus.names)
    assert ((marked & units.INSIDE) > 0)[continues[corpus.tokens]].all()
    assert corpora.load(path, configuration(vocab=45, alphabet=20, held_out=0.0), tmp_path / "cache").names is None


def test_the_same_pieces_make_the_same_form():
    tokens = np.array([1, 2, 1, 2, 2, 1, 1], np.uint16)  # words 12, 12, 21, 1
    form = entities._forms(tokens, np.array([0, 2, 4, 6]))
    assert form[0] == form[1] and len(set(form.tolist())) == 3


def test_a_written_corpus_has_words_of_several_pieces(tmp_path):
    """Else the runs of the tests could not tell whole words from pieces."""
    corpus = corpora.load(write(tmp_path / "text.txt"), configuration(), tmp_path / "cache")
    assert 0.1 < units.marks(corpus.tokens, corpus.tokenizer).mean() < 0.9
