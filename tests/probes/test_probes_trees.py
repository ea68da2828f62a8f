"""Parsing as tagging, constituents from distances and tensor-product decompositions, against known answers."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_utils.data.items import Span
from bertology_utils.probes import tagging, tpdn

HEADS = (1, 2, -1, 4, 2, 7, 7, 4)
TAGS = ("DET", "NOUN", "VERB", "DET", "NOUN", "ADP", "DET", "NOUN")


def bracket(a, b):
    return Span(start=a, end=b, label="X", kind="constituent")


def one_hot(labels, classes):
    return np.array([[float(label == c) for c in classes] for label in labels])


def test_relative_heads_count_words_of_the_head_s_tag():
    labels = tagging.relative_heads(HEADS, TAGS)
    assert labels == ["+1@NOUN", "+1@VERB", "0@ROOT", "+1@NOUN", "-1@VERB", "+1@NOUN", "+1@NOUN", "-1@NOUN"]
    assert [tagging.place_of(label, i, TAGS) for i, label in enumerate(labels)] == list(HEADS)
    assert tagging.place_of("+3@VERB", 0, TAGS) is None


def test_gold_labels_give_back_any_tree():
    rng = np.random.default_rng(0)
    for _ in range(50):
        n = int(rng.integers(2, 12))
        order = rng.permutation(n)
        heads = [-1] * n
        for k in range(1, n):
            heads[order[k]] = int(order[rng.integers(0, k)])
        tags = rng.choice(["A", "B"], n).tolist()
        labels = tagging.relative_heads(heads, tags)
        classes = sorted({*labels, "+1@A", "-2@B"})
        assert tagging.decode_heads(one_hot(labels, classes), classes, tags) == heads


def test_whatever_the_scores_a_tree_comes_out():
    rng = np.random.default_rng(1)
    classes = ["0@ROOT", "+1@A", "-1@A", "+1@B", "-2@B"]
    for _ in range(100):
        n = int(rng.integers(1, 10))
        heads = tagging.decode_heads(rng.normal(size=(n, 5)), classes, rng.choice(["A", "B"], n).tolist())
        assert heads.count(-1) == 1
        for i in range(n):
            steps = 0
            while heads[i] >= 0 and steps <= n:
                i, steps = heads[i], steps + 1
            assert steps <= n


def test_attachments():
    assert tagging.attachments([1, 2, -1], [1, -1, -1]).tolist() == [True, False, True]


def test_splits_follow_the_widest_gaps():
    # ((the dog) (saw (a cat))): the widest gap stands behind "dog", the next behind "saw"
    assert tagging.split_by_distance([1, 9, 5, 1]) == {(0, 5), (0, 2), (2, 5), (3, 5)}
    assert tagging.split_by_distance([9, 8, 7]) == tagging.right_branching(4)
    assert tagging.split_by_distance([]) == set()


def test_span_f1():
    gold = [bracket(0, 5), bracket(0, 2), bracket(2, 5), bracket(3, 5), bracket(1, 2)]
    assert tagging.span_f1(tagging.split_by_distance([1, 9, 5, 1]), gold, 5) == 1
    assert tagging.span_f1(tagging.right_branching(5), gold, 5) == pytest.approx(2 * 2 / (3 + 3))
    assert np.isnan(tagging.span_f1(set(), [bracket(0, 5)], 5))


def test_gaps():
    x = np.array([[1.0, 0], [0, 1], [0, 3]])
    assert np.allclose(tagging.gaps(x), [1, 0]) and np.allclose(tagging.gaps(x, "L1"), [2, 2])
    assert np.allclose(tagging.gaps(x, "L2"), [2**0.5, 2])
    with pytest.raises(ValueError):
        tagging.gaps(x, "L3")


def test_roles_of_every_scheme():
    brackets = [bracket(0, 4), bracket(0, 2), bracket(2, 4)]
    assert tpdn.roles("left-to-right", 3) == ["0", "1", "2"] and tpdn.roles("right-to-left", 3) == ["2", "1", "0"]
    assert tpdn.roles("bidirectional", 2) == ["0 1", "1 0"] and set(tpdn.roles("bag of words", 3)) == {"word"}
    assert tpdn.roles("tree", 4, brackets) == ["0.0", "0.1", "1.0", "1.1"]
    assert tpdn.roles("tree", 5, [bracket(1, 4), bracket(2, 4)]) == ["0", "1.0", "1.1.0", "1.1.1", "2"]
    with pytest.raises(ValueError, match="cross"):
        tpdn.roles("tree", 4, [bracket(0, 2), bracket(1, 3)])
    with pytest.raises(ValueError):
        tpdn.roles("upside down", 2)


def test_a_planted_tensor_product_is_recovered_by_its_own_roles():
    rng = np.random.default_rng(2)
    vocabulary = [f"w{i}" for i in range(12)]
    fillers = [rng.choice(vocabulary, rng.integers(4, 7)).tolist() for _ in range(500)]
    filler = {w: rng.normal(size=4) for w in vocabulary}
    role = {str(i): rng.normal(size=4) for i in range(7)}
    right = [tpdn.roles("right-to-left", len(f)) for f in fillers]
    mix = rng.normal(size=(16, 20))
    vectors = np.array(
        [sum(np.outer(filler[w], role[r]).ravel() for w, r in zip(f, rs)) @ mix for f, rs in zip(fillers, right)]
    )
    train, dev = np.arange(500) < 400, (np.arange(500) >= 400) & (np.arange(500) < 430)
    test = ~train & ~dev
    error = {}
    for scheme in tpdn.SCHEMES[:4]:
        r = [tpdn.roles(scheme, len(f)) for f in fillers]
        error[scheme] = tpdn.fit_tpdn(fillers, r, vectors, train, dev, seeds=2, epochs=50, rate=0.03, decay=0.01)[
            :, test
        ].mean()
    assert error["right-to-left"] < 0.05
    assert min(error["left-to-right"], error["bag of words"]) > 0.4
    assert error["bidirectional"] < error["left-to-right"]  # it knows the place from the right too, but learns it apart
