"""The probing claims' own pieces: which items, which features, which test — against hand-made answers."""

from __future__ import annotations

import numpy as np
import pytest
from support import tiny

from bertology_utils.claims import ledger
from bertology_utils.claims.rules import HOLDS, UNTESTABLE, decide
from bertology_utils.data import load
from bertology_utils.data.items import Ambiguity, Data, Sentence
from bertology_utils.experiments.syntax import (
    amnesic,
    concatenated,
    fitted,
    formalism,
    hierarchical,
    probing,
    probing_parsing,
    probing_trees,
    probing_use,
)
from bertology_utils.experiments.syntax.amnesic import Whitened, erased
from bertology_utils.probes import Targets, constant
from bertology_utils.probes.linear import fit
from bertology_utils.probes.targets import build
from bertology_utils.scores import intervals
from bertology_utils.scores.intervals import Interval
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=50)
ITEM = Sentence(
    id="0",
    words=("the", "old", "man", "sees", "that", "she", "sleeps", "."),
    upos=("DET", "ADJ", "NOUN", "VERB", "SCONJ", "PRON", "VERB", "PUNCT"),
    heads=(2, 2, 3, -1, 6, 6, 3, 3),
    deprels=("det", "amod", "nsubj", "root", "mark", "nsubj", "ccomp", "punct"),
)


def test_features_of_a_sentence():
    """The full stop is no word: its arc would be the longest."""
    found = concatenated.features(ITEM)
    assert (found["length"], found["tree depth"], found["longest arc"], found["subordinate clauses"]) == (7, 2, 3, 1)
    assert found["share of VERB"] == 2 / 7 and found["mean arc"] == pytest.approx((2 + 1 + 1 + 2 + 1 + 3) / 6)
    assert concatenated.analysed(ITEM)
    assert not concatenated.analysed(Sentence(id="1", words=("Yes", "!"), upos=("INTJ", "PUNCT"), heads=(-1, 0)))


def test_ancestors_are_relations_of_the_words_above():
    deep = Sentence(id="1", words=tuple("abcd"), heads=(1, 2, 3, -1), deprels=("det", "nmod:of", "obj", "root"))
    assert probing.ancestors(deep) == [(0, ["nmod", "obj", "root"])]
    assert probing.ancestors(ITEM) == []  # nothing lies three steps below the root


def test_few_keeps_the_order_and_the_other_splits():
    items = [Sentence(id=str(i), split=s, words=("a",)) for i, s in enumerate(["train"] * 9 + ["dev", "test"])]
    assert [i.id for i in probing.few(items, 3)] == ["0", "1", "2", "9", "10"]


def test_the_ridge_in_the_dual_is_that_of_the_primal_with_length_free_of_penalty():
    rng = np.random.default_rng(0)
    x, y, train, length = rng.normal(size=(40, 90)), rng.normal(size=(40, 2)), np.arange(40) < 30, np.arange(40.0) % 7
    (ours,) = concatenated._ridge(x @ x[train].T, length, y, train, (7.0,))
    full = np.column_stack([np.ones(40), length, x])
    penalty = np.diag([0.0, 0.0, *[7.0] * 90])
    assert np.allclose(ours, full @ np.linalg.solve(full[train].T @ full[train] + penalty, full[train].T @ y[train]))
    (flat,) = concatenated._ridge(x @ x[train].T, length, y, train, (1e12,))  # nothing but length is left
    assert np.allclose(flat, concatenated._by_length(length, train) @ y[train])


def test_the_kernel_is_that_of_vectors_padded_with_noughts():
    rng = np.random.default_rng(0)
    vectors, train = [rng.normal(2, 3, size=(n, 5)) for n in (3, 1, 4, 2)], np.array([True, False, True, True])
    words = np.concatenate([v for v, learns in zip(vectors, train) if learns])
    padded = np.zeros((4, 4, 5))
    for row, v in zip(padded, vectors):
        row[: len(v)] = (v - words.mean(0)) / (words - words.mean(0)).std()
    flat = padded.reshape(4, -1)
    assert np.allclose(concatenated._kernel(vectors, train), flat @ flat[train].T)


