"""Generated fine-tuning sets, relations, similarities and associations: what their labels rest on."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from grouped import by

import bertology_world as builtin
from bertology_world import acceptability, entailment, similarity

TASKS = {"paraphrase": 2000, "entailment": 2000, "acceptability": 2000, "relations": 1000, "sts": 1000}


@pytest.fixture(scope="module")
def items():
    return {task: builtin.build(task, n, seed=3) for task, n in TASKS.items()}


def test_sentiment_of_negation_and_contrast():
    from bertology_world.classification import BAD, GOOD

    group = builtin.build("sentiment", 6000, 0)
    assert len({i.text for i in group}) == 6000
    for i in group:
        if i.condition == "plain" and " was " in i.text:
            assert (i.text[:-1].split()[-1] in GOOD) == (i.label == "1"), i
        if i.condition == "negation" and i.text.endswith(" at all."):
            assert (i.text.split()[-3] in BAD) == (i.label == "1"), i
    # a bag of sentiment words does not settle it
    agree = [
        (sum(w in GOOD for w in words) > sum(w in BAD for w in words)) == (i.label == "1")
        for i in group
        if i.condition in ("negation", "contrast", "concession")
        for words in [i.text[:-1].split()]
    ]
    assert sum(agree) / len(agree) < 0.7


def test_paraphrases_cannot_be_told_by_overlap(items):
    def overlap(i):
        a, b = set(i.text.lower().split()), set(i.text_b.lower().split())
        return len(a & b) / len(a | b)

    same = [overlap(i) for i in items["paraphrase"] if i.label == "1"]
    roles = [overlap(i) for i in items["paraphrase"] if i.condition == "roles"]
    assert abs(sum(same) / len(same) - sum(roles) / len(roles)) < 0.1
    assert all(i.text != i.text_b for i in items["paraphrase"])


def test_heuristics_solve_the_training_data_and_half_of_the_test(items):
    def heuristic(i):  # every word of the hypothesis is in the premise
        words = [text.lower().replace(".", "").replace(",", "").split() for text in (i.text, i.text_b)]
        return "entailment" if set(words[1]) <= set(words[0]) else "not_entailment"

    splits = by(items["entailment"], lambda i: i.split)
    usual = [heuristic(i) == i.label for i in splits["dev"]]
    assert sum(usual) / len(usual) > 0.7
    assert set(Counter(i.condition for i in splits["test"])) == set(entailment.HEURISTICS)
    for i in splits["test"]:
        assert i.meta["contradicts"] == (i.label == "not_entailment")
        assert heuristic(i) == "entailment" or i.meta["subcase"] == "passive", i
    constituent = [i for i in splits["test"] if i.condition == "constituent"]
    assert all(i.text_b[:-1].lower() in i.text.lower() for i in constituent)


def test_acceptability_covers_each_operation_with_both_labels(items):
    group = by(items["acceptability"], lambda i: (i.condition, i.label))
    assert len(group) == 16 and min(map(len, group.values())) > 50


def test_a_spoilt_agreement_differs_in_the_verb_alone():
    for seed in range(50):
        good, bad = (text.split() for text in acceptability.OPERATIONS["agreement"](random.Random(seed)))
        (right, wrong), *more = [pair for pair in zip(good, bad) if pair[0] != pair[1]]
        assert not more and len(good) == len(bad) and {right.rstrip("s"), wrong.rstrip("s")} == {right.rstrip("s")}
        assert right.endswith("s") == (good[1] in acceptability.SINGULAR), good


def test_relations_have_known_labels_and_pairs_stay_in_a_split(items):
    labels = {i.labels[0] for i in items["relations"]}
    assert len(labels) == 19 and "Cause-Effect(e2,e1)" in labels and "Other" in labels
    assert all(
        len({i.split for i in g}) == 1 for g in by(items["relations"], lambda i: (i.condition, i.meta["pair"])).values()
    )
    for i in items["relations"]:
        a, b = i.meta["pair"].split("/")
        found = [i.words[i.span1[0]].lower(), i.words[i.span2[0]].lower()]
        assert found == (
            [b, a] if i.labels[0].endswith("(e2,e1)") or (found[0] == b and "(" not in i.labels[0]) else [a, b]
        ), i


# ---- similarity


def test_word_scores_by_hand():
    same = "living/animal/mammal/pet"
    assert similarity.word_score(same, same) == 8.0  # 20 · 4 / (4 + 4 + 2)
    assert similarity.word_score(same, "living/animal/fish") == pytest.approx(40 / 9)
    assert similarity.word_score(same, "object/weapon") == 0
    score = {frozenset((i.a, i.b)): i.score for i in builtin.build("word_similarity", 100_000, 0)}
    assert (
        score[frozenset(("dog", "cat"))] > score[frozenset(("dog", "salmon"))] > score[frozenset(("dog", "gun"))] == 0
    )


def test_sentence_scores(items):
    grades = Counter(i.score for i in items["sts"])
    assert set(grades) == set(map(float, range(6))) and max(grades.values()) - min(grades.values()) <= 1


def test_association_tests_come_as_words_and_as_sentences():
    group = {i.id: i for i in builtin.build("association", 100, 0)}
    words, sentences = group["association-flowers_insects-words"], group["association-flowers_insects-sentences"]
    assert "rose" in words.x and "ant" in words.y and "love" in words.a and "hatred" in words.b
    assert "This is a rose." in sentences.x and "This is an ant." in sentences.y and "That is love." in sentences.a
    assert {"This is John."} <= set(group["association-men_women_career_family-sentences"].x)
    for i in group.values():
        assert len(i.x) == len(i.y) and len(i.a) == len(i.b) and not {*i.x, *i.y} & {*i.a, *i.b}, i.id
