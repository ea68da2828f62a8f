"""Generated events, senses, coreference and labelled spans: known answers found by other rules."""

from __future__ import annotations

import re
from collections import Counter

import bertology_world as builtin
from bertology_utils.data.items import MASK
from bertology_world import edges, lexicon, senses
from bertology_world.sentence import text
from bertology_world.slots import PRONOUNS

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


# senses


def test_enough_senses_and_templates():
    data = senses.templates()
    assert len(data) >= 25 and all(len(s) >= 2 for s in data.values())
    assert all(
        len(t) >= 12 and all(line.count(word) == 1 for line in t) for word, s in data.items() for t in s.values()
    )
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
    assert all(
        per[f"{w}.{s}", split] for w, ss in senses.templates().items() for s in ss for split in ("train", "test")
    )


def test_sense_pairs():
    items = builtin.build("sense_pairs", 620, 0)
    assert Counter(i.label for i in items) == {"T": 310, "F": 310}

    def sense(word, words):  # the sense whose template has the most words in common
        return max(
            (len(set(line) & set(words)) / len(line), s) for s, t in senses.templates()[word].items() for line in t
        )[1]

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
    fits = {
        "he": male,
        "him": male,
        "himself": male,
        "she": female,
        "her": female,
        "herself": female,
        "they": plural,
        "them": plural,
    }
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
                assert (
                    len({next(n for n, row in PRONOUNS.items() if p in map(str.lower, row[:4])) for p in pronouns}) == 1
                )
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
    assert {i.labels[0] for i in builtin.build("entities", 1500, 0)} == {
        "PERSON",
        "GPE",
        "ORG",
        "LOC",
        "DATE",
        "CARDINAL",
    }
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
