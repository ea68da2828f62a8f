"""Readers of agreement, NPIs, ambiguities and Ettinger's diagnostics: stand-ins, then the studies' own counts."""

from __future__ import annotations

import ast
import pickle
from collections import Counter
from functools import lru_cache
from types import SimpleNamespace

import pytest
from standin import read
from support import mirror

from bertology_utils import cloze
from bertology_utils.data import original
from bertology_utils.data.items import MASK
from bertology_utils.data.original.readers.agreement import CONDITIONS, plain_pickle
from bertology_utils.data.original.reading import ReaderError


@lru_cache(maxsize=4)
def items_of(dataset: str, task: str):
    return original.read(dataset, task, mirror=mirror())


def standard() -> SimpleNamespace:
    """What `single_piece` looks at of a subject with the standard uncased vocabulary."""
    transformers = pytest.importorskip("transformers")
    file = mirror() / "tokenizer-bert-base-uncased" / "tokenizer.json"
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_file=str(file), unk_token="[UNK]")
    return SimpleNamespace(name="bert-base-uncased", tokenizer=tokenizer)


# --- Gulordava, Linzen, Goldberg --------------------------------------------------------------------------------------

GENERATED = "data/agreement/English/generated.tab"
TEXT, GOLD = (f"data/linzen_testset/subj_agr_filtered.{part}" for part in ("text", "gold"))
HEADER = "pattern constr_id sent_id correct_number form class type prefix n_attr punct freq len_context len_prefix sent"


def row(form: str, kind: str, *, sentence="The keys near it x there . <eos>", prefix="The keys near it", place=4, attractors=1):
    fields = ["P", "0", "3", "plur", form, kind, "generated", prefix, attractors, False, 1, 1, place, sentence]
    return "\t".join(map(str, fields))


def generated(*rows: str) -> dict[str, str]:
    table = "\n".join(["\t".join(HEADER.split()), *rows]) + "\n"
    return {GENERATED: table, TEXT: "the keys are there . <eos>\n", GOLD: "2\tare\tis\t1\n"}


def test_gulordava_items_come_from_two_rows(tmp_path):
    contents = generated(row("are", "correct"), row("is", "wrong"))
    (nonce, natural), _ = read("gulordava2018_linzen2016", "agreement", tmp_path, contents)
    assert (nonce.text, nonce.good, nonce.bad) == (f"The keys near it {MASK} there .", "are", "is")
    assert nonce.condition == "nonce" and nonce.meta["nonce"] and nonce.meta["attractors"] == 1
    assert (natural.text, natural.good, natural.bad) == (f"the keys {MASK} there .", "are", "is")
    assert natural.condition == "natural" and natural.meta == {"attractors": 1, "nonce": False, "set": "linzen"}


@pytest.mark.parametrize(
    "rows",
    [
        [row("are", "correct"), row("is", "correct")],
        [row("are", "correct"), row("is", "wrong", sentence="Other . <eos>")],
        [row("are", "correct")],
        [row("are", "correct", place=3), row("is", "wrong", place=3)],
        [row("are", "correct", sentence="No end ."), row("is", "wrong", sentence="No end .")],
    ],
)
def test_malformed_gulordava_rows_name_their_line(tmp_path, rows):
    whole = [row("are", "correct"), row("is", "wrong")]
    with pytest.raises(ReaderError, match=r"generated\.tab:4: "):  # the first of the pair's two
        read("gulordava2018_linzen2016", "agreement", tmp_path, generated(*whole, *rows))


@pytest.mark.parametrize("gold", ["1\tare\tis\t1\n", "2\tare\tis\n", "9\tare\tis\t1\n", "2\tare\tis\t1\n" * 2])
def test_malformed_linzen_rows_name_their_line(tmp_path, gold):
    contents = generated(row("are", "correct"), row("is", "wrong")) | {GOLD: gold}
    with pytest.raises(ReaderError, match=r"subj_agr_filtered\.gold:[12]: "):
        read("gulordava2018_linzen2016", "agreement", tmp_path, contents)