def test_near_the_ceiling_small_gains_are_large_shares_of_what_is_left():
    gold, rng = np.arange(2000.0), np.random.default_rng(0)
    length, embeddings = gold + rng.normal(0, 250, 2000), gold + rng.normal(0, 500, 2000)
    found = dict(zip(concatenated.MEASURES, concatenated._compared(gold, length, embeddings, gold)))
    assert found["gain over length"] < 0.1  # of gold values themselves
    assert found["share of what length leaves"] == found["share of what layer 0 leaves"] == 1
    found = dict(zip(concatenated.MEASURES, concatenated._compared(embeddings, length, length, gold)))
    assert found["share of what length leaves"] < -1 and found["gain over length"] > -0.15
    (share,) = concatenated._compared(np.zeros(2000), -gold, np.zeros(2000), gold)[-1:]
    assert share == 0  # neither a constant nor what is the wrong way round explains anything


def test_the_centre_of_gains_is_where_they_are():
    assert formalism.centre(np.array([0.5, 0.4, 0.7, 0.5, 0.9])) == pytest.approx((2 * 0.2 + 4 * 0.4) / 0.6 / 4)
    assert np.isnan(formalism.centre(np.array([0.5, 0.4, 0.3])))  # where nothing is gained there is no place


def test_erasing_leaves_a_linear_probe_nothing_and_other_directions_alone():
    rng = np.random.default_rng(0)
    labels = np.array(["N", "V", "A"])[rng.integers(0, 3, 900)]
    x = rng.normal(size=(900, 12)) @ rng.normal(size=(12, 12))
    x += 3 * np.stack([labels == k for k in ("N", "V", "A")], 1) @ rng.normal(size=(3, 12))
    eraser = Whitened(x[:600]).without(labels[:600])
    assert eraser.rank == 2  # three classes differ in two directions
    before, after = (fit(v[:600], labels[:600]).predict(v[600:]) for v in (x, eraser(x)))
    most = max((labels[600:] == k).mean() for k in "NVA")
    assert (before == labels[600:]).mean() > 0.9 and (after == labels[600:]).mean() < most + 0.06
    # the least change: no covariance with the labels is left, and the mean stays
    z = np.stack([labels[:600] == k for k in "NVA"], 1).astype(float)
    assert np.abs((eraser(x[:600]) - x[:600].mean(0)).T @ (z - z.mean(0))).max() < 1e-6 * len(z)
    assert np.allclose(eraser(x[:600]).mean(0), x[:600].mean(0))
    other = Whitened(x[:600]).at_random(2, seed=1)
    assert (fit(other(x)[:600], labels[:600]).predict(other(x)[600:]) == labels[600:]).mean() > most + 0.2


def test_control_labels_belong_to_words_and_not_to_their_parts_of_speech():
    tags, pieces = np.array(["N", "V"] * 50), np.array([7, 7, 8, 9] * 25)  # word 7 is a noun and a verb
    train = amnesic.Masked([], tags, pieces, np.arange(100))
    drawn = amnesic._drawn(train, SETTINGS)
    assert len(drawn) == amnesic.CONTROLS
    assert all(len(set(labels[pieces == word])) == 1 for labels in drawn for word in (7, 8, 9))


def test_what_any_labels_of_words_cost_is_no_reliance_on_parts_of_speech():
    """Drops as of labels drawn by word: five points more than random directions, and none more than those labels."""
    last = {"place": "last layer", "layer": 8}
    figures = [
        ("drop over random", 0.05, {}),
        ("drop over control labels", 0.0, {}),
        ("probe over majority", 0.3, {"when": "before"}),
        ("probe over majority", 0.0, {"when": "after"}),
    ]
    rows = [intervals.row(m, (x, x - 0.01, x + 0.01), 900, **last, **keys) for m, x, keys in figures]
    assert decide(ledger.row("syn.amnesic.elazar2020").clauses, intervals.table(rows)).outcome != HOLDS


def test_what_is_erased_is_erased_inside_the_model():
    from bertology_utils.subject import encode

    subject = tiny()
    words = [["the", "dog", "sleeps"]]
    ((_, plain),) = encode.hidden_states(subject, words, settings=SETTINGS)
    eraser = Whitened(np.random.default_rng(0).normal(size=(50, 32))).at_random(3, seed=0)
    with erased(subject, 2, eraser):
        ((_, changed),) = encode.hidden_states(subject, words, settings=SETTINGS)
    assert np.allclose(changed[:2], plain[:2], atol=1e-5)
    assert np.allclose(changed[2], eraser(plain[2]), atol=1e-4) and not np.allclose(changed[3], plain[3], atol=1e-3)
    with pytest.raises(IndexError, match="out of range"), erased(subject, 4, eraser):
        pass


