"""The multilingual grammar: complete lexica, hand-checked sentences, trees, alignments, agreement."""

from __future__ import annotations

import time
import unicodedata
from collections import Counter

import pytest

import bertology_world as builtin
from bertology_world import multilingual
from bertology_world.multilingual_grammar import (
    LANGUAGES,
    NP,
    Proposition,
    analyse,
    concepts,
    grammar,
    noun_phrase,
    text_of,
    verb_form,
)

READS = Proposition(NP("king", False, "old"), "read", NP("book", False, "new"), "garden", "today")
SEES = Proposition(NP("sister", True), "see", NP("friend", True, "good"), None, None)

KNOWN = {  # language: (READS, SEES), checked by hand
    "eng": ("The old king reads the new book in the garden today.", "The sisters see the good friends."),
    "deu": ("Der alte König liest heute im Garten das neue Buch.", "Die Schwestern sehen die guten Freunde."),
    "nld": ("De oude koning leest vandaag het nieuwe boek in de tuin.", "De zussen zien de goede vrienden."),
    "swe": ("Den gamla kungen läser den nya boken i trädgården idag.", "Systrarna ser de goda vännerna."),
    "fra": ("Le vieux roi lit aujourd'hui le nouveau livre dans le jardin.", "Les sœurs voient les bons amis."),
    "spa": ("El rey viejo lee hoy el libro nuevo en el jardín.", "Las hermanas ven a los amigos buenos."),
    "ita": ("Il re vecchio legge oggi il libro nuovo nel giardino.", "Le sorelle vedono gli amici buoni."),
    "rus": ("Старый король сегодня читает новую книгу в саду.", "Сестры видят добрых друзей."),
    "ell": (
        "Ο ηλικιωμένος βασιλιάς διαβάζει σήμερα το καινούργιο βιβλίο στον κήπο.",
        "Οι αδελφές βλέπουν τους καλούς φίλους.",
    ),
    "hin": ("बूढ़ा राजा आज बगीचे में नई पुस्तक पढ़ता है।", "बहनें अच्छे मित्रों को देखती हैं।"),
    "ara": ("الملك العجوز يقرأ الكتاب الجديد اليوم في الحديقة.", "الأخوات يرين الأصدقاء الطيبين."),
    "zho": ("年老的国王今天在花园里读新的书。", "姐姐们看见善良的朋友们。"),
    "jpn": ("年老いた王は今日庭で新しい本を読む。", "姉たちは良い友人たちを見る。"),
    "kor": ("늙은 왕은 오늘 정원에서 새로운 책을 읽는다.", "누이들은 착한 친구들을 본다."),
    "fin": ("Vanha kuningas lukee tänään uuden kirjan puutarhassa.", "Sisaret näkevät hyvät ystävät."),
}


def written(language, p):
    return text_of(language, list(analyse(language, p, id="x").words))


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_checked_by_hand(language):
    assert (written(language, READS), written(language, SEES)) == KNOWN[language]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_concept_has_its_forms(language):
    g, c = grammar(language), concepts()
    assert set(g["nouns"]) == set(c["class"])
    assert set(g["adjectives"]) == {a for group in c["adjectives"].values() for a in group}
    assert set(g["verbs"]) == {*c["transitive"], *c["intransitive"]}
    assert set(g["adverbs"]) == set(c["adverbs"]) and set(g["places"]) == set(c["places"])
    width = max(int(spec[0]) for spec in g["noun"].values())
    for noun, (gender, *forms) in g["nouns"].items():
        assert gender in "mfncx" and forms, noun
        # as many forms as the rules of its gender and class ask for
        if language in ("rus", "fin", "ara"):
            assert len(forms) == width + 1, noun
        if language == "ell":
            assert len(forms) == (4 if gender == "m" else 2), noun
        if language == "hin":
            assert len(forms) == (2 if c["class"][noun] == "thi" else 4), noun


