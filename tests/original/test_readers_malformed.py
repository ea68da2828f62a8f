"""A reader refuses a malformed line, and names its file and its number."""

from __future__ import annotations

import pytest
from standin import read
from world_files import (
    CHOICE,
    FACT,
    GAP_ROW,
    LAMA,
    OBJECTS,
    RELATION,
    RTE,
    SEMEVAL,
    cats,
    ckbc,
    cola,
    gap_files,
    glue,
    lines_of,
    semeval,
    wino,
    wnut,
)

from bertology_utils.data.original.reading import ReaderError

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
