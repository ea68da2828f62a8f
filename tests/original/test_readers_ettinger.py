"""Readers of Ettinger's diagnostics: hand-written stand-ins, then the study's own counts."""

from __future__ import annotations

from collections import Counter

import pytest
from standin import items_of, read

from bertology_utils.data.items import MASK
from bertology_utils.data.original.reading import ReaderError

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
    assert (
        items[2].meta["same_article"] and items[2].meta["licensed"] and items[2].meta["pair"] == items[3].meta["pair"]
    )
    assert notes[0].startswith("2 items of NEG-136-SIMP need another article")


@pytest.mark.parametrize(
    ("path", "text", "where"),
    [
        (SIMPLE, "h\n0\tAn ant is\tAn ant is not (a|an)\tinsect\ttool\n", r"SIMP\.tsv:2: .*no article"),
        (SIMPLE, "h\n0\tAn ant is (a|an)\tAn ant is not (a|an)\tinsect\n", r"SIMP\.tsv:2: 4 fields"),
        (NATURAL, "h\n1\tRoses are\tRoses aren't\tpretty\tugly\t?\n", r"NAT\.tsv:2: .*licensing"),
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
    assert cprag.text.split()[: cprag.meta["first"]] == ["It", "rained.", "He", "left."] and cprag.answers == (
        "umbrella",
    )
    words = first.text.split()
    assert words[slice(*first.meta["object"])] == ["waitress"] and words[slice(*first.meta["subject"])] == [
        "new",
        "customer",
    ]
    assert first.answers == ("tipped", "liked") and simple.text.split()[slice(*simple.meta["subject"])] == ["An", "ant"]
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
        ("simple", "affirmative"): 18,
        ("simple", "negated"): 18,
        ("natural", "affirmative"): 16,
        ("natural", "negated"): 16,
    }
    assert sum(not i.meta["same_article"] for i in negation) == 8 == int(notes[0].split()[0])


EXTENDED = "shivagunde2023_ettinger_extended"


def test_extended_negation_pairs_lines_and_fits_the_article(tmp_path):
    both = {
        "stimuli/NEG-1500-SIMP-TEMP.txt": (
            "An aunt is a relative,\nAn aunt is not an animal,\nUSA is a country,\nUSA is not a tree,\n"
        ),
        "stimuli/NEG-1500-SIMP-GEN.txt": (
            "A baby is a person,\nA baby is not a grown-up,\nA cat is a pet,\nA dog is not a tool,\nIt rains,\nNo,\n"
        ),
    }
    items, notes = read(EXTENDED, "negation", tmp_path, both)
    assert [(i.condition, i.text, i.good, i.bad, i.meta["thing"]) for i in items] == [
        ("affirmative", f"An aunt is a {MASK} .", "relative", "animal", "aunt"),
        ("negated", f"An aunt is not an {MASK} .", "animal", "relative", "aunt"),
        ("affirmative", f"USA is a {MASK} .", "country", "tree", "usa"),
        ("negated", f"USA is not a {MASK} .", "tree", "country", "usa"),
        ("affirmative", f"A baby is a {MASK} .", "person", "grown-up", "baby"),
        ("negated", f"A baby is not a {MASK} .", "grown-up", "person", "baby"),
    ]
    assert items[1].meta["text_bad"] == f"An aunt is not a {MASK} ." and not items[1].meta["same_article"]
    assert [n.split()[0] for n in notes] == ["1", "1"]  # a cat and a dog, and what is no such pair


def test_extended_roles_oppose_the_verbs_of_both_orders(tmp_path):
    lines = (
        "the cop saw which thief the dog had bitten,\nThe cop saw which dog the thief had beaten,\n"
        "the boy knew which book the man had read,\nthe boy knew which man the book had pleased,\n"
        "the boy knew which book the man had read,\nthe boy knew which man the book had pleased,\n"
        "the boy knew which cat the dog had seen,\nthe boy knew which dog the cat had seen,\n"
    )
    items, notes = read(EXTENDED, "roles", tmp_path, {"stimuli/ROLE-1500.txt": lines})
    assert [(i.condition, i.good, i.bad) for i in items] == [
        ("related", "bitten", "beaten"), ("unrelated", "bitten", "read"),
        ("related", "beaten", "bitten"), ("unrelated", "beaten", "read"),
        ("related", "read", "pleased"), ("unrelated", "read", "bitten"),
        ("related", "pleased", "read"), ("unrelated", "pleased", "bitten"),
    ]  # fmt: skip
    assert items[0].text == f"the cop saw which thief the dog had {MASK} ."
    assert any(n.startswith("1 left out: pairs of ROLE-1500 that stand there twice") for n in notes)
    assert any(n.startswith("1 left out: pairs of ROLE-1500 that do not reverse") for n in notes)
    graded, _ = read(EXTENDED, "plausibility", tmp_path, {"stimuli/ROLE-1500.txt": lines})
    assert [graded[1].meta[k] for k in ("right", "related", "unrelated")] == ["beaten", "bitten", "read"]
    assert graded[0].meta["pair"] == graded[1].meta["pair"] != graded[2].meta["pair"]  # both orders are one group


@pytest.mark.mirror
def test_the_extended_sets_have_their_sizes():
    negation, _ = items_of(EXTENDED, "negation")
    assert Counter((i.meta["set"], i.condition) for i in negation) == {
        ("NEG-1500-SIMP-TEMP", "affirmative"): 770,
        ("NEG-1500-SIMP-TEMP", "negated"): 770,
        ("NEG-1500-SIMP-GEN", "affirmative"): 745,
        ("NEG-1500-SIMP-GEN", "negated"): 745,
    }
    assert len({i.meta["pair"] for i in items_of(EXTENDED, "roles")[0]}) == 574
