"""The generated English: every layer of gold against an independent rule, every builder against a known answer."""
from __future__ import annotations

import os
import re
import time
from collections import Counter
from pathlib import Path

import pytest

from bertology_utils.data import builtin
from bertology_utils.data.builtin import agreement as agreement_module
from bertology_utils.data.builtin import edges, lexicon, negation, npi, senses
from bertology_utils.data.builtin.ambiguity import AUXILIARIES
from bertology_utils.data.builtin.nominal import PRONOUNS
from bertology_utils.data.builtin.sentence import text
from bertology_utils.data.items import MASK

TASKS = ("agreement", "npi_pairs", "npi_cloze", "npi_acceptability", "negation", "completion", "roles", "plausibility",
         "treebank", "chunks", "constituency", "sentences", "ambiguity", "structural_bias", "agreement_attention", "senses",
         "sense_pairs", "coreference", "name_swaps", "mentions", "entities", "negation_scope", "semantic_roles",
         "proto_roles", "concept_pairs")


@pytest.fixture(scope="module")
def treebank():
    return builtin.build("treebank", 3000, 5)


def shown(item):
    return {k: v for k, v in vars(item).items() if k != "id"}


# every builder


@pytest.mark.parametrize("task", TASKS)
def test_same_seed_same_items_other_seed_others(task):
    a, b, c = builtin.build(task, 120, 3), builtin.build(task, 120, 3), builtin.build(task, 120, 4)
    assert [shown(x) for x in a] == [shown(x) for x in b] and [x.id for x in a] == [x.id for x in b]
    assert [shown(x) for x in a] != [shown(x) for x in c]
    assert len(a) == 120 == len({x.id for x in a})


@pytest.mark.parametrize("task", TASKS)
def test_a_shorter_draw_is_the_beginning_of_a_longer_one(task):
    assert [vars(x) for x in builtin.build(task, 40, 1)] == [vars(x) for x in builtin.build(task, 90, 1)][:40]


@pytest.mark.parametrize("task", ["agreement", "treebank", "npi_pairs", "structural_bias", "agreement_attention", "coreference"])
def test_speed(task):
    builtin.build(task, 10, 0)  # reads the word lists
    start = time.process_time()
    assert len(builtin.build(task, 15000, 0)) == 15000
    assert 15000 / (time.process_time() - start) > 5000  # 20,000 or more on an idle machine


# the words


def test_lexicon_size_and_inflection():
    assert len(lexicon.lemmas()) >= 800
    assert lexicon.conjugate("try/tried")["VBZ"] == "tries" and lexicon.conjugate("write/wrote/written")["VBG"] == "writing"
    assert lexicon.conjugate("see/saw/seen") == {"VB": "see", "VBP": "see", "VBZ": "sees", "VBD": "saw", "VBN": "seen",
                                                 "VBG": "seeing"}
    assert [lexicon.add_s(w) for w in ("church", "city", "day", "box", "go")] == ["churches", "cities", "days", "boxes", "goes"]
    assert all(map(lexicon.takes_an, ("apple", "hour", "honest")))
    assert not any(map(lexicon.takes_an, ("uniform", "university", "book")))


def test_forms_are_single_pieces_of_the_standard_vocabulary():
    roots = (os.environ.get("BERTOLOGY_MIRROR", ""), Path(__file__).parents[2] / "mirror")
    found = [p for r in roots if r and (p := Path(r) / "tokenizer-bert-base-uncased" / "vocab.txt").exists()]
    if not found:
        pytest.skip("the standard uncased vocabulary is not here")
    vocabulary, forms = set(found[0].read_text(encoding="utf-8").split("\n")), lexicon.all_forms()
    assert sum(w in vocabulary for w in forms) / len(forms) >= 0.98


# the treebank


