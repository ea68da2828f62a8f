"""Readers of facts, objects, names, choices and classes: hand-written stand-ins, then the studies' own counts."""

from __future__ import annotations

import io
import json
import tarfile
from collections import Counter
from functools import lru_cache

import pytest
from standin import read
from support import mirror

from bertology_utils.data import original
from bertology_utils.data.original.readers import coreference, edges, facts, names, texts
from bertology_utils.data.original.reading import ReaderError

# --- words ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dehner's uncles (two) don't go.", "Dehner 's uncles ( two ) do n't go ."),
        ("a well-known man, 's-Hertogenbosch", "a well-known man , ' s-Hertogenbosch"),
        ("他說 OK。", "他 說 OK 。"),
        ("बच्चे खेलते हैं।", "बच्चे खेलते हैं ।"),
        ("the clerk 's pen", "the clerk 's pen"),
    ],
)
def test_words_are_cut_as_treebanks_cut_them(text, expected):
    assert " ".join(texts.words(text)) == expected


def test_words_are_cut_at_the_edges_of_spans():
    words, spans = texts.words_and_spans("Anna-Maria's dog", [(0, 4), (13, 16)])
    assert (words, spans) == (("Anna", "-Maria", "'s", "dog"), [(0, 1), (3, 4)])


@pytest.mark.parametrize("span", [(4, 7), (0, 0), (3, 9)])
def test_a_span_that_is_no_words_is_an_error(span):
    with pytest.raises(ValueError, match="are no words of"):
        texts.words_and_spans("the dog", [span] if span != (4, 7) else [(3, 7)])


# --- stand-ins: what a good file gives, and which line a bad one is refused for ---

CHOICE = json.dumps(
    {
        "question": {"stem": "A dog is", "choices": [{"label": "0", "text": "a cat"}, {"label": "1", "text": "a pet"}]},
        "answerKey": "1",
        "notes": {"hops": 2},
    }
)
FACT = {"uuid": "u1", "sub_label": "Rome", "obj_label": "Italy"}
RELATION = {"relation": "P159", "template": "The headquarter of [X] is in [Y] .", "type": "N-1"}
PROPERTY_HEADER = (
    "uid\tmcrae\tword-embedding\twording_intrinsic\twording_extrinsic\tpc\tsentence\tctx\tcategorization\n"
)
OBJECTS = {
    "data/pc/properties.tsv": PROPERTY_HEADER + "hot\tn/a\thot\tbe\tbe\thot\tis hot\thot\tperceptual\n",
    "data/sentences/index.csv": "task,uids,word1,word2\nOP,oven/hot,oven,hot\n",
    "data/sentences/sentences.txt": "An oven is hot.\n",
    "data/pc/abstract.csv": "objectUID,hot\noven,1\n",
    "data/pc/situated-properties.csv": "cocoImgID,cocoAnnID,objectUID,hot\n7,8,oven,0\n",
    "data/pc/abstract-train-object-uids.txt": "oven\n",
    "data/pc/abstract-test-object-uids.txt": "\n",
    "data/pc/situated-train-object-uids.txt": "\n",
    "data/pc/situated-test-object-uids.txt": "oven\n",
}
GAP = "\t".join(coreference.GAP_HEADER) + "\n"
GAP_ROW = "test-1\tAnn met Eve when she left.\tshe\t17\tAnn\t0\tTRUE\tEve\t8\tFALSE\thttp://x\n"
RTE = "index\tsentence1\tsentence2\tlabel\n"
SEMEVAL = '1\t"The <e1>fire</e1> made <e2>smoke</e2>."\nCause-Effect(e1,e2)\nComment:\n\n'
LAMA = {
    "data/relations.jsonl": json.dumps(RELATION) + "\n",
    "data/Google_RE/place_of_birth_test.jsonl": "",
    "data/Google_RE/date_of_birth_test.jsonl": "",
    "data/Google_RE/place_of_death_test.jsonl": "",
    "data/Squad/test.jsonl": "",
}


def lines_of(*entries: dict) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def glue(**changed: str) -> dict[str, str]:
    parts = {f"glue_data/{task}/{split}.tsv": RTE for task in ("RTE", "WNLI") for split in ("train", "dev", "test")}
    return parts | {f"glue_data/{name.replace('_', '/')}.tsv": text for name, text in changed.items()}


