"""Nearest neighbours and clusters on planted senses."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from bertology_utils.vectors import neighbours


def planted(n: int = 30, seed: int = 0):
    rng = np.random.default_rng(seed)
    labels = [f"sense {k % 3}" for k in range(n)]
    centres = np.eye(3, 10) * 5
    return np.stack([centres[k % 3] for k in range(n)]) + 0.3 * rng.standard_normal((n, 10)), labels


@pytest.mark.parametrize("k", [1, 5, 100])
def test_planted_clusters_are_found(k):
    train, labels = planted()
    test, gold = planted(seed=1)
    assert neighbours.nearest(train, labels, test, k) == gold


def test_random_vectors_give_chance():
    rng = np.random.default_rng(0)
    gold = ["a", "b"] * 300
    found = neighbours.nearest(rng.standard_normal((600, 20)), gold, rng.standard_normal((600, 20)))
    assert 0.42 < np.mean([f == g for f, g in zip(found, gold)]) < 0.58


def test_neighbours_vote_by_their_cosine():
    train = np.array([[1.0, 0.0], [0.6, 0.8], [0.6, 0.8]])
    assert neighbours.nearest(train, ["a", "b", "b"], np.array([[1.0, 0.0]]), 1) == ["a"]
    assert neighbours.nearest(train, ["a", "b", "b"], np.array([[1.0, 0.0]]), 3) == ["b"], "1 against 0.6 + 0.6"
    with pytest.raises(ValueError):
        neighbours.nearest(train, ["a"], train)


def test_most_frequent():
    assert neighbours.most_frequent(["x", "y", "y"]) == "y"
    assert neighbours.most_frequent(["x", "y"]) == "x"
    with pytest.raises(ValueError):
        neighbours.most_frequent([])


def test_clusters_and_silhouette():
    vectors, labels = planted()
    assert adjusted_rand_score(labels, neighbours.clusters(vectors, 3)) == 1
    assert neighbours.silhouette(vectors, labels) > 0.8
    shuffled = np.random.default_rng(0).permutation(labels)
    assert abs(neighbours.silhouette(vectors, shuffled)) < 0.15
    assert np.isnan(neighbours.silhouette(vectors, ["a"] * 30)) and np.isnan(neighbours.silhouette(vectors, range(30)))


def test_best_threshold():
    values, labels = [0.1, 0.2, 0.8, 0.9], [False, False, True, True]
    assert neighbours.best_threshold(values, labels) == 0.8
    assert neighbours.best_threshold(values, [False] * 4) == np.inf
    assert neighbours.best_threshold(values, [True] * 4) == 0.1
    rng = np.random.default_rng(0)
    values, labels = rng.integers(0, 8, 50) / 8, rng.random(50) < 0.5
    right = [((values >= t) == labels).sum() for t in [*np.unique(values), np.inf]]
    assert ((values >= neighbours.best_threshold(values, labels)) == labels).sum() == max(right)