@pytest.mark.mirror
def test_gulordava_and_linzen_sets_are_whole():
    items, notes = items_of("gulordava2018_linzen2016", "agreement")
    assert Counter(i.condition for i in items) == {"natural": 7485, "nonce": 369, "original": 41}
    linzen = Counter(i.meta["attractors"] for i in items if i.meta["set"] == "linzen")
    assert sum(linzen.values()) + 4 == 7489 and set(linzen) == {0, 1, 2, 3, 4}
    assert notes == ("4 left out: the Linzen test set gives one form twice",)


@pytest.mark.mirror
def test_goldbergs_filter_leaves_383_items_those_of_his_released_results():
    items, notes = items_of("goldberg2019_bert_syntax", "agreement")
    assert len(items) == 396 and notes == ("14 left out: the verb is is/are (the study's filter)",)
    kept, note = cloze.single_piece(standard(), items)
    assert len(kept) == 383 and note.startswith("383 of 396 items")
    assert Counter(i.meta["attractors"] for i in kept) == {0: 311, 1: 63, 2: 9}
    released = (mirror() / "goldberg2019_bert_syntax/results/gulordava_results_base.txt").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in released.splitlines() if line.startswith(("True", "False"))]
    assert [(i.meta["attractors"], i.good, i.bad) for i in kept] == [(int(r[1]), r[2], r[4]) for r in rows]
    texts = [ast.literal_eval(r[6]).decode("utf-8") for r in rows]
    assert [i.text.lower().replace(MASK.lower(), "***mask***") for i in kept] == texts


# --- Marvin & Linzen --------------------------------------------------------------------------------------------------


def test_a_pickle_of_anything_but_strings_is_refused(tmp_path):
    path = tmp_path / "x.pickle"
    for content in ([("a", "b")], {"case": ["ab"]}, {"case": [("a", 1)]}, {"case": ("a", "b")}):
        path.write_bytes(pickle.dumps(content))
        with pytest.raises(ReaderError, match=r"x\.pickle"):
            plain_pickle(path)
    path.write_bytes(pickle.dumps({"case": [("a", "b")]}))
    assert plain_pickle(path) == {"case": [("a", "b")]}


def test_a_pickle_that_would_run_something_is_refused(tmp_path):
    class Evil:
        def __reduce__(self):
            return (open, (str(tmp_path / "written"), "w"))

    path = tmp_path / "x.pickle"
    path.write_bytes(pickle.dumps({"case": [Evil()]}))
    with pytest.raises(ReaderError, match="it would import"):
        plain_pickle(path)
    path.write_bytes(b"\x80\x04no pickle")
    with pytest.raises(ReaderError):
        plain_pickle(path)
    assert not (tmp_path / "written").exists()


def templates(**cases) -> dict[str, bytes]:
    names = [t for group in CONDITIONS.values() for t in group]
    return {f"data/templates/{n}.pickle": pickle.dumps(cases if n == "prep_anim" else {}) for n in names}


def test_templates_become_forced_choices(tmp_path):
    case = {"sing_MS_MV_plur_ES": [("the cat near the dogs sleeps", "the cat near the dogs sleep")]}
    (item,), _ = read("marvin_linzen2018", "agreement", tmp_path, templates(**case))
    assert (item.text, item.good, item.bad) == (f"the cat near the dogs {MASK} .", "sleeps", "sleep")
    assert item.condition == "across a prepositional phrase" and item.meta["attractors"] == 1
    with pytest.raises(ReaderError, match=r"prep_anim\.pickle:x\[0\]: .*differ in one word"):
        read("marvin_linzen2018", "agreement", tmp_path, templates(x=[("the cat sleeps", "a cat sleep")]))


# The counts goldberg2019 gives for these conditions.
GOLDBERG = {
    "simple": 120, "sentential complement": 1440, "short VP coordination": 720, "long VP coordination": 400,
    "across a prepositional phrase": 19440, "across a subject relative": 9600, "across an object relative": 19680,
    "across an object relative (no that)": 19680, "in an object relative": 15960, "in an object relative (no that)": 15960,
    "reflexive: simple": 280, "reflexive: sentential complement": 3360, "reflexive: across a relative clause": 22400,
}  # fmt: skip


