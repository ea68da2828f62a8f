"""Relations by heads: planted maps give known answers; choices are made on one split and scored on the other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import torch
from support import tiny

from bertology_utils.attention import relations
from bertology_utils.attention.maps import Maps
from bertology_utils.data.items import Sentence
from bertology_utils.settings import Settings
from bertology_utils.subject.attentions import attentions

PARSED = Sentence(
    id="a",
    words=("the", "dog", "sees", "a", "cat", "."),
    heads=(1, 2, -1, 4, 2, 2),
    deprels=("det", "nsubj:x", "root", "det", "obj", "punct"),
)


def planted(map_):
    """A batch of one sentence ([CLS], words, [SEP]) whose only head has this map."""
    size = len(map_)
    words = torch.tensor([[-1, *range(size - 2), -1]])
    weights = torch.tensor(np.asarray(map_, np.float32))[None, None, None]
    return Maps([0], weights, None, None, torch.ones(1, size, dtype=torch.bool), words * 0, words)


def test_arcs_in_both_directions_without_subtypes_and_punctuation():
    found = relations.arcs([PARSED])
    assert len(found) == 8
    one = found[(found.relation == "obj") & (found.direction == "dependent to head")]
    assert one[["sentence", "query", "target"]].to_numpy().tolist() == [[0, 4, 2]]
    assert set(found.relation) == {"det", "nsubj", "obj"}


def test_unlabelled_trees_get_relations_from_tags():
    bare = Sentence(id="b", words=PARSED.words, heads=PARSED.heads, xpos=("DT", "NN", "VBZ", "DT", "NN", "."))
    found = relations.arcs([bare])
    named = dict(zip(found["query"], found["relation"]))
    assert set(found["relation"]) == {"det, from tags", "nsubj, from tags", "obj, from tags"}
    assert named[4] in ("obj, from tags", "det, from tags")


def test_specials_and_the_word_itself_are_no_answers():
    size = 8
    map_ = np.zeros((size, size))
    map_[:, 0], map_[:, -1] = 0.4, 0.3  # [CLS] and [SEP] get most
    map_ += np.eye(size) * 0.2
    heads = {word: head for word, head in enumerate(PARSED.heads) if head >= 0}
    for word, head in heads.items():
        map_[word + 1, head + 1] += 0.1
    arcs = relations.arcs([PARSED])
    which, ok = relations.hits(planted(map_), arcs)
    forward = (arcs.direction == "dependent to head").to_numpy()
    assert which.tolist() == list(range(len(arcs)))
    assert ok[forward].all() and not ok[~forward].all()
    _, turned = relations.hits(planted(map_.T), arcs, transposed=True)
    np.testing.assert_array_equal(turned, ok)


def test_offsets():
    queries = pd.DataFrame({"sentence": [0, 0], "query": [4, 0], "target": [2, 1]})
    found = relations.offset_hits(queries)
    assert found.sum() == 2 and found[0, relations.OFFSETS.index(-2)] and found[1, relations.OFFSETS.index(1)]


def test_best_is_chosen_on_dev_and_scored_on_test():
    dev = np.array([[1, 0], [1, 0], [1, 1]], bool)
    test = np.array([[0, 1], [0, 1]], bool)
    offsets = np.zeros((3, 20), bool)
    offsets[:2, relations.OFFSETS.index(3)] = True
    chosen = relations.best_head(dev, test, offsets, np.zeros((2, 20), bool))
    assert chosen.head == 0 and chosen.offset == 3  # although head 1 is the better one on test
    assert chosen.right.tolist() == [False, False] and chosen.dev_lead == pytest.approx(1 - 2 / 3)


def test_score_both_ways_is_hits_on_maps_and_on_transposed_maps():
    sentences = [list(PARSED.words), ["he", "likes", "unlikeable", "birds"]]
    arcs = pd.DataFrame({"sentence": [0, 1, 1], "query": [4, 0, 3], "target": [2, 1, 2]})
    found = relations.score(tiny(), sentences, arcs, both_ways=True, settings=Settings(batch_tokens=8))
    for i, units, map_ in attentions(tiny(), sentences):
        at = {w: u for u, w in enumerate(units.words) if w >= 0}
        for n in np.flatnonzero(arcs.sentence == i):
            q, t = arcs.loc[n, ["query", "target"]]
            others = [w for w in at if w != q]
            for side, m in enumerate((map_, map_.swapaxes(-1, -2))):
                answer = np.array(others)[m[:, :, at[q]][:, :, [at[w] for w in others]].argmax(-1)]
                np.testing.assert_array_equal(found[n, side * 12 : side * 12 + 12], (answer == t).ravel())


def test_names_count_from_one():
    assert relations.head_name(7, 3, 4) == "block 2, head 4"
    assert relations.head_name(12 + 7, 3, 4) == "block 2, head 4, read backwards"


def test_nearest_word_of_a_tag():
    tagged = Sentence(id="c", words=PARSED.words, heads=PARSED.heads, xpos=("DT", "NN", "VB", "DT", "NN", "."))
    queries = pd.DataFrame({"sentence": [0, 0], "query": [4, 2], "target": [2, 4]})
    found = relations.tag_hits([tagged], queries, ["NN", "VB"])  # nearest NN left, right, VB left, right
    assert found.tolist() == [[False, False, True, False], [False, True, False, False]]
