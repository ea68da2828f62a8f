"""The generated tests of syntax: reproducible, and every builder against a known answer."""

from __future__ import annotations

import re
from collections import Counter

import pytest

import bertology_world as builtin
from bertology_utils.data.items import MASK, Sentence
from bertology_world import agreement as agreement_module
from bertology_world import lexicon, negation, npi
from bertology_world.ambiguity import AUXILIARIES
from bertology_world.sentence import text

TASKS = (
    "agreement",
    "npi_pairs",
    "npi_cloze",
    "npi_acceptability",
    "negation",
    "completion",
    "roles",
    "plausibility",
    "treebank",
    "chunks",
    "constituency",
    "sentences",
    "ambiguity",
    "structural_bias",
    "agreement_attention",
    "senses",
    "sense_pairs",
    "coreference",
    "name_swaps",
    "mentions",
    "entities",
    "negation_scope",
    "semantic_roles",
    "proto_roles",
    "concept_pairs",
)


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


# agreement


def agreement_sentences(n, seed):
    """The sentences behind the items, parsed, and the position of the agreeing verb."""
    return [
        (Sentence(**about, words=words, lemmas=lemmas, **structure.skeleton.layers()), structure.target)
        for about, structure, words, lemmas in agreement_module.draw(n, seed)
    ]


def test_agreement_against_the_tree():
    """Number, right form and attractors found again without the grammar: from tags, tree and word forms."""
    items = builtin.build("agreement", 3000, 7)
    for item, (s, target) in zip(items, agreement_sentences(3000, 7)):
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
    pairs = agreement_sentences(600, 0)

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
            assert (
                len(licensors.intersection(good)) > len(licensors.intersection(bad))
                or item.meta["environment"] == "question"
            )
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
    past, present = (
        {w for f in ("help", "watch") for w, _ in lexicon.frame("transitive", f).table(tag)} for tag in ("VBD", "VBZ")
    )
    items = builtin.build("structural_bias", 1600, 0)
    assert abs(sum(i.label for i in items) - 800) <= 4
    for i in items:
        words = [w.lower() for w in i.words]
        if i.condition == "npi":
            assert i.linear == (words[0] == "no")
            inside = words[: words.index("ever") - 1]  # the clause of the NPI begins after *that* or a conjunction
            for cut in ("that", "and", "but"):
                if cut in inside:
                    inside = inside[inside.index(cut) + 1 :]
            assert i.label == (inside[0] == "no"), words
        if i.condition == "tense":
            first = next(w for w in words if w in past | present)
            assert i.linear == (first in past), words
        if i.condition == "reflexive":
            kind = {"himself": "man", "herself": "woman"}.get(words[-2])
            nouns = {
                w
                for c in ([kind] if kind else ["man", "woman", "role"])
                for w, _ in lexicon.nouns(c, "Sing" if kind else "Plur")
            }
            assert i.label == (words[1] in nouns), words
            assert i.linear == (words[-4] in nouns), words
        if i.condition == "inversion":
            rest = words[words.index("who") + 1 :]
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
