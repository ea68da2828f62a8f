"""Mixtures of heads: heads that share a relation are found, and a mixture of one head is that head."""

from __future__ import annotations

import numpy as np
import pandas as pd
from support import tiny

from bertology_utils.attention import mixtures, relations


def test_mixture_finds_the_heads_that_share_a_relation():
    """Two of four heads each know half of the targets and are even on the other half; together they know all."""
    rng = np.random.default_rng(0)
    n, width = 300, 8
    target = rng.integers(0, width, n)
    scores = rng.dirichlet(np.full(width, 5.0), (n, 4)).astype(np.float32)  # (n, 4, W)
    scores[:, :2] = 1 / width
    for i in range(n):
        scores[i, i % 2] = 0.1 / (width - 1)
        scores[i, i % 2, target[i]] = 0.9
    hits = scores.argmax(-1) == target[:, None]
    known = mixtures.Tally(scores[np.arange(n), :, target], scores.sum(-1), np.full(n, width), hits)
    weights = mixtures.mixture(known.of(np.arange(n) < 200))
    assert weights[:2].min() > 3 * weights[2:].max()
    mixed = (weights @ scores[200:]).argmax(-1) == target[200:]
    assert mixed.mean() > hits[200:].mean(0).max() + 0.3
    even = mixtures.mixture(known, weights=np.where(np.arange(n) % 2 == 0, 1, 0))
    assert even[0] > 5 * even[1], "only the queries that count are learnt from"


def test_a_mixture_of_one_head_is_that_head():
    sentences = [["the", "dog", "sees", "a", "cat", "."], ["he", "runs"]]
    queries = pd.DataFrame({"sentence": [0, 1], "query": [4, 0], "target": [2, 1]})
    found = mixtures.tally(tiny(), sentences, queries)
    assert found.right.shape == (2, 24) and found.words.tolist() == [5, 1]
    assert (found.right <= found.total + 1e-6).all() and found.hits[1].all(), "of one word the answer is that word"
    hits = relations.score(tiny(), sentences, queries, both_ways=True)
    np.testing.assert_array_equal(found.hits, hits)
    alone = mixtures.mixed_hits(tiny(), sentences, queries, np.zeros(2, int), np.eye(24)[None])  # (24, 2)
    np.testing.assert_array_equal(alone.T, hits)
