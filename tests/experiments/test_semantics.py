"""The chapter on semantics: every claim runs on any BERT and gives what its clauses speak of; and its parts by hand."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from support import tiny

from bertology_utils import runs
from bertology_utils.calibration import planted
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import OUTCOMES, decide
from bertology_utils.data import load
from bertology_utils.data.items import Cloze, Coreference, Data, ForcedChoice, NumberItem
from bertology_utils.experiments.semantics import entities, names, numbers, probing, roles, swaps
from bertology_utils.probes import regression
from bertology_utils.probes.targets import Targets
from bertology_utils.scores import f1
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze, fillers

IDS = [id for id in runs.registered() if id.startswith("sem.")]
SETTINGS = Settings(draws=50)
N = {"sem.roles.ettinger2019": 12, "sem.numbers.wallace2019b": 240, "sem.ner_f1.tenney2019a": 300,
     "sem.edge_probing.tenney2019b": 160, "sem.name_brittleness.balasubramanian2020": 180}  # fmt: skip


@cache
def data(id):
    return load(runs.get(id).tasks, "builtin", n=N[id], seed=0)


@pytest.mark.parametrize("id", IDS)
def test_claim_runs_and_its_clauses_decide(id):
    rows = runs.get(id).experiment(tiny(), data(id), SETTINGS)
    assert {"measure", "value", "low", "high", "n"} <= set(rows.columns)
    bounded = rows.dropna(subset=["low", "high"])
    assert len(bounded) > 0.9 * len(rows) and (bounded["low"] <= bounded["value"] + 1e-9).all()
    assert (bounded["value"] <= bounded["high"] + 1e-9).all()
    assert decide(ledger.row(id).clauses, rows, source="builtin").outcome in OUTCOMES


def test_every_tested_row_has_an_experiment():
    tested = {r.id for r in ledger.rows("semantics") if any(c.tests for c in r.clauses)}
    assert tested == set(IDS)


# odds of words at a gap


def test_odds_of_words_of_one_piece_are_those_of_the_gap():
    text = "the dog sees the [MASK] ."
    (logs,) = [p for _, p in cloze.log_probabilities(tiny(), [text])]
    found = fillers.log_odds(tiny(), [text], [(0, "cat"), (0, "bird"), (0, "cat")])
    expected = [logs[cloze.filler_id(tiny(), w)] for w in ("cat", "bird", "cat")]
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_odds_of_a_word_of_several_pieces_are_summed_left_to_right():
    subject = tiny()
    ids = fillers.pieces(subject, "walking")
    assert len(ids) == 2
    vocabulary = subject.tokenizer.convert_ids_to_tokens(ids)
    both = "the man is [MASK] [MASK] ."
    row = subject.tokenizer(both, split_special_tokens=False)["input_ids"]
    at = row.index(subject.tokenizer.mask_token_id)
    import torch

    def logs(pieces):
        with torch.inference_mode():
            hidden = subject.base(input_ids=torch.tensor([pieces])).last_hidden_state
            return torch.log_softmax(subject.predict(hidden[0]).float(), -1).numpy()

    first = logs(row)[at, ids[0]]
    second = logs([*row[:at], ids[0], *row[at + 1 :]])[at + 1, ids[1]]
    (found,) = fillers.log_odds(subject, ["the man is [MASK] ."], [(0, "walking")])
    assert found == pytest.approx(first + second, abs=1e-4), vocabulary


def test_a_reversed_pair_cancels_for_a_bag_of_words_and_counts_for_who_did_what():
    def item(k, agent, patient, good, bad, pair, condition="related"):
        text = f"the {agent} has [MASK] the {patient} ."
        return ForcedChoice(id=str(k), text=text, good=good, bad=bad, condition=condition,
                            meta={"pair": pair, "agent": agent, "patient": patient})  # fmt: skip

    items = []
    for k, (a, p) in enumerate([("man", "dog"), ("woman", "bird"), ("author", "cat"), ("men", "dogs")]):
        items += [item(4 * k, a, p, "likes", "sees", k), item(4 * k + 1, p, a, "sees", "likes", k)]
        items += [
            item(4 * k + 2, a, p, "likes", "old", k, "unrelated"),
            item(4 * k + 3, p, a, "sees", "old", k, "unrelated"),
        ]
    source = Data(name="own", items={"roles": items}, sha256="x")
    what = {"bias": np.arange(tiny().config.vocab_size) / 9, "logits": planted.choice_logits(tiny(), noise=0)}
    for (name, recipe), expected in zip(what.items(), (0, 1)):
        subject = planted.plant(tiny(), source, np.random.default_rng(0), **{name: recipe})
        rows = roles.roles(subject, source, SETTINGS).set_index("measure")
        assert rows.loc["sensitivity to reversal", "value"] == expected
        assert rows.loc["right over related", "value"] == 0.5 + expected / 2


def test_the_prior_is_taken_off():
    """A filler that is likely in every sentence gains nothing by it."""
    fill = [("dog", "cat", "river"), ("bird", "tree", "money")]
    items = [Cloze(id=str(k), text=f"the {n} sees the [MASK] .", answers=(g[0],), meta=dict(zip(roles.GRADES, g)))
             for k, (n, g) in enumerate(zip(("man", "woman"), fill))]  # fmt: skip
    source = Data(name="own", items={"plausibility": items}, sha256="x")
    bias = np.random.default_rng(1).standard_normal(tiny().config.vocab_size)
    subject = planted.plant(tiny(), source, np.random.default_rng(0), bias=bias)
    own, prior = roles.filler_odds(subject, items, ["a", "b"], SETTINGS)
    np.testing.assert_allclose(own, prior, atol=1e-5)
    ids = [[cloze.filler_id(tiny(), w) for w in g] for g in fill]
    np.testing.assert_allclose(np.diff(own, axis=0), np.diff(bias[ids], axis=1).T, atol=1e-5)


def test_both_orders_of_a_pair_are_one_group(monkeypatch):
    """They share nouns and verbs. Items that name no pair are of one group where their fillers are the same."""
    groups = []

    def odds(subject, items, of, settings):
        groups[:] = of
        return np.zeros((3, len(items))), np.zeros((3, len(items)))

    monkeypatch.setattr(roles, "filler_odds", odds)
    fill = [dict(zip(roles.GRADES, g)) for g in (("bitten", "beaten", "read"), ("beaten", "bitten", "read"))]
    for pair, together in (({"pair": "7"}, True), ({}, False)):
        items = [
            Cloze(id=str(k), text="the [MASK] .", answers=(m["right"],), meta=m | pair) for k, m in enumerate(fill)
        ]
        roles.roles(tiny(), Data(name="own", items={"plausibility": items}, sha256="x"), SETTINGS)
        assert (groups[0] == groups[1]) is together


# F1 and probes


def test_micro_f1_counts_and_is_accuracy_of_single_labels():
    gold = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 1]], bool)
    said = np.array([[1, 0, 0], [0, 1, 1], [1, 0, 0]], bool)
    assert f1.micro(gold, said) == pytest.approx(2 * 2 / (2 * 2 + 2 + 2))
    assert f1.interval(gold, said, draws=50)[0] == pytest.approx(0.5)
    labels = np.random.default_rng(0).integers(0, 4, (2, 60))
    one, other = (np.eye(4, dtype=bool)[k] for k in labels)
    assert f1.micro(one, other) == pytest.approx((labels[0] == labels[1]).mean())


def test_means_of_independent_figures_pair_between_subjects():
    gold = np.eye(2, dtype=bool)[np.arange(40) % 2]
    wrong = gold.copy()
    wrong[:8] = ~wrong[:8]
    a, b = (f1.mean([f1.interval(gold, s, draws=200) for s in (gold, x)]) for x in (gold, wrong))
    assert f1.difference(a, b)[0] == pytest.approx(0.1) and f1.difference(b, b)[0] == 0
    nothing = f1.difference(*[f1.interval(gold, wrong, draws=200)] * 2)
    assert f1.mean([nothing, nothing])[1] < 0 < f1.mean([nothing, nothing])[2]
    assert f1.difference(a, b)[1] > 0


def test_words_are_dealt_anew_where_a_lookup_knows_them():
    types = np.array([f"w{k % 30}" for k in range(300)])
    labels = np.array([f"L{k % 3}" for k in range(300)])
    split = np.array(["train", "dev", "test"])[np.arange(300) // 100]
    targets = Targets(
        tuple((t,) for t in types), np.arange(300), np.tile([[[0, 1]]], (300, 1, 1)), labels, split, types
    )
    dealt, note = probing.with_new_names(targets)
    sides = {s: set(types[dealt.split == s]) for s in ("train", "dev", "test")}
    assert note and all(sides.values()) and not sides["train"] & (sides["dev"] | sides["test"])
    noise = targets.relabel(np.random.default_rng(0).permutation(labels))
    assert probing.with_new_names(noise) == (noise, "")


def test_replaced_names_keep_type_and_place_and_are_as_new_as_those_they_replace():
    words = [("in", "Rome", "now"), ("in", "New", "York", "now"), ("saw", "Anna", "."), ("saw", "Ruth", "."),
             ("to", "Bonn", "."), ("to", "Bonn", ".")]  # fmt: skip
    spans = np.array([[[1, 2]], [[1, 3]], *[[[1, 2]]] * 4])
    labels = np.array(["GPE", "GPE", "PER", "PER", "GPE", "GPE"])
    types, split = np.array(["rome", "new york", "anna", "ruth", "bonn", "bonn"]), np.array(["test"] * 5 + ["train"])
    other, place = entities.replaced(Targets(tuple(words), np.arange(6), spans, labels, split, types), 0)
    assert other.labels.tolist() == labels[:4].tolist() and place.tolist() == [0, 1, 2, 3]  # Bonn was seen
    assert other.sentences[0] == ("in", "New", "York", "now") and other.spans[0, 0].tolist() == [1, 3]
    assert other.types.tolist() == ["new york", "rome", "ruth", "anna"]


# numbers


def test_a_line_is_read_beyond_its_range_and_a_wave_by_its_kernel():
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.uniform(0, 10, 200), rng.uniform(10, 20, 50)])
    split = np.array(["train"] * 150 + ["dev"] * 50 + ["test"] * 50)
    found = regression.read_number(np.stack([y, np.sin(y)])[:, :, None] @ np.ones((1, 3)), y, split)
    assert found.which == 0 and np.abs(found.predicted - y)[200:].max() < 0.3
    inside = np.where(np.arange(250) < 200, y, y - 10)
    wave = regression.read_number(np.stack([np.sin(inside / 4), np.cos(inside / 4)], 1)[None], inside, split)
    assert np.abs(wave.predicted - inside)[200:].mean() < 0.3
    noise = regression.read_number(rng.standard_normal((1, 250, 4)), y, split)
    assert noise.dev == pytest.approx(np.abs(y[150:200] - y[:150].mean()).mean(), rel=0.1)
    with pytest.raises(ValueError, match="train has 0"):
        regression.read_number(np.ones((1, 2, 1)), [1, 2], ["dev", "test"])


def test_a_bent_line_goes_on_for_a_straight_reader_alone():
    """The kernel that is better inside the range says the mean far outside it, whatever the vectors hold."""
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.uniform(0, 10, 250), rng.uniform(30, 40, 50)])
    split = np.array(["train"] * 200 + ["dev"] * 50 + ["test"] * 50)
    x = np.sqrt(y)[None, :, None] @ np.ones((1, 3))
    found = regression.read_number(x, y, split)
    assert found.kernel == "Gaussian" and found.predicted[250:].max() < 10
    assert regression.read_number(x, y, split, kernels=("linear",)).predicted[250:].min() > 15


def test_characters_say_where_a_digit_stands():
    def item(word):
        return NumberItem(id=word, words=(word,), values=(1.0,), target=1.0)

    x = numbers.characters([item("305"), item("30.5"), item("3.05"), item("305")])[0]
    assert (x[0] == x[3]).all() and (x[1] != x[2]).any()
    assert numbers._placed("30.5")[3:] == [("digit", -2, "3"), ("digit", -1, "0"), ("digit", 0, "."), ("digit", 1, "5")]


@pytest.mark.parametrize("blur", [0.0, 0.2])
def test_pieces_are_compared_among_integers_of_one_hundred(monkeypatch, blur):
    """Integers of two pieces are the larger ones; what they cost is what blurs them, whatever the hundred's own error."""
    rng = np.random.default_rng(0)
    values = rng.permutation(500)[:300]
    two = rng.random(300) < values / 500
    items = [
        NumberItem(id=str(v), words=(str(v),), values=(float(v),), target=float(v), condition="integers",
                   meta={"range": numbers.WITHIN}) for v in values
    ]  # fmt: skip
    alone = NumberItem(id="x", words=("-33",), values=(-33.0,), target=-33.0, condition="negatives", meta=items[0].meta)
    rows = [SimpleNamespace(words=np.zeros(1 + int(k), int)) for k in two]
    monkeypatch.setattr(numbers.encode, "tokenize", lambda subject, words: rows[: len(words)])
    seen = (values / 500 + blur * two * rng.standard_normal(300))[None, :, None] * np.ones((1, 1, 4))
    monkeypatch.setattr(numbers, "vectors", lambda *_: seen)
    count, found = numbers._pieces(None, [*items, alone], SETTINGS)
    assert count["value"] > 20 and count["n"] == 300
    assert found["low"] > 0.05 if blur else abs(found["value"]) < 0.01
    rows[:] = [SimpleNamespace(words=np.zeros(1, int))] * 300
    count, found = numbers._pieces(None, items, SETTINGS)
    assert count["value"] == 0 and np.isnan(found["value"])