def test_lengths_splits_and_variety(treebank):
    lengths = [len(s.words) for s in treebank]
    assert min(lengths) == 5 and max(lengths) >= 22 and max(lengths) <= 25 and 9 < sum(lengths) / len(lengths) < 15
    assert Counter(s.split for s in treebank) == {"train": 2400, "dev": 300, "test": 300}
    assert len({s.words for s in treebank}) == len(treebank)
    assert len({s.deprels for s in treebank}) > 900  # structures, not one template
    assert len({w for s in treebank for w in s.lemmas}) > 700
    wanted = {"nsubj", "obj", "iobj", "obl", "nsubj:pass", "obl:agent", "acl:relcl", "ccomp", "xcomp", "advcl", "conj",
              "cop", "det", "amod", "nmod:poss", "nummod", "aux", "aux:pass", "mark", "expl", "compound:prt", "flat",
              "advmod", "case"}
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
    fits = {"det": {"DET"}, "amod": {"ADJ"}, "case": {"ADP", "PART"}, "aux": {"AUX"}, "aux:pass": {"AUX"}, "cop": {"AUX"},
            "nummod": {"NUM"}, "punct": {"PUNCT"}, "cc": {"CCONJ"}, "mark": {"SCONJ", "PART"}, "expl": {"PRON"},
            "nsubj": {"NOUN", "PROPN", "PRON"}, "obj": {"NOUN", "PROPN", "PRON"}, "iobj": {"NOUN", "PROPN", "PRON"},
            "advmod": {"ADV", "PART"}, "compound:prt": {"ADP"}, "flat": {"PROPN"}}
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
            group = [j for j, h in enumerate(s.heads) if h == verb and s.deprels[j] in ("aux", "aux:pass", "cop")] or [verb]
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


# agreement


def test_agreement_against_the_tree():
    """Number, right form and attractors found again without the grammar: from tags, tree and word forms."""
    items = builtin.build("agreement", 3000, 7)
    for item, (s, target) in zip(items, agreement_module.agreement_sentences(3000, 7)):
        assert item.text.replace(MASK, item.good) == text(s.words) and item.text.count(MASK) == 1
        top = target  # go up from the masked word until something has a subject
        while not (subjects := [i for i, (h, r) in enumerate(zip(s.heads, s.deprels)) if r == "nsubj" and h == top]):
            top = s.heads[top]
        subject = subjects[0]
        plural = s.xpos[subject] == "NNS"
        assert plural == (item.meta["number"] == "Plur"), text(s.words)
        assert plural == (item.good in ("are", "were", "have") or s.xpos[target] == "VBP"), text(s.words)
        between = [i for i in range(subject + 1, target) if s.upos[i] == "NOUN"]
        assert item.meta["attractors"] == sum((s.xpos[i] == "NNS") != plural for i in between), text(s.words)
        assert agreement_module.partner(item.bad) == item.good and " " not in item.bad


def test_agreement_is_balanced_and_has_all_conditions():
    items = builtin.build("agreement", 2400, 1)
    assert set(Counter((i.condition, i.meta["number"], i.meta["nonce"]) for i in items).values()) == {100}
    assert {i.condition for i in items} == set(agreement_module.CONDITIONS)
    assert {i.meta["attractors"] for i in items if i.condition == "pp"} == {0, 1, 2, 3}
    assert {i.meta["attractors"] for i in items if i.condition == "simple"} == {0}
    goods = Counter(i.good for i in items)
    assert abs(goods["is"] - goods["are"]) < 100 and goods["was"] and goods["has"]  # no form is simply the better guess


def test_nonce_sentences_mix_the_classes():
    pairs = agreement_module.agreement_sentences(600, 0)
    def subjects(odd):
        return {(s.lemmas[t - 1], s.lemmas[t]) for s, t in pairs if s.meta["nonce"] is odd and s.condition == "simple"}
    buildings = {lemma for _, lemma in lexicon.nouns("building", "Sing")}
    lively = {"drink", "eat", "read", "laugh", "sing", "drive"}
    assert not any(n in buildings and v in lively for n, v in subjects(False))
    assert len(subjects(True)) > 40


# polarity and negation


def test_npi_pairs_differ_in_what_the_condition_says():
    licensors = {w for e in npi.ENVIRONMENTS for w, _ in e.licensors}
    for item in builtin.build("npi_pairs", 600, 0):
        good, bad = (re.findall(r"[a-z]+", side.lower()) for side in (item.good, item.bad))
        word = item.meta["npi"].split()[0]
        assert word in bad
        if item.condition == "npi":
            assert word not in good and len(set(bad) - set(good)) <= 2
        elif item.condition == "licensor":
            assert word in good
            assert len(licensors.intersection(good)) > len(licensors.intersection(bad)) or item.meta["environment"] == "question"
        else:  # out of scope: the licensor is still there, and the same words but for one auxiliary
            assert licensors.intersection(good) & licensors.intersection(bad)
            assert set(good) ^ set(bad) <= {"had", "has", "the", *good} and abs(len(good) - len(bad)) <= 1


