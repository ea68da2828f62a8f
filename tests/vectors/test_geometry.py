"""Geometry, pooling and graded similarity against analytic answers."""

from __future__ import annotations

import gc
import tracemalloc
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.decomposition import PCA
from support import tiny

from bertology_utils.scores.intervals import counts
from bertology_utils.settings import Settings
from bertology_utils.subject.encode import hidden_states
from bertology_utils.vectors import geometry, pooling, similarity

RNG = np.random.default_rng(0)
SENTENCES = [
    ["the", "dog", "sees", "the", "man", "."],
    ["the", "man", "likes", "cats", "."],
    ["a", "dog", "walked", "unable", "."],
    ["she", "likes", "the", "unable", "dog"],
]


def test_an_isotropic_gaussian_has_no_cone():
    cosine = geometry.mean_cosine(RNG.standard_normal((1500, 3, 64)))
    assert cosine.shape == (3,) and np.abs(cosine).max() < 3e-3


def test_a_constant_vector_is_all_cone():
    constant = np.tile(RNG.standard_normal(16), (10, 1))
    assert geometry.mean_cosine(constant) == pytest.approx(1)
    assert geometry.mean_cosine(constant * RNG.uniform(1, 5, (10, 1))) == pytest.approx(1), "length does not matter"


def test_a_known_mean_gives_the_known_cosine():
    """Unit noise around a mean of length m in d dimensions: expected cosine about m^2 / (m^2 + d)."""
    d, m = 400, 20.0
    vectors = RNG.standard_normal((2000, d))
    vectors[:, 0] += m
    assert geometry.mean_cosine(vectors) == pytest.approx(m**2 / (m**2 + d), abs=0.005)


def test_mean_cosine_is_the_mean_over_pairs():
    vectors = RNG.standard_normal((7, 2, 5))
    pairs = [(geometry.unit(vectors[i]) * geometry.unit(vectors[j])).sum(-1) for i, j in combinations(range(7), 2)]
    np.testing.assert_allclose(geometry.mean_cosine(vectors), np.mean(pairs, 0))
    with pytest.raises(ValueError):
        geometry.mean_cosine(vectors[:1])


def test_resampled_cosines_leave_out_an_item_with_itself():
    vectors = RNG.standard_normal((6, 2, 5))
    u = geometry.unit(vectors)
    counts = np.array([[1] * 6, [2, 1, 1, 1, 1, 0]])
    got = geometry.mean_cosine_draws(vectors, counts)
    np.testing.assert_allclose(got[0], geometry.mean_cosine(vectors))
    drawn = [0, 0, 1, 2, 3, 4]
    pairs = [(u[i] * u[j]).sum(-1) for i in drawn for j in drawn if i != j]
    np.testing.assert_allclose(got[1], np.mean(pairs, 0))


def test_explained_variance():
    line = np.outer([1.0, -2.0, 3.0], RNG.standard_normal(8))
    assert geometry.explained_variance(line) == pytest.approx(1)
    assert geometry.explained_variance(np.tile(line[:1], (4, 1))) == pytest.approx(1), "identical vectors too"
    assert geometry.explained_variance(np.eye(4, 9) * 3) == pytest.approx(1 / 4)
    wide, tall = RNG.standard_normal((5, 2, 30)), RNG.standard_normal((30, 2, 5))
    for vectors in (wide, tall):
        for layer in range(2):
            s = np.linalg.svd(vectors[:, layer], compute_uv=False) ** 2
            assert geometry.explained_variance(vectors)[layer] == pytest.approx(s[0] / s.sum())


def test_all_but_the_top_is_what_principal_components_leave():
    vectors = RNG.standard_normal((500, 300)) * np.arange(1, 301)
    pca = PCA(3).fit(vectors)
    np.testing.assert_allclose(
        geometry.all_but_the_top(vectors),
        vectors - pca.mean_ - pca.transform(vectors) @ pca.components_,
        atol=1e-9,
    )
    cone = RNG.standard_normal((500, 100))
    cone[:, 0] += 30 + 30 * RNG.standard_normal(500)
    assert geometry.mean_cosine(cone) > 0.3
    assert abs(geometry.mean_cosine(geometry.all_but_the_top(cone))) < 0.01, "one direction of a hundred by default"