@pytest.mark.mirror
def test_the_thirteen_conditions_with_the_standard_vocabulary():
    items, _ = items_of("marvin_linzen2018", "agreement")
    kept, _ = cloze.single_piece(standard(), items)
    assert Counter(i.condition for i in kept) == GOLDBERG
    assert list(CONDITIONS) == list(GOLDBERG)
    assert {i.meta["attractors"] for i in items if i.condition == "simple"} == {0}


# --- Ettinger ---------------------------------------------------------------------------------------------------------

ETTINGER = "ettinger2019_lm_diagnostics"
SIMPLE, NATURAL = "datasets/NEG-136/NEG-136-SIMP.tsv", "datasets/NEG-136/NEG-136-NAT.tsv"
ROLE, CPRAG = "datasets/ROLE-88/ROLE-88.tsv", "datasets/CPRAG-102/CPRAG-102.tsv"
NEGATION = {
    SIMPLE: "item\tcontext_aff\tcontext_neg\ttarget_aff\ttarget_neg\n0\tAn ant is (a|an)\tAn ant is not (a|an)\tinsect\ttool\n",
    NATURAL: "h\n1\tRoses are very\tRoses aren't very\tpretty\tugly\tY\n",
}


def test_negation_swaps_the_right_completion_and_fits_the_article(tmp_path):
    items, notes = read(ETTINGER, "negation", tmp_path, NEGATION)
    shown = [(i.condition, i.text, i.good, i.bad) for i in items]
    assert shown == [
        ("affirmative", f"An ant is an {MASK} .", "insect", "tool"),
        ("negated", f"An ant is not a {MASK} .", "tool", "insect"),
        ("affirmative", f"Roses are very {MASK} .", "pretty", "ugly"),
        ("negated", f"Roses aren't very {MASK} .", "ugly", "pretty"),
    ]
    assert items[0].meta["text_bad"] == f"An ant is a {MASK} ." and not items[0].meta["same_article"]
    assert items[2].meta["same_article"] and items[2].meta["licensed"] and items[2].meta["pair"] == items[3].meta["pair"]
    assert notes[0].startswith("2 items of NEG-136-SIMP need another article")


@pytest.mark.parametrize(
    ("path", "text", "where"),
    [
        (SIMPLE, "h\n0\tAn ant is\tAn ant is not (a|an)\tinsect\ttool\n", r"SIMP\.tsv:2: no article"),
        (SIMPLE, "h\n0\tAn ant is (a|an)\tAn ant is not (a|an)\tinsect\n", r"SIMP\.tsv:2: 4 fields"),
        (NATURAL, "h\n1\tRoses are\tRoses aren't\tpretty\tugly\t?\n", r"NAT\.tsv:2: licensing"),
        (NATURAL, "h\n1\tRoses are\tRoses aren't\tugly\tugly\tY\n", r"NAT\.tsv:2: ItemError"),
    ],
)
def test_malformed_negation_rows_name_their_line(tmp_path, path, text, where):
    with pytest.raises(ReaderError, match=where):
        read(ETTINGER, "negation", tmp_path, NEGATION | {path: text})


def role(item: str, context: str, expected: str, target: str = "served") -> str:
    return f"{item}\t{context} \t{expected}\t0.3\t{target}\t0.3\t0.3\n"


ROLES = (
    "header\n"
    + role("1-b", "the cook knew which waitress the new customer had", "tipped|liked")
    + role("1-a", "the cook knew which customer the waitress had", "served")
    + role("2-b", "Tracy saw which girl the bear had", "eaten", "eaten")
    + role("2-a", "Tracy saw which bear the girl had", "eaten", "eaten")
)


def test_roles_oppose_the_fillers_of_reversed_roles(tmp_path):
    items, notes = read(ETTINGER, "roles", tmp_path, {ROLE: ROLES})
    assert [(i.id, i.good, i.bad) for i in items] == [
        ("1-a-related", "served", "tipped"), ("1-a-unrelated", "served", "eaten"),
        ("1-b-related", "tipped", "served"), ("1-b-unrelated", "tipped", "eaten"),
    ]  # fmt: skip
    assert items[0].text == f"the cook knew which customer the waitress had {MASK} ."
    assert "2 left out: ROLE-88 related: both scenarios have the same completion" in notes


