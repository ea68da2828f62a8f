"""The generated treebank: every layer of gold against an independent rule."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

import bertology_world as builtin
from bertology_world import lexicon
from bertology_world.sentence import text
from bertology_world.slots import PRONOUNS


@pytest.fixture(scope="module")
def treebank():
    return builtin.build("treebank", 3000, 5)


# the words


def lemmas() -> set[str]:
    """The distinct words of the word lists, not counting inflected forms."""
    data = lexicon.source("lexicon")
    found: set[str] = set()
    for name in data["nouns"]:
        found.update(w for w, _ in lexicon.nouns(name, "Sing"))
    for kind in lexicon.source("verbs"):
        if kind != "proto":
            found.update(w for f in lexicon.frames(kind) for w, _ in f.table("VB"))
    for group in ("names", "adjectives", "states", "adverbs", "prepositions_locative"):
        for entry in data[group].values():
            found.update(entry.split())
    return {w.lower() for w in found | set(data["numerals"].split())}


def test_lexicon_size_and_inflection():
    assert len(lemmas()) >= 800
    assert (
        lexicon.conjugate("try/tried")["VBZ"] == "tries"
        and lexicon.conjugate("write/wrote/written")["VBG"] == "writing"
    )
    assert lexicon.conjugate("see/saw/seen") == {
        "VB": "see",
        "VBP": "see",
        "VBZ": "sees",
        "VBD": "saw",
        "VBN": "seen",
        "VBG": "seeing",
    }
    assert [lexicon.add_s(w) for w in ("church", "city", "day", "box", "go")] == [
        "churches",
        "cities",
        "days",
        "boxes",
        "goes",
    ]
    assert all(map(lexicon.takes_an, ("apple", "hour", "honest")))
    assert not any(map(lexicon.takes_an, ("uniform", "university", "book")))


def forms_of_the_word_lists() -> set[str]:
    data = lexicon.source("lexicon")
    number = [(c, n) for c in data["nouns"] for n in ("Sing", "Plur") if n == "Sing" or not lexicon.is_mass(c)]
    found = {w for c, n in number for w, _ in lexicon.nouns(c, n)}
    frames = [f for kind in lexicon.source("verbs") if kind != "proto" for f in lexicon.frames(kind)]
    found |= {w for f in frames for form in lexicon.VERB_FORMS for w, _ in f.table(form)}
    listed = [
        e for g in ("names", "adjectives", "states", "adverbs", "prepositions_locative") for e in data[g].values()
    ]
    listed += [data["numerals"], *(p for g in (*data["compounds"].values(), *data["pairs"].values()) for p in g)]
    return {w.lower() for w in found.union(*(e.split() for e in listed))}


def test_forms_are_single_pieces_of_the_standard_vocabulary():
    roots = (os.environ.get("BERTOLOGY_MIRROR", ""), Path(__file__).parents[3] / "mirror")
    found = [p for r in roots if r and (p := Path(r) / "tokenizer-bert-base-uncased" / "vocab.txt").exists()]
    if not found:
        pytest.skip("the standard uncased vocabulary is not here")
    vocabulary, forms = set(found[0].read_text(encoding="utf-8").split("\n")), forms_of_the_word_lists()
    assert len(forms) > 1000
    assert sum(w in vocabulary for w in forms) / len(forms) >= 0.98


# the treebank


def test_lengths_splits_and_variety(treebank):
    lengths = [len(s.words) for s in treebank]
    assert min(lengths) == 5 and max(lengths) >= 22 and max(lengths) <= 25 and 9 < sum(lengths) / len(lengths) < 15
    assert Counter(s.split for s in treebank) == {"train": 2400, "dev": 300, "test": 300}
    assert len({s.words for s in treebank}) == len(treebank)
    assert len({s.deprels for s in treebank}) > 900  # structures, not one template
    assert len({w for s in treebank for w in s.lemmas}) > 700
    wanted = {
        "nsubj",
        "obj",
        "iobj",
        "obl",
        "nsubj:pass",
        "obl:agent",
        "acl:relcl",
        "ccomp",
        "xcomp",
        "advcl",
        "conj",
        "cop",
        "det",
        "amod",
        "nmod:poss",
        "nummod",
        "aux",
        "aux:pass",
        "mark",
        "expl",
        "compound:prt",
        "flat",
        "advmod",
        "case",
    }
    assert wanted <= {r for s in treebank for r in s.deprels}


def crossing(heads):
    arcs = [tuple(sorted((i, h))) for i, h in enumerate(heads) if h >= 0]
    return any(a < c < b < d for a, b in arcs for c, d in arcs)


def test_trees_are_rooted_and_projective_and_punctuated(treebank):
    crossed = [text(s.words) for s in treebank if crossing(s.heads)]
    assert not crossed
    for s in treebank:
        root = s.heads.index(-1)
        assert s.deprels[root] == "root" and s.deprels.count("root") == 1
        for i in range(len(s.words)):  # every path leads to the root
            seen = set()
            while i != root:
                assert i not in seen
                seen.add(i)
                i = s.heads[i]
        assert s.words[-1] in ".?" and s.upos[-1] == "PUNCT" and s.words[0][0].isupper()


def test_relations_fit_the_parts_of_speech(treebank):
    fits = {
        "det": {"DET"},
        "amod": {"ADJ"},
        "case": {"ADP", "PART"},
        "aux": {"AUX"},
        "aux:pass": {"AUX"},
        "cop": {"AUX"},
        "nummod": {"NUM"},
        "punct": {"PUNCT"},
        "cc": {"CCONJ"},
        "mark": {"SCONJ", "PART"},
        "expl": {"PRON"},
        "nsubj": {"NOUN", "PROPN", "PRON"},
        "obj": {"NOUN", "PROPN", "PRON"},
        "iobj": {"NOUN", "PROPN", "PRON"},
        "advmod": {"ADV", "PART"},
        "compound:prt": {"ADP"},
        "flat": {"PROPN"},
    }
    for s in treebank:
        for i, r in enumerate(s.deprels):
            assert s.upos[i] in fits.get(r, {s.upos[i]}), (r, s.words[i], text(s.words))
            if r in ("det", "amod", "nummod"):
                assert s.upos[s.heads[i]] in ("NOUN", "PROPN") and s.heads[i] > i
            if r in ("obj", "iobj", "aux:pass", "obl:agent", "compound:prt"):
                assert s.upos[s.heads[i]] == "VERB"


def feature(feats, name):
    return dict(f.split("=") for f in feats.split("|") if f != "_").get(name)


def number_of_subject(s, i):
    """Number and person as English has them, from the words alone."""
    if any(s.deprels[j] == "conj" and s.heads[j] == i for j in range(len(s.words))):
        return "Plur", 3
    word = s.words[i].lower()
    for name, row in PRONOUNS.items():
        if word == name.lower():
            return row[5], row[4]
    if s.xpos[i] == "WP" and s.deprels[i] == "nsubj" and feature(s.feats[i], "PronType") == "Int":
        return "Sing", 3
    if s.xpos[i] in ("WP", "WDT"):  # a relative: the noun before
        noun = s.heads[s.heads[i]] if s.deprels[s.heads[i]] == "acl:relcl" else None
        return (None, None) if noun is None else number_of_subject(s, noun)
    return ("Plur" if s.xpos[i] == "NNS" else "Sing"), 3


def test_subjects_and_finite_verbs_agree(treebank):
    """The first finite word of a clause has the form its subject demands; checked on the forms, not on the features."""
    checked = Counter()
    for s in treebank:
        for i, relation in enumerate(s.deprels):
            if relation not in ("nsubj", "nsubj:pass"):
                continue
            verb = s.heads[i]
            group = [j for j, h in enumerate(s.heads) if h == verb and s.deprels[j] in ("aux", "aux:pass", "cop")] or [
                verb
            ]
            first = min(group)
            number, person = number_of_subject(s, i)
            if s.xpos[first] not in ("VBZ", "VBP", "VBD") or number is None:
                continue
            form, lemma = s.words[first].lower(), s.lemmas[first]
            if lemma == "be":
                singular = {1: {"am", "was"}, 2: {"are", "were"}, 3: {"is", "was"}}
                wanted = singular[person] if number == "Sing" else {"are", "were"}
                assert form in wanted, text(s.words)
            elif s.xpos[first] != "VBD":
                third = {"have": "has", "do": "does"}.get(lemma, lexicon.add_s(lemma))
                assert form == (third if number == "Sing" and person == 3 else lemma), text(s.words)
            checked[number] += 1
            assert feature(s.feats[first], "Number") == number
    assert min(checked.values()) > 500


def test_articles_and_determiners(treebank):
    for s in treebank:
        for i, w in enumerate(s.words[:-1]):
            word, following = w.lower(), s.words[i + 1]
            if word in ("a", "an"):
                assert (word == "an") == lexicon.takes_an(following), text(s.words)
            if s.deprels[i] == "det":
                noun = s.heads[i]
                if word in ("a", "an", "this", "that", "every", "another"):
                    assert s.xpos[noun] in ("NN", "NNP"), text(s.words)
                if word in ("these", "those"):
                    assert s.xpos[noun] == "NNS", text(s.words)


def test_brackets_nest_and_cover(treebank):
    for s in treebank:
        spans = {(b.start, b.end) for b in s.brackets}
        assert (0, len(s.words)) in spans
        assert not any(a < c < b < d for a, b in spans for c, d in spans), text(s.words)


def test_chunks_agree_with_brackets(treebank):
    """A noun chunk lies within one noun phrase and holds one noun at its end, a verb chunk begins within a verb phrase."""
    for s in treebank:
        phrases = [(b.start, b.end) for b in s.brackets if b.label in ("NP", "WHNP")]
        start = None
        for i, tag in enumerate([*s.chunks, "O"]):
            if start is not None and tag != "I-NP":
                assert any(a <= start and i <= b for a, b in phrases), (text(s.words), start, i)
                assert s.upos[i - 1] in ("NOUN", "PROPN", "PRON", "NUM"), text(s.words)
                start = None
            if tag == "B-NP":
                start = i
            if tag.startswith("I-"):
                assert s.chunks[i - 1][2:] == tag[2:], text(s.words)
        assert all(s.chunks[i][2:] == "VP" for i in range(len(s.words)) if s.upos[i] in ("VERB", "AUX")), text(s.words)
        nominal = [i for i, tag in enumerate(s.upos) if tag in ("DET", "NOUN", "PROPN")]
        assert all(s.chunks[i][2:] == "NP" for i in nominal), text(s.words)


def test_roles_are_constituents_of_their_predicate(treebank):
    seen = Counter()
    for s in treebank:
        for x in s.of("role"):
            inside = range(x.start, x.end)
            tops = [i for i in inside if s.heads[i] not in inside]
            assert len(tops) == 1, text(s.words)  # one subtree
            assert s.upos[x.head] == "VERB", (text(s.words), x)
            seen[x.label] += 1
            relation = s.deprels[tops[0]]
            if x.label == "ARG0":
                assert relation in ("nsubj", "obl:agent"), (text(s.words), x)
            if relation == "nsubj:pass":
                assert x.label == "ARG1", (text(s.words), x)
    assert {"ARG0", "ARG1", "ARG2", "ARGM-TMP", "ARGM-LOC", "ARGM-MNR", "ARGM-NEG", "ARGM-MOD"} <= set(seen)


def test_plain_layers_come_from_the_treebank():
    trees = builtin.build("treebank", 30, 2)
    for task in ("chunks", "constituency", "sentences"):
        assert [x.words for x in builtin.build(task, 30, 2)] == [t.words for t in trees]
    assert builtin.build("chunks", 30, 2)[7].chunks == trees[7].chunks
    assert builtin.build("constituency", 30, 2)[7].brackets == trees[7].brackets
    assert builtin.build("sentences", 30, 2)[7].heads == ()
