"""Nulls: each gives all that a model gives, and knows of its input what its name says and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny
from two_sentences import CHOICES, FIRST, SECOND, SETTINGS, TREEBANK, data, rng, states

from bertology_utils.attention.maps import maps
from bertology_utils.calibration import nulls
from bertology_utils.data.items import ForcedChoice, MinimalPair, Sentence
from bertology_utils.subject import cloze, encode, perturb


def test_length_decides_for_those_whose_only_trait_it_is():
    pairs = [MinimalPair(id="p", good="the dog sleeps near the tree .", bad="the dog sleeps .")]
    prefer = {
        n: cloze.compare(nulls.NULLS[n].make(data(pairs=pairs), tiny(), rng()), pairs, SETTINGS).difference[0]
        for n in ("shorter", "longer")
    }
    assert prefer["shorter"] < 0 < prefer["longer"]
    per_piece = np.log(len(tiny().tokenizer))
    np.testing.assert_allclose(prefer["shorter"], -3 * per_piece, rtol=1e-4)


def test_the_nearest_noun_decides_for_nearest():
    subject = nulls.NULLS["nearest"].make(data(agreement=CHOICES), tiny(), rng())
    assert (cloze.choose(subject, CHOICES, SETTINGS) > 0).tolist() == [True, False, True, False]


def test_frequency_prefers_the_commoner_form_whatever_the_gap():
    items = [
        *CHOICES,
        *(ForcedChoice(id=f"d{k}", text=f"{w} is [MASK] .", good="is", bad="are") for k, w in enumerate(("he", "she"))),
    ]
    lead = cloze.choose(nulls.NULLS["frequency"].make(data(agreement=items), tiny(), rng()), items, SETTINGS)
    assert lead[0] > 0 > lead[1] and lead[0] == pytest.approx(-lead[1], abs=1e-3)


def test_layer_0_hands_the_embeddings_on():
    found, real = states(nulls.NULLS["layer 0"].make(TREEBANK, tiny(), rng()), FIRST), states(tiny(), FIRST)
    for layer in found:
        np.testing.assert_allclose(layer[:, :32], real[0], atol=1e-5)


def test_layer_0_has_segments_too():
    pair = dict(words=[SECOND.words], others=[FIRST.words])
    of = lambda s: dict(encode.hidden_states(s, pair["words"], second=pair["others"], settings=SETTINGS))[0]  # noqa: E731
    np.testing.assert_allclose(
        of(nulls.NULLS["layer 0"].make(TREEBANK, tiny(), rng()))[0][:, :32], of(tiny())[0], atol=1e-5
    )


def test_positions_know_nothing_of_words():
    subject = nulls.NULLS["positions"].make(TREEBANK, tiny(), rng())
    other = Sentence(id="s3", words=("a", "walked", "man", "in", "a", "house", "runs"))
    np.testing.assert_allclose(states(subject, FIRST)[:, :4], states(subject, other)[:, :4], atol=0.02)
    near = perturb.impact(subject, FIRST.words, SETTINGS)
    away = np.abs(np.subtract.outer(np.arange(7), np.arange(7)))
    np.testing.assert_allclose(near, np.where(away, 1 / (1 + away), 0), atol=0.02)


def test_words_know_nothing_of_positions():
    subject = nulls.NULLS["bag of words"].make(TREEBANK, tiny(), rng())
    found = states(subject, FIRST)
    np.testing.assert_allclose(found[:, 0], found[:, 4], atol=1e-6)  # "the" twice


@pytest.mark.parametrize("name", list(nulls.NULLS))
def test_every_null_gives_all_that_a_model_gives(name):
    source = data(treebank=[FIRST, SECOND], agreement=CHOICES)
    subject = nulls.NULLS[name].make(source, tiny(), rng())
    assert (subject.n_layers, subject.n_heads) == (3, 4) and not any(m.training for m in subject.model.modules())
    found = states(subject, FIRST)
    assert found.shape == (4, 7, subject.hidden_size) and np.isfinite(found).all()
    (batch,) = maps(subject, [FIRST.words], settings=SETTINGS)
    assert batch.weights.shape == (1, 3, 4, 9, 9)
    np.testing.assert_allclose(batch.weights.sum(-1).numpy(), 1, atol=1e-5)
    assert np.isfinite(cloze.choose(subject, CHOICES, SETTINGS)).all() and len(subject.sha256) == 64
    assert nulls.NULLS[name].says
    twin = subject.twin(3)
    assert (twin.n_layers, twin.n_heads, twin.hidden_size) == (3, 4, 32)