def test_plane_keeps_distances_of_planar_points():
    flat = RNG.standard_normal((20, 2))
    turned = flat @ np.linalg.qr(RNG.standard_normal((9, 9)))[0][:2]
    xy = geometry.plane(turned)
    pairs = list(combinations(range(20), 2))
    np.testing.assert_allclose(
        [np.linalg.norm(xy[i] - xy[j]) for i, j in pairs], [np.linalg.norm(flat[i] - flat[j]) for i, j in pairs]
    )
    np.testing.assert_allclose(geometry.plane(turned), xy)


def test_sample_takes_different_sentences_and_enough_of_them():
    sentences = [["the", "cat", "the", "dog", str(k)] for k in range(20)] + [["rare", "."]]
    found = geometry.sample(sentences, contexts=5, seed=1)
    assert sorted(found) == ["cat", "dog", "the"], "too rare, or no letters"
    for word, places in found.items():
        assert len({s for s, _ in places}) == 5 and all(sentences[s][at] == word for s, at in places)
    assert {at for _, at in found["the"]} == {0}, "the first in a sentence"
    assert geometry.sample(sentences, contexts=5, seed=1) == found
    assert len(geometry.sample(sentences, words=2)) == 2
    spread = {geometry.sample(sentences, seed=s)["cat"][0][0] for s in range(200)}
    assert len(spread) == 20, "every sentence may be drawn"


def test_collect_is_the_vector_at_the_place():
    subject = tiny()
    places = [(2, 3), (0, 1), (2, 1)]
    got = geometry.collect(subject, SENTENCES, places)
    states = dict(hidden_states(subject, SENTENCES))
    np.testing.assert_allclose(got, [states[s][:, at] for s, at in places], atol=1e-5)
    with pytest.raises(ValueError):
        geometry.collect(subject, SENTENCES, [])


def test_a_word_in_identical_contexts_is_like_itself():
    got = geometry.collect(tiny(), [SENTENCES[0]] * 3, [(k, 1) for k in range(3)])
    np.testing.assert_allclose(geometry.mean_cosine(got), 1, atol=1e-5)


def test_intra_sentence_similarity():
    subject = tiny()
    got = dict(geometry.intra_sentence(subject, SENTENCES))
    states = dict(hidden_states(subject, SENTENCES))
    for i, s in states.items():
        for layer, value in enumerate(got[i]):
            vectors = s[layer]
            middle = vectors.mean(0)
            expected = np.mean([v @ middle / np.linalg.norm(v) / np.linalg.norm(middle) for v in vectors])
            assert value == pytest.approx(expected, abs=1e-5)
    (only,) = (v for _, v in geometry.intra_sentence(subject, [["dog"]]))
    np.testing.assert_allclose(only, 1, atol=1e-6)


def _peak(n: int) -> int:
    """Bytes allocated at most while n sentences stream by (cyclic garbage is collected: it is not kept)."""
    settings = Settings(batch_tokens=256)
    stream = ([*SENTENCES[k % 4][:4], "dog"] for k in range(n))
    tracemalloc.start()
    for k, _ in enumerate(geometry.intra_sentence(tiny(), stream, settings)):
        if k % 64 == 0:
            gc.collect()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_does_not_grow_with_the_corpus(monkeypatch):
    from bertology_utils.subject import encode

    monkeypatch.setattr(encode.windows, "__defaults__", (32,))
    _peak(32)  # imports and caches
    assert _peak(384) < 1.3 * _peak(96)


def test_sentence_vectors_are_what_their_names_say():
    subject = tiny()
    made = dict(pooling.sentence_vectors(subject, SENTENCES))
    states = dict(hidden_states(subject, SENTENCES, pool=None))
    for i, vectors in made.items():
        assert set(vectors) == set(pooling.sentence_poolings(subject.n_layers))
        inner = states[i][:, 1:-1]
        np.testing.assert_allclose(vectors[pooling.CLS], states[i][-1, 0], atol=1e-5)
        np.testing.assert_allclose(vectors["mean, layer 1"], inner[1].mean(0), atol=1e-5)
        np.testing.assert_allclose(vectors["max, last layer"], inner[-1].max(0), atol=1e-5)
        np.testing.assert_allclose(vectors["mean, all layers averaged"], inner.mean((0, 1)), atol=1e-5)
        assert vectors["mean, last four layers side by side"].shape == (4 * subject.hidden_size,)


