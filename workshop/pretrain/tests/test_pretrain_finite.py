"""Verb forms that show number: found in text, hidden more often than other pieces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from pretrain_corpus import configuration

from bertology_pretrain import corpus as corpora
from bertology_pretrain import finite, masking, order, units
from bertology_pretrain.draws import Fresh
from bertology_pretrain.instances import Stream, row_lengths
from bertology_utils.family.config import Phase

SENTENCES = (
    "the dog is here .",
    "the dogs stand near the man .",
    "the dog stands near the men .",
    "they want to stand here .",
    "the men have dogs .",
    "the men must have dogs .",
    "the man near the dog has food .",
    "near the dog is food .",
    "the man near the dog and the men have food .",
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """A text of whole words and single letters."""
    folder = tmp_path_factory.mktemp("finite")
    (folder / "text.txt").write_text("\n\n".join(" ".join(SENTENCES) for _ in range(40)), "utf-8")
    config = configuration(vocab=76, alphabet=30, masking="verb", held_out=0.0)
    return corpora.load(folder / "text.txt", config, folder / "cache")


def test_forms_that_show_number_are_found_and_bare_ones_are_not(corpus):
    marked = finite.find(corpus.tokens, corpus.tokenizer)
    once = len(corpus.tokens) // 40
    found = [corpus.tokenizer.id_to_token(int(t)) for t in corpus.tokens[:once][marked[:once]]]
    assert found == ["is", "stand", "stands", "have", "has", "is", "have"]


def test_only_a_whole_phrase_that_follows_a_word_parts_subject_and_verb(corpus):
    """Not at a sentence's beginning, and not where *and* opens another subject."""
    behind = finite.behind_phrases(corpus.tokens, corpus.tokenizer)
    once = len(corpus.tokens) // 40
    context = [
        " ".join(corpus.tokenizer.id_to_token(int(t)) for t in corpus.tokens[at - 5 : at + 1])
        for at in range(once)
        if behind[at]
    ]
    assert context == ["the man near the dog has"]


def test_rows_with_such_a_verb_come_first_and_no_row_is_lost(corpus):
    """Rows of one sentence each: one of nine has the phrase, so it is the first ninth."""
    once, ends = len(corpus.tokens) // 40, corpus.tokenizer.token_to_id(".")
    stops = np.flatnonzero(corpus.tokens == ends) + 1
    starts = np.concatenate([[0], stops[:-1]])
    nothing = np.zeros(len(starts), np.int64)
    rows = np.stack([starts, stops - starts, nothing, nothing, nothing], 1)
    sorted_ = order.phrases_first(corpus, rows)
    assert sorted(map(tuple, sorted_)) == sorted(map(tuple, rows))
    first = len(rows) // len(SENTENCES)
    assert set(sorted_[:first, 0] % once) == {int(starts[SENTENCES.index("the man near the dog has food .")])}
    assert np.array_equal(sorted_[first:], rows[~np.isin(rows[:, 0], sorted_[:first, 0])])  # the rest as it was
    some = order.phrases_first(corpus, rows, 5)
    assert np.array_equal(some[:5], sorted_[:5])
    assert np.array_equal(some[5:], rows[~np.isin(rows[:, 0], sorted_[:5, 0])])  # as shuffled, those left among them


def test_a_run_reaches_such_rows_first_and_then_all_as_they_come(tmp_path):
    """Of the rows that a run reaches the first half hold the phrase, the rest are mixed; shuffled ones are mixed throughout."""
    (tmp_path / "text.txt").write_text("\n\n".join(SENTENCES * 100), "utf-8")  # a sentence per document, and so per row
    shape = {"vocab": 76, "alphabet": 30, "pair": "none", "short_share": 0.0, "tokens": 600, "held_out": 0.0}
    shares = {}
    for name in ("shuffled", "phrases first, then mixed", "phrases first"):
        config = replace(configuration(order=name, **shape), phases=(Phase(length=16, share=1.0),))
        text = corpora.load(tmp_path / "text.txt", config, tmp_path)
        behind = finite.behind_phrases(text.tokens, text.tokenizer)
        rows = Stream(text, config).rows(16)
        reached = int(np.searchsorted(row_lengths(rows).cumsum(), config.tokens)) + 1
        holds = np.array([behind[start : start + length].any() for start, length in rows[:reached, :2]])
        shares[name] = holds[: reached // 2 - 5].mean(), holds[reached // 2 + 5 :].mean()  # rows differ in length
    first, later = zip(*shares.values(), strict=True)
    assert first[1:] == (1.0, 1.0) and later[2] == 1.0
    assert max(first[0], later[0], later[1]) < 0.5


def test_a_noun_with_a_plural_is_no_verb(corpus):
    """*dog* and *dogs* are a pair by their letters; nothing that asks for a bare verb stands before them."""
    assert {"dog", "dogs"} <= set(corpus.tokenizer.get_vocab())
    assert finite.pairs(corpus.tokens, corpus.tokenizer) == {"stand": "stands"}


def test_marked_pieces_are_hidden_more_often_and_as_many_as_before_in_all():
    rows, length, rate = 4000, 64, 0.3
    ids = torch.randint(10, 300, (rows, length), generator=torch.Generator().manual_seed(0))
    types, words = torch.zeros_like(ids), torch.ones_like(ids, dtype=torch.bool)
    marks = torch.zeros_like(ids, dtype=torch.uint8)
    marks[:, ::16] = units.FINITE | units.INSIDE
    marks[:, 1::16] = units.INSIDE

    def hidden(kind: str) -> torch.Tensor:
        draws = Fresh(torch.Generator().manual_seed(1))
        batch = masking.mask(ids, types, words, types[:, 0], rate, 300, draws, kind=kind, marked=marks)
        assert (batch.weights.sum(1) == round(rate * length)).all()
        return torch.bincount(batch.slots[batch.weights.bool()], minlength=length) / rows

    plain, verbs = hidden("piece"), hidden("verb")
    spread = 4.5 * 0.5 / rows**0.5
    assert (plain - round(rate * length) / length).abs().max() < spread
    others = torch.ones(length, dtype=torch.bool)
    others[::16] = False
    assert (verbs[::16] - units.FIRST).abs().max() < spread
    assert (verbs[others] - (round(rate * length) - 4 * units.FIRST) / 60).abs().max() < spread