def test_npi_acceptability_by_hand():
    items = builtin.build("npi_acceptability", 700, 0)
    assert Counter(i.label for i in items) == {"1": 350, "0": 350}
    assert {i.split for i in items} == {"train", "dev", "test"}
    kinds = {(i.meta["kind"], i.label) for i in items}
    assert kinds == {("licensed", "1"), ("no npi", "1"), ("unlicensed", "0"), ("out of scope", "0")}
    for i in items:
        if i.condition == "determiner negation" and i.meta["npi"] == "ever":
            words = i.text.lower().split()
            assert (words[0] == "no" or "ever" not in words) == (i.label == "1"), i.text


def test_npi_cloze_is_about_single_words():
    for i in builtin.build("npi_cloze", 300, 0):
        assert " " not in i.good and " " not in i.bad
        assert (i.bad == i.meta["npi"]) == (i.condition != "licensor")


def test_negation_pairs():
    items = builtin.build("negation", 1000, 0)
    assert len({(thing, category) for thing, category, _ in negation.pairs()}) >= 100
    truth = {thing.lower(): category for thing, category, _ in negation.pairs()}
    for a, b in zip(items[::2], items[1::2]):
        assert (a.condition, b.condition) == ("affirmative", "negated") and a.meta["pair"] == b.meta["pair"]
        assert (a.good, a.bad) == (b.bad, b.good) and " not " in b.text and b.text.replace(" not", "") == a.text
        if a.meta["set"] == "simple":
            thing = next(t for t in truth if re.search(rf"\b{t} is ", a.text.lower()))
            assert truth[thing] == a.good != a.bad
    assert {i.meta["set"] for i in items} == {"simple", "natural"}


def test_wrong_categories_take_the_same_article():
    for i in builtin.build("negation", 800, 0):
        if i.meta["set"] == "simple":
            article = i.text.split()[i.text.split().index(MASK + ".") - 1]
            if article in ("a", "an"):
                assert (article == "an") == lexicon.takes_an(i.good) == lexicon.takes_an(i.bad)


# events


def test_completions_and_their_spans():
    for i in builtin.build("completion", 300, 0):
        words = i.text.split()
        (a, b), (c, d) = i.meta["subject"], i.meta["object"]
        assert a == 0 and b < c < d < len(words) and words[-1] == MASK + "."
        assert i.answers == (i.meta["right"],) and len({i.meta[k] for k in ("right", "related", "unrelated")}) == 3


def test_reversed_roles_exchange_the_verbs():
    items = [i for i in builtin.build("roles", 400, 0) if i.condition == "related"]
    for a, b in zip(items[::2], items[1::2]):
        assert a.meta["pair"] == b.meta["pair"] and (a.good, a.bad) == (b.bad, b.good)
        assert (a.meta["agent"], a.meta["patient"]) == (b.meta["patient"], b.meta["agent"])
        def words(i):
            return sorted(re.findall(r"\w+", i.text.lower()))
        assert words(a) == words(b) and a.text != b.text  # the same words, the two nouns exchanged


def test_plausibility_has_three_grades():
    found = {(i.meta["right"], i.meta["related"], i.meta["unrelated"]) for i in builtin.build("plausibility", 300, 0)}
    assert ("customer", "cook", "robin") in found and all(len(set(f)) == 3 for f in found)


# two rules


@pytest.mark.parametrize("task", ["ambiguity", "structural_bias"])
def test_the_rules_differ_in_test_items_and_only_there(task):
    items = builtin.build(task, 2000, 0)
    assert all((i.label != i.linear) == (i.split == "test") for i in items)
    for condition in {i.condition for i in items}:
        assert {i.split for i in items if i.condition == condition} == {"train", "dev", "test"}


def test_main_auxiliary_and_subject_by_another_rule():
    """The main auxiliary is the one outside the clause that *who* opens; the head noun is the last before the verb."""
    for i in builtin.build("ambiguity", 800, 0):
        words = [w.lower() for w in i.words]
        assert i.target == i.label and i.linear == i.candidates[0]
        if i.condition == "main_auxiliary":
            assert i.target == next(c for c in i.candidates if words[c - 1] != "who")
        elif i.split == "test":
            assert i.target == (3 if words[2] == "'s" else 2)
        else:
            assert i.target == 1


def test_structural_labels_are_balanced_in_every_split():
    counts = Counter((i.condition, i.split, i.label) for i in builtin.build("structural_bias", 1600, 0))
    assert len(counts) == 4 * 3 * 2
    assert all(counts[c, s, 0] == counts[c, s, 1] for c, s, _ in counts)


