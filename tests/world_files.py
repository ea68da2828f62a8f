"""Small hand-written files of the data sets about facts, objects, names, choices and classes."""

from __future__ import annotations

import json

from bertology_utils.data.original.readers import coreference, edges

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
