"""The layers chapter's tasks and its comparison of two depths."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny, write_model

from bertology_utils import runs
from bertology_utils.claims.rules import decide
from bertology_utils.data.items import Data, EdgeItem, ItemError, Sentence, Span
from bertology_utils.experiments.layers import depth, tasks
from bertology_utils.experiments.layers.pipeline import order_row
from bertology_utils.settings import Settings
from bertology_utils.subject.models import load

SETTINGS = Settings(draws=50)


def sentence(text, heads, deprels, upos, i=0, **more):
    split = ("train", "train", "train", "dev", "test")[i % 5]
    return Sentence(
        id=str(i), split=split, words=tuple(text.split()), heads=tuple(heads), deprels=tuple(deprels.split()),
        upos=tuple(upos.split()), **more,
    )  # fmt: skip


def test_noun_chunks_are_a_nominal_with_what_stands_before_it():
    s = sentence("the big dogs see a cat in red houses .", [2, 2, 3, -1, 5, 3, 8, 8, 3, 3],
                 "det amod nsubj root det obj case amod obl punct", "DET ADJ NOUN VERB DET NOUN ADP ADJ NOUN PUNCT")  # fmt: skip
    assert tasks.noun_chunks(s) == ["B-NP", "I-NP", "I-NP", "O", "B-NP", "I-NP", "O", "B-NP", "I-NP", "O"]


def test_a_pronoun_is_a_chunk_and_a_far_modifier_is_not_in_one():
    s = sentence("she saw money", [1, -1, 1], "nsubj root obj", "PRON VERB NOUN")
    assert tasks.noun_chunks(s) == ["B-NP", "O", "B-NP"]
    far = sentence("not dogs", [-1, 0], "root nsubj", "ADV NOUN")
    assert tasks.noun_chunks(far) == ["O", "B-NP"]


def treebank(n=60):
    words = np.random.default_rng(0).choice(["dog", "cat", "key", "man"], n)
    return [
        sentence(f"the {w} sees it", [1, 2, -1, 2], "det nsubj:pass root obj", "DET NOUN VERB PRON", i,
                 spans=(Span(start=0, end=2, label="m", kind="mention", head=0),
                        Span(start=3, end=4, label="p", kind="mention", head=i % 2)))
        for i, w in enumerate(words)
    ]  # fmt: skip


def data(**items):
    return Data(name="hand-made", items=items, sha256="")


def test_tasks_are_those_a_source_has_in_pipeline_order():
    found = tasks.available(data(treebank=treebank(), mentions=treebank()))
    assert list(found) == ["POS", "chunks", "dependencies", "coreference"]
    assert set(found["dependencies"].labels) == {"det", "nsubj", "obj"}
    same = found["coreference"].labels == "same"
    assert same.any() and all(s % 2 == 0 for s in found["coreference"].sentence[same])
    with pytest.raises(ItemError, match="none of the tasks"):
        tasks.available(data(sentences=[Sentence(id="a", words=("a",))]))


def test_roles_come_from_items_where_sentences_have_none():
    edges = [EdgeItem(id=str(i), split=("train", "dev", "test")[i % 3], words=("dogs", "see"), span1=(1, 2), span2=(0, 1),
                      labels=("ARG0",)) for i in range(9)]  # fmt: skip
    assert list(tasks.available(data(semantic_roles=edges))) == ["roles"]


def test_the_order_of_the_pipeline_is_a_rank_correlation_over_tasks_that_have_the_figure():
    names, draws = ["POS", "chunks", "dependencies", "relations"], [np.full(20, k, float) for k in range(4)]
    row = order_row("expected layer", names, [1.0, 2.0, 3.0, 0.5], [*draws[:3], np.zeros(20) - 1], "POS to coreference")
    assert row["value"] == row["low"] == 1 and row["n"] == 3
    assert order_row("expected layer", names, [1.0, 2.0, 3.0, 0.5], [*draws[:3], draws[0] - 1], "all")["value"] < 1
    assert np.isnan(order_row("expected layer", names[:2], [1.0, 2.0], draws[:2], "all")["value"])


def test_two_depths_are_compared_by_task(tmp_path):
    deep = load(str(write_model(tmp_path / "deep", num_hidden_layers=5)))
    found = depth.compare(tiny(), deep, data(treebank=treebank()), SETTINGS)
    by = found[found.measure == "profile correlation"]
    assert set(by.task) == {"POS", "chunks", "dependencies"}
    mine = depth.compare(tiny(), tiny(), data(treebank=treebank()), SETTINGS)
    same = mine[mine.measure == "profile correlation"].value.dropna()
    assert np.allclose(same, 1)
    assert set(found[found.measure == "cumulative accuracy"].model) == {tiny().name, deep.name}
    assert set(found[found.measure == "majority"].task) == {"POS", "chunks", "dependencies"}


def test_without_a_companion_of_another_depth_the_comparison_says_what_is_missing(tmp_path, monkeypatch):
    settings = Settings(draws=50, cache=tmp_path)
    claim = runs.get("lay.base_vs_large.tenney2019a")
    monkeypatch.delenv("BERTOLOGY_SHALLOW", raising=False)
    found = claim.experiment(tiny(), data(treebank=treebank()), settings)
    assert decide(claim.predict, found).label == "inconclusive"
    assert "BERTOLOGY_SHALLOW" in found.attrs["notes"][0]
    monkeypatch.setenv("BERTOLOGY_SHALLOW", str(write_model(tmp_path / "alike")))
    assert "nothing to stretch" in claim.experiment(tiny(), data(treebank=treebank()), settings).attrs["notes"][0]
    monkeypatch.setenv("BERTOLOGY_SHALLOW", str(write_model(tmp_path / "two", num_hidden_layers=2)))
    found = claim.experiment(tiny(), data(treebank=treebank()), settings)
    assert {"mean profile correlation", "mixing weight correlation"} <= set(found.measure)


def test_what_was_measured_once_is_handed_on():
    calls = []

    def measure(x, targets, settings):
        calls.append(len(targets))
        return x.shape

    found = tasks.available(data(treebank=treebank()), only=("POS", "chunks"))
    again = tasks.available(data(treebank=treebank()), only=("chunks",))
    first = tasks.measured(tiny(), found, SETTINGS, measure, most=20)
    second = tasks.measured(tiny(), again, SETTINGS, measure, most=20)
    assert len(calls) == 2 and second == {"chunks": first["chunks"]}
    tasks.measured(tiny(), again, SETTINGS, measure, most=10)
    tasks.measured(
        tiny(), {"chunks": again["chunks"].relabel(["x"] * len(again["chunks"]))}, SETTINGS, measure, most=10
    )
    assert len(calls) == 4
