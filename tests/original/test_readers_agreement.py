"""Readers of agreement: hand-written stand-ins, then the studies' own counts."""

from __future__ import annotations

import ast
import pickle
from collections import Counter
from types import SimpleNamespace

import pytest
from standin import items_of, read
from support import mirror

from bertology_utils.data.items import MASK
from bertology_utils.data.original.readers.agreement import CONDITIONS, plain_pickle
from bertology_utils.data.original.reading import ReaderError
from bertology_utils.subject import cloze


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


def row(
    form: str,
    kind: str,
    *,
    sentence="The keys near it x there . <eos>",
    prefix="The keys near it",
    place=4,
    attractors=1,
):
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
    with pytest.raises(ReaderError, match=r"subj_agr_filtered\.(gold:[12]: |text:1: 1 lines)"):
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
