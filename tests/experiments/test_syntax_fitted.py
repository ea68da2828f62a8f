"""Classifiers tuned on sentences: what they can only have learnt from the surface, and what an attack or a second task does."""

from __future__ import annotations

import numpy as np
import pytest
from picked import value
from support import tiny
from syntax_items import NOUNS, SETTINGS, data, treebank

from bertology_utils.claims import ledger
from bertology_utils.claims.rules import FAILS, HOLDS, UNTESTABLE, decide
from bertology_utils.data.items import Ambiguity, Labelled
from bertology_utils.experiments.syntax import tuned
from bertology_utils.finetune import Recipe
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings


def ambiguous(n):
    """Class 1: the first noun is big — or: "big" stands second. Test: they disagree, and position decides `linear`."""
    rng, out = np.random.default_rng(0), []
    for k in range(n):
        a, b = rng.choice(NOUNS, 2)
        label = k % 2
        first, second = ("big", "small") if label else ("small", "big")
        split = ("train", "train", "dev", "test")[k // 2 % 4]
        words = (first, a, "near", second, b)
        out.append(
            Ambiguity(
                id=str(k),
                split=split,
                condition="size",
                words=words,
                label=1 - label if split == "test" else label,
                linear=label,
            )
        )
    return out


def test_structural_bias_is_the_share_of_structural_labels(monkeypatch):
    monkeypatch.setattr(tuned, "RECIPE", Recipe(rate=3e-3, batch=4))
    monkeypatch.setattr(tuned, "RULES", 2)
    monkeypatch.setattr(tuned, "SCORED", 60)  # of 70
    frame = tuned.structural_bias(tiny(), data(structural_bias=ambiguous(280)), SETTINGS)
    assert value(frame, "accuracy, ambiguous", condition="size") > 0.95
    assert value(frame, "structural choice", condition="size") < 0.05  # only the surface could be learnt
    by_label = frame[frame.measure == "structural choice by label"].set_index("label")
    assert by_label.n.tolist() == [30, 30] and (by_label.value < 0.1).all()
    assert frame.attrs["notes"] == ["seeds: 2; 140 training sentences per task"]


@pytest.mark.parametrize(("share", "outcome"), [(1.0, HOLDS), (0.0, FAILS)])
def test_classifiers_that_all_prefer_one_rule_decide_the_bias(share, outcome):
    """Of five that are right on every sentence the interval began at .56: neither the gate nor the test could be met."""
    rows = []
    for condition in ("inversion", "npi", "reflexive", "tense"):
        learnt = intervals.mean_interval(np.ones(60), draws=200)
        chosen = intervals.seeds_by_items(np.full((tuned.RULES, 200), share), draws=200)
        rows.append(intervals.row("accuracy, ambiguous", learnt, 60, condition=condition))
        rows.append(intervals.row("structural choice", chosen, 200, condition=condition))
    assert decide(ledger.row("syn.structural_bias.warstadt2020").clauses, intervals.table(rows)).outcome == outcome


def test_a_scheme_that_is_behind_has_no_small_margin():
    rows = [
        intervals.row("share rebuilt", (0.3, 0.25, 0.35), 120, roles="tree"),
        intervals.row("error over tree roles", (-0.17, -0.2, -0.14), 120, roles="bag of words"),
        intervals.row("lead over best other", (-0.17, -0.2, -0.14), 120, roles="bag of words"),
    ]
    decision = decide(ledger.row("syn.tpdn.jawahar2019").clauses, intervals.table(rows))
    assert [c.outcome for c in decision.tested] == [FAILS, UNTESTABLE] and decision.outcome == FAILS


def test_a_task_is_learnt_if_it_beats_the_best_constant_answer():
    """Training texts are mostly of class 1, scored ones of class 0: always 0 is nothing learnt."""
    train, test = ([Labelled(id=str(k), text="x", label=y) for k, y in enumerate(of)] for of in ("1110", "000001"))
    of = tuned.runs.Task("sentiment", tuple(train), tuple(test))
    scores = np.tile([1.0] * 5 + [0.0], (3, 1))
    assert tuned.runs.beats_majority(scores, of, Settings(draws=100))["value"] == 0


def test_the_lower_half_is_a_smaller_subject():
    half = tuned.lower_half(tiny())
    assert half.n_layers == 1 and tiny().n_layers == 3 and "lower half" in half.name


def test_triggers_are_scored_on_three_models(monkeypatch):
    monkeypatch.setattr(tuned.runs, "RECIPE", Recipe(rate=3e-3, epochs=8, batch=16))
    items = [
        Labelled(
            id=str(k),
            split=("train", "train", "test")[k // 2 % 3],
            text=f"the {('small', 'big')[k % 2]} {NOUNS[k % 5]}",
            label=str(k % 2),
        )
        for k in range(120)
    ]
    frame = tuned.universal_triggers(tiny(), data(sentiment=items), SETTINGS)
    assert (frame["measure"] == "drop over random").sum() == 3
    for name in ("same model", "another seed", "another size"):
        clean, hit, chance = (
            value(frame, "accuracy", attacked=name, text=t) for t in ("no trigger", "trigger", "random trigger")
        )
        assert value(frame, "drop over random", attacked=name) == pytest.approx(chance - hit)
        assert clean > 0.9
    assert value(frame, "accuracy", attacked="same model", text="trigger") <= clean


def test_flips_are_counted_among_what_was_right(monkeypatch):
    right = {
        "no trigger": np.array([1, 1, 1, 0, 1, 1], float),
        "trigger": np.array([0, 0, 1, 0, 1, 1], float),
        "random trigger": np.array([1, 0.5, 1, 0, 1, 1], float),
    }
    gold = np.array(["0", "0", "0", "0", "1", "1"])
    rows = {(r["measure"], r.get("against")): r for r in tuned._attack_rows(right, gold, "m", SETTINGS)}
    assert rows["flipped", "0"]["value"] == pytest.approx((1 + 0.5) / 3) and rows["flipped", "0"]["n"] == 3
    assert rows["flipped", "1"]["value"] == 0 and rows["drop over random", None]["value"] == pytest.approx(1.5 / 6)


def test_gain_by_parsing_is_the_difference_of_the_arms(monkeypatch):
    monkeypatch.setattr(tuned, "RECIPE", Recipe(rate=1e-3, batch=16))
    monkeypatch.setattr(tuned, "PASSES", 400)
    monkeypatch.setattr(tuned.runs, "RECIPE", Recipe(rate=1e-3, epochs=2, batch=16))
    texts = [
        Labelled(
            id=str(k),
            split=("train", "test")[k // 2 % 2],
            condition="c",
            text=f"the {NOUNS[k % 5]}",
            text_b=("big", "small")[k % 2],
            label=str(k % 2),
        )
        for k in range(48)
    ]
    sentences = [*treebank(40, "train"), *treebank(10)]
    frame = tuned.intermediate_parsing(tiny(), data(treebank=sentences, entailment=texts), SETTINGS)
    first, alone = (value(frame, "accuracy", arm=arm) for arm in ("parsing first", "task alone"))
    assert value(frame, "gain by parsing") == pytest.approx(first - alone)
    assert value(frame, "accuracy over majority") == pytest.approx(alone - 0.5)
    # of the six words, the dependents of their left neighbour are one (runs, no), of their right neighbour three
    assert value(frame, "parsing UAS") > 0.5
    assert value(frame, "parsing UAS over chain") == pytest.approx(value(frame, "parsing UAS") - 2 / 6)
