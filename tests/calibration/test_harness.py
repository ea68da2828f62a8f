"""The harness on a toy claim, its records and its table; simulated runs."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from support import tiny

from bertology_utils.calibration import harness, records, simulated, table
from bertology_utils.calibration import planted as plants
from bertology_utils.calibration.nulls import NULLS, Null, aimed
from bertology_utils.claims import ledger
from bertology_utils.claims.checks import RuleError
from bertology_utils.claims.evidence import EvidenceError
from bertology_utils.claims.registry import Claim
from bertology_utils.data.items import Data, ForcedChoice
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze

LEDGER = """
name: syntax
title: Syntax
chapter: 02_syntax
rows:
  - id: syn.toy
    title: A toy
    survey: [{edition: tacl2020, section: "3.1"}]
    studies: [goldberg2019]
    how: live
    data: [builtin]
    claim: The right form is preferred, and no other.
    rerun: at the gap
    predict: more than half
    clauses:
      - name: prefers
        says: the right form is preferred
        kind: learned
        tests: [{measure: accuracy, above: 0.5, by: 0.05, unit: share of items, why: less is no preference}]
      - name: even
        says: no form is preferred as such
        kind: absence
        tests: [{measure: lean, within: 0, by: 0.2, unit: share of items, why: less is no lean}]
        gates:
          - {says: gaps are filled, measure: filled, above: 0.5, by: 0.1, unit: share of items, why: else all is blind}
      - name: rest
        says: something else
        kind: untested
        reason: out of reach