SCRIPTS = {
    "Latin": "LATIN",
    "Cyrillic": "CYRILLIC",
    "Greek": "GREEK",
    "Devanagari": "DEVANAGARI",
    "Arabic": "ARABIC",
    "Han": "CJK",
    "Kana and Kanji": ("CJK", "HIRAGANA", "KATAKANA"),
    "Hangul": "HANGUL",
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_of_the_language_s_script(language):
    g = grammar(language)
    words = {w for part in ("nouns", "adjectives") for entry in g[part].values() for w in entry[1:]}
    words |= {w for part in ("verbs", "places") for entry in g[part].values() for w in entry} | set(
        g["adverbs"].values()
    )
    for word in words:
        assert unicodedata.normalize("NFC", word) == word
        for letter in filter(str.isalpha, word):
            assert unicodedata.name(letter).startswith(SCRIPTS[g["script"]]), (word, letter)


def test_there_are_enough_languages_scripts_and_words():
    assert len(LANGUAGES) >= 10 and len({grammar(language)["script"] for language in LANGUAGES}) >= 4
    with pytest.raises(ValueError, match="tlh"):
        grammar("tlh")


def nps(language, np, case="acc"):
    return [w.form for w in noun_phrase(language, np, case)]


@pytest.mark.parametrize(
    "language, np, case, forms",
    [
        ("fra", NP("man", False), "nom", "l' homme"),
        ("fra", NP("man", False, "old"), "nom", "le vieil homme"),
        ("fra", NP("tree", False, "beautiful"), "acc", "le bel arbre"),
        ("fra", NP("sword", True, "white"), "acc", "les épées blanches"),
        ("ita", NP("friend", True), "nom", "gli amici"),
        ("ita", NP("star", False), "acc", "la stella"),
        ("ita", NP("tree", False), "acc", "l' albero"),
        ("ita", NP("daughter", True, "wise"), "nom", "le figlie sagge"),
        ("spa", NP("king", False), "acc", "al rey"),
        ("spa", NP("queen", False, "young"), "acc", "a la reina joven"),
        ("spa", NP("key", True, "red"), "acc", "las llaves rojas"),
        ("deu", NP("boy", False, "young"), "acc", "den jungen Jungen"),
        ("deu", NP("girl", False, "good"), "nom", "das gute Mädchen"),
        ("deu", NP("lion", False, "big"), "acc", "den großen Löwen"),
        ("swe", NP("tree", False), "acc", "trädet"),
        ("swe", NP("tree", False, "small"), "acc", "det lilla trädet"),
        ("swe", NP("tree", True, "small"), "acc", "de små träden"),
        ("nld", NP("girl", True, "young"), "nom", "de jonge meisjes"),
        ("rus", NP("lion", False, "big"), "acc", "большого льва"),
        ("rus", NP("ring", False, "ancient"), "acc", "старое кольцо"),
        ("rus", NP("cat", True, "small"), "acc", "маленьких кошек"),
        ("rus", NP("man", False, "young"), "acc", "молодого мужчину"),
        ("ell", NP("bridge", False), "acc", "τη γέφυρα"),
        ("ell", NP("crown", False), "acc", "την κορόνα"),
        ("ell", NP("doctor", True, "wise"), "acc", "τους σοφούς γιατρούς"),
        ("ell", NP("door", False, "ancient"), "acc", "την παλιά πόρτα"),
        ("hin", NP("boy", False, "good"), "acc", "अच्छे लड़के को"),
        ("hin", NP("door", True, "ancient"), "acc", "पुराने दरवाज़े"),
        ("ara", NP("teacher", True), "acc", "المعلمين"),
        ("ara", NP("horse", True, "white"), "acc", "الأحصنة البيضاء"),
        ("fin", NP("horse", False, "white"), "acc", "valkoisen hevosen"),
        ("fin", NP("key", True, "small"), "acc", "pienet avaimet"),
        ("kor", NP("king", True), "nom", "왕들은"),
        ("kor", NP("friend", False), "acc", "친구를"),
        ("zho", NP("bird", True), "nom", "鸟"),
    ],
)
def test_inflection(language, np, case, forms):
    assert " ".join(nps(language, np, case)) == forms


def test_arabic_verbs_agree_in_gender_and_number_for_people_alone():
    forms = [
        verb_form("ara", "see", NP(noun, plural)).form for noun in ("king", "queen", "dog") for plural in (False, True)
    ]
    assert forms == ["يرى", "يرون", "ترى", "يرين", "يرى", "ترى"]


def test_the_tree_of_a_known_sentence():
    s = analyse("deu", READS, id="x")
    assert s.upos == ("DET", "ADJ", "NOUN", "VERB", "ADV", "ADP", "NOUN", "DET", "ADJ", "NOUN", "PUNCT")
    assert s.heads == (2, 2, 3, -1, 3, 6, 3, 9, 9, 3, 3)
    assert s.deprels == ("det", "amod", "nsubj", "root", "advmod", "case", "obl", "det", "amod", "obj", "punct")
    assert s.feats[2] == "Case=Nom|Gender=Masc|Number=Sing" and s.feats[9] == "Case=Acc|Gender=Neut|Number=Sing"
    assert analyse("zho", READS, id="x").feats[-2] == ""  # a thing's number is not told in Chinese


def test_translations_are_aligned_by_meaning():
    items = builtin.build("translations", 200, 5)
    assert builtin.build("translations", 200, 5) == items and builtin.build("translations", 200, 6) != items
    for item in items:
        assert set(item.sentences) == set(LANGUAGES)
        for a, i, b, j in item.alignment:
            left, right = item.sentences[a], item.sentences[b]
            assert left.upos[i] == right.upos[j] and left.meta["concepts"][i] == right.meta["concepts"][j]
            assert left.deprels[i] == right.deprels[j]
        content = sum(bool(c) for c in item.sentences["eng"].meta["concepts"])
        pairs = Counter(b for _, _, b, _ in item.alignment)
        assert set(pairs.values()) == {content + 1} and len(pairs) == len(LANGUAGES) - 1  # and the full stop


def test_treebank_has_all_languages_in_each_split_and_no_meaning_twice():
    n = 30 * len(LANGUAGES)
    items = builtin.build("multilingual_treebank", n, 2)
    count = Counter((i.condition, i.split) for i in items)
    assert len(count) == 3 * len(LANGUAGES) and len({i.id for i in items}) == n
    assert all(count[language, "train"] > count[language, "test"] for language in LANGUAGES)
    said = multilingual.propositions("multilingual_treebank", n, 2)
    assert len(set(said)) == n
    assert len({(i.condition, i.words) for i in items}) >= 0.97 * n  # number is not always told (Chinese, Japanese)
    assert items == builtin.build("multilingual_treebank", n, 2) != builtin.build("multilingual_treebank", n, 3)


def test_agreement_is_balanced_over_languages_and_right():
    languages = multilingual.agreeing()
    assert len(languages) >= 10 and not {"swe", "zho", "jpn", "kor"} & set(languages)
    items = builtin.build("multilingual_agreement", 40 * len(languages), 1)
    assert set(Counter(i.condition for i in items).values()) == {40} and len({i.id for i in items}) == len(items)
    for i in items:
        if i.condition == "eng":  # the only English verbs in -s are singular
            assert i.good.endswith("s") == (i.meta["number"] == "singular") != i.bad.endswith("s")
        if i.condition == "hin":
            assert {i.good, i.bad} == {"है", "हैं"} and (i.good == "हैं") == (i.meta["number"] == "plural")
    share = sum(i.meta["number"] == "plural" for i in items) / len(items)
    assert 0.4 < share < 0.6
    assert items == builtin.build("multilingual_agreement", 40 * len(languages), 1)


def test_thousands_of_sentences_a_second():
    builtin.build("multilingual_treebank", 3000, 0)
    took = []
    for seed in (1, 2, 3):  # the least: another test's leavings may be collected in between
        start = time.process_time()
        builtin.build("multilingual_treebank", 6000, seed)
        took.append(time.process_time() - start)
    assert 6000 / min(took) > 5000  # 36,000 on an idle core; a loaded machine is slower