def cola(**changed: str) -> dict[str, str]:
    parts = dict.fromkeys(("in_domain_train", "in_domain_dev", "out_of_domain_dev"), "") | changed
    return {f"acceptability_corpus/cola_public/raw/{part}.tsv": text for part, text in parts.items()}


def ckbc(text: str) -> dict[str, str]:
    return {f"data/conceptnet/{part}.txt": text if part == "test" else "" for part in ("dev1", "dev2", "test")}


def gap_files(row: str) -> dict[str, str]:
    return {f"gap-{part}.tsv": GAP + (row if part == "test" else "") for part in ("development", "validation", "test")}


def wino(line: str) -> dict[str, str]:
    folder = "WinoBias/wino/data"
    files = {f"{folder}/female_occupations.txt": "nurse\n", f"{folder}/male_occupations.txt": "cook\nchief\n"}
    for split in ("dev", "test"):
        for kind in "12":
            for side in ("pro", "anti"):
                files[f"{folder}/{side}_stereotyped_type{kind}.txt.{split}"] = ""
    return files | {f"{folder}/pro_stereotyped_type1.txt.test": line}


def cats(**changed: str) -> dict[str, str]:
    parts = {
        f"commonsense_ability_test/{t}.txt": ""
        for t in ("arct_1", "arct_2", "ca", "hella_swag", "sm", "smr", "swag", "wsc")
    }
    parts |= {f"Robust_commonsense_test/{t}.txt": "" for t in ("add", "del", "sub", "swap")}
    return parts | {
        ("commonsense_ability_test/" if k != "add" else "Robust_commonsense_test/") + f"{k}.txt": v
        for k, v in changed.items()
    }


def wnut(text: str) -> dict[str, str]:
    return {"wnut17train.conll": text, "emerging.dev.conll": "", "emerging.test.annotated": ""}


def semeval(text: str) -> dict[str, str]:
    return {name: text if split == "train" else "" for split, name in edges.SEMEVAL}


MALFORMED = [
    ("cola", "acceptability", cola(in_domain_dev="a\t1\t\tFine.\na\t2\t\tFine.\n"), "in_domain_dev.tsv:2"),
    ("cola", "acceptability", cola(in_domain_train="a\t1\tFine.\n"), "in_domain_train.tsv:1"),
    ("ckbc_conceptnet", "triples", ckbc("IsA\tpet\tdog\t1\nLikes\tbone\tdog\t1\n"), "test.txt:2"),
    ("ckbc_conceptnet", "concept_pairs", ckbc("IsA\tpet\tdog\tyes\n"), "test.txt:1"),
    ("glue_rte_wnli", "entailment", glue(RTE_dev=RTE + "0\tA.\tB.\tmaybe\n"), "RTE/dev.tsv:2"),
    ("glue_rte_wnli", "entailment", glue(WNLI_test="index\tsentence1\tlabel\n"), "WNLI/test.tsv:1"),
    ("gap", "coreference", gap_files(GAP_ROW.replace("\t17\t", "\t16\t")), "gap-test.tsv:2"),
    ("gap", "coreference", gap_files(GAP_ROW.replace("FALSE", "TRUE")), "gap-test.tsv:2"),
    ("winobias", "coreference", wino("1 [The cook] met the nurse [because he was late.\n"), "type1.txt.test:1"),
    ("winobias", "coreference", wino("1 [The cook] was late when [he] met us.\n"), "type1.txt.test:1"),
    ("winobias", "coreference", wino("2 [The cook] met the nurse when [he] left.\n"), "type1.txt.test:1"),
    ("zhou2020_cats", "commonsense_choice", cats(ca="0\x01A.\x01B.\n2\x01A.\x01B.\n"), "ca.txt:2"),
    ("zhou2020_cats", "commonsense_choice", cats(swag="0\x01A.\x01B.\n"), "swag.txt:1"),
    (
        "richardson_sabharwal2019",
        "hops",
        {"data_mcqa/hypernymy/test.jsonl": CHOICE + "\n" + CHOICE[:-9] + "\n"},
        "test.jsonl:2",
    ),
    (
        "richardson_sabharwal2019",
        "hops",
        {"data_mcqa/hypernymy/test.jsonl": CHOICE.replace('"answerKey": "1"', '"answerKey": "7"')},
        "test.jsonl:1",
    ),
    ("semeval2010_task8", "relations", semeval(SEMEVAL + SEMEVAL.replace("Cause", "Clause")), "TRAIN_FILE.TXT:6"),
    ("semeval2010_task8", "relations", semeval(SEMEVAL + SEMEVAL.replace("<e2>", "")), "TRAIN_FILE.TXT:5"),
    ("wnut17_ner", "entities", wnut("Anna\tB-person\n\nsaw\tO\nPrague\tI-location\n"), "wnut17train.conll:4"),
    ("wnut17_ner", "entities", wnut("Anna\tB-hero\n"), "wnut17train.conll:1"),
    ("lama_original", "facts", LAMA | {"data/TREx/P19.jsonl": '{"uuid": 1,\n'}, "P19.jsonl:1"),
    ("lama_original", "facts", LAMA | {"data/TREx/P19.jsonl": lines_of(FACT, {"uuid": "u"})}, "P19.jsonl:2"),
    (
        "lama_original",
        "facts",
        LAMA | {"data/relations.jsonl": lines_of(RELATION | {"template": "[X] is"})},
        "relations.jsonl:1",
    ),
    (
        "lama_original",
        "facts",
        LAMA | {"data/relations.jsonl": lines_of(RELATION | {"type": "1-1"})},
        "relations.jsonl:1",
    ),
    (
        "forbes2019_physical_commonsense",
        "properties",
        OBJECTS | {"data/pc/abstract.csv": "objectUID,hot\noven,1\noven,3\n"},
        "abstract.csv:3",
    ),
    (
        "forbes2019_physical_commonsense",
        "properties",
        OBJECTS | {"data/pc/abstract.csv": "objectUID,hot\noven\n"},
        "abstract.csv:2",
    ),
]