def test_completions_know_their_arguments(tmp_path):
    contents = NEGATION | {ROLE: ROLES, CPRAG: "h\n0\tIt rained. He left.\tShe took an\tumbrella\traincoat\tpen\tH\n"}
    items, _ = read(ETTINGER, "completion", tmp_path, contents)
    assert [i.condition for i in items] == ["cprag", "role", "role", "role", "role", "simple", "natural"]
    cprag, first, *_, simple, _ = items
    assert cprag.text.split()[: cprag.meta["first"]] == ["It", "rained.", "He", "left."] and cprag.answers == ("umbrella",)
    words = first.text.split()
    assert words[slice(*first.meta["object"])] == ["waitress"] and words[slice(*first.meta["subject"])] == ["new", "customer"]
    assert first.answers == ("tipped", "liked") and simple.text.split()[slice(*simple.meta["subject"])] == ["An", "ant"]
    pragmatic, _ = read(ETTINGER, "pragmatic", tmp_path, contents)
    assert [(i.condition, i.good, i.bad) for i in pragmatic] == [
        ("within", "umbrella", "raincoat"), ("between", "umbrella", "pen")]  # fmt: skip
    (graded,), _ = read(ETTINGER, "plausibility", tmp_path, contents)
    assert [graded.meta[k] for k in ("right", "related", "unrelated")] == ["umbrella", "raincoat", "pen"]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("h\n" + role("1-a", "x", "y"), r"ROLE-88\.tsv:2: pair 1 has the sides \['a'\]"),
        ("h\n" + role("1", "x", "y"), r"ROLE-88\.tsv:2: ValueError"),
        ("h\n1-a\tx\ty\n", r"ROLE-88\.tsv:2: 3 fields"),
    ],
)
def test_malformed_roles_name_their_line(tmp_path, text, where):
    with pytest.raises(ReaderError, match=where):
        read(ETTINGER, "roles", tmp_path, {ROLE: text})


@pytest.mark.mirror
def test_ettingers_sets_have_their_sizes():
    # the names count stimuli as the experiments behind them did; the study uses 34 CPRAG, 18 + 16 NEG, 44 ROLE pairs
    assert Counter(i.condition for i in items_of(ETTINGER, "completion")[0]) == {
        "cprag": 34, "role": 88, "simple": 18, "natural": 16}  # fmt: skip
    negation, notes = items_of(ETTINGER, "negation")
    assert Counter((i.meta["set"], i.condition) for i in negation) == {
        ("simple", "affirmative"): 18, ("simple", "negated"): 18, ("natural", "affirmative"): 16, ("natural", "negated"): 16}
    assert sum(not i.meta["same_article"] for i in negation) == 8 == int(notes[0].split()[0])
    assert len(items_of(ETTINGER, "pragmatic")[0]) == 68


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
    (item,), _ = read(NPI, "npi_cloze", tmp_path, {CLOZE: pair("He ever runs, often.", "He soon runs, often.", 1, varied)})
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
    bad = [i for i in acceptability if i.meta["present"] and i.meta["licensed"] and i.meta["in_scope"] and i.label == "0"]
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
    for name, text in (("gen", "dogs who can run will sleep\t2\n"), ("gen", "dogs who can run\t4\n"), ("train", "dogs run\t1\n")):
        with pytest.raises(ReaderError, match=rf"aux\.{name}(\.pos)?:1: "):
            read(SESAME, "ambiguity", tmp_path, AUX | SUBJECT | {f"{ROOT}/data_aux/aux.{name}": text})


def test_agreement_attention_names_what_stands_between(tmp_path):
    contents = {}
    for stem, name, text, tags in (
        ("data_agr/agr", "4", "the cat near the dogs can run\t5\t0 1\t3 4 \n", "Det N_sg Prep Det N_pl Aux VI\t5\t0 1\t3 4 \n"),
        ("data_refl/refl", "1", "a man can see a boy by himself\t7\t0 1\t4 5 \n",
         "Det N_M Aux VT Det N_M Prep Refl_M\t7\t0 1\t4 5 \n"),
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
