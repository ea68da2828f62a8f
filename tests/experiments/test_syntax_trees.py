"""Trees in attention and in perturbed predictions: each experiment on sentences whose tree is known."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from picked import value
from support import tiny
from syntax_items import SETTINGS, data, treebank

from bertology_utils.claims.registry import NotRunnable
from bertology_utils.data import load
from bertology_utils.experiments.syntax import trees
from bertology_utils.scores import trees as decoding


def test_a_map_that_holds_the_tree_gives_it_back_in_either_direction():
    gold = np.array([1, 4, 3, 1, -1])
    planted = np.full((5, 5), 0.01)
    planted[np.arange(4), gold[:4]] = 0.9  # each dependent attends to its head
    found = trees.head_trees(np.stack([planted, planted.T]), gold)
    assert len(found) == 4
    assert found[0].tolist() == gold.tolist() and found[3].tolist() == gold.tolist()
    assert trees.head_trees(np.stack([planted, planted.T]), gold, [3])[0].tolist() == gold.tolist()
    counts = trees.Attached()
    counts.add([gold, *trees.baselines(gold, np.random.default_rng(0))], gold)
    counts.add([gold, *trees.baselines(gold, np.random.default_rng(1))], gold)
    rows = {(r["measure"], r["tree"]): r["value"] for r in trees.compared(counts, ["mine"], SETTINGS)}
    assert (
        rows["UUAS", "mine"] == 1 and rows["UUAS", "chain"] == 0.5
    )  # of 0-1, 1-4, 2-3 and 3-1 it has the first and the third
    assert rows["lead over chain", "mine"] == 0.5 and 0.2 < rows["UUAS", "random tree"] < 0.6


def test_the_head_is_chosen_on_one_part_and_scored_on_another():
    dev, test = treebank(4, "dev"), treebank(6)
    assert trees.two_parts([*dev, *test]) == (dev, test)
    assert trees.two_parts(test) == (test[::2], test[1::2])
    frame = trees.no_tree_in_attention(tiny(), data(treebank=[*dev, *test]), SETTINGS)
    # of the arcs 0-1, 1-5, 2-4, 3-4 and 4-1 the chain has the first and the fourth
    assert value(frame, "UUAS", tree="chain") == pytest.approx(2 / 5)
    assert (frame["measure"] == "UUAS when choosing").sum() == 12
    # half of its attention along gold arcs gives the tree away in any map
    assert value(frame, "UUAS", tree="planted head") > 0.8
    lead = value(frame, "UUAS", tree="best head") - value(frame, "UUAS", tree="chain")
    assert value(frame, "lead over chain", tree="best head") == pytest.approx(lead)


def test_perturbed_masking_scores_what_it_decodes(monkeypatch):
    items = treebank(4)
    keep, gold = decoding.without_punctuation(items[0])
    matrix = np.full((7, 7), 0.1)
    matrix[keep[gold >= 0], keep[gold[gold >= 0]]] = 1.0  # [i, j]: j, the head, matters most to i
    monkeypatch.setattr(trees.perturb, "impacts", lambda *a, **k: ((i, matrix) for i in range(4)))
    frame = trees.perturbed_masking(tiny(), data(treebank=items), SETTINGS)
    assert value(frame, "UUAS", tree="Eisner") == value(frame, "UUAS", tree="spanning tree") == 1.0
    assert value(frame, "lead over chain", tree="Eisner") == pytest.approx(3 / 5)
    assert value(frame, "arc above no arc at equal distance") == 1.0
    apart = 1 / (1 + np.abs(np.subtract.outer(np.arange(7), np.arange(7))))  # no model: distance alone
    monkeypatch.setattr(trees.perturb, "impacts", lambda *a, **k: ((i, apart) for i in range(4)))
    frame = trees.perturbed_masking(tiny(), data(treebank=items), SETTINGS)
    assert value(frame, "lead over chain", tree="Eisner") == 0.0
    assert value(frame, "arc above no arc at equal distance") == 0.5
    monkeypatch.undo()
    frame = trees.perturbed_masking(tiny(), data(treebank=items), SETTINGS)
    assert 0 <= value(frame, "UUAS", tree="Eisner") < 1


def test_impacts_of_rare_words_alone_show_no_syntax(monkeypatch):
    """Heads are rare: that by itself wins most comparisons at equal distance, and decodes to more than the chain."""
    items = [i for i in load("treebank", n=300)["treebank"] if i.split == "test"][:30]
    told = Counter(w.lower() for i in items for w in i.words)
    rarity = [np.log(told.total() / np.array([told[w.lower()] for w in i.words])) for i in items]
    monkeypatch.setattr(
        trees.perturb, "impacts", lambda *a, **k: ((i, trees.rare_and_near(r).T) for i, r in enumerate(rarity))
    )
    frame = trees.perturbed_masking(tiny(), data(treebank=items), SETTINGS)
    assert value(frame, "arc above no arc at equal distance") > 0.7
    assert value(frame, "arc above no arc at equal distance from a word as rare") < 0.5
    assert value(frame, "lead over rare and near words", tree="Eisner") == 0


def test_two_models_two_methods():
    items = treebank(12)
    frame = trees.compare_models([tiny(), tiny().twin(3)], items, SETTINGS)
    assert len(frame) == 6 and value(frame, "larger lead") >= value(frame, "smaller lead")
    same = trees.compare_models([tiny(), tiny()], items, SETTINGS)
    assert value(same, "larger lead") == value(same, "smaller lead") == 0
    with pytest.raises(NotRunnable, match="name one in BERTOLOGY_PARTNER"):
        trees.method_favours_model(tiny(), data(treebank=items), SETTINGS)
    named = replace(SETTINGS, partner=tiny().name)
    frame = trees.method_favours_model(tiny(), data(treebank=items), named)
    assert value(frame, "larger lead") == 0
