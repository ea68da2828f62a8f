"""Profiles, peaks, mixtures and cumulative scores against planted answers."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny

from bertology_utils.data.items import Sentence
from bertology_utils.probes import from_sentences, gather, mixtures
from bertology_utils.scores import profiles
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=300)


def items(chance, n=400, seed=0):
    """Right and wrong (layers, n) with the given chances."""
    return np.random.default_rng(seed).random((len(chance), n)) < np.asarray(chance)[:, None]


def profile(chance, **options):
    right = items(chance, **options)
    return profiles.Profile.of(right, np.arange(right.shape[1]), SETTINGS)


def test_a_peak_in_the_middle_is_found_and_lies_inside():
    found = profile([0.2, 0.5, 0.9, 0.5, 0.3])
    assert found.best == 2 and found.peak() == (2.0, 1.5, 2.5) and found.depth == 4
    rows = profiles.peak_rows(found, [0, 0, 1, 0, 0], task="t")
    by = {(r["measure"], r.get("layer")): r for r in rows}
    assert by["best layer / depth", None]["value"] == 0.5
    assert by["inner - last layer", 2]["low"] > 0.4 and by["inner - layer 0", 2]["low"] > 0.5
    assert by["accuracy", 3]["value"] == found.value[3] and len(rows) == 5 + 4


def test_equal_layers_leave_the_peak_open():
    low, high = profile([0.7] * 5).peak()[1:]
    assert high - low >= 3


def test_leads_are_paired():
    right = items([0.5, 0.5])
    right[1] = right[0]
    same = profiles.Profile.of(right, np.arange(right.shape[1]), SETTINGS)
    value, low, high = same.lead(0, 1)
    assert value == 0 and -0.02 < low < 0 < high < 0.02  # 400 items without an exception, not certainty
    assert low == pytest.approx(-high)


def test_items_of_one_group_are_drawn_together():
    right = np.tile([[1.0, 0.0], [0.0, 1.0]], (1, 1)).repeat(50, 1)  # 50 items each of two sentences
    loose, tied = (profiles.Profile.of(right, g, SETTINGS) for g in (np.arange(100), np.repeat([0, 1], 50)))
    assert np.ptp(tied.scores()[0][1:]) > 0.9 > 4 * np.ptp(loose.scores()[0][1:])  # two units say next to nothing


def test_inner_layers_exclude_both_ends():
    assert profiles.inner([9, 1, 3, 2, 9]) == 2
    with pytest.raises(ValueError, match="1 layer"):
        profiles.inner([0.1, 0.2])


def test_expected_layer_of_a_single_step_and_none_without_a_gain():
    value, drawn = profile([0.2, 0.2, 0.2, 0.9], n=2000).expected()
    assert abs(value - 3) < 0.1 and np.nanpercentile(drawn, 2.5) < value < np.nanpercentile(drawn, 97.5)
    flat, drawn = profile([0.5, 0.5, 0.5]).expected()
    assert np.isnan(flat) and np.isnan(drawn).all()


def test_profiles_of_two_depths_correlate_when_one_is_the_other_stretched():
    short, long = profile([0.1, 0.5, 0.9]), profile([0.1, 0.3, 0.5, 0.7, 0.9], seed=1)
    assert profiles.correlate(short, long)[1].min() > 0.9
    assert profiles.correlate(short, profile([0.9, 0.5, 0.1]))[1].max() < -0.9


def planted(layer, n=300, size=6, depth=4, seed=0):
    """Vectors (depth, n, size) of noise in which one layer alone tells the label."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["a", "b", "c"], n)
    x = rng.normal(size=(depth, n, size))
    x[layer, :, :3] += 6 * (labels[:, None] == np.array(["a", "b", "c"]))
    return x.astype(np.float32), labels


