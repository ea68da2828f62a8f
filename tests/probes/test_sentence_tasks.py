"""The ten sentence tasks on small trees whose answers are plain."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from bertology_utils.data.items import ItemError, Sentence
from bertology_utils.probes import sentence_tasks as st


def tree(text, heads, deprels, upos, feats=None, split="train", id="s"):
    words = tuple(text.split())
    return Sentence(
        id=id,
        split=split,
        words=words,
        upos=tuple(upos.split()),
        xpos=tuple(upos.split()),
        feats=feats or ("_",) * len(words),
        heads=tuple(heads),
        deprels=tuple(deprels.split()),
    )


def simple(subject="dog", verb="sees", object="cat", past=False, split="train", id="s"):
    plural = subject.endswith("s")
    feats = (
        "_",
        f"Number={'Plur' if plural else 'Sing'}",
        f"Tense={'Past' if past else 'Pres'}|VerbForm=Fin",
        "_",
        f"Number={'Plur' if object.endswith('s') else 'Sing'}",
        "_",
    )
    return tree(
        f"The {subject} {verb} the {object} .",
        [1, 2, -1, 4, 2, 2],
        "det nsubj root det obj punct",
        "DET NOUN VERB DET NOUN PUNCT",
        feats,
        split,
        id,
    )


COORDINATED = tree(
    "The dog sleeps , and a cat runs .",
    [1, 2, -1, 7, 7, 6, 7, 2, 2],
    "det nsubj root punct cc det nsubj conj punct",
    "DET NOUN VERB PUNCT CCONJ DET NOUN VERB PUNCT",
)


def many(n=60):
    nouns, verbs = ["dog", "dogs", "cat", "cats"], ["sees", "saw"]
    return [
        simple(
            nouns[i % 4],
            verbs[i // 4 % 2],
            nouns[(i // 8) % 4],
            i // 4 % 2 == 1,
            ("train", "train", "test")[i % 3],
            str(i),
        )
        for i in range(n)
    ]


def by_words(targets):
    return dict(zip(targets.sentences, targets.labels))


def test_numbers_and_tense_are_those_of_subject_object_and_verb():
    for name, of in {
        "SubjNum": lambda w: "Plur" if w[1].endswith("s") else "Sing",
        "ObjNum": lambda w: "Plur" if w[4].endswith("s") else "Sing",
        "Tense": lambda w: "Past" if w[2] == "saw" else "Pres",
    }.items():
        found = st.build(name, many())
        assert len(found) == 60 and all(label == of(words) for words, label in by_words(found).items())
        assert (found.spans[:, 0] == [0, 6]).all() and Counter(found.split) == {"train": 40, "test": 20}


def test_tense_of_the_auxiliary():
    s = tree("dogs were old", [2, 2, -1], "nsubj cop root", "NOUN AUX ADJ", ("_", "Tense=Past|VerbForm=Fin", "_"))
    assert [label for *_, label in st.tense([s], None)] == ["Past"]


def test_depth_of_a_chain_and_of_a_star():
    assert st.tree_depth(tree("a b c d", [1, 2, 3, -1], "x x x root", "X X X X")) == 3
    assert st.tree_depth(tree("a b c d", [3, 3, 3, -1], "x x x root", "X X X X")) == 1


def test_depth_is_told_among_sentences_of_one_length():
    chain = [tree("a b c d", [1, 2, 3, -1], "x x x root", "X X X X", id=f"c{i}") for i in range(10)]
    star = [tree("e f g h", [3, 3, 3, -1], "x x x root", "X X X X", id=f"s{i}") for i in range(10)]
    alone = [tree("k l", [1, -1], "x root", "X X", id=f"a{i}") for i in range(10)]
    found = st.build("TreeDepth", chain + star + alone)
    assert by_words(found).get(("a", "b", "c", "d")) == "deep" and by_words(found)["e", "f", "g", "h"] == "shallow"
    assert len(found) == 20  # sentences of two words have one depth only


def test_lengths_fall_into_bins_of_equal_size():
    items = [tree(" ".join("a" * n), [-1] + [0] * (n - 1), " ".join(["root"] + ["x"] * (n - 1)), " ".join("X" * n), id=f"{n}-{i}")
             for n in (2, 4, 6, 8, 10) for i in range(10)]  # fmt: skip
    found = st.build("SentLen", items)
    assert Counter(found.labels).most_common()[-1][1] == 10 and len(set(found.labels)) == 5


def test_word_content_takes_sentences_with_one_of_the_words_only():
    singles = [simple(["dog", "cat"][i % 2], object=f"thing{i}", id=str(i)) for i in range(30)]
    found = st.build("WC", [*singles, simple("dog", object="cat", id="both")])
    assert len(found) == 30 and all(words[1] == label for words, label in zip(found.sentences, found.labels))


def test_top_constituents():
    assert set(st.top_constituents(many(), None)) and {c for *_, c in st.top_constituents(many(), None)} == {
        "nsubj ROOT obj"
    }
    with pytest.raises(ItemError, match="fewer than two labels"):
        st.build("TopConst", many())


def test_a_shift_swaps_two_neighbours_and_nothing_else():
    found = st.build("BShift", many(200))
    for item, words, label in st.bigram_shift(many(200), random.Random(0)):
        differing = [i for i, (a, b) in enumerate(zip(item.words, words)) if a != b]
        assert len(differing) == (2 if label == "changed" else 0) and sorted(item.words) == sorted(words)
        assert words[-1] == "."
        if differing:
            assert differing[1] == differing[0] + 1
    assert 60 < Counter(found.labels)["changed"] < 140


def test_the_odd_man_has_the_others_tag():
    for item, words, label in st.odd_man_out(many(), random.Random(0)):
        changed = [i for i, (a, b) in enumerate(zip(item.words, words)) if a != b]
        assert len(changed) == (label == "changed")
        assert all(
            item.upos[i] in ("NOUN", "VERB") and words[i] in {"dog", "dogs", "cat", "cats", "sees", "saw"}
            for i in changed
        )


def test_clauses_are_swapped_whole():
    assert " ".join(st.swap_clauses(COORDINATED)) == "A cat runs , and the dog sleeps ."
    assert st.swap_clauses(simple()) is None


def test_the_same_seed_makes_the_same_task_and_unknown_ones_are_refused():
    one, two = (st.build("BShift", many(), seed=3) for _ in range(2))
    assert (one.labels == two.labels).all() and one.sentences == two.sentences
    assert (st.build("BShift", many(), seed=4).labels != one.labels).any()
    with pytest.raises(KeyError, match="SentLen"):
        st.build("Length", many())
    assert set(st._TASKS) == set(st.PROBING)