# names


def test_people_without_names_are_named_and_one_word_is_exchanged():
    words = tuple("the cook told the nurse that she had lost the old hat in Paris .".split())
    item = Coreference(id="x", words=words, pronoun=(6, 7), candidates=((3, 5), (0, 2)), answer=0,
                       meta={"gender": "female"})  # fmt: skip
    found = swaps.made_up(item)
    base = found.base
    assert base.words[1] == "told" and base.words[3:5] == ("that", "she") and base.candidates == ((2, 3), (0, 1))
    assert base.words[slice(*base.pronoun)] == ("she",)
    for v in (*found.names, *found.placebos):
        differ = [k for k, (a, b) in enumerate(zip(v.words, base.words)) if a != b]
        assert len(differ) == 1 and (v.candidates, v.answer, v.pronoun) == (base.candidates, base.answer, base.pronoun)
        assert (differ[0] in (0, 2)) is (v in found.names)
    assert len(set(v.words for v in found.names)) == len(found.names) == len(found.placebos) == swaps.SWAPS
    assert swaps.made_up(Coreference(id="y", words=words[:8], pronoun=(6, 7), candidates=((0, 2), (3, 5)), answer=0,
                                     meta={"gender": "female"})) is None  # fmt: skip


def test_swaps_of_a_source_are_taken_as_they_are():
    def item(k, swap, word):
        return Coreference(id=str(k), words=(word, "saw", "Ann", ",", "she", "ran"), pronoun=(4, 5),
                           candidates=((0, 1), (2, 3)), answer=0, meta={"base": "b", "swap": swap})  # fmt: skip

    kinds = [None, "name", "name", "placebo", "placebo"]
    source = Data(name="own", items={"name_swaps": [item(k, s, f"N{k}") for k, s in enumerate(kinds)]}, sha256="x")
    (found,), note = swaps.versions(source)
    assert [len(x) for x in (found.names, found.placebos, found.every())] == [2, 2, 5] and "1 items" in note


