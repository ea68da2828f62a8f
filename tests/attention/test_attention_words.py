"""Antecedents by rules, scopes by thresholds, pieces of words, the two sides: known answers."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny

from bertology_utils.attention import antecedents, pieces, scope
from bertology_utils.attention.choosing import fitting, sides
from bertology_utils.data.items import Coreference, Sentence, Span
from bertology_utils.finetune import Recipe
from bertology_utils.subject.attentions import attentions
from bertology_utils.subject.encode import TooLong


def anaphor(text, pronoun, *candidates, answer=0):
    item = Coreference(
        id="x", words=tuple(text.split()), pronoun=(pronoun, pronoun + 1), candidates=candidates, answer=answer
    )
    (found,) = antecedents.from_items([item])
    return found


@pytest.mark.parametrize(
    ("text", "pronoun", "candidates", "nearest", "rules"),
    [
        ("John saw Mary because he ran", 4, [(0, 1), (2, 3)], 1, 0),  # gender
        ("the teachers saw Mary because they ran", 5, [(0, 2), (3, 4)], 1, 0),  # number
        ("I saw Mary and my dog ran", 4, [(0, 1), (2, 3)], 1, 0),  # person
        ("John saw William because he ran", 4, [(0, 1), (2, 3)], 1, 1),  # nothing decides: the nearest
        ("the dog saw the cat and the dog ran", 7, [(0, 2), (3, 5)], 1, 0),  # the same head word
    ],
)
def test_rules_and_nearness(text, pronoun, candidates, nearest, rules):
    a = anaphor(text, pronoun, *candidates)
    assert antecedents.nearest(a) == nearest and antecedents.by_rules(a) == rules


def test_a_mention_behind_is_farther_than_any_before():
    a = anaphor("Mary came and he saw John", 3, (0, 1), (5, 6))
    assert antecedents.nearest(a) == 0
    assert antecedents.by_rules(a) == 1  # he is no Mary


def test_trivial_choices():
    a = anaphor("Mary met Ann , and Mary and her dog left", 7, (0, 1), (2, 3))
    assert antecedents.first(a) == 0 and antecedents.most_repeated(a) == 0 and antecedents.nearest(a) == 1
    b = anaphor("Ann met Mary and her dog left", 4, (0, 1), (2, 3))
    assert antecedents.most_repeated(b) == 1, "all occur once: the nearest"


def test_the_rules_know_nothing_of_the_generator():
    import ast
    from pathlib import Path

    tree = ast.parse(Path(antecedents.__file__).read_text(encoding="utf-8"))
    imported = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)}
    assert not any("builtin" in (m or "") for m in imported)


def test_mentions_become_anaphors_with_right_and_wrong_candidates():
    spans = (
        Span(start=0, end=2, label="", kind="mention", head=0),
        Span(start=3, end=5, label="", kind="mention", head=1),
        Span(start=6, end=7, label="", kind="mention", head=0),
    )
    sentence = Sentence(id="s", words=tuple(["the", "dog", "saw", "the", "cat", "before", "it", "ran"]), spans=spans)
    (found,) = antecedents.from_mentions([sentence])
    assert found.heads == (1, 4) and found.right == (True, False)
    attention = np.array([[0.9, 0.1], [0.1, 0.9]])  # (links, heads): the first head looks at the dog
    assert antecedents.attended([found], attention).tolist() == [[True, False]]
    assert antecedents.links([found]) == [(0, (6, 7), (1, 2)), (0, (6, 7), (4, 5))]


def negated(text, cue, *inside):
    spans = [Span(start=cue, end=cue + 1, label="cue", kind="cue")]
    spans += [Span(start=a, end=b, label="scope", kind="scope") for a, b in inside]
    return Sentence(id=text, words=tuple(text.split()), spans=tuple(spans))


SCOPES = [
    negated("the dog is not big .", 3, (0, 3), (4, 5)),
    negated("he runs and the dog is not old", 6, (3, 6), (7, 8)),
    negated("they like not the cat", 2, (3, 5)),
]


def test_scope_scores_are_shares_of_attention_from_and_to_the_cue():
    found = scope.scores(tiny(), SCOPES)
    for i, units, map_ in attentions(tiny(), [s.words for s in SCOPES]):
        cue, free, _ = scope.words(SCOPES[i])
        at = {w: u for u, w in enumerate(units.words) if w >= 0}
        forth = map_[:, :, at[cue]][:, :, [at[w] for w in free]].reshape(12, -1)
        back = map_[:, :, [at[w] for w in free], at[cue]].reshape(12, -1)
        both = np.concatenate([forth, back])
        np.testing.assert_allclose(found[i], both / both.sum(1, keepdims=True), rtol=1e-4)


def test_windows_and_single_offsets():
    assert scope.words(SCOPES[0])[1] == [0, 1, 2, 4]  # neither cue nor full stop
    assert scope.window(SCOPES[:1], -10, 10) == pytest.approx([1.0])
    assert scope.window(SCOPES[1:2], 1, 1) == pytest.approx([2 / 5])
    assert scope.window(SCOPES[2:], 1, 2) == pytest.approx([1.0])
    assert scope.best_window(SCOPES[2:]) == (0, 2) or scope.window(SCOPES[2:], *scope.best_window(SCOPES[2:])) == 1
    assert scope.best_window(SCOPES, single=True) == (1, 1)  # the one word all three have in scope


def test_the_head_that_marks_the_scope_is_chosen_with_a_threshold_that_separates():
    gold = [scope.words(s)[2] for s in SCOPES]
    rng = np.random.default_rng(0)
    planted = []
    for g in gold:
        s = rng.dirichlet(np.full(len(g), 3.0), 4)
        s[2] = np.where(g, 5.0, 0.5)
        planted.append(s / s.sum(1, keepdims=True))
    head, threshold = scope.choose(planted, gold)
    assert head == 2
    assert scope.apply(planted, gold, head, threshold).mean() > 0.9
    assert scope.f1(np.array([True, False]), np.array([False, True])) == 0


def test_tuning_on_scope_changes_a_copy_only():
    before = tiny().sha256
    tuned, again = (scope.tune(tiny(), SCOPES, Recipe(epochs=1, seed=1)).subject for _ in range(2))
    assert type(tiny()).sha256.func(tiny()) == before != type(tuned).sha256.func(tuned)
    assert type(tuned).sha256.func(tuned) == type(again).sha256.func(again)


def test_what_a_tuned_network_tells_of_the_scope_is_asked_of_free_words():
    assert scope.tags(SCOPES[0]) == ["in", "in", "in", "out", "in", "out"]  # neither cue nor full stop
    assert scope.tags(SCOPES[2]) == ["out", "out", "out", "in", "in"]
    learnt = scope.tune(tiny(), SCOPES, Recipe(epochs=60, rate=1e-3, seed=1))
    told = scope.right(learnt, SCOPES)
    assert [len(t) for t in told] == [len(scope.words(s)[1]) for s in SCOPES]
    assert np.concatenate(told).mean() > 0.9


def test_pieces_within_words_and_across():
    sentences = [["unlikeable", "dogs", "run", "sleepily"], ["the", "dog"]]
    found = pieces.neighbours(tiny(), sentences)
    for i, row, map_ in attentions(tiny(), sentences, word_level=False):
        w = row.words
        for side, same in enumerate((True, False)):
            pairs = [t for t in range(len(w) - 1) if min(w[t : t + 2]) >= 0 and (w[t] == w[t + 1]) is same]
            assert found.count[i, side] == len(pairs)
            wanted = sum((map_[:, :, t, t + 1] + map_[:, :, t + 1, t]) / 2 for t in pairs)
            np.testing.assert_allclose(found.mass[i, side], np.broadcast_to(wanted, (3, 4)).ravel(), atol=1e-5)
        several = [t for t in range(len(w)) if w[t] >= 0 and w.count(w[t]) > 1]
        continues = [t for t in range(1, len(w)) if w[t] >= 0 and w[t] == w[t - 1]]
        pairs = [(q, k) for q in several for k in continues if w[q] != w[k]]
        assert found.count[i, 2] == len(pairs)
        wanted = sum(map_[:, :, q, k] for q, k in pairs)
        np.testing.assert_allclose(found.mass[i, 2], np.broadcast_to(wanted, (3, 4)).ravel(), atol=1e-5)
    assert found.count[1].tolist() == [0, 1, 0] and found.count[0, 0] > 0 < found.count[0, 2]


def test_ratio_of_means():
    mass = np.array([[[6.0], [2.0], [8.0]], [[0.0], [2.0], [0.0]]])
    found = pieces.Neighbours(mass, np.array([[3, 2, 2], [0, 2, 0]]))
    assert found.ratio().tolist() == [[2.0], [0.5]]
    assert found.interval(0, 0, draws=50)[0] == 2.0


def test_compounds_have_several_pieces_and_replace_two_nouns():
    sentences = [["the", "dog", "sees", "the", "house"], ["he", "runs"]]
    out = pieces.with_compounds(tiny(), sentences, [[1, 4], []])
    changed = [w for w, v in zip(out[0], sentences[0]) if w != v]
    assert len(changed) == 2 and all(len(tiny().tokenizer.tokenize(w)) > 1 for w in changed) and out[1] == sentences[1]


def test_sides_are_splits_or_every_second():
    items = [Sentence(id=str(k), words=("a",), split=s) for k, s in enumerate(("train", "dev", "test", "test"))]
    dev, test, note = sides(items)
    assert ([i.id for i in dev], [i.id for i in test], note) == (["1"], ["2", "3"], "")
    assert [i.id for i in sides(items, train=True)[0]] == ["0", "1"]
    dev, test, note = sides(items[2:])
    assert ([i.id for i in dev], [i.id for i in test]) == (["2"], ["3"]) and note
    with pytest.raises(ValueError, match="there are 1"):
        sides(items[:1])


def test_what_does_not_fit_is_counted_and_nothing_left_is_an_error():
    short, long = Sentence(id="a", words=("dog",)), Sentence(id="b", words=("dog",) * tiny().max_length)
    kept, note = fitting(tiny(), [short, long])
    assert kept == [short] and note.startswith("1 of 2")
    with pytest.raises(TooLong):
        fitting(tiny(), [long])
