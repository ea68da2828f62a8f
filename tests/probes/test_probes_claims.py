"""The probing claims' own pieces: which items, which features, which test — against hand-made answers."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny

from bertology_utils.data import load
from bertology_utils.data.items import Ambiguity, Data, Sentence
from bertology_utils.experiments.syntax import probing, probing_parsing, probing_sentences, probing_trees, probing_use
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=50)
ITEM = Sentence(
    id="0",
    words=("the", "old", "man", "sees", "that", "she", "sleeps", "."),
    upos=("DET", "ADJ", "NOUN", "VERB", "SCONJ", "PRON", "VERB", "PUNCT"),
    heads=(2, 2, 3, -1, 6, 6, 3, 3),
    deprels=("det", "amod", "nsubj", "root", "mark", "nsubj", "ccomp", "punct"),
)


def test_features_of_a_sentence():
    found = probing_sentences.features(ITEM)
    assert (found["length"], found["tree depth"], found["longest arc"], found["subordinate clauses"]) == (8, 2, 4, 1)
    assert found["share of VERB"] == 2 / 8 and found["mean arc"] == pytest.approx((2 + 1 + 1 + 2 + 1 + 3 + 4) / 7)


def test_ancestors_are_relations_of_the_words_above():
    deep = Sentence(id="1", words=tuple("abcd"), heads=(1, 2, 3, -1), deprels=("det", "nmod:of", "obj", "root"))
    assert probing.ancestors(deep) == [(0, ["nmod", "obj", "root"])]
    assert probing.ancestors(ITEM) == []  # nothing lies three steps below the root


def test_few_keeps_the_order_and_the_other_splits():
    items = [Sentence(id=str(i), split=s, words=("a",)) for i, s in enumerate(["train"] * 9 + ["dev", "test"])]
    assert [i.id for i in probing.few(items, 3)] == ["0", "1", "2", "9", "10"]


def test_the_ridge_in_the_dual_is_scikit_learn_s():
    from sklearn.linear_model import Ridge

    rng = np.random.default_rng(0)
    x, y, train = rng.normal(size=(40, 90)), rng.normal(size=(40, 2)), np.arange(40) < 30
    (ours,) = probing_sentences._ridge(x, y, train, (7.0,))
    assert np.allclose(ours, Ridge(alpha=7.0).fit(x[train], y[train]).predict(x))


def test_profiles_of_another_shape_are_told_apart_and_equal_ones_are_not():
    rng = np.random.default_rng(1)
    rising, falling = np.linspace(0, 1, 6)[:, None], np.linspace(1, 0, 6)[:, None]
    noise = rng.normal(size=(2, 6, 300))
    groups = np.arange(300) // 2
    assert probing_sentences.permutation(np.stack([rising, falling]) + noise, groups)[2] < 0.05
    value, low, high = probing_sentences.permutation(np.stack([rising, 5 * rising]) + noise * [[[1]], [[5]]], groups)
    assert low > 0.05 and low < value < high  # amplitude is no shape


def test_constituents_lose_their_punctuation():
    from bertology_utils.data.items import Span

    spans = tuple(Span(start=a, end=b, label="X") for a, b in ((0, 5), (0, 2), (2, 3), (3, 5)))
    item = Sentence(id="2", words=("the", "dog", ",", "sleeps", "."), brackets=spans)
    kept, moved = probing_parsing._without_punctuation(item)
    assert kept == [0, 1, 3] and {(s.start, s.end) for s in moved} == {(0, 3), (0, 2), (2, 3)}


def test_a_forest_has_one_vector_a_word_that_is_no_punctuation():
    forest = probing_trees.grow(tiny(), [ITEM], SETTINGS)
    assert forest.vectors[0].shape == (4, 7, 32) and forest.heads[0] == [2, 2, 3, -1, 6, 6, 3]
    assert probing_trees.edges_found(forest, [0], [set()]).tolist() == [False] * 6


def test_masks_hide_whole_words_and_keep_their_tags():
    masked = probing_use.Masked.of(tiny(), [ITEM], SETTINGS)
    assert len(masked.rows) == probing_use.Masked.COPIES and len(masked.labels) == len(masked.pieces)
    tokenizer = tiny().tokenizer
    hidden = sum(row.ids.count(tokenizer.mask_token_id) for row in masked.rows)
    assert hidden == len(masked.labels)
    logs = masked.distributions(tiny(), SETTINGS)
    assert logs.shape[0] == hidden and np.allclose(logs.exp().sum(-1), 1, atol=1e-4)
    assert masked.vectors(tiny(), [0, 3], SETTINGS).shape == (2, hidden, 32)


def test_what_knows_only_the_first_candidate_s_word_does_not_generalise():
    """Training and test sentences are the same words; only which candidate is right differs, so memory scores nil."""
    words = ("the", "dog", "is", "near", "cats", "are")
    items = [
        Ambiguity(
            id=str(i),
            split="train" if i % 2 else "test",
            condition="c",
            words=words,
            label=2 if i % 2 else 5,
            linear=2,
            candidates=(2, 5),
            target=2 if i % 2 else 5,
        )
        for i in range(60)
    ]
    rows = probing.hierarchical(tiny(), Data(name="made", items={"ambiguity": items}, sha256=""), SETTINGS)
    assert (rows[rows.measure == "right by layer"].value == 0).all()
    assert (rows[rows.measure == "generalisation"].n == 15).all()  # half of the test sentences chose the layer


@pytest.mark.parametrize(
    ("experiment", "task", "measures"),
    [
        (probing_trees.structural_probe, "treebank", {"UUAS", "UUAS over baseline", "UUAS by rank", "root accuracy"}),
        (probing_parsing.trees_from_vectors, "treebank", {"UAS", "UAS over chain", "F1 over right-branching"}),
        (probing_use.description_length, "treebank", {"compression", "compression gap less accuracy gap"}),
    ],
)
def test_experiments_run_on_any_bert_and_repeat(experiment, task, measures):
    data = load((task,), "builtin", n=60)
    kept = [i for i in data[task] if len(" ".join(i.words)) < 40]  # spelt out, longer ones exceed the tiny model
    data = Data(name="builtin", items={task: kept}, sha256="")
    one, two = experiment(tiny(), data, SETTINGS), experiment(tiny(), data, SETTINGS)
    assert measures <= set(one.measure) and one.equals(two)
    assert one.low.notna().all() and (one.low <= one.high).all()
