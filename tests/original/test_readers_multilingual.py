"""Readers of many languages: hand-written stand-ins, then the counts of CLAMS, Tatoeba and PUD."""

from __future__ import annotations

from collections import Counter

import pytest
from standin import items_of, read

from bertology_utils.data.original.readers import clams, multilingual, treebank_pairs
from bertology_utils.data.original.reading import ReaderError

EMPTY = {f"{language}_evalset/{name}.txt": "" for language in clams.LANGUAGES for name in clams.CONSTRUCTIONS}
PAIR = "True\tdie Frau , die wir sehen , ist alt\nFalse\tdie Frau , die wir sehen , sind alt\n"


def row(number: int, form: str, lemma: str, upos: str, feats: str, head: int, deprel: str) -> str:
    return f"{number}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{deprel}\t_\t_\n"


def block(id_: str, text: str, *rows: tuple) -> str:
    head = f"# sent_id = {id_}\n# text = {text}\n# text_en = {id_} in English.\n"
    return head + "".join(row(i, *fields) for i, fields in enumerate(rows, 1)) + "\n"


NOUN, VERB = "Case=Nom|Number={}", "Mood=Ind|Number={}|Person=3"
ONE = block(
    "s1",
    "Hund der Katzen schläft.",
    ("Hund", "Hund", "NOUN", NOUN.format("Sing"), 4, "nsubj"),
    ("der", "der", "DET", "_", 3, "det"),
    ("Katzen", "Katze", "NOUN", "Case=Gen|Number=Plur", 1, "nmod"),
    ("schläft", "schlafen", "VERB", VERB.format("Sing"), 0, "root"),
    (".", ".", "PUNCT", "_", 4, "punct"),
)
MANY = block(
    "s2",
    "Katzen schlafen.",
    ("Katzen", "Katze", "NOUN", NOUN.format("Plur"), 2, "nsubj"),
    ("schlafen", "schlafen", "VERB", VERB.format("Plur"), 0, "root"),
    (".", ".", "PUNCT", "_", 2, "punct"),
)
PUD = "German/de_pud-ud-test.conllu"


def test_clams_masks_what_differs(tmp_path):
    (item,), _ = read("clams", "multilingual_agreement", tmp_path, EMPTY | {"de_evalset/subj_rel.txt": PAIR})
    assert (item.text, item.good, item.bad) == ("Die Frau , die wir sehen , [MASK] alt .", "ist", "sind")
    assert (item.condition, item.meta["construction"]) == ("de", "across a subject relative")


def test_clams_masks_two_words_by_one_gap():
    good, bad = "les gardes sont petits", "les gardes est petit"
    assert clams.pair(good, bad) == ("Les gardes [MASK] .", "sont petits", "est petit")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (PAIR + PAIR.replace("False", "True"), 3),  # two True lines
        (PAIR + "True\tdie Frau ist alt\n", 3),  # the file ends inside a pair
        (PAIR + "True\ta b\nFalse\ta b\n", 4),  # no difference
        (PAIR + "True\ta b\nFalse\ta b c\n", 4),  # another length
        (PAIR + "True a b\n", 3),  # one column
    ],
)
def test_a_malformed_pair_is_named(tmp_path, text, line):
    with pytest.raises(ReaderError, match=rf"de_evalset/simple_agrmt\.txt:{line}:"):
        read("clams", "multilingual_agreement", tmp_path, EMPTY | {"de_evalset/simple_agrmt.txt": text})


def test_tatoeba_pairs_line_by_line(tmp_path):
    name = "data/tatoeba/v1/tatoeba.deu-eng"
    items, _ = read(
        "tatoeba_laser", "translations", tmp_path, {f"{name}.eng": "Hi!\nNo.\n", f"{name}.deu": "Tag!\nNein.\n"}
    )
    assert [{k: s.words for k, s in i.sentences.items()} for i in items] == [
        {"en": ("Hi", "!"), "de": ("Tag", "!")},
        {"en": ("No", "."), "de": ("Nein", ".")},
    ]
    assert [i.condition for i in items] == ["de", "de"]
    with pytest.raises(ReaderError, match=r"2 lines, where .*\.deu has 1"):
        read("tatoeba_laser", "translations", tmp_path, {f"{name}.eng": "Hi!\nNo.\n", f"{name}.deu": "Tag!\n"})
    with pytest.raises(ReaderError, match=r"tatoeba\.deu-eng\.deu:2: .*without words"):
        read("tatoeba_laser", "translations", tmp_path, {f"{name}.eng": "Hi!\nNo.\n", f"{name}.deu": "Tag!\n \n"})


def test_of_paragraphs_the_first_third(tmp_path):
    files = {
        "ids.txt": "a\nb\n",
        "en.txt": "\ufeffOne two three four five six.\nAh.\n",
        "de.txt": "Eins zwei drei.\nOh.\n",
    }
    items, _ = read("xquad_paragraphs", "translations", tmp_path, files)
    assert [i.id for i in items] == ["a", "b"]
    assert [{k: s.words for k, s in i.sentences.items()} for i in items] == [
        {"en": ("One", "two"), "de": ("Eins",)},
        {"en": ("Ah",), "de": ("Oh",)},
    ]
    with pytest.raises(ReaderError, match="1 paragraphs for 2 names"):
        read("xquad_paragraphs", "translations", tmp_path, files | {"de.txt": "Eins zwei drei.\n"})


