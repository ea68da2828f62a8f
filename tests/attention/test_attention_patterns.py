"""Patterns: pure maps are told apart, whatever their size; padding changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils.attention.patterns import (
    FEATURES,
    PATTERNS,
    classifier,
    classify,
    features,
    gallery,
    generate,
    generated,
    labelled,
)
from bertology_utils.settings import Settings


def pure(pattern, size, split):
    map_ = np.zeros((size, size))
    if pattern in ("vertical", "vertical + diagonal"):
        map_[:, size - 1] += 1
    if pattern in ("diagonal", "vertical + diagonal"):
        map_[np.arange(size), np.maximum(np.arange(size) - 1, 0)] += 1
    if pattern == "block":
        map_[:split, :split] = map_[split:, split:] = 1
    if pattern == "heterogeneous":
        map_ = np.random.default_rng(size).dirichlet(np.full(size, 0.2), size)
    return map_ / map_.sum(1, keepdims=True)


def seen(map_, split, pad=0):
    size = len(map_)
    padded = torch.zeros(1, 1, size + pad, size + pad, dtype=torch.float64)
    padded[0, 0, :size, :size] = torch.from_numpy(map_)
    place = torch.arange(size + pad)[None]
    return features(padded, place < size, (place >= split).long())[0, 0].numpy()


@pytest.mark.parametrize("size", [10, 24, 50])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_pure_maps_have_their_pattern(pattern, size):
    label = classifier().predict([seen(pure(pattern, size, size // 2), size // 2)])[0]
    assert PATTERNS[label] == pattern


def test_an_even_map_is_heterogeneous():
    assert PATTERNS[classifier().predict([seen(np.full((20, 20), 1 / 20), 10)])[0]] == "heterogeneous"


def test_known_features():
    vertical, diagonal = (seen(pure(p, 20, 10), 10) for p in ("vertical", "diagonal"))
    assert vertical[0] == pytest.approx(1) and vertical[2] == pytest.approx(0)  # one column has it all
    assert vertical[9] == pytest.approx(1)  # every row is the same
    assert diagonal[3] == pytest.approx(1) and diagonal[4] == pytest.approx(1)
    block = seen(pure("block", 20, 10), 10)
    assert block[5] == pytest.approx(1) and block[6] == pytest.approx(1)
    assert seen(np.full((20, 20), 1 / 20), 10)[7] == pytest.approx(1)  # entropy at its largest


def test_padding_changes_nothing():
    map_ = generate("block", 15, 6, np.random.default_rng(1))
    np.testing.assert_allclose(seen(map_, 6), seen(map_, 6, pad=7), atol=1e-12)


def test_unseen_generated_maps_are_told_apart_and_are_maps():
    x, y = generated(60, seed=99)
    right = classifier().predict(x) == y
    assert right.mean() > 0.9
    assert all(right[y == k].mean() > 0.8 for k in range(5))
    rng = np.random.default_rng(0)
    for pattern in PATTERNS:
        np.testing.assert_allclose(generate(pattern, 12, 5, rng).sum(1), 1)


def test_the_classifier_agrees_with_the_eye_on_maps_it_was_not_adapted_to():
    """Labels given from pictures of maps of mini and of the real BERT; chance agreement taken off (Cohen's kappa)."""
    x, y, inputs = labelled("test")
    assert x.shape == (110, len(FEATURES)) and len(set(inputs)) > 20 and set(y) == set(range(5))
    found = classifier().predict(x)
    right = (found == y).mean()
    chance = sum((y == k).mean() * (found == k).mean() for k in range(5))
    assert right > 0.7 and (right - chance) / (1 - chance) > 0.5
    for pattern in ("vertical", "heterogeneous"):
        k = PATTERNS.index(pattern)
        assert abs((found == k).mean() - (y == k).mean()) < 0.1, "shares are what the claim speaks of"


def test_labels_of_heads_do_not_depend_on_the_batch():
    first = [["the", "dog", "sleeps", "."], ["he", "likes", "old", "houses"], ["she", "runs"]]
    second = [["it", "is", "small"], ["they", "see", "."], ["a", "bird", "sees", "the", "big", "cat", "."]]
    labels = classify(tiny(), first, second, settings=Settings())
    assert labels.shape == (3, tiny().n_layers, tiny().n_heads)
    np.testing.assert_array_equal(labels, classify(tiny(), first, second, settings=Settings(batch_tokens=1)))
    assert classify(tiny(), first, second, norms=True, settings=Settings()).shape == labels.shape


def test_the_gallery_shows_maps_of_the_subject():
    examples = gallery(tiny(), ["the", "dog", "sleeps", "."], ["it", "is", "small"], settings=Settings())
    assert examples and {e.pattern for e in examples} <= set(PATTERNS)
    for e in examples:
        assert e.tokens == ["[CLS]", "the", "dog", "sleeps", ".", "[SEP]", "it", "is", "small", "[SEP]"]
        np.testing.assert_allclose(e.map.sum(1), 1, atol=1e-5)
