"""Claims about training, on runs made by hand: known differences come out, none where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from made_runs import BITS, IDS, SETTINGS, TIER, WORSE, Made, judged
from picked import value

from bertology_utils import runs
from bertology_utils.claims.evidence import Evidence
from bertology_utils.claims.rules import FAILS, HOLDS, MIXED, OPEN, UNTESTABLE
from bertology_utils.data import of as data_of
from bertology_utils.experiments.training import family
from bertology_utils.family import grid
from bertology_utils.scores.rows import records as tidy


@pytest.mark.parametrize("id", IDS)
def test_every_experiment_gives_what_its_clauses_ask_for(id):
    rows, outcomes = judged(id, loss={**WORSE, "twice the pieces": -0.3})
    assert outcomes and rows["value"].notna().all() and (rows["n"] > 0).all()
    assert (rows["low"] <= rows["value"]).all() and (rows["value"] <= rows["high"]).all()
    assert any("generated tier" in n for n in rows.attrs["notes"]) and any(
        "seeds per" in n for n in rows.attrs["notes"]
    )


@pytest.mark.parametrize(
    "id, clause, there",
    [
        ("trn.layers_vs_heads.wang2019b", "depth", {"loss": {"half layers": 0.2}}),
        ("trn.hidden_size.wang2019b", "wider", {"loss": {"narrower": 0.2, "wider": -0.2}}),
        ("trn.whole_word.devlin2019", "agreement", {"right": {"whole word": 0.98, "span": 0.98}}),
        ("trn.whole_word.devlin2019", "probes", {"probe": {"whole word": 0.8, "span": 0.8}}),
        ("trn.entity_mask.sun2019b", "facts", {"right": {"entity": 0.7}}),
        ("trn.replaced_tokens.clark2020", "all_positions", {"probe": {"replaced pieces": 0.8}}),
        ("trn.nsp.liu2019b", "helps", {"loss": {"no second task": -0.1}}),
        ("trn.sentence_order.lan2020", "asymmetric", {"right": {"sentence order nsp": 0.75, "base sop": 0.55}}),
        ("trn.data_volume.liu2019b", "more_data", {"loss": {"half pieces": 0.3, "twice the pieces": -0.3}}),
        (
            "siz.bigger_is_better.liu2019a",
            "bigger",
            {"right": {"narrower": 0.6, "half layers": 0.75, "base": 0.8, "wider": 0.95}},
        ),
        ("siz.train_large.li2020", "large_first", {"right": {"large, fewer bits 4": 0.95}}),
        ("siz.attention_dropout.clark2019", "alike", {"apart": {"long, attention dropout": -0.1}}),
        ("siz.attention_dropout.clark2019", "dispensable", {"missed": {"long, attention dropout": 0.1}}),
    ],
)
def test_an_effect_that_is_there_is_found_and_none_is_where_there_is_none(id, clause, there):
    assert judged(id, **there)[1][clause] == HOLDS
    assert judged(id)[1][clause] in (FAILS, OPEN)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ({}, UNTESTABLE),
        ({"sandwich": -0.1}, UNTESTABLE),
        ({"wider": -0.3}, FAILS),
        ({"wider": -0.3, "sandwich": -0.3}, HOLDS),
    ],
)
def test_an_order_of_sublayers_is_judged_where_a_larger_network_gains(loss, expected):
    assert judged("trn.sublayer_order.press2020", loss=loss)[1]["sandwich"] == expected


@pytest.mark.parametrize(
    "id, clause, group",
    [("trn.entity_mask.sun2019b", "facts", "entity"), ("trn.whole_word.devlin2019", "agreement", "whole word")],
)
def test_what_pieces_do_not_teach_at_all_may_be_taught_otherwise(id, clause, group):
    """The strongest case of the claim; where neither teaches it there is nothing to compare."""
    low = {"base": 0.2, "span": 0.2}
    assert judged(id, right={**low, group: 0.95}, simple=0.5)[1][clause] == HOLDS
    assert judged(id, right={**low, group: 0.2}, simple=0.5)[1][clause] == UNTESTABLE


@pytest.mark.parametrize("without, expected", [(0.4, FAILS), (0.9, HOLDS)])
def test_a_task_that_is_missed_altogether_is_a_loss(without, expected):
    of = {"no second task": without, "base": 0.85}
    assert judged("trn.nsp.liu2019b", right=of)[1]["does_not_hurt"] == expected


def test_a_difference_without_a_loss_is_no_share():
    """One item of one seed is better, none is worse: a share above nought, but no gain that is surely above it."""
    gains = np.zeros((3, 200))
    gains[0, 0] = 1
    assert family.scored("share", gains, SETTINGS)["low"] > 0 > family.apart_by("gain", gains, SETTINGS)["low"]


def test_gains_are_a_seed_s_own_where_a_run_is_missing():
    """Agreement by seed: what a seed has more in all three groups says nothing of the gain."""

    class Missing(Made):
        def group(self, name):
            found = super().group(name)
            return {s: r for s, r in found.items() if not (name == "twice the pieces" and s == 1)}

        def one(self, name, seed):
            record = super().one(name, seed)
            told = "1" * (100 * (seed + 1)) + "0" * (400 - 100 * (seed + 1))
            record.items["agreement"] = {"pp, 1 attractor": told, "simple, 0 attractors": told}
            return record

    rows = runs.get("trn.data_volume.liu2019b").experiment(Missing(TIER), data_of({}, name="builtin"), SETTINGS)
    of = "agreement gain per doubling, first half - second half"
    row = rows[rows["measure"] == of].iloc[0]
    assert (row["value"], row["clusters"]) == (0.0, 3)


def test_better_probes_after_a_task_that_was_not_learnt_are_not_put_down_to_it():
    """The null of replaced pieces: a detector at chance whose probes are better for another reason."""
    _, outcomes = judged("trn.replaced_tokens.clark2020", probe={"replaced pieces": 0.8}, told=0.5)
    assert outcomes["all_positions"] == UNTESTABLE


@pytest.mark.parametrize(
    "id, clause, hurting",
    [
        ("trn.fixed_attention.raganato2020", "preset", {"preset attention": 0.4}),
        ("trn.large_batch.liu2019b", "no_loss", {"large batch": 0.4}),
        ("trn.masking_rate.raffel2019", "mild", {"rate 0.1": 0.4, "rate 0.2": -0.4, "rate 0.3": 0.4}),
        ("trn.unk_mask.clinchant2019", "stands_in", {"unk": 0.4}),
        ("siz.albert.lan2020", "scores", {"shared and split": 0.6}),
        ("trn.dynamic_masking.liu2019b", "at_least_as_good", {"same rows": 0.4}),
    ],
)
def test_an_absence_holds_without_an_effect_fails_with_one_and_needs_its_gate(id, clause, hurting):
    assert judged(id, loss=WORSE)[1][clause] == HOLDS
    assert judged(id, loss=WORSE | hurting)[1][clause] == FAILS
    if id != "trn.dynamic_masking.liu2019b":
        assert judged(id)[1][clause] == UNTESTABLE
    assert judged(id, loss=WORSE | {g: 3.0 for g in TIER.groups})[1][clause] == UNTESTABLE, "none has left the plateau"


def test_a_small_model_that_has_not_learnt_the_task_decides_nothing():
    right = {f"small, fewer bits {b}": 0.5 for b in BITS} | {"large, fewer bits 4": 0.95}
    assert judged("siz.train_large.li2020", right=right)[1]["large_first"] == UNTESTABLE


@pytest.mark.parametrize("id", IDS)
def test_one_seed_alone_decides_nothing_about_differences(id):
    """However large they are: what two seeds differ by is unknown."""
    there = {"loss": {**WORSE, "half layers": 2.0, "narrower": 2.0, "wider": -2.0, "twice the pieces": -2.0}}
    there |= {"right": {"entity": 1.0}, "probe": {"replaced pieces": 1.0}}
    rows, outcomes = judged(id, seeds=1, **there)
    outcomes.pop("parameters", None)  # counted from the shapes: they need no seed
    assert set(outcomes.values()) <= {OPEN, UNTESTABLE}
    apart = rows[rows["measure"].str.contains(" - ")]
    assert apart["low"].isna().all() and (apart["clusters"] == 1).all() and apart["value"].notna().all()


def test_large_batches_with_lamb_are_compared_with_small_ones_with_adamw():
    """In a tier that has them; in another the clause is not tested, and with runs on the plateau it cannot be."""

    class English(Made):
        def has(self, name):
            return True

    def told(**loss):
        runs_ = English(grid.tiers()["english"], loss={**WORSE, **loss}, cost={"4": 1.0})
        rows = runs.get("trn.large_batch.liu2019b").experiment(runs_, data_of({}, name="corpus"), SETTINGS)
        found = Evidence(
            claim="trn.large_batch.liu2019b", model="family", data="corpus", kind="rerun", rows=tidy(rows)
        ).judged()
        return rows, {c.name: c.outcome for c in found.tested}

    rows, outcomes = told(**{"large batch, LAMB": 0.1, "AdamW": 0.3})
    measure = "loss, large batch with LAMB - small batch with AdamW"
    assert value(rows, measure) == pytest.approx(-0.2, abs=0.01) and outcomes["lamb"] == HOLDS
    assert told(**{"large batch, LAMB": 0.5})[1]["lamb"] == FAILS
    late = told(**{"large batch, LAMB": 2.0, "AdamW": 2.0})[1]
    assert late["lamb"] == UNTESTABLE and late["no_loss"] == HOLDS, "another optimiser's plateau is its own affair"
    assert "lamb" not in judged("trn.large_batch.liu2019b")[1]


@pytest.mark.parametrize(("fallen", "expected"), [(0.05, HOLDS), (0.5, UNTESTABLE)])
def test_a_tier_that_still_learns_decides_nothing(fallen, expected):
    """The same lead of the deeper model; while losses still fall it may be how soon a group learns."""
    rows, outcomes = judged("trn.layers_vs_heads.wang2019b", loss={"half layers": 0.2}, fallen=fallen)
    assert outcomes["depth"] == expected
    assert value(rows, family.FALL) == pytest.approx(fallen, abs=0.02)


@pytest.mark.parametrize(("there", "expected"), [(True, 0.05), (False, 1.05)])
def test_a_fall_is_read_between_two_ends_where_runs_of_half_the_pieces_are_there(there, expected):
    """In the middle of a run the rate has not come down yet: its loss is higher than the end of a run of half the pieces."""

    class Unfinished(Made):
        def has(self, name):
            return (there or name != family.HALF) and name in self.tier.groups

        def one(self, name, seed):
            record = super().one(name, seed)
            record.curve[0]["heldout_mlm"] += 1.0
            return record

    row = family.fall(Unfinished(TIER, fallen=0.05), SETTINGS)
    assert row["value"] == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize(("late", "expected"), [("base", HOLDS), ("rate 0.1", UNTESTABLE)])
def test_each_rate_that_is_compared_must_have_come_near_its_plateau(late, expected):
    """Who hides less learns later; of the base the fall is read between ends, whatever the middle of its runs says."""

    class Late(Made):
        def one(self, name, seed):
            record = super().one(name, seed)
            record.curve[0]["heldout_mlm"] += 1.0 * (name == late)
            return record

    made, id = Late(TIER, fallen=0.05, loss=WORSE), "trn.masking_rate.raffel2019"
    rows = runs.get(id).experiment(made, data_of({}, name="builtin"), SETTINGS)
    found = Evidence(claim=id, model="family", data="builtin", kind="rerun", rows=tidy(rows)).judged()
    assert found.tested[0].outcome == expected


def test_a_fall_is_read_between_the_evaluations_beside_half_of_the_pieces():
    curve = [{"tokens": t, "heldout_mlm": loss} for t, loss in ((200, 6.0), (400, 5.0), (600, 4.0), (1000, 3.0))]
    record = Made(TIER).one("base", 0)
    object.__setattr__(record, "curve", curve)
    assert family._fallen(record) == pytest.approx(4.5 - 3.0)  # at 500 pieces the loss is half way from 5 to 4


@pytest.mark.parametrize("clause, noise", [("alike", {"apart": -0.1}), ("dispensable", {"missed": 0.1})])
@pytest.mark.parametrize("rival", ["long, dropout elsewhere", "long, half the pieces"])
def test_what_any_noise_or_less_training_does_is_not_put_down_to_attention_dropout(clause, noise, rival):
    groups = ("long, attention dropout", rival)
    given = {what: dict.fromkeys(groups, value) for what, value in noise.items()}
    assert judged("siz.attention_dropout.clark2019", **given)[1][clause] == MIXED


def test_a_run_that_has_learnt_less_is_not_taken_for_redundant():
    """Half the heads hold the same share of less: in nats they are missed less."""
    rows, outcomes = judged("siz.attention_dropout.clark2019", loss={"long, attention dropout": 1.0})
    assert value(rows, "share missed without half the heads, attention dropout - none") == pytest.approx(0, abs=0.01)
    assert outcomes["dispensable"] == FAILS