"""
SETTINGS = Settings(draws=200)
NOUNS = ("dog", "cat", "key", "man", "woman", "author", "robin", "bird", "tree", "house")
ITEMS = [
    ForcedChoice(id=f"{noun}{k}{form}", text=f"{word} {noun} near [MASK] {tail}", good=form, bad=other)
    for k, word in enumerate(("the", "a"))
    for noun in NOUNS
    for tail in (".", "?", "!")
    for form, other in ((("is", "are"),) if (len(noun) + k) % 2 else (("are", "is"),))
]
DATA = Data("builtin", {"agreement": ITEMS}, "1" * 64, ("a note",))


@pytest.fixture(autouse=True)
def toy(monkeypatch):
    (section,) = ledger.parse(LEDGER)
    monkeypatch.setattr(ledger, "row", lambda id: section.rows[0])
    monkeypatch.setattr(ledger, "rows", lambda section_name=None: section.rows)


def experiment(subject, data, settings):
    """Toy (goldberg2019)."""
    items = data["agreement"]
    frame = pd.DataFrame({"accuracy": cloze.choose(subject, items, settings) > 0, "good": [i.good for i in items]})
    singular = (frame.accuracy == (frame.good == "is")).astype(float)
    frame = frame.assign(lean=singular - 0.5, filled=1.0, other=0.0)
    parts = [
        intervals.means(frame.astype({"accuracy": float}), m, measure=m, settings=settings)
        for m in ("accuracy", "lean", "filled", "other")
    ]
    return intervals.combine(*parts)


def right_forms(data, base, rng):
    """The right form leads."""
    return plants.plant(base, data, rng, logits=plants.choice_logits(base, right=0.95))


def leaning(data, base, rng):
    bias = np.zeros(base.config.vocab_size)
    bias[base.tokenizer.convert_tokens_to_ids("is")] = 1
    return plants.plant(base, data, rng, bias=bias)


LEANING = Null("leaning", "always the same form", leaning, ("even",))


def claim(**options) -> Claim:
    return Claim(
        "syn.toy", ("agreement",), experiment, **({"nulls": ("coin", LEANING), "planted": right_forms} | options)
    )


def trials(**options):
    return {t.name: t for t in harness.calibrate(claim(**options), DATA, tiny(), SETTINGS)}


@pytest.fixture(scope="module")
def usual():
    patch = pytest.MonkeyPatch()
    (section,) = ledger.parse(LEDGER)
    with patch.context() as m:
        m.setattr(ledger, "row", lambda id: section.rows[0])
        return trials()


def test_nulls_do_not_hold_and_the_planted_one_does(usual):
    assert list(usual) == ["coin", "leaning", "planted"]
    assert not any(t.wrong for t in usual.values())
    outcomes = {c.name: c.outcome for c in usual["planted"].decision.clauses}
    assert outcomes["prefers"] == "holds" and outcomes["rest"] == "untested"
    assert {c.name: c.outcome for c in usual["leaning"].decision.clauses}["even"] == "does not hold"
    assert usual["planted"].says == "The right form leads." and usual["planted"].record.n == len(ITEMS) == 60
    assert usual["coin"].record.notes == ("a note",)


def test_only_what_decides_is_kept(usual):
    assert {r["measure"] for r in usual["coin"].record.rows} == {"accuracy", "lean", "filled"}
    assert {r["measure"] for r in usual["coin"].record.over_twin} == {"accuracy", "lean", "filled"}


def test_a_rule_that_a_null_passes_is_noticed():
    def cheat(data, base, rng):
        return right_forms(data, base, rng)

    found = trials(nulls=(Null("cheat", "has it after all", cheat),))
    assert found["cheat"].wrong == ["prefers"]


def test_a_null_that_has_what_is_said_to_be_absent_must_not_hold_it():
    def even(data, base, rng):
        return plants.plant(base, data, rng, logits=plants.choice_logits(base, right=0.5))

    found = trials(nulls=(Null("even", "leans nowhere", even, ("even",)),))
    assert found["even"].wrong == ["even"]


def test_a_null_may_be_aimed_at_some_clauses_alone(usual):
    cheat = aimed("coin", "even")
    assert cheat.clauses == ("even",) and cheat.make is NULLS["coin"].make
    held = replace(usual["planted"], role="null")
    assert held.wrong == ["prefers"] and replace(held, aims=("even",)).wrong == ["even"]
    assert replace(usual["leaning"], aims=("prefers",)).wrong == []


def test_a_rule_that_misses_the_planted_one_is_noticed():
    def nothing(data, base, rng):
        """Nothing."""
        return plants.plant(base, data, rng, logits=plants.choice_logits(base, right=0.5))

    missed = trials(planted=nothing)["planted"]
    assert missed.wrong == ["prefers"]
    assert replace(missed, aims=("another",)).wrong == []  # of what it cannot have, nothing is asked


def test_claims_that_nothing_calibrates_are_named():
    with pytest.raises(harness.Uncalibrated, match=r"syn\.toy"):
        list(harness.calibrate(claim(nulls=()), DATA, tiny(), SETTINGS))
    with pytest.raises(harness.Uncalibrated, match=r"syn\.toy"):
        list(harness.calibrate(claim(planted=None), DATA, tiny(), SETTINGS))
    assert harness.lacking({"a": claim(), "b": claim(nulls=()), "c": claim(planted=None)}) == ["b", "c"]
    with pytest.raises(KeyError, match="positions"):
        list(harness.calibrate(claim(nulls=("position",)), DATA, tiny(), SETTINGS))
    harness.complain([])


def test_a_trial_is_the_same_again_whatever_else_is_tried(usual):
    (again,) = harness.calibrate(claim(), DATA, tiny(), SETTINGS, only=["coin"])
    assert again.record.rows == usual["coin"].record.rows and again.record.over_twin == usual["coin"].record.over_twin


def test_records_are_read_back_as_they_were_written(usual, tmp_path):
    path = records.save(usual.values(), tmp_path)
    assert path == tmp_path / "syn.toy.json" and "draws" not in {
        k for t in records.read(path) for r in t.record.rows for k in r
    }
    for t, back in zip(usual.values(), records.find("syn.toy", tmp_path)):
        assert (back.role, back.name, back.says, back.aims, back.label, back.wrong) == (
            t.role,
            t.name,
            t.says,
            t.aims,
            t.label,
            t.wrong,
        )
        assert back.record.n == t.record.n
    records.save(usual.values(), tmp_path)
    assert len(records.find(root=tmp_path)) == 3, "a second run takes the first one's place"
    assert not list(tmp_path.glob(".*"))


def test_a_spoilt_record_is_named(tmp_path, usual):
    with pytest.raises(ValueError, match="one claim"):
        records.save([], tmp_path)
    path = records.save(usual.values(), tmp_path)
    path.write_text(path.read_text().replace('"role": "null"', '"role": "other"'))
    with pytest.raises(EvidenceError, match=r"syn\.toy\.json"):
        records.find(root=tmp_path)


def test_the_table_has_a_row_for_each_claim_and_source(usual, tmp_path):
    (row,) = table.by_claim(usual.values()).to_dict("records")
    assert row["claim"] == "syn.toy" and row["n"] == 60 and row["passed"] == () and row["found"]
    assert dict(row["nulls"])["coin"] == usual["coin"].label and row["planted"] == "The right form leads."
    records.save(usual.values(), tmp_path)
    assert table.stored(tmp_path).to_dict("records") == [row]
    plain = table.plain("syn.toy", tmp_path)
    assert [n["name"] for n in plain["nulls"]] == ["coin", "leaning"] and plain["planted"]["label"] == row["outcome"]
    assert table.plain("syn.toy", tmp_path / "none") == {"nulls": [], "planted": {"label": None}}


def test_records_that_the_ledger_has_outgrown_are_stale_and_say_so(usual, monkeypatch):
    (section,) = ledger.parse(LEDGER.replace("measure: lean", "measure: tilt"))
    monkeypatch.setattr(ledger, "row", lambda id: section.rows[0])
    again = [replace(t, record=replace(t.record)) for t in usual.values()]
    assert all(t.stale and t.label == "not rerun" for t in again)
    (row,) = table.by_claim(again).to_dict("records")
    assert not row["found"] and row["passed"] == ()
    with pytest.raises(RuleError, match="tilt"):
        _ = again[0].wrong


def test_simulated_runs_have_the_effect_they_were_given():
    clauses = [c for c in ledger.row("syn.toy").clauses if c.tests]
    slots = simulated.slots(clauses)
    assert [s.measure for s in slots] == ["accuracy", "lean", "filled"]
    mine, other = simulated.rows_of(clauses, slots, 4.0, np.random.default_rng(0), SETTINGS)
    by = lambda rows: rows.set_index("measure")["value"]  # noqa: E731
    assert by(mine)["accuracy"] == pytest.approx(0.5 + 4 * 0.05, abs=0.15)
    assert by(other)["accuracy"] == pytest.approx(0.5, abs=0.15)
    assert by(mine)["lean"] == pytest.approx(0, abs=0.5) and by(mine)["filled"] == pytest.approx(0.5 + 6 * 0.1, abs=0.3)


def test_simulated_rows_are_as_wide_as_the_shipped_ones():
    clauses = [c for c in ledger.row("syn.toy").clauses if c.tests]
    shipped = intervals.table(
        [intervals.row(m, (0.6, 0.5, 0.7), 5000, layer=3) for m in ("accuracy", "lean", "filled")]
    )
    slots = simulated.slots(clauses, shipped)
    assert all(s.n == 5000 and s.half == pytest.approx(0.1) and dict(s.keys) == {"layer": 3} for s in slots)
    mine, _ = simulated.rows_of(clauses, slots, 0.0, np.random.default_rng(1), SETTINGS)
    assert ((mine.high - mine.low) / 2).to_numpy() == pytest.approx(0.1, rel=0.35) and mine.n.eq(5000).all()


def test_simulated_nulls_fail_and_planted_runs_are_found(monkeypatch):
    monkeypatch.setattr(simulated, "NULLS", 20)
    null, planted = simulated.trials("syn.toy", "builtin", SETTINGS)
    assert (null.role, null.wrong) == ("null", []) and null.aims == ("prefers", "even")
    assert {c.name: c.outcome for c in null.decision.clauses}["even"] == "does not hold"
    assert (planted.role, planted.wrong) == ("planted", []) and "smallest effects" in planted.says


@pytest.mark.parametrize("lucky", [7, 8])
def test_what_few_draws_find_is_not_found(lucky, monkeypatch):
    """Of ten planted runs as many as are lucky have the effect."""
    whole, draws = simulated.rows_of, itertools.count()

    def rows_of(clauses, slots, times, rng, settings):
        return whole(clauses, slots, times if next(draws) % simulated.DRAWS < lucky else 0.0, rng, settings)

    monkeypatch.setattr(simulated, "NULLS", 10)
    monkeypatch.setattr(simulated, "rows_of", rows_of)
    *_, planted = simulated.trials("syn.toy", "builtin", SETTINGS)
    assert bool(planted.wrong) == (lucky < 8)
    assert planted.record.notes[-1] == f"{lucky} of 10 draws come out as they must"


@pytest.mark.parametrize("lucky", [1, 2])
def test_a_null_passes_that_holds_more_often_than_by_chance(lucky, monkeypatch):
    """One of twenty draws is what chance allows, two are not; no other draw of them holds."""
    whole, draws = simulated.rows_of, itertools.count()

    def rows_of(clauses, slots, times, rng, settings):
        return whole(clauses, slots, 9.0 if next(draws) < lucky else times, rng, settings)

    monkeypatch.setattr(simulated, "NULLS", 20)
    monkeypatch.setattr(simulated, "rows_of", rows_of)
    null = next(simulated.trials("syn.toy", "builtin", SETTINGS))
    assert bool(null.wrong) == (lucky > 1)
    assert null.record.notes[-1] == f"{20 - lucky} of 20 draws come out as they must"
