"""Agreement, negation, malformed input and polarity items: each experiment on items whose answer is known."""

from __future__ import annotations

import numpy as np
import pytest
from picked import value
from support import tiny
from syntax_items import NOUNS, SETTINGS, data

from bertology_utils.data.items import Cloze, ForcedChoice, Labelled, MinimalPair
from bertology_utils.experiments.syntax import agreement, npi, predictions


def choice(k, good, bad, **meta):
    return ForcedChoice(id=str(k), condition=meta.pop("condition", "simple"), text=f"w{k} [MASK]", good=good, bad=bad,
                        meta={"attractors": 0, "set": "hand", **meta})  # fmt: skip


def test_number_and_kind_of_an_agreement_item():
    assert agreement.number(choice(0, "is", "are")) == "singular" == agreement.number(choice(0, "passes", "pass"))
    assert agreement.number(choice(0, "were", "was")) == "plural" == agreement.number(choice(0, "run", "runs"))
    assert agreement.kinds(choice(0, "is", "are", attractors=1, nonce=True)) == ["nonce", "distractor"]
    assert agreement.kinds(choice(0, "is", "are", attractors=3, nonce=True)) == [agreement.SEVERAL]
    marvin = {"set": "marvin_linzen", "attractors": 1}
    assert agreement.kinds(choice(0, "is", "are", condition="across a subject relative", **marvin)) == ["distractor"]
    assert agreement.kinds(choice(0, "is", "are", condition="in an object relative", **marvin)) == []
    assert agreement.kinds(choice(0, "himself", "themselves", condition="reflexive: simple")) == []


def test_a_constant_preference_has_one_half(monkeypatch):
    several = range(agreement.OF_VERB)  # of one verb no more are drawn
    items = [choice(k, *(("is", "are") if k % 4 else ("are", "is")), template=k % 7) for k in several]
    always_is = np.array([1.0 if i.good == "is" else -1.0 for i in items])
    monkeypatch.setattr(
        agreement.cloze, "choose", lambda subject, items, settings: always_is[[int(i.id) for i in items]]
    )
    frame = agreement.agreement(tiny(), data(agreement=items), SETTINGS)
    assert value(frame, "accuracy", condition="simple") == 0.75
    assert value(frame, "balanced accuracy", items="no distractor") == 0.5
    assert value(frame, "d'", items="no distractor") == 0


def test_sentences_with_several_distractors_are_no_part_of_the_others(monkeypatch):
    """Right with none and with one, wrong with three: the three are a row of their own."""
    items = [
        choice(3 * k + j, *(("is", "are") if k % 2 else ("are", "is")), attractors=n, template=k)
        for k in range(12)
        for j, n in enumerate((0, 1, 3))
    ]
    monkeypatch.setattr(
        agreement.cloze,
        "choose",
        lambda subject, items, settings: np.array([-1.0 if i.meta["attractors"] == 3 else 1.0 for i in items]),
    )
    frame = agreement.agreement(tiny(), data(agreement=items), SETTINGS)
    assert value(frame, "balanced accuracy", items="distractor") == 1
    assert value(frame, "balanced accuracy", items=agreement.SEVERAL) == 0
    assert value(frame, "evenly balanced", items="all") == 1
    assert value(frame, "balanced accuracy by attractors", attractors=3) == 0


def negated(k, thing, affirmative, plain):
    return ForcedChoice(id=f"{k}-{affirmative}", condition="affirmative" if affirmative else "negated",
                        text="the [MASK]", good="bird" if affirmative else "tree", bad="tree" if affirmative else "bird",
                        meta={"pair": k, "set": "simple", "thing": thing, "plain": plain})  # fmt: skip


def test_negation_counts_pairs_that_switch_either_way(monkeypatch):
    # per pair: does "bird" win without and with "not"?
    answers = [(1, 1), (1, 1), (1, 0), (0, 0), (0, 1), (1, 1)]
    items = [negated(k, f"t{k}", side, None) for k in range(len(answers)) for side in (True, False)]

    def choose(subject, items, settings):
        bird = [answers[i.meta["pair"]][i.condition == "negated"] for i in items]
        return np.array([1.0 if b == (i.good == "bird") else -1.0 for b, i in zip(bird, items)])

    monkeypatch.setattr(predictions.cloze, "choose", choose)
    frame = predictions._choices(tiny(), items, SETTINGS)
    assert value(frame, "accuracy, affirmative") == pytest.approx(4 / 6)
    assert value(frame, "unmoved by not") == pytest.approx(4 / 6)
    assert value(frame, "switched by not") == pytest.approx((1 - 1) / 6)  # one to the true one, one away from it