def test_structural_labels_by_another_rule():
    past, present = ({w for f in ("help", "watch") for w, _ in lexicon.frame("transitive", f).table(tag)}
                     for tag in ("VBD", "VBZ"))
    items = builtin.build("structural_bias", 1600, 0)
    assert abs(sum(i.label for i in items) - 800) <= 4
    for i in items:
        words = [w.lower() for w in i.words]
        if i.condition == "npi":
            assert i.linear == (words[0] == "no")
            inside = words[:words.index("ever") - 1]  # the clause of the NPI begins after *that* or a conjunction
            for cut in ("that", "and", "but"):
                if cut in inside:
                    inside = inside[inside.index(cut) + 1:]
            assert i.label == (inside[0] == "no"), words
        if i.condition == "tense":
            first = next(w for w in words if w in past | present)
            assert i.linear == (first in past), words
        if i.condition == "reflexive":
            kind = {"himself": "man", "herself": "woman"}.get(words[-2])
            nouns = {w for c in ([kind] if kind else ["man", "woman", "role"])
                     for w, _ in lexicon.nouns(c, "Sing" if kind else "Plur")}
            assert i.label == (words[1] in nouns), words
            assert i.linear == (words[-4] in nouns), words
        if i.condition == "inversion":
            rest = words[words.index("who") + 1:]
            auxiliaries = {a for a, _ in AUXILIARIES}
            assert i.label == (rest[0] in auxiliaries), words  # the relative clause keeps its own auxiliary


def test_agreement_attention_targets():
    items = builtin.build("agreement_attention", 700, 0)
    plural = {w for c in ("man", "woman", "role") for w, _ in lexicon.nouns(c, "Plur")}
    for i in items:
        asking, right = i.words[i.meta["from"]], i.words[i.target]
        wrong = next(i.words[c] for c in i.candidates if c != i.target)
        if asking.endswith(("self", "selves")):
            shows_plural = asking == "themselves"
        else:
            shows_plural = asking in {w for f in lexicon.frames("transitive") for w, _ in f.table("VBP")}
        before = [c for c in i.candidates if c < i.meta["from"]]
        assert i.label == i.target and i.linear == before[-1]
        assert (right in plural) == shows_plural and (wrong in plural) != shows_plural, i.words
        assert i.condition.startswith("reflexive") == asking.endswith(("self", "selves"))


# senses


def test_enough_senses_and_templates():
    data = senses.templates()
    assert len(data) >= 25 and all(len(s) >= 2 for s in data.values())
    assert all(len(t) >= 12 and all(line.count(word) == 1 for line in t) for word, s in data.items() for t in s.values())
    lines = [tuple(line) for s in data.values() for t in s.values() for line in t]
    assert len(set(lines)) == len(lines)


def test_senses_split_by_template():
    items = builtin.build("senses", 6000, 0)
    assert all(i.words[i.target] == i.lemma and i.sense.startswith(i.lemma + ".") for i in items)
    assert len({i.words for i in items}) == len(items)
    share = sum(i.meta["most_frequent"] for i in items) / len(items)
    assert 0.5 < share < 0.7
    assert {i.split for i in items} == {"train", "dev", "test"}
    per = Counter((i.sense, i.split) for i in items)
    assert all(per[f"{w}.{s}", split] for w, ss in senses.templates().items() for s in ss for split in ("train", "test"))


def test_sense_pairs():
    items = builtin.build("sense_pairs", 620, 0)
    assert Counter(i.label for i in items) == {"T": 310, "F": 310}
    def sense(word, words):  # the sense whose template has the most words in common
        return max((len(set(line) & set(words)) / len(line), s) for s, t in senses.templates()[word].items() for line in t)[1]

    right = 0
    for i in items:
        right += (sense(i.condition, i.meta["words_a"]) == sense(i.condition, i.meta["words_b"])) == (i.label == "T")
        assert i.meta["words_a"][i.meta["target_a"]] == i.condition == i.meta["words_b"][i.meta["target_b"]]
        assert i.text != i.text_b
    assert right / len(items) > 0.98


# coreference and spans