@pytest.mark.parametrize(("dataset", "task", "contents", "place"), MALFORMED)
def test_a_malformed_line_is_named(tmp_path, dataset, task, contents, place):
    with pytest.raises(ReaderError) as caught:
        read(dataset, task, tmp_path, contents)
    assert f"{place}:" in str(caught.value)


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


def test_right_objects_of_a_subject_are_answers_of_one_item(tmp_path):
    no = [{"judgment": "no"}]
    contents = LAMA | {
        "data/TREx/P159.jsonl": lines_of(FACT, FACT | {"obj_label": "Lazio", "uuid": "u2"}, FACT | {"uuid": "u3"}),
        "data/Google_RE/place_of_birth_test.jsonl": lines_of(
            FACT | {"judgments": no}, FACT | {"judgments": [*no, {"judgment": "yes"}]}
        ),
        "data/Squad/test.jsonl": lines_of(
            {"id": "q", "masked_sentences": ["It is [MASK] and [MASK]."], "obj_label": "red"}
        ),
    }
    items, notes = read("lama_original", "facts", tmp_path, contents)
    assert [(i.id, i.text, i.answers) for i in items] == [
        ("P159/u1", "The headquarter of Rome is in [MASK] .", ("Italy", "Lazio")),
        ("place_of_birth/u1", "Rome was born in [MASK] .", ("Italy",)),
    ]
    assert items[0].meta["cardinality"] == "N-1" and items[0].meta["template"] == RELATION["template"]
    assert set(notes[2:]) == {
        "1 left out: facts that their file has twice",
        "1 left out: facts that most raters did not find in the text",
        "1 left out: SQuAD sentences with two gaps",
    }


def test_uhn_stands_beside_the_whole_relation(tmp_path):
    contents = {
        "data/relations.jsonl": lines_of(RELATION | {"relation": "P19"}),
        "data/test_datasets/TREx_UHN/P19.jsonl": lines_of(FACT),
        "lama_original::data/TREx/P19.jsonl": lines_of(FACT, FACT | {"sub_label": "Bari", "uuid": "u2"}),
    }
    items, _ = read("lama_uhn", "facts", tmp_path, contents)
    assert Counter(i.meta["set"] for i in items) == {"LAMA": 2, "UHN": 1}