def test_languages_have_two_letters():
    codes = list(multilingual.TWO_LETTERS.values())
    assert len(set(codes)) == len(codes) and all(len(code) == 2 for code in codes)


def test_pud_is_joined_by_its_ids(tmp_path):
    contents = {PUD: ONE + MANY, "Russian/ru_pud-ud-test.conllu": ONE}
    trees, _ = read("ud_pud_multilingual", "multilingual_treebank", tmp_path, contents)
    assert [(t.id, t.condition, t.meta["parallel"]) for t in trees] == [
        ("de/s1", "de", "s1"),
        ("de/s2", "de", "s2"),
        ("ru/s1", "ru", "s1"),
    ]
    first, second = read("ud_pud_multilingual", "translations", tmp_path, contents)[0]
    assert set(first.sentences) == {"de", "ru", "en"} and set(second.sentences) == {"de", "en"}
    assert first.sentences["en"].words == ("s1", "in", "English", ".")


def test_a_malformed_treebank_line_is_named(tmp_path):
    with pytest.raises(ReaderError, match=r"de_pud-ud-test\.conllu:4:"):
        read("ud_pud_multilingual", "multilingual_treebank", tmp_path, {PUD: ONE.replace("1\tHund\t", "1\t")})


def test_treebank_pairs_take_the_other_number_from_the_treebank(tmp_path):
    items, notes = read("ud_pud_multilingual", "multilingual_agreement", tmp_path, {PUD: ONE + MANY})
    assert [(i.text, i.good, i.bad, i.meta["attractors"]) for i in items] == [
        ("Hund der Katzen [MASK].", "schläft", "schlafen", 1),
        ("Katzen [MASK].", "schlafen", "schläft", 0),
    ]
    assert notes == ()
    items, notes = read("ud_pud_multilingual", "multilingual_agreement", tmp_path, {PUD: ONE})
    assert not items and notes[0].startswith("1 left out")


def test_a_subject_of_another_case_or_number_is_none():
    rows = [line.split("\t") for line in ONE.splitlines() if line[:1].isdigit()]
    assert treebank_pairs.subject(rows, 3) == 0
    for feats in ("Case=Dat|Number=Sing", "Case=Nom|Number=Plur"):
        assert treebank_pairs.subject([[*rows[0][:5], feats, *rows[0][6:]], *rows[1:]], 3) is None
    coordinated = [*rows[:2], [*rows[2][:7], "conj", *rows[2][8:]], *rows[3:]]
    assert treebank_pairs.subject(coordinated, 3) is None


# --- the original files ---


@pytest.mark.mirror
def test_clams_has_its_pairs():
    items, _ = items_of("clams", "multilingual_agreement")
    assert len({item.id for item in items}) == len(items)
    assert Counter(item.condition for item in items) == {
        "de": 47820,
        "en": 51780,
        "fr": 49360,
        "he": 40820,
        "ru": 40120,
    }
    assert Counter(item.meta["construction"] for item in items if item.condition == "en") == {
        "simple": 140,
        "short VP coordination": 840,
        "long VP coordination": 400,
        "across a prepositional phrase": 16800,
        "across a subject relative": 11200,
        "across an object relative": 11200,
        "in an object relative": 11200,
    }
    two = Counter(item.condition for item in items if " " in item.good)
    assert two == {"fr": 120 + 420 + 6000 + 4800 + 4800}


@pytest.mark.mirror
def test_tatoeba_has_112_languages():
    items, _ = items_of("tatoeba_laser", "translations")
    counts = Counter(item.condition for item in items)
    assert (len(items), len(counts), max(counts.values()), min(counts.values())) == (88877, 112, 1000, 104)
    assert counts["de"] == counts["zh"] == counts["hi"] == 1000


@pytest.mark.mirror
def test_paragraphs_are_in_twelve_languages():
    items, notes = items_of("xquad_paragraphs", "translations")
    assert len(items) == 240 and notes == () and {len(item.sentences) for item in items} == {12}


@pytest.mark.mirror
def test_pud_has_the_same_thousand_sentences_eight_times():
    items, _ = items_of("ud_pud_multilingual", "multilingual_treebank")
    assert Counter(item.condition for item in items) == dict.fromkeys(
        ("ar", "zh", "fi", "fr", "de", "hi", "ru", "tr"), 1000
    )
    assert set(Counter(item.meta["parallel"] for item in items).values()) == {8}
    pairs, notes = items_of("ud_pud_multilingual", "translations")
    assert len(pairs) == 1000 and notes == () and all(len(pair.sentences) == 9 for pair in pairs)


@pytest.mark.mirror
def test_treebank_pairs_are_enough_to_say_something():
    items, _ = items_of("ud_pud_multilingual", "multilingual_agreement")
    counts = Counter(item.condition for item in items)
    assert "zh" not in counts and all(counts[language] > 300 for language in ("de", "fi", "fr", "ru", "hi"))
    assert sum(item.meta["attractors"] > 0 for item in items) > 300
    assert all(item.good.lower() != item.bad.lower() for item in items)
