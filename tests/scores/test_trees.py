"""Decoders against networkx and brute force; scores and baselines against trees worked out by hand."""

from __future__ import annotations

from itertools import product

import networkx as nx
import numpy as np
import pytest

from bertology_utils.data.items import Sentence
from bertology_utils.scores import trees


def is_tree(heads) -> bool:
    return list(heads).count(-1) == 1 and nx.is_arborescence(
        nx.DiGraph([(h, d) for d, h in enumerate(heads) if h >= 0])
    )


def total(scores, heads) -> float:
    return sum(scores[h, d] for d, h in enumerate(heads) if h >= 0)


@pytest.mark.parametrize("seed", range(30))
def test_arborescence_equals_networkx(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    scores, root = rng.random((n, n)), int(rng.integers(n))
    heads = trees.arborescence(scores, root)
    graph = nx.DiGraph()
    graph.add_weighted_edges_from((h, d, scores[h, d]) for h in range(n) for d in range(n) if h != d and d != root)
    best = nx.maximum_spanning_arborescence(graph)
    assert is_tree(heads) and heads[root] == -1
    assert {(h, d) for d, h in enumerate(heads) if h >= 0} == set(best.edges)


def test_arborescence_with_cycles_in_cycles():
    scores = np.zeros((5, 5))
    for h, d, s in ((1, 2, 9), (2, 1, 9), (2, 3, 8), (3, 1, 8.5), (3, 4, 7), (4, 3, 9), (0, 4, 1), (0, 1, 0.5)):
        scores[h, d] = s
    heads = trees.arborescence(scores, 0)
    every = [h for h in product(range(-1, 5), repeat=5) if h[0] == -1 and is_tree(h)]
    assert total(scores, heads) == pytest.approx(max(total(scores, h) for h in every))


def projective(heads) -> bool:
    arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads) if h >= 0]
    if any(a < c < b < e for a, b in arcs for c, e in arcs):
        return False
    root = list(heads).index(-1)
    return not any(a < root < b for a, b in arcs)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_eisner_equals_brute_force(n):
    every = [
        h
        for h in product(range(-1, n), repeat=n)
        if list(h).count(-1) == 1 and (n == 1 or is_tree(h)) and projective(h)
    ]
    for seed in range(6):
        scores = np.random.default_rng(seed).normal(size=(n, n))
        for root in range(n):
            allowed = [h for h in every if h[root] == -1]
            heads = trees.eisner(scores, root)
            assert tuple(heads) in allowed
            assert total(scores, heads) == pytest.approx(max(total(scores, h) for h in allowed))


def test_loud_errors():
    with pytest.raises(ValueError, match="finite"):
        trees.eisner(np.full((3, 3), np.nan), 0)
    with pytest.raises(ValueError, match="root 3"):
        trees.arborescence(np.ones((3, 3)), 3)
    with pytest.raises(ValueError, match="W, W"):
        trees.eisner(np.ones((3, 2)), 0)


def test_uuas_of_a_known_tree():
    gold = np.array([1, 2, -1, 4, 2])  # the dog saw a cat
    assert trees.attached(gold, gold).tolist() == [True] * 4
    chained = trees.chain(5, root=2)
    assert chained.tolist() == [1, 2, -1, 2, 3]
    assert trees.attached(chained, gold).tolist() == [
        True,
        True,
        True,
        False,
    ]  # a-cat the wrong way round, saw-cat missed
    left, right = np.array([1, 2, 3, 4, -1]), np.array([-1, 0, 1, 2, 3])
    assert trees.attached(left, gold).tolist() == trees.attached(right, gold).tolist()


def test_random_trees_are_uniform():
    rng = np.random.default_rng(0)
    drawn = [
        frozenset(frozenset((d, h)) for d, h in enumerate(trees.random_tree(4, 1, rng)) if h >= 0) for _ in range(3200)
    ]
    counts = np.array([drawn.count(t) for t in set(drawn)])
    assert len(counts) == 16 and counts.min() > 140 and counts.max() < 260  # Cayley: 4 ** 2 trees, 200 each
    gold = np.array([1, -1, 1, 2])
    share = np.mean([trees.attached(trees.random_tree(4, 1, rng), gold).mean() for _ in range(2000)])
    assert share == pytest.approx(2 / 4, abs=0.03)  # an edge is in 2 / n of all trees


def test_random_projective_trees():
    rng = np.random.default_rng(0)
    assert all(
        is_tree(h) and projective(h) and h[2] == -1
        for h in (trees.random_projective_tree(6, 2, rng) for _ in range(20))
    )


def test_punctuation_is_taken_out():
    words = ("Yes", ",", "dogs", "sleep", ".")
    sentence = Sentence(id="a", words=words, heads=(1, 3, 3, -1, 3), upos=("INTJ", "PUNCT", "NOUN", "VERB", "PUNCT"))
    keep, heads = trees.without_punctuation(sentence)
    assert keep.tolist() == [0, 2, 3] and heads.tolist() == [2, 2, -1]
    bare = Sentence(id="b", words=("so", "-", "go"), heads=(1, -1, 1))
    keep, heads = trees.without_punctuation(bare)
    assert keep.tolist() == [0, 2] and heads.tolist() == [-1, 0]