def test_the_jackknife_is_the_standard_error_of_a_mean():
    values = np.random.default_rng(0).normal(size=5)
    without = np.array([np.delete(values, k).mean() for k in range(5)])
    assert fitted.jackknifed(without) == pytest.approx(values.std(ddof=1) / 5**0.5)


def test_luck_widens_an_interval_and_is_its_own_for_each_subject():
    drawn = np.random.default_rng(0).normal(0.5, 0.01, 2000)
    found = Interval(0.5, 0.48, 0.52, draws=drawn, clusters=40)
    one, again, other = (fitted.with_luck(found, 0.05, key, SETTINGS) for key in ("mini", "mini", "twin"))
    assert one == again and one[1] == pytest.approx(0.5 - 1.96 * 0.051, abs=0.01)
    assert np.std(one.draws - other.draws) > 0.06  # so differences of subjects carry both
    assert fitted.with_luck(found, 0.0, "x", SETTINGS)[1] == pytest.approx(np.percentile(drawn, 2.5))


def test_the_penalty_is_the_best_on_dev():
    """Many useless features: the weakest penalty memorises, and dev says so."""
    from bertology_utils.probes import targets

    rng = np.random.default_rng(0)
    n = 240
    split = np.array(["train"] * 120 + ["dev"] * 60 + ["test"] * 60)
    labels = np.where(rng.random(n) < 0.5, "a", "b")
    x = np.concatenate([(labels == "a")[:, None] * 1.5, rng.normal(size=(n, 80))], 1)[None]
    sentences = [("w",)] * n
    made = targets.build(sentences, list(split), [(k, labels[k], 0) for k in range(n)])
    found = fitted.tuned(x, made, SETTINGS)
    by_hand = [
        (fit(x[0, :120], labels[:120], l2=l2).predict(x[0, 120:180]) == labels[120:180]).mean()
        for l2 in fitted.PENALTIES
    ]
    assert found.dev[0] == max(by_hand) and found.penalty[0] == fitted.PENALTIES[int(np.argmax(by_hand))]
    assert found.right.shape == (1, 60)


def test_constituents_lose_their_punctuation():
    from bertology_utils.data.items import Span

    spans = tuple(Span(start=a, end=b, label="X") for a, b in ((0, 5), (0, 2), (2, 3), (3, 5)))
    item = Sentence(id="2", words=("the", "dog", ",", "sleeps", "."), brackets=spans)
    kept, moved = probing_parsing.without_punctuation(item)
    assert kept == [0, 1, 3] and {(s.start, s.end) for s in moved} == {(0, 3), (0, 2), (2, 3)}


def test_a_forest_has_one_vector_per_word_that_is_no_punctuation():
    forest = probing_trees.grow(tiny(), [ITEM], SETTINGS)
    assert forest.vectors[0].shape == (4, 7, 32) and forest.heads[0] == [2, 2, 3, -1, 6, 6, 3]
    assert probing_trees.edges_found(forest, [0], [set()]).tolist() == [False] * 6


def test_masks_hide_whole_words_and_keep_their_tags():
    masked = amnesic.Masked.of(tiny(), [ITEM], SETTINGS)
    assert len(masked.rows) == amnesic.Masked.COPIES and len(masked.labels) == len(masked.pieces)
    tokenizer = tiny().tokenizer
    hidden = sum(row.ids.count(tokenizer.mask_token_id) for row in masked.rows)
    assert hidden == len(masked.labels)
    logs = masked.distributions(tiny(), SETTINGS)
    assert logs.shape[0] == hidden and np.allclose(logs.exp().sum(-1), 1, atol=1e-4)
    assert masked.vectors(tiny(), [0, 3], SETTINGS).shape == (2, hidden, 32)


