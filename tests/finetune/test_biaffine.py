"""The biaffine parser learns trees that the words decide, and its scores mean what they say."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.data.items import Sentence
from bertology_utils.finetune import Recipe
from bertology_utils.finetune.biaffine import BiaffineHead, parse, pooled
from bertology_utils.subject.encode import Row


def sentences(n, seed=0):
    """ "the NOUN [near the NOUN] runs .": the verb is the root, each article hangs from its noun."""
    rng = np.random.default_rng(seed)
    nouns = ("dog", "cat", "man", "bird", "author")
    out = []
    for k in range(n):
        a, b = rng.choice(nouns, 2)
        if k % 2:
            out.append(Sentence(id=str(k), words=("the", a, "runs", "."), heads=(1, 2, -1, 2)))
        else:
            out.append(
                Sentence(id=str(k), words=("the", a, "near", "the", b, "runs", "."), heads=(1, 5, 4, 4, 1, -1, 5))
            )
    return out


def test_learns_to_parse_and_goes_on_as_a_subject():
    parser = parse(tiny(), sentences(120), Recipe(epochs=8, rate=3e-3, batch=16))
    right = parser.right(sentences(30, seed=1))
    assert [len(r) for r in right[:2]] == [6, 3]  # the full stop is not scored
    assert np.concatenate(right).mean() > 0.95
    for heads, sentence in zip(parser.heads(sentences(6, seed=2)), sentences(6, seed=2)):
        assert len(heads) == len(sentence.words) and (heads == -1).sum() == 1
    assert parser.subject.n_layers == tiny().n_layers and parser.losses[-1] < parser.losses[0] / 3


def test_pooling_and_padding():
    rows = [Row((2, 5, 6, 3), (0,) * 4, (-1, 0, 0, -1), 1), Row((2, 5, 6, 3), (0,) * 4, (-1, 0, 1, -1), 2)]
    hidden = torch.arange(8.0).reshape(1, 4, 2).repeat(2, 1, 1)
    assert pooled(hidden, rows)[0, 0].tolist() == [3.0, 4.0] and pooled(hidden, rows)[1].tolist() == [[2, 3], [4, 5]]
    scores = BiaffineHead(2, 4)(hidden, rows)
    assert scores.shape == (2, 3, 2) and (scores[0, 2] == -1e4).all() and (scores[1] > -1e3).all()


def test_sentences_need_heads():
    with pytest.raises(ValueError, match="gold heads"):
        parse(tiny(), [Sentence(id="a", words=("dogs", "sleep"))])