def test_frames_are_the_people_and_each_is_tested_by_a_probe_that_has_not_met_it():
    """Whether the cook or the nurse is meant, they are the same frame, and those without a noun to exchange learn too."""

    def item(k, answer, thing, meta):
        words = tuple(f"The cook{k} told the nurse that she had lost the {thing} .".split())
        return Coreference(id=f"{k}.{answer}.{thing}", words=words, pronoun=(6, 7), candidates=((0, 2), (3, 5)), answer=answer,
                           meta={"gender": "female", "pair": f"{k}.{answer}"} | meta)  # fmt: skip

    of = {"winogender": lambda k: {"occupation": f"cook{k}"}, "winobias": lambda k: {}}
    for name, meta in of.items():
        kinds = [(k, a, "hat" if k < 6 else "xylem") for k in range(40) for a in (0, 1)]
        source = Data(name=name, items={"coreference": [item(*kind, meta(kind[0])) for kind in kinds]}, sha256="x")
        found, _ = swaps.versions(source)
        sides = names._sides(tiny(), source, found, 0)
        assert sorted(v.base.id for *_, test in sides for v in test) == sorted(v.base.id for v in found)
        assert len(found) == 12 and len(sides) == names.FOLDS
        for train, dev, test in sides:
            learns, chooses, asked = ({names._frame(i) for i in part} for part in (train, dev, [v.base for v in test]))
            assert not (learns & chooses or learns & asked or chooses & asked)
            assert len(learns | chooses) == 38 and len(asked) == 2


def test_changes_are_counted_by_item_and_a_rule_of_place_has_one_half():
    changed = {"name": [np.array([True, False]), np.array([False, False])] * 3, "placebo": [np.zeros(2, bool)] * 6}
    first = np.array([True, True, True, True, False, False])
    rows = names._rows(first.astype(float), first, changed, list("abcdef"), 2, SETTINGS)  # always the first
    by = {r["measure"]: r["value"] for r in rows}
    assert by["share of items ever changed"] == 0.5 and by["share changed, name - placebo"] == 0.25
    assert by["accuracy"] == pytest.approx(2 / 3) and by["accuracy, places evenly"] == 0.5
