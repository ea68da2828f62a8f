"""The original files of facts, objects, names, choices and classes have the counts that their studies state."""

from __future__ import annotations

from collections import Counter

import pytest
from standin import items_of

# README of CoLA; README of GAP (pairs are two a line); the shared tasks' papers; 720 sentences in Winogender's README;
# WinoBias: 3,160 sentences in its paper, 3,168 in the files; 2,400 CKBC test tuples (Li et al. 2016); 8 fragments of
# 5,000 and 8,193 "breaking NLI" pairs; forbes2019: 514 objects x 50 properties, 1,040 situated objects.
COUNTS = [
    ("cola", "acceptability", {"train": 8551, "dev": 527, "test": 516}),
    ("gap", "coreference", {"train": 2000, "dev": 454, "test": 2000}),
    ("winogender", "coreference", {"test": 720}),
    ("winobias", "coreference", {"dev": 1584, "test": 1584}),
    ("ckbc_conceptnet", "triples", {"train": 1200, "dev": 1200, "test": 2400}),
    ("semeval2010_task8", "relations", {"train": 6858, "dev": 1142, "test": 2717}),
    ("wnut17_ner", "entities", {"train": 1975, "dev": 836, "test": 1079}),
    ("richardson_sabharwal2019", "entailment", {"train": 24000, "dev": 8000, "test": 8000 + 8193}),
    ("forbes2019_physical_commonsense", "properties", {"train": 61450, "test": 16250}),
    ("forbes2019_physical_commonsense", "affordances", {"train": 4908, "test": 1332}),
    ("forbes2019_physical_commonsense", "property_affordance", {"train": 122700, "test": 33300}),
]
OTHERS = [
    ("ckbc_conceptnet", "concept_pairs"),
    ("gap", "name_swaps"),
    ("glue_rte_wnli", "entailment"),
    ("lama_original", "facts"),
    ("lama_trex_pararel", "facts"),
    ("lama_uhn", "facts"),
    ("lpaqa", "facts"),
    ("richardson_sabharwal2019", "hops"),
    ("zhou2020_cats", "commonsense_choice"),
]


@pytest.mark.mirror
@pytest.mark.parametrize(("dataset", "task", "counts"), [*COUNTS, *((*other, None) for other in OTHERS)])
def test_ids_are_unique_labels_vary_and_counts_are_the_studies_own(dataset, task, counts):
    items, _ = items_of(dataset, task)
    assert len({item.id for item in items}) == len(items) > 500
    assert counts is None or Counter(item.split for item in items) == counts
    if hasattr(items[0], "label"):
        assert len({item.label for item in items}) == 2


@pytest.mark.mirror
def test_forbes_has_514_objects_and_50_properties():
    items, _ = items_of("forbes2019_physical_commonsense", "properties")
    abstract = [item for item in items if item.meta["set"] == "abstract"]
    assert len({i.meta["object"] for i in abstract}) == 514 and len({i.meta["property"] for i in abstract}) == 50
    assert len([i for i in items if i.meta["set"] == "situated"]) == 1040 * 50
    assert {i.condition for i in items} == {"commonsense", "encyclopedic", "functional", "perceptual"}


@pytest.mark.mirror
def test_gap_is_balanced_by_gender():
    items, _ = items_of("gap", "coreference")
    assert Counter(i.condition for i in items) == {"feminine": 2227, "masculine": 2227}


@pytest.mark.mirror
def test_semeval_relations_are_as_many_as_its_readme_says():
    items, _ = items_of("semeval2010_task8", "relations")
    train = Counter(i.condition for i in items if i.split != "test")
    assert (train["Other"], train["Cause-Effect"], train["Instrument-Agency"]) == (1410, 1003, 504)
    assert len({i.labels for i in items}) == 19


@pytest.mark.mirror
def test_every_question_has_one_right_choice():
    for dataset, task in (("richardson_sabharwal2019", "hops"), ("zhou2020_cats", "commonsense_choice")):
        right: Counter[str] = Counter()
        for item in items_of(dataset, task)[0]:
            right[item.meta["chain"]] += item.label == "1"
        assert set(right.values()) == {1}


@pytest.mark.mirror
def test_steps_go_up_to_five():
    items, _ = items_of("richardson_sabharwal2019", "hops")
    test = Counter(i.meta["hops"] for i in items if i.condition == "hypernymy" and i.split == "test")
    assert test == {1: 1338 * 5, 2: 623 * 5, 3: 204 * 5, 4: 66 * 5, 5: 23 * 5}


@pytest.mark.mirror
def test_name_swaps_come_in_nines():
    items, notes = items_of("gap", "name_swaps")
    groups: dict[str, Counter] = {}
    for item in items:
        groups.setdefault(item.meta["base"], Counter())[item.meta["swap"]] += 1
    assert all(group == {None: 1, "name": 4, "placebo": 4} for group in groups.values())
    assert len(groups) + sum(int(note.split()[0]) for note in notes) == 2000
    base = {item.meta["base"]: item for item in items if item.meta["swap"] is None}
    for item in items:
        same = sum(a == b for a, b in zip(item.words, base[item.meta["base"]].words))
        assert len(item.words) == len(base[item.meta["base"]].words)
        assert (same == len(item.words)) == (item.meta["swap"] is None)
