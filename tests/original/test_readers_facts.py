"""Readers of facts and prompts: hand-written stand-ins, then LAMA's own counts."""

from __future__ import annotations

import io
import tarfile
from collections import Counter

import pytest
from standin import items_of, read
from support import mirror
from world_files import (
    FACT,
    LAMA,
    RELATION,
    lines_of,
)

from bertology_utils.data.original import reading
from bertology_utils.data.original.readers import facts
from bertology_utils.data.original.reading import ReaderError


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


# --- the original files -----------------------------------------------------------------------------------------------


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
    for relation, template in facts._templates(reading.Files("lama_uhn", mirror())).items():
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