@pytest.mark.parametrize("layer", [0, 2, 3])
def test_the_mixture_finds_the_layer_that_tells(layer):
    x, labels = planted(layer)
    mixture = mixtures.fit_mixture(x[:, :200], labels[:200])
    assert mixture.weights.sum() == pytest.approx(1) and mixture.weights.argmax() == layer
    assert (mixture.predict(x[:, 200:]) == labels[200:]).mean() > 0.95
    assert abs(mixture.centre_of_gravity - layer) < 0.5 and mixture.kl > 0.5


def test_equal_layers_are_mixed_evenly():
    x, labels = planted(0, depth=1)
    mixture = mixtures.fit_mixture(np.repeat(x, 4, 0), labels)
    assert np.allclose(mixture.weights, 0.25) and mixture.kl == pytest.approx(0, abs=1e-6)


def test_layers_that_all_tell_share_the_weight_and_what_says_nothing_stays_even():
    copies = [planted(0, depth=1, seed=0)[0], planted(0, depth=1, seed=0)[0]]
    x, labels = planted(0, depth=3)
    both = np.concatenate([*copies, x[1:]])  # two layers tell alike, two are noise
    weights = mixtures.fit_mixture(both, labels).weights
    assert abs(weights[0] - weights[1]) < 0.01 and weights[:2].sum() > 0.7
    noise = np.random.default_rng(1).normal(size=(4, 300, 6)).astype(np.float32)
    assert mixtures.fit_mixture(noise, labels, l2=1.0).kl < 0.05
    sure, even = (mixtures.fit_mixture(x, labels, even=e) for e in (1e-4, 1.0))
    assert even.kl < 0.1 < sure.kl and sure.log_loss(x, labels) < even.log_loss(x, labels)


def test_an_interval_of_refits_lies_around_the_value():
    refits = np.random.default_rng(0).normal(3, 1, 400)
    value, low, high = profiles.by_refits(3.2, refits)
    assert value == 3.2 and (low + high) / 2 == pytest.approx(3.2) and high - low == pytest.approx(2 * 1.97, rel=0.1)
    assert np.isnan(profiles.by_refits(1.0, [1.0])[1])


def test_rows_that_count_nothing_do_not_matter():
    x, labels = planted(1)
    wrong = labels.copy()
    wrong[150:] = np.roll(labels[150:], 1)
    counts = np.arange(300) < 150
    some, all_wrong = (mixtures.fit_mixture(x, wrong, counts=c) for c in (counts, None))
    assert (some.predict(x) == labels).mean() > 0.95 > (all_wrong.predict(x)[150:] == wrong[150:]).mean()
    with pytest.raises(ValueError, match="do not go together"):
        mixtures.fit_mixture(x, labels[:5])


def test_settling_layers():
    predicted = np.array([["a", "b", "b", "a"], ["b", "b", "b", "b"], ["b", "b", "a", "b"], ["b", "b", "b", "a"]])
    assert mixtures.settled(predicted).tolist() == [1, 0, 3, 3]


def test_cumulative_scores_of_word_identity_gain_nothing_above_the_embeddings():
    words = ["dog", "cat", "key", "man"]
    rng = np.random.default_rng(0)
    sentences = [
        Sentence(
            id=str(i),
            split=("train", "test", "dev", "train", "test")[i % 5],
            words=("the", w := str(rng.choice(words)), "sleeps"),
            upos=("X", w, "X"),
        )
        for i in range(80)
    ]
    targets = from_sentences(sentences, lambda s: [(s.upos[1], 1)])
    x = gather(tiny(), targets, settings=SETTINGS)
    found = mixtures.cumulative(x, targets, SETTINGS, refits=2)
    assert found.right.shape == (tiny().n_layers + 1, 32) and found.right.all()
    assert (found.settled == 0).all() and np.isnan(found.profile.expected()[0])
    assert len(found.resampled) == 2 and found.mixture.weights.shape == (tiny().n_layers + 1,)
    assert mixtures.cumulative(x, targets, SETTINGS, curve=False).right.shape == (1, 32)
