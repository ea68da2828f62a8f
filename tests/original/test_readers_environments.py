"""Readers of NPI environments and ambiguities: stand-ins, then the studies' own counts."""

from __future__ import annotations

from collections import Counter

import pytest
from standin import items_of, read

from bertology_utils.data.items import MASK
from bertology_utils.data.original.reading import ReaderError

# --- NPIs -------------------------------------------------------------------------------------------------------------

NPI = "warstadt2019_npi"
PAIRS, CLOZE = (f"outputs/npi/environments/npi_{kind}_pairs.tsv" for kind in ("minimal", "cloze"))


def pair(first: str, second: str, right: int, varied: str) -> str:
    return f"NPI-adverbs\t{first}\t{second}\t{right}\tenv=adverbs_{varied}\n"


def test_npi_pairs_say_what_they_vary(tmp_path):
    contents = {PAIRS: pair("He ever runs.", "He often runs.", 1, "licensor=0_scope=0_npi_present=1-0")
                + pair("He rarely ever runs.", "He often ever runs.", 0, "licensor=0-1_scope=1_npi_present=1")
                + pair("He ever rarely runs.", "He rarely ever runs.", 1, "licensor=1_scope=0-1_npi_present=1")}  # fmt: skip
    items, _ = read(NPI, "npi_pairs", tmp_path, contents)
    assert [(i.condition, i.good) for i in items] == [
        ("npi", "He often runs."), ("licensor", "He rarely ever runs."), ("scope", "He rarely ever runs.")]  # fmt: skip
    assert {i.meta["environment"] for i in items} == {"adverbs"}


def test_npi_cloze_masks_the_word_that_differs(tmp_path):
    varied = "licensor=0_scope=0_npi_present=1-0"
    (item,), _ = read(
        NPI, "npi_cloze", tmp_path, {CLOZE: pair("He ever runs, often.", "He soon runs, often.", 1, varied)}
    )
    assert (item.text, item.good, item.bad) == (f"He {MASK} runs , often .", "soon", "ever")
    for bad in (pair("He ever runs.", "She often runs.", 1, varied), pair("He ever runs.", "He often runs.", 2, varied),
                pair("He ever runs.", "He often runs.", 1, "licensor=0_scope=0_npi_present=1")):  # fmt: skip
        with pytest.raises(ReaderError, match=r"npi_cloze_pairs\.tsv:1: ValueError"):
            read(NPI, "npi_cloze", tmp_path, {CLOZE: bad})


@pytest.mark.mirror
def test_npi_sets_have_their_sizes():
    assert Counter(i.condition for i in items_of(NPI, "npi_pairs")[0]) == {"npi": 3250, "licensor": 1250, "scope": 1000}
    acceptability, _ = items_of(NPI, "npi_acceptability")
    assert Counter(i.split for i in acceptability) == {"train": 90000, "dev": 9000, "test": 9000}
    assert len({i.condition for i in acceptability}) == 9
    bad = [
        i for i in acceptability if i.meta["present"] and i.meta["licensed"] and i.meta["in_scope"] and i.label == "0"
    ]
    assert not bad
    assert all(i.label == "0" for i in acceptability if i.meta["present"] and not i.meta["licensed"])


# --- Open Sesame ------------------------------------------------------------------------------------------------------

SESAME, ROOT = "lin2019_open_sesame", "pytorch_pretrained_bert"


def sesame(stem: str, parts: dict[str, tuple[str, str]]) -> dict[str, str]:
    return {f"{ROOT}/{stem}.{part}{end}": text for part, pair in parts.items() for end, text in zip(("", ".pos"), pair)}


AUX = sesame("data_aux/aux", {
    "train": ("dogs can run\t1\n", "N MAux VI\t1\n"), "test": ("cats can run\t1\n", "N MAux VI\t1\n"),
    "gen": ("dogs who can run will sleep\t4\n", "N Rel Aux VI MAux VI\t4\n")})  # fmt: skip
SUBJECT = sesame("data_sbjn-join/sbjn-join", {
    "train": ("dogs can run\t0\n", "MN Aux VI\t0\n"), "test": ("cats can run\t0\n", "MN Aux VI\t0\n"),
    "gen_comp": ("queen bees run\t1\n", "N MN VI\t1\n"), "gen_apost": ("fish's bees run\t3\n", "N MN VI\t3\n")})  # fmt: skip


def test_ambiguities_are_resolved_in_the_test_part(tmp_path):
    items, _ = read(SESAME, "ambiguity", tmp_path, AUX | SUBJECT)
    assert [(i.condition, i.split, i.label, i.linear, i.candidates) for i in items] == [
        ("main_auxiliary", "train", 1, 1, (1,)), ("main_auxiliary", "dev", 1, 1, (1,)), ("main_auxiliary", "test", 4, 2, (2, 4)),
        ("subject_noun", "train", 0, 0, (0,)), ("subject_noun", "dev", 0, 0, (0,)), ("subject_noun", "test", 1, 0, (0, 1)),
        ("subject_noun", "test", 1, 0, (0, 1)),
    ]  # fmt: skip
    for name, text in (
        ("gen", "dogs who can run will sleep\t2\n"),
        ("gen", "dogs who can run\t4\n"),
        ("train", "dogs run\t1\n"),
    ):
        with pytest.raises(ReaderError, match=rf"aux\.{name}(\.pos)?:1: "):
            read(SESAME, "ambiguity", tmp_path, AUX | SUBJECT | {f"{ROOT}/data_aux/aux.{name}": text})


def test_agreement_attention_names_what_stands_between(tmp_path):
    contents = {}
    for stem, name, text, tags in (
        (
            "data_agr/agr",
            "4",
            "the cat near the dogs can run\t5\t0 1\t3 4 \n",
            "Det N_sg Prep Det N_pl Aux VI\t5\t0 1\t3 4 \n",
        ),
        (
            "data_refl/refl",
            "1",
            "a man can see a boy by himself\t7\t0 1\t4 5 \n",
            "Det N_M Aux VT Det N_M Prep Refl_M\t7\t0 1\t4 5 \n",
        ),
    ):
        contents |= sesame(stem, {name: (text, tags)})
    verb, reflexive = read(SESAME, "agreement_attention", tmp_path, contents)[0]
    assert (verb.condition, verb.meta["from"], verb.target, verb.linear, verb.candidates) == ("pp", 5, 1, 4, (1, 4))
    assert (reflexive.condition, reflexive.meta["from"], reflexive.target) == ("reflexive object", 7, 1)
    assert reflexive.candidates == (1, 5)
    contents[f"{ROOT}/data_agr/agr.4"] = contents[f"{ROOT}/data_agr/agr.4"].replace("\t3 4 ", "\t2 ")
    with pytest.raises(ReaderError, match=r"agr\.4\.pos:1: "):
        read(SESAME, "agreement_attention", tmp_path, contents)


@pytest.mark.mirror
def test_open_sesame_sets_are_whole():
    items, _ = items_of(SESAME, "ambiguity")
    assert Counter((i.condition, i.split) for i in items) == {
        ("main_auxiliary", "train"): 40000, ("main_auxiliary", "dev"): 10000, ("main_auxiliary", "test"): 10000,
        ("subject_noun", "train"): 40000, ("subject_noun", "dev"): 10000, ("subject_noun", "test"): 20000}  # fmt: skip
    assert all((i.label == i.linear) == (i.split != "test") for i in items)