def test_static_vectors_pool_pieces_then_contexts():
    subject = tiny()
    places = {"dog": [(0, 1), (2, 1), (3, 4)], "unable": [(2, 3), (3, 3), (2, 3)]}
    got = pooling.static_vectors(subject, SENTENCES, places, sizes=(1, 3))
    states = dict(hidden_states(subject, SENTENCES))
    contexts = np.stack([states[s][:, at] for s, at in places["dog"]])
    np.testing.assert_allclose(got.means[1, 0], contexts.mean(0), atol=1e-5)
    np.testing.assert_allclose(got.means[0, 0], contexts[0], atol=1e-5)
    for k, extreme in enumerate((np.mean, np.min, np.max)):
        np.testing.assert_allclose(got.pooled[0, k, 0], extreme(contexts, 0), atol=1e-5)
        np.testing.assert_allclose(
            got.pooled[3, k, 0], extreme(contexts, 0), atol=1e-5, err_msg="one piece: last = mean"
        )
    pieces = dict(hidden_states(subject, SENTENCES, pool=None))  # "un ##able" is pieces 4 and 5 of sentence 2
    apart = pieces[2][:, 1:-1]
    width = apart.shape[1] - 5  # the pieces of "walked" and "unable" together, beside "a", "dog" and "."
    assert width >= 2 and not np.allclose(got.pooled[0, 0, 1], got.pooled[1, 0, 1]), "pieces differ"
    assert np.all(got.pooled[1] <= got.pooled[2] + 1e-6)
    with pytest.raises(ValueError, match="dog"):
        pooling.static_vectors(subject, SENTENCES, {"dog": [(0, 1)]}, sizes=(2,))


def test_isolated_words():
    got = pooling.isolated(tiny(), ["dog", "unable"])
    alone = dict(hidden_states(tiny(), [["unable"]]))[0]
    np.testing.assert_allclose(got[1], alone[:, 0], atol=1e-5)


def test_rank_correlations_are_spearmans():
    gold = RNG.integers(0, 5, 40).astype(float)
    scores = np.stack([gold + RNG.standard_normal(40), -gold, np.ones(40)], 1)
    got = similarity.rank_correlations(gold, scores)
    assert got[0] == pytest.approx(spearmanr(gold, scores[:, 0]).statistic)
    assert got[1] == pytest.approx(-1) and np.isnan(got[2])


def test_weighted_ranks_are_those_of_repeated_items():
    gold = RNG.integers(0, 5, 40).astype(float)
    scores = np.stack([gold + RNG.standard_normal(40), -gold, RNG.integers(0, 3, 40).astype(float)], 1)
    weights = counts(40, 30, 0)
    drawn = similarity.rank_correlation_draws(gold, scores, weights)
    assert drawn.shape == (30, 3) and drawn[:, 1] == pytest.approx(-1)
    for w, got in zip(weights.astype(int), drawn):
        index = np.repeat(np.arange(40), w)
        assert got[0] == pytest.approx(spearmanr(gold[index], scores[index, 0]).statistic)
        assert got[2] == pytest.approx(spearmanr(gold[index], scores[index, 2]).statistic)
    with pytest.raises(ValueError, match="weights"):
        similarity.rank_correlation_draws(gold, scores, weights[:, 1:])


def test_pairs_count_by_their_words_and_sentences_by_what_they_share():
    a, b = [0, 0, 2], [1, 2, 3]
    words = counts(4, 50, 3)
    weights = similarity.word_weights(a, b, draws=50, seed=3)
    np.testing.assert_array_equal(weights, words[:, a] * words[:, b])
    units = similarity.components(["x", "p", "z"], ["y", "q", "y"])
    assert units[0] == units[2] != units[1]
    drawn = similarity.unit_weights(units, draws=50, seed=3)
    assert (drawn[:, 0] == drawn[:, 2]).all() and (drawn[:, 0] != drawn[:, 1]).any()


def test_halves_and_cosines():
    mask = similarity.halves(11, 3)
    assert mask.sum() == 5 and (similarity.halves(11, 3) == mask).all()
    np.testing.assert_allclose(similarity.cosines([[1, 0], [2, 0]], [[0, 3], [-1, 0]]), [0, -1])
