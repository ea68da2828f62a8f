"""Profiles, zones, fits on several parts, and mixtures against planted answers."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny

from bertology_utils.data.items import Sentence
from bertology_utils.probes import from_sentences, gather, mixtures
from bertology_utils.scores import cumulative, profiles
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=300)


def items(chance, n=400, seed=0):
    """Right and wrong (layers, n) with the given chances."""
    return np.random.default_rng(seed).random((len(chance), n)) < np.asarray(chance)[:, None]


def profile(chance, **options):
    right = items(chance, **options)
    return profiles.Profile.of(right, np.arange(right.shape[1]), SETTINGS)


def test_a_peak_in_the_middle_is_found_and_beats_both_sides():
    found = profile([0.2, 0.5, 0.9, 0.5, 0.3])
    assert found.best == 2 and found.peak() == (2.0, 1.5, 2.5) and found.depth == 4
    by = {(r["measure"], r.get("layer")): r for r in profiles.curve_rows(found, task="t")}
    assert by["best layer / depth", None]["value"] == 0.5 and by["accuracy", 3]["value"] == found.value[3]
    baseline = profiles.Profile.of(items([0.4], seed=5), np.arange(400), SETTINGS)
    rows = {r["measure"]: r for r in profiles.middle_rows(found, [0, 0, 1, 0, 0], {"chance": baseline})}
    assert rows["middle - low"]["low"] > 0.6 and rows["middle - high"]["low"] > 0.5
    assert 0.4 < rows["middle - chance"]["low"] < 0.5 < rows["middle - chance"]["high"] < 0.6  # .9 less .4
    assert {r["layer"] for r in rows.values()} == {2}
    least = min((r for m, r in rows.items() if m != "middle - best other"), key=lambda r: r["value"])
    assert rows["middle - best other"]["value"] == least["value"] == rows["middle - chance"]["value"]


def test_a_peak_right_above_the_embeddings_is_not_the_middle():
    rows = profiles.middle_rows(profile([0.5, 0.9] + [0.6] * 7), [0, 1, *[0] * 7])
    assert all(r["high"] < 0 for r in rows if r["measure"] in ("middle - low", "middle - best other"))


def test_zones_of_the_stack():
    assert profiles.zones(12) == {"low": [0, 1, 2], "middle": list(range(3, 11)), "high": [11, 12]}
    assert profiles.zones(2) == {"low": [0], "middle": [1], "high": [2]}
    assert profiles.thirds(12) == ([0, 1, 2, 3, 4], list(range(5, 13)))
    assert profiles.storeys(8)["semantic"]["high - rest"] == ([6, 7, 8], [0, 1, 2, 3, 4, 5])
    with pytest.raises(ValueError, match=r"1 layer\(s\)"):
        profiles.zones(1)


def test_of_equal_layers_the_lowest_is_taken():
    assert profiles.best_in([0.5, 0.7, 0.70001, 0.2], [0, 1, 2]) == 1


def test_fits_on_other_data_widen_the_interval_and_pair():
    rng = np.random.default_rng(0)
    base = rng.random((3, 300)) < 0.7
    alike = np.stack([base] * 4)
    unlike = np.stack([base ^ (rng.random(base.shape) < flip) for flip in (0.0, 0.1, 0.2, 0.3)])
    narrow, wide = (profiles.Profile.of(x, np.arange(300), SETTINGS).scores()[0] for x in (alike, unlike))
    assert narrow[2] - narrow[1] < 0.12 < wide[2] - wide[1]
    one, two = (profiles.Profile.of(x, np.arange(300), SETTINGS) for x in (unlike, unlike + 0.1))
    assert np.allclose(two.draws - one.draws, 0.1)  # the same fits' noise in both
    single, same = (profiles.Profile.of(x, np.arange(300), SETTINGS) for x in (base, alike))
    assert np.allclose(single.draws, same.draws)


def test_training_noise_has_students_width():
    fits = np.random.default_rng(0).normal(0, 1, 4)
    drawn = profiles.training_noise(fits, 200_000, 0)
    half = (np.percentile(drawn, 97.5) - np.percentile(drawn, 2.5)) / 2
    assert half == pytest.approx(3.182 * fits.std(ddof=1) / 2, rel=0.02)
    assert np.isnan(profiles.over_fits([1.0], SETTINGS)[1])
    value, low, high = profiles.over_fits(fits, SETTINGS)
    assert value == pytest.approx(fits.mean()) and low < value < high


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


def planted(layer, n=300, size=6, depth=4, seed=0):
    """Vectors (depth, n, size) of noise in which one layer alone tells the label."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(["a", "b", "c"], n)
    x = rng.normal(size=(depth, n, size))
    x[layer, :, :3] += 6 * (labels[:, None] == np.array(["a", "b", "c"]))
    return x.astype(np.float32), labels


def mixed(x, labels, even=1e-3, **options):
    (mixture,) = mixtures.fit_mixtures(x, labels, [len(x)], [even], **options)
    return mixture


@pytest.mark.parametrize("layer", [0, 2, 3])
def test_the_mixture_finds_the_layer_that_tells(layer):
    x, labels = planted(layer)
    mixture = mixed(x[:, :200], labels[:200])
    assert mixture.weights.sum() == pytest.approx(1) and mixture.weights.argmax() == layer
    assert (mixture.predict(x[:, 200:]) == labels[200:]).mean() > 0.95
    assert abs(mixture.centre_of_gravity - layer) < 0.5 and mixture.kl > 0.5


def test_equal_layers_are_mixed_evenly():
    x, labels = planted(0, depth=1)
    mixture = mixed(np.repeat(x, 4, 0), labels)
    assert np.allclose(mixture.weights, 0.25) and mixture.kl == pytest.approx(0, abs=1e-6)


def test_layers_that_all_tell_share_the_weight_and_what_says_nothing_stays_even():
    copies = [planted(0, depth=1, seed=0)[0], planted(0, depth=1, seed=0)[0]]
    x, labels = planted(0, depth=3)
    both = np.concatenate([*copies, x[1:]])  # two layers tell alike, two are noise
    weights = mixed(both, labels).weights
    assert abs(weights[0] - weights[1]) < 0.01 and weights[:2].sum() > 0.7
    noise = np.random.default_rng(1).normal(size=(4, 300, 6)).astype(np.float32)
    assert mixed(noise, labels, l2=1.0).kl < 0.05
    sure, even = (mixed(x, labels, even=e) for e in (1e-4, 1.0))
    assert even.kl < 0.1 < sure.kl and sure.log_loss(x, labels) < even.log_loss(x, labels)


def test_vectors_and_labels_of_different_number_are_refused():
    x, labels = planted(1)
    with pytest.raises(ValueError, match="do not go together"):
        mixed(x, labels[:5])


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
    found = mixtures.cumulative(x, targets, SETTINGS)
    assert found.right.shape == (tiny().n_layers + 1, 32) and found.right.all()
    assert (found.settled == 0).all() and np.isnan(cumulative.expected(found.profile)[0])
    assert found.mixture.weights.shape == (tiny().n_layers + 1,)


def test_vectors_that_are_all_alike_give_the_shares_of_the_labels():
    labels = np.array(["a"] * 30 + ["b"] * 10)
    mixture = mixed(np.ones((3, 40, 5)), labels)
    assert set(mixture.predict(np.ones((3, 4, 5)))) == {"a"}
    expected = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert mixture.log_loss(np.ones((3, 40, 5)), labels) == pytest.approx(expected, abs=1e-3)