def test_prompts_take_turns_and_keep_their_weights(tmp_path):
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:gz") as tar:
        content = lines_of(FACT, FACT | {"sub_label": "Bari"}).encode()
        member = tarfile.TarInfo("TREx_train/P17.jsonl")
        member.size = len(content)
        tar.addfile(member, io.BytesIO(content))
    contents = {
        "TREx_train.tar.gz": archive.getvalue(),
        "prompt/manual_paraphrase/P17.txt": "[X] is located in [Y] .\n[X] is in [Y] .\n",
        "prompt/mine/P17.jsonl": lines_of({"template": "[X] , [Y] .", "weight": 0.25}),
        "prompt/paraphrase/P17.jsonl": lines_of({"template": "[X] lies in [Y] .", "weight": 1}),
        "lama_trex_pararel::data/trex_lms_vocab/P17.jsonl": lines_of(FACT),
    }
    items, _ = read("lpaqa", "facts", tmp_path, contents)
    assert [(i.split, i.text) for i in items[:4]] == [
        ("train", "Rome is located in [MASK] ."),
        ("train", "Bari is located in [MASK] ."),
        ("train", "Rome , [MASK] ."),
        ("train", "Bari , [MASK] ."),
    ]
    assert [(i.meta["origin"], i.meta["weight"]) for i in items if i.split == "test"] == [
        ("manual", 1.0),
        ("mined", 0.25),
        ("paraphrased", 1.0),
    ]
    contents["prompt/mine/P17.jsonl"] = lines_of({"template": "[X] only", "weight": 0.25})
    with pytest.raises(ReaderError, match=r"mine/P17\.jsonl:1:"):
        read("lpaqa", "facts", tmp_path, contents)


def test_properties_are_split_by_object(tmp_path):
    items, _ = read("forbes2019_physical_commonsense", "properties", tmp_path, OBJECTS)
    assert [(i.split, i.label, i.condition, i.meta["set"]) for i in items] == [
        ("train", "1", "perceptual", "abstract"),
        ("test", "0", "perceptual", "situated"),
    ]
    assert {i.text for i in items} == {"An oven is hot."}


def test_renaming_reaches_the_last_name_alone():
    words = texts.words("Ann Lee met Eve. Lee left in 1999.")
    assert " ".join(names.renamed(words, ("Ann", "Lee"), ("Sue", "Orr"))) == "Sue Orr met Eve . Orr left in 1999 ."
    assert not names.shared(words, ("Ann", "Lee"))
    assert names.shared(("Then", "Tom", "Lee", "left"), ("Ann", "Lee"))
    ((year, instead),) = names.placebos(words)
    assert year == "1999" and "1999" not in instead and all(abs(int(y) - 1999) < 10 for y in instead)


# --- the original files: counts that the studies state ---


@lru_cache(maxsize=3)  # all of them together would take a gigabyte
def items_of(dataset: str, task: str):
    return original.read(dataset, task, mirror=mirror())


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
def test_google_re_has_the_5527_facts_of_lama():
    items, _ = items_of("lama_original", "facts")
    google = Counter()
    for item in items:
        if item.meta["corpus"] == "Google-RE":
            google[item.condition] += len(item.answers)
    assert google == {"place_of_birth": 2937, "date_of_birth": 1825, "place_of_death": 765}
    assert sum(item.condition == "SQuAD" for item in items) == 305 - 3


@pytest.mark.mirror
def test_cardinalities_are_those_of_lama():
    items, _ = items_of("lama_uhn", "facts")
    for relation, template in facts._templates(mirror() / "lama_uhn/data/relations.jsonl").items():
        assert facts.cardinality(relation) in ("1-1", "N-1", "N-M")
        assert all(i.meta["template"] == template.text for i in items if i.condition == relation)


@pytest.mark.mirror
def test_uhn_is_a_part_of_its_relation():
    items, _ = items_of("lama_uhn", "facts")
    sets: dict[str, set] = {"UHN": set(), "LAMA": set()}
    for item in items:
        sets[item.meta["set"]] |= {(item.condition, item.meta["subject"], answer) for answer in item.answers}
    both = {relation for relation, _, _ in sets["LAMA"]}
    assert len(both) == 28
    assert {fact for fact in sets["UHN"] if fact[0] in both} < sets["LAMA"]


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
