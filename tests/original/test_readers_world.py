"""Readers of triples, coreference, choices, relations, entities and properties, on hand-written stand-ins."""

from __future__ import annotations

import pytest
from standin import read
from world_files import (
    CHOICE,
    GAP_ROW,
    OBJECTS,
    SEMEVAL,
    cats,
    ckbc,
    cola,
    gap_files,
    semeval,
    wino,
    wnut,
)

from bertology_utils.data.original.reading import ReaderError


def test_cola_says_which_publications_are_new(tmp_path):
    items, notes = read("cola", "acceptability", tmp_path, cola(out_of_domain_dev="c-05\t0\t*\tBooks was sent.\n"))
    assert [(i.split, i.condition, i.label, i.text) for i in items] == [
        ("test", "out of domain", "0", "Books was sent.")
    ]
    assert "held-out" in notes[0]


def test_triples_put_the_first_concept_first(tmp_path):
    (item,), _ = read("ckbc_conceptnet", "triples", tmp_path, ckbc("AtLocation\tpet store\tferret\t1\n"))
    assert item.text == "You can find ferret at pet store."
    assert (item.meta["head"], item.meta["tail"], item.meta["template"]) == (
        "ferret",
        "pet store",
        "You can find [X] at [Y].",
    )


def test_concept_pairs_do_not_name_their_relation(tmp_path):
    rows = "AtLocation\tpet store\tferret\t1\nIsA\tpet store\tferret\t1\nIsA\tmoon\tferret\t0\n"
    items, notes = read("ckbc_conceptnet", "concept_pairs", tmp_path, ckbc(rows))
    assert len(items) == 2 and items[0].words == items[1].words
    assert [item.words[slice(*item.span1)] for item in items] == [("ferret",)] * 2
    assert items[0].words[slice(*items[0].span2)] == ("pet", "store")
    assert "1 left out: corrupted triples, which hold no relation" in notes


def test_gap_spans_are_words(tmp_path):
    (item,), _ = read("gap", "coreference", tmp_path, gap_files(GAP_ROW))
    assert [item.words[slice(*s)] for s in (item.pronoun, *item.candidates)] == [("she",), ("Ann",), ("Eve",)]
    assert (item.answer, item.condition, item.split) == (0, "feminine", "test")


def test_winobias_finds_the_occupation_that_is_not_marked(tmp_path):
    (item,), _ = read("winobias", "coreference", tmp_path, wino("1 [The cook] met the nurse because [he] was late.\n"))
    assert [item.words[slice(*s)] for s in item.candidates] == [("The", "cook"), ("the", "nurse")]
    assert (item.answer, item.words[slice(*item.pronoun)], item.condition) == (0, ("he",), "type 1 pro")


def test_winogender_templates_give_the_sentences(tmp_path):
    template = "technician\tcustomer\t1\tThe $PARTICIPANT told the $OCCUPATION that $NOM_PRONOUN was sorry.\n"
    forms = {"male": "he was", "female": "she was", "neutral": "they were"}
    sentences = "sentid\tsentence\n" + "".join(
        f"technician.{who}.1.{sex}.txt\t{start} told the technician that {form} sorry.\n"
        for who, start in (("customer", "The customer"), ("someone", "Someone"))
        for sex, form in forms.items()
    )
    header = "occupation(0)\tother-participant(1)\tanswer\tsentence\n"
    contents = {"data/templates.tsv": header + template, "data/all_sentences.tsv": sentences}
    items, _ = read("winogender", "coreference", tmp_path, contents)
    assert len(items) == 6 and {item.condition for item in items} == {"participant"}
    assert items[3].words[slice(*items[3].candidates[1])] == ("Someone",)
    contents["data/all_sentences.tsv"] = sentences.replace("sorry", "glad")
    with pytest.raises(ReaderError, match=r"templates\.tsv:2:.*the sentences say"):
        read("winogender", "coreference", tmp_path, contents)


def test_one_item_a_choice_and_one_of_them_right(tmp_path):
    items, _ = read("richardson_sabharwal2019", "hops", tmp_path, {"data_mcqa/hypernymy/test.jsonl": CHOICE + "\n"})
    assert [(i.text, i.text_b, i.label, i.meta["hops"], i.split) for i in items] == [
        ("A dog is", "a cat", "0", 2, "test"),
        ("A dog is", "a pet", "1", 2, "test"),
    ]
    assert len({i.meta["chain"] for i in items}) == 1


def test_robust_questions_come_in_pairs(tmp_path):
    line = "1\x01Milk is black.\x01Milk is white.\x010\x01Milk is not black.\x01Milk is not white.\n"
    items, _ = read(
        "zhou2020_cats", "commonsense_choice", tmp_path, cats(add=line, hella_swag="2\x01A. [SEP] b\x01c\x01d\x01e\n")
    )
    assert [i.label for i in items] == list("0010") + list("01") + list("10")
    assert (items[0].text, items[0].text_b) == ("A.", "b")
    assert {i.meta["pair"] for i in items} == {None, "add/1"} and len({i.meta["chain"] for i in items}) == 3


def test_semeval_marks_become_spans(tmp_path):
    (item,), _ = read("semeval2010_task8", "relations", tmp_path, semeval(SEMEVAL))
    assert item.words == ("The", "fire", "made", "smoke", ".")
    assert (item.span1, item.span2, item.labels, item.split) == ((1, 2), (3, 4), ("Cause-Effect(e1,e2)",), "train")


def test_every_entity_is_an_item(tmp_path):
    text = "Anna\tB-person\nsaw\tO\nNew\tB-location\nYork\tI-location\n\t\nno\tO\n"
    items, notes = read("wnut17_ner", "entities", tmp_path, wnut(text))
    assert [(i.span1, i.labels) for i in items] == [((0, 1), ("person",)), ((2, 4), ("location",))]
    assert notes == ("1 left out: sentences without an entity",)


def test_properties_are_split_by_object(tmp_path):
    items, _ = read("forbes2019_physical_commonsense", "properties", tmp_path, OBJECTS)
    assert [(i.split, i.label, i.condition, i.meta["set"]) for i in items] == [
        ("train", "1", "perceptual", "abstract"),
        ("test", "0", "perceptual", "situated"),
    ]
    assert {i.text for i in items} == {"An oven is hot."}
