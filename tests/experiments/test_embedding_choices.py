"""Poolings and layers are chosen on one part of the data and scored on another; baselines are never chosen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from embedding_items import SETTINGS, data, items
from support import tiny

from bertology_utils.data.items import ScoredPair
from bertology_utils.experiments.embeddings import postprocessing, sentences
from bertology_utils.experiments.embeddings.pairs import Benchmarks
from bertology_utils.runs import registered
from bertology_utils.vectors import pooling


def test_the_gain_of_a_pooling_is_its_score_less_that_of_the_baseline():
    id = "emb.sentence_pooling.toshniwal2020"
    rows = registered()[id].experiment(tiny(), data(id), SETTINGS)
    for task, measure in (("similarity", "Spearman"), ("sentiment", "accuracy")):
        own = rows[rows.task == task]
        scores = own[own.measure == measure].set_index("pooling").value
        gains = own[own.measure == "gain"].set_index("over").value
        assert set(gains.index) == {pooling.CLS, sentences.FLAT}
        chosen = gains[pooling.CLS] + scores[pooling.CLS]
        assert gains[sentences.FLAT] == pytest.approx(chosen - scores[sentences.FLAT])
        others = scores.drop([pooling.CLS, sentences.FLAT])
        assert np.isclose(others, chosen).any(), "it is the score of one of the poolings"
    pairs = [ScoredPair(id=c, condition=c, a="a", b="b", score=1) for c in ("de", "en")]
    assert sentences.english(pairs) == pairs[1:] and sentences.english(pairs[:1]) == pairs[:1]


def test_baselines_are_never_chosen():
    names = pooling.sentence_poolings(3)
    best_flat = np.array([1.0 if n in (pooling.CLS, sentences.FLAT) else 0.1 for n in names])
    assert names[sentences.best_pooling(names, best_flat)] not in (pooling.CLS, sentences.FLAT)
    last = np.array([float(n == "mean, layer 3") for n in names])
    assert names[sentences.best_layer(names, last)] in ("mean, layer 1", "mean, layer 2")


def test_training_sets_share_nothing_where_there_is_enough(monkeypatch):
    monkeypatch.setattr(sentences, "TRAIN", 10)
    given = items("sentiment", 120)  # 72 to train on
    parts, _ = sentences._training_sets(tiny(), given, SETTINGS, [])
    ids = [i.id for k in range(sentences.SAMPLES) for i in parts[k]]
    assert len(ids) == len(set(ids)) == 50 and {i.split for i in parts["test"]} == {"test"}
    monkeypatch.setattr(sentences, "TRAIN", 1000)
    parts, _ = sentences._training_sets(tiny(), given, SETTINGS, [])
    assert {len(parts[k]) for k in range(sentences.SAMPLES)} == {48}


def test_a_removal_gains_nothing_where_the_embeddings_as_they_are_do_as_well():
    rng = np.random.default_rng(0)
    made = [ScoredPair(id=str(k), condition="all", a=f"a{k}", b=f"b{k}", score=float(rng.random())) for k in range(400)]
    noise = rng.normal(size=(400, 4, 3))
    gold = np.array([i.score for i in made])
    noise[:, 0, 0] = gold  # untouched, the embeddings
    noise[:, 1, 2] = gold  # after removal, the last layer
    bench = Benchmarks(made, SETTINGS, sentences=True)
    gains = {r["over"]: r["value"] for r in postprocessing._rows(bench, noise, "words") if r["measure"] == "gain"}
    assert gains["before"] == pytest.approx(0) and gains["random directions removed"] > 0.5
    noise[:, 1, 0], noise[:, 1, 2] = gold, noise[:, 2, 2]  # what is removed from embeddings is no matter of layers
    gains = {r["over"]: r["value"] for r in postprocessing._rows(bench, noise, "words") if r["measure"] == "gain"}
    assert gains["before"] < -0.5


def test_benchmarks_choose_on_one_half_and_score_the_other():
    rng = np.random.default_rng(0)
    made = [
        ScoredPair(id=str(k), condition=("big", "small", "WS-353-ALL", "WS-353-SIM")[k % 4] if k > 9 else "tiny",
                   a=f"w{rng.integers(60)}", b=f"w{rng.integers(60, 120)}", score=float(rng.random()))
        for k in range(400)
    ]  # fmt: skip
    bench = Benchmarks(made, SETTINGS)
    assert set(bench.halves) == {"big", "small", "WS-353-ALL"}, "too small, or within another"
    gold = np.array([i.score for i in made])
    scores = np.stack([gold, rng.random(400)], 1)
    assert bench.dev(scores)[0] == pytest.approx(1)
    found = bench.measure(scores)
    assert found.n == sum(len(half) for _, half in bench.halves.values()) and found.clusters <= 120
    value, low, high = found.interval(0, 1)
    assert low < value < high and value == pytest.approx(1 - found.value[1])
    with pytest.raises(ValueError, match="no set has"):
        Benchmarks(made[:10], SETTINGS)


def test_words_shared_by_pairs_widen_the_interval():
    """Word effects: the mean over pairs varies with the words, which single pairs do not show."""
    rng = np.random.default_rng(1)
    effect = dict(zip(map(str, range(24)), rng.normal(size=24)))
    made = [
        ScoredPair(id=f"{a}-{b}", condition="x", a=a, b=b, score=float(effect[a] + effect[b]))
        for a in effect for b in effect if a < b
    ]  # fmt: skip
    other = dict(zip(effect, rng.normal(size=24)))
    scores = np.array([[other[i.a] + other[i.b]] for i in made])
    found = Benchmarks(made, replace(SETTINGS, draws=500)).measure(scores)
    _, low, high = found.interval(0)
    assert high - low > 1.5 * 3.92 * found.plain.std()
