"""Structural probes, description length and distributions at masks, against planted answers."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import torch
from support import tiny

from bertology_utils import probes
from bertology_utils.probes import mdl, structural
from bertology_utils.subject import encode


def random_tree(rng, n):
    """Heads of a random tree: each word but the root takes an earlier word of a random order."""
    order = rng.permutation(n)
    heads = [-1] * n
    for k in range(1, n):
        heads[order[k]] = int(order[rng.integers(0, k)])
    return heads


def planted(rng, heads, size=48, noise=0.02):
    """Vectors whose first coordinates embed the tree: one axis an edge, so squared distance = path length."""
    n = len(heads)
    ancestors = np.zeros((n, size))
    for i in range(n):
        j = i
        while heads[j] >= 0:
            ancestors[i, j] = 1
            j = heads[j]
    return ancestors + noise * rng.normal(size=(n, size))


def test_distances_and_depths_of_a_known_tree():
    heads = (1, -1, 3, 1, 3)
    assert structural.tree_distances(heads)[0].tolist() == [1 * 0, 1, 3, 2, 3]
    assert structural.tree_depths(heads).tolist() == [1, 0, 2, 1, 2]
    with pytest.raises(ValueError, match="not one tree"):
        structural.tree_distances((-1, 2, 1))


def test_removing_words_keeps_a_tree():
    heads = (2, 2, -1, 2, 3)
    assert structural.without(heads, [False, True, False, True, False]) == ([0, 2, 4], [1, -1, 1])
    assert structural.without(heads, [False, False, True, False, False]) == ([0, 1, 3, 4], [-1, 0, 0, 2])


def test_the_spanning_tree_is_networkx_s():
    rng = np.random.default_rng(0)
    for n in (2, 3, 9, 17):
        lengths = rng.random((n, n))
        lengths = lengths + lengths.T
        graph = nx.from_numpy_array(lengths)
        expected = {(min(e), max(e)) for e in nx.minimum_spanning_tree(graph).edges()}
        assert structural.spanning_tree(lengths) == expected
    assert structural.spanning_tree(np.zeros((3, 3))).__len__() == 2


def test_exact_distances_give_the_gold_tree():
    rng = np.random.default_rng(1)
    for n in (2, 6, 14):
        heads = random_tree(rng, n)
        found = structural.spanning_tree(structural.tree_distances(heads))
        assert structural.uuas(found, heads) == 1
        if n > 4:
            assert np.isclose(structural.distance_spearman(structural.tree_distances(heads), heads), 1)
            assert np.isclose(structural.depth_spearman(structural.tree_depths(heads), heads), 1)
            assert structural.root_found(structural.tree_depths(heads), heads)


@pytest.fixture(scope="module")
def forest():
    """Planted trees, rotated into a larger space with strong noise in other directions."""
    rng = np.random.default_rng(2)
    rotation = np.linalg.qr(rng.normal(size=(64, 64)))[0]
    vectors, trees = [], []
    for _ in range(300):
        heads = random_tree(rng, rng.integers(5, 12))
        x = np.concatenate([planted(rng, heads, size=12), 0.5 * rng.normal(size=(len(heads), 52))], 1)
        vectors.append((x @ rotation).astype(np.float32))
        trees.append(heads)
    return vectors, trees


def test_planted_trees_are_recovered(forest):
    vectors, trees = forest
    (probe,) = structural.fit_structural_each([v[None] for v in vectors[:250]], trees[:250], rank=16, epochs=30)
    scores = [
        structural.uuas(structural.spanning_tree(structural.distances(probe, v)), h)
        for v, h in zip(vectors[250:], trees[250:])
    ]
    assert np.mean(scores) > 0.99
    untouched = [
        structural.uuas(structural.spanning_tree(structural.distances(np.eye(64), v)), h)
        for v, h in zip(vectors, trees)
    ]
    assert np.mean(untouched) < 0.8  # without the probe the noise hides the trees
    rho = [structural.distance_spearman(structural.distances(probe, v), h) for v, h in zip(vectors[250:], trees[250:])]
    assert np.nanmean(rho) > 0.95


def test_planted_depths_are_recovered(forest):
    vectors, trees = forest
    options = {"what": "depth", "rank": 16, "epochs": 30}
    (probe,) = structural.fit_structural_each([v[None] for v in vectors[:250]], trees[:250], **options)
    found = [structural.depths(probe, v) for v in vectors[250:]]
    assert np.mean([structural.root_found(d, h) for d, h in zip(found, trees[250:])]) > 0.95
    assert np.mean([structural.depth_spearman(d, h) for d, h in zip(found, trees[250:])]) > 0.85


@pytest.mark.parametrize("what", ["distance", "depth"])
def test_layers_fitted_together_are_fitted_apart(forest, what):
    vectors, trees = forest
    both = [np.stack([v, 3 * v[::-1]]) for v in vectors[:20]]
    found = structural.fit_structural_each(both, trees[:20], what=what, rank=4, epochs=2)
    for k in (0, 1):
        (alone,) = structural.fit_structural_each([v[[k]] for v in both], trees[:20], what=what, rank=4, epochs=2)
        np.testing.assert_allclose(found[k], alone, rtol=1e-3, atol=1e-5)
    assert not np.allclose(found[0], found[1])


def test_trees_of_another_length_than_the_vectors_are_refused():
    with pytest.raises(ValueError, match="2 vectors for a tree of 3"):
        structural.fit_structural_each([np.zeros((1, 2, 4))], [(-1, 0, 0)])


def test_random_labels_cost_the_uniform_code_and_rules_far_less():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(3000, 10))
    rule = np.array(["abcd"[k] for k in (x[:, 0] > 0) * 2 + (x[:, 1] > 0)])
    noise = rng.choice(list("abcd"), 3000)
    easy, hard = (
        mdl.uniform_bits(y) / mdl.online_codes(x[None], y, [1e-3]).mean() for y in (rule, noise)
    )  # compression
    assert easy > 6 and 0.85 < hard < 1.01
    assert mdl.uniform_bits(rule) == 2


def test_groups_are_sent_whole():
    groups = np.repeat(np.arange(10), 7)
    order = mdl._order(70, groups, 0)
    assert (np.diff(groups[order]) != 0).sum() == 9 and sorted(order) == list(range(70))


def test_distributions_at_several_masks_equal_those_of_the_full_model():
    subject = tiny()
    words = [
        ("the", subject.tokenizer.mask_token, "likes", subject.tokenizer.mask_token),
        ("a", subject.tokenizer.mask_token),
    ]
    rows = encode.tokenize(subject, words)
    for i, logs in probes.at_masks(subject, rows, 100):
        with torch.inference_mode():
            full = subject.model(torch.tensor([rows[i].ids])).prediction_logits[0].log_softmax(-1)
        where = [t for t, x in enumerate(rows[i].ids) if x == subject.tokenizer.mask_token_id]
        assert torch.allclose(logs, full[where], atol=1e-4)