def test_what_knows_only_the_first_candidate_s_word_does_not_generalise():
    """Training and test sentences are the same words; only which candidate is right differs, so memory scores nil."""
    words = ("the", "dog", "is", "near", "cats", "are")
    splits = ("train", "test", "train", "dev")
    items = [
        Ambiguity(
            id=str(i),
            split=splits[i % 4],
            condition="c",
            words=words,
            label=5 if i % 4 == 1 else 2,
            linear=2,
            candidates=(2, 5),
            target=5 if i % 4 == 1 else 2,
        )
        for i in range(120)
    ]
    rows = hierarchical.hierarchical(tiny(), Data(name="made", items={"ambiguity": items}, sha256=""), SETTINGS)
    assert (rows[rows.measure == "right by layer"].value == 0).all()
    generalisation = rows[rows.measure == "generalisation"]
    assert (generalisation.n == 15).all() and (generalisation.value == 0).all()  # half of the tests chose the layer
    assert (rows[rows.measure == "found where the rules agree"].value == 1).all()
    assert (rows[rows.measure == "right by best rival"].value == 0.5).all()  # a coin does better than these words


def test_where_a_word_s_neighbours_tell_it_finding_it_shows_no_structure():
    """No auxiliary after *who* is the main one: generated sentences say so in training, and it is right of all the others."""
    items = [i for i in load("ambiguity", n=240)["ambiguity"] if i.condition == "main_auxiliary"]
    rows = hierarchical.hierarchical(tiny(), Data(name="made", items={"ambiguity": items}, sha256=""), SETTINGS)
    assert rows[rows.measure == "right by best rival"].value.item() > 0.95
    (clause,) = (c for c in ledger.row("syn.hierarchical.lin2019").clauses if c.name == "main auxiliary")
    assert decide([clause], rows).outcome == UNTESTABLE


def test_codes_of_a_word_and_of_those_beside_it_know_no_places():
    words = ("the", "dog", "is", "the", "dog", "is", "the")
    found = [(0, "x", w) for w in range(len(words))]
    codes = hierarchical.beside(build([words], ["train"], found))
    assert codes.shape == (4, 7, 5 * hierarchical.CODE)
    assert (codes[:3, 1] == codes[:3, 4]).all() and not (
        codes[3, 1] == codes[3, 4]
    ).all()  # the first has none two before
    assert not (codes[2, 0] == codes[2, 3]).all()  # nothing stands before the first word
    before, after, both, wide = codes.reshape(4, 7, 5, -1)[:, 1].any(-1).tolist()
    assert (before, after, both) == ([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], [0, 1, 1, 1, 0])
    assert wide == [0, 1, 1, 1, 1]  # one word alone stands before


def test_a_probe_that_gives_the_commonest_scored_label_leads_nothing():
    """Most training labels are a, most scored ones b: to lead, a probe must be right more often than always b."""
    labels = np.array(["a"] * 30 + ["b"] * 10 + ["b"] * 12 + ["a"] * 8)
    split = np.array(["train"] * 40 + ["test"] * 20)
    targets = Targets((), np.arange(60), np.zeros((60, 1, 2), int), labels, split, labels)
    assert constant(targets).mean() == 0.6 and constant(targets)[:12].all()


@pytest.mark.parametrize(
    ("experiment", "task", "measures"),
    [
        (probing_trees.structural_probe, "treebank", {"UUAS", "UUAS over baseline", "UUAS by rank", "root accuracy"}),
        (
            probing_parsing.trees_from_vectors,
            "treebank",
            {"UAS", "UAS over chain", "UAS over layer 0", "F1 over baseline"},
        ),
        (
            probing_use.description_length,
            "treebank",
            {"compression", "code saved by real labels", "lead of code over accuracy"},
        ),
    ],
)
def test_experiments_run_on_any_bert_and_repeat(experiment, task, measures):
    data = load((task,), "builtin", n=60)
    kept = [i for i in data[task] if len(" ".join(i.words)) < 40]  # spelt out, longer ones exceed the tiny model
    data = Data(name="builtin", items={task: kept}, sha256="")
    one, two = (experiment(tiny(), data, SETTINGS).drop(columns="draws") for _ in range(2))
    assert measures <= set(one.measure) and one.equals(two)
    known = one[one.clusters != 1]  # one sentence has no interval
    assert known.low.notna().all() and (known.low <= known.high).all()