def test_predictions_that_do_not_change_survive_wholly(monkeypatch):
    items = [Cloze(id=str(k), text=f"w{k} sees the old dog near the [MASK] .", answers=("dog",),
                   meta={"subject": (0, 1)}) for k in range(24)]  # fmt: skip

    def by_item(subject, texts, k, settings):
        """Five fillers of each item's own, whatever the order; without its first word nothing is known."""
        names = [next((w for w in t.split() if w.startswith("w")), "?") for t in texts]
        return [[f"{n}{j}" for j in range(5)] for n in names]

    monkeypatch.setattr(predictions.cloze, "top_k", by_item)
    frame = predictions.malformed(tiny(), data(completion=items), SETTINGS)
    assert value(frame, "survival", perturbation="shuffled") == 1
    assert value(frame, "survival", perturbation="no subject") == 0
    monkeypatch.setattr(predictions.cloze, "top_k", lambda s, texts, k, settings: [list("abcde")] * len(texts))
    frame = predictions.malformed(tiny(), data(completion=items), SETTINGS)
    assert frame[frame.measure == "survival"].value.isna().all()  # what every sentence predicts survives nothing


def test_npi_leads_are_differences_of_accuracies():
    conditions = ["licensor"] * 4 + ["npi"] * 4 + ["scope"] * 4
    right = np.array([1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0], bool)
    words = [f"w{k}" for k in range(12)]
    found = npi._rows("x", conditions, right, SETTINGS, words)
    rows = {(r["measure"], r.get("phenomenon")): r["value"] for r in found}
    assert rows["accuracy", "npi"] == 0.75
    assert rows["licensor - scope", None] == 0.75 and rows["npi - scope", None] == 0.5
    assert len(npi._rows("x", conditions[:8], right[:8], SETTINGS, words[:8])) == 2  # no scope, no lead


def test_pairs_that_differ_in_the_same_words_are_one_unit():
    """Who likes "ever" is right on all of them, by a preference for one word."""
    texts = [
        ("No man saw {}", "The man saw {}"),
        ("Only cats ate {}", "Even cats ate {}"),
        ("He slept {}", "He ever slept {}"),
    ]
    made = [
        MinimalPair(id=f"{k}-{n}", condition="npi", good=good.format(n), bad=bad.format(n))
        for k, (good, bad) in enumerate(texts)
        for n in NOUNS[:5]
    ]
    words = [npi.differing(pair) for pair in made]
    assert set(words) == {"no the", "even only", "ever"}
    (row,) = npi._rows("x", ["npi"] * 15, np.arange(15) < 10, SETTINGS, words)
    assert row["clusters"] == 3 and row["high"] - row["low"] > 0.8
    moved = MinimalPair(id="m", good="No guest who met the host sang", bad="The guest who met no host sang")
    assert npi.differing(moved) == "no the"


def test_sentences_of_unequal_length_are_set_apart():
    even = [MinimalPair(id=f"e{k}", condition="npi", good="the dog sleeps", bad="dog sleeps the") for k in range(9)]
    uneven = [MinimalPair(id=f"u{k}", condition="npi", good="the dog", bad="the old red dog") for k in range(6)]
    rows, note = npi._minimal(tiny(), [*even, *uneven], SETTINGS)
    found = {r["measure"]: r for r in rows}
    assert found["accuracy"]["n"] == 9 and found["shorter sentence wins"]["n"] == 6
    assert found["shorter sentence wins"]["value"] == 1.0  # random weights: more pieces, lower sum
    assert note.startswith("minimal pairs: 9 of 15")


def test_cells_of_the_paradigm():
    def cell(**meta):
        return npi.cell(Labelled(id="a", text="a", label="1", meta=meta))

    assert cell(kind="licensed") == "licensed"
    assert cell(present=True, licensed=True, in_scope=True) == "licensed"
    assert cell(present=True, licensed=True, in_scope=False) == "out of scope"
    assert cell(present=True, licensed=False, in_scope=True) == "unlicensed"
    assert cell(present=False, licensed=False, in_scope=True) == "no npi"
    assert cell(present=False, licensed=True, in_scope=True) == "licensor alone"


def test_the_acceptability_probe_finds_what_a_word_gives_away():
    kinds = {"licensed": "not the dog", "no npi": "the dog", "unlicensed": "have the dog", "out of scope": "have near"}
    items = []
    for k in range(160):
        kind = list(kinds)[k % 4]
        split = ("train", "train", "dev", "test")[k // 4 % 4]
        items.append(
            Labelled(
                id=str(k),
                split=split,
                text=f"{kinds[kind]} {NOUNS[k % 5]}",
                label=str(int(k % 4 < 2)),
                meta={"kind": kind, "npi": NOUNS[k % 3]},
            )
        )
    asked, right, bottom, note = npi.probe(tiny(), items, SETTINGS)
    conditions = [name for name, _ in asked]
    assert (
        right.mean() == 1
        and len(bottom) == 60
        and {c: conditions.count(c) for c in npi.CONTRASTS} == dict.fromkeys(npi.CONTRASTS, 20)
    )
    assert "layer" in note


def test_npi_on_pairs_alone():
    pairs = [
        MinimalPair(
            id=str(k), condition=("licensor", "npi", "scope")[k % 3], good="the dog sleeps", bad="dog sleeps the"
        )
        for k in range(66)
    ]
    frame = npi.npi(tiny(), data(npi_pairs=pairs), SETTINGS)
    assert set(frame["method"]) == {"minimal pairs"} and "npi - scope" in set(frame["measure"])