def test_coreference_answers():
    male = {w for w, _ in (*lexicon.words("names", "man"), *lexicon.nouns("man", "Sing"))}
    female = {w for w, _ in (*lexicon.words("names", "woman"), *lexicon.nouns("woman", "Sing"))}
    plural = {w for c in ("man", "woman", "role") for w, _ in lexicon.nouns(c, "Plur")}
    fits = {"he": male, "him": male, "himself": male, "she": female, "her": female, "herself": female,
            "they": plural, "them": plural}
    for i in builtin.build("coreference", 800, 0):
        pronoun = i.words[i.pronoun[0]]
        heads = [i.words[end - 1] for _, end in i.candidates]
        assert heads[i.answer] in fits[pronoun], i.words
        if i.condition in ("gender", "number"):  # these say the answer by themselves
            assert heads[1 - i.answer] not in fits[pronoun], i.words
        else:
            assert heads[1 - i.answer] in fits[pronoun], i.words
        if pronoun.endswith("self"):
            assert i.answer == 1


def test_name_swaps_change_one_word():
    items = builtin.build("name_swaps", 600, 0)
    for base, name, placebo in zip(items[::3], items[1::3], items[2::3]):
        assert [x.meta["swap"] for x in (base, name, placebo)] == [None, "name", "placebo"]
        assert {x.meta["base"] for x in (base, name, placebo)} == {base.id}
        assert base.answer == name.answer == placebo.answer and base.pronoun == name.pronoun == placebo.pronoun
        for other in (name, placebo):
            changed = [k for k, (a, b) in enumerate(zip(base.words, other.words)) if a != b]
            assert len(changed) == 1 and len(base.words) == len(other.words)
            inside = any(a <= changed[0] < b for a, b in base.candidates)
            assert inside == (other is name)


def test_mentions_of_a_chain_agree():
    chains = 0
    for s in builtin.build("mentions", 800, 0):
        clusters = {}
        for x in s.of("mention"):
            clusters.setdefault(x.head, []).append(x)
        for spans in clusters.values():
            pronouns = {s.words[x.start].lower() for x in spans if x.label == "PRO"}
            if len(spans) > 1:
                chains += 1
                assert pronouns, text(s.words)
                assert len({next(n for n, row in PRONOUNS.items() if p in map(str.lower, row[:4])) for p in pronouns}) == 1
        for x in s.of("entity"):
            if x.label in ("PERSON", "GPE", "ORG"):
                assert all(s.upos[i] == "PROPN" for i in range(x.start, x.end))
    assert chains > 100


def test_negation_scope_is_the_clause():
    for s in builtin.build("negation_scope", 400, 0):
        cues, scope = list(s.of("cue")), {i for x in s.of("scope") for i in range(x.start, x.end)}
        assert cues and scope and all(s.words[c.start] in ("not", "never") for c in cues)
        for c in cues:
            verb = s.heads[c.start]
            assert verb in scope, text(s.words)
            subjects = [i for i, h in enumerate(s.heads) if h == verb and s.deprels[i].startswith("nsubj")]
            assert all(i in scope for i in subjects), text(s.words)
        assert len(s.words) - 1 not in scope  # the full stop


def test_edge_items_point_at_what_they_say():
    roles = builtin.build("semantic_roles", 500, 0)
    assert all(i.span1[1] - i.span1[0] == 1 and i.span2 is not None for i in roles)
    assert {i.labels[0] for i in builtin.build("entities", 1500, 0)} == {"PERSON", "GPE", "ORG", "LOC", "DATE", "CARDINAL"}
    for i in builtin.build("entities", 500, 0):
        if i.labels == ("CARDINAL",):
            assert i.words[i.span1[0]].lower() in lexicon.source("lexicon")["numerals"].split()


def test_proto_roles_by_hand():
    assert edges.proto_labels("build", "ARG1", "building") == ("created", "physical")
    assert edges.proto_labels("eat", "ARG1", "food") == ("changed_state", "destroyed", "existed_before", "physical")
    assert edges.proto_labels("give", "ARG1", "gift") == ("changed_owner", "existed_before", "moved", "physical")
    assert edges.proto_labels("see", "ARG0", "man") == ("existed_before", "instigation", "physical", "sentient")
    assert "volition" not in edges.proto_labels("destroy", "ARG0", "force")
    assert all(i.labels for i in builtin.build("proto_roles", 300, 0))


def test_concept_pairs():
    items = builtin.build("concept_pairs", 1000, 0)
    assert {i.condition for i in items} == {"synonym", "antonym", "hypernym", "meronym"}
    splits = {}
    for i in items:
        assert (i.words[i.span1[0]], i.words[i.span2[0]]) == i.meta["words"] and i.labels == (i.condition,)
        assert splits.setdefault((i.condition, i.meta["words"]), i.split) == i.split
