"""Figures of claims about training, on runs made by hand: what was planted comes out in its unit."""

from __future__ import annotations

import numpy as np
import pytest
from made_runs import BITS, DOCUMENTS, PER, SETTINGS, TIER, WORSE, Made, judged
from picked import value

from bertology_utils import runs
from bertology_utils.cards import family
from bertology_utils.claims.rules import FAILS, HOLDS
from bertology_utils.data import of as data_of
from bertology_utils.experiments.size import trained
from bertology_utils.experiments.training import family as differences
from bertology_utils.family import grid
from bertology_utils.family.recorded import Recorded
from bertology_utils.settings import Settings


def test_rates_are_compared_with_fifteen_per_cent_where_the_base_has_another():
    """On English the base hides 30 %: it is then one of the rates, and not what they are compared with."""

    class English(Made):
        def has(self, name):
            return True

    made = English(grid.tiers()["english"], loss={"rate 0.15": 0.2, "rate 0.4": -0.1, "rate 0.8": 0.9}, cost={"4": 1.0})
    rows = runs.get("trn.masking_rate.raffel2019").experiment(made, data_of({}, name="corpus"), SETTINGS)
    told = {rate: value(rows, "loss, rate - 15%", rate=rate) for rate in (0.1, 0.3, 0.4, 0.8)}
    assert told == pytest.approx({0.1: -0.2, 0.3: -0.2, 0.4: -0.3, 0.8: 0.7}, abs=0.01)
    assert set(rows["group"].dropna()) == {"rate 0.15", "rate 0.1", "rate 0.2", "base"}


def test_tiers_are_set_side_by_side_by_the_same_comparison():
    """English has next sentences in a group of their own, the generated tier in its base: the sign is the same."""
    sides = {"generated": ("no second task", "base"), "english": ("base", "next sentence")}
    shown = family.beside()
    assert set(shown) == {"few-words", *sides} and "no second task" not in set(shown["few-words"]["group"])
    for tier, pair in sides.items():
        runs_ = Recorded(grid.tiers()[tier])
        found = shown[tier].set_index("group").loc["no second task"]
        assert found["value"] == differences.loss(runs_, Settings.of(), "loss", *pair)["value"] != 0


def test_differences_are_those_that_were_planted_and_paired_by_seed():
    rows, _ = judged("trn.layers_vs_heads.wang2019b", loss={"half layers": 0.25, "half heads": 0.1})
    chosen = rows[rows["measure"] == "loss, half the layers - half the heads"].iloc[0]
    assert chosen["value"] == pytest.approx(0.15, abs=0.01)
    assert chosen["high"] - chosen["low"] < 0.03 < value(rows, "loss", "high", group="base") - 3.2, (
        "what seeds share cancels"
    )
    assert chosen["n"] == DOCUMENTS * PER and value(rows, "loss", group="base") == pytest.approx(3, abs=0.3)


def test_sizes_are_counted_from_the_shapes_and_a_slope_is_per_doubling():
    """An accuracy that rises by a tenth with each doubling of the parameters has a slope of a tenth."""
    x = {g: np.log2(trained.parameters(Made(TIER).one(g, 0))) for g in trained.SIZES}
    assert x["narrower"] < x["half layers"] < x["base"] < x["wider"]
    right = {g: 0.5 + 0.1 * (v - x["narrower"]) for g, v in x.items()}
    rows, _ = judged("siz.bigger_is_better.liu2019a", right=right)
    for task in ("facts", "tuned: sentiment"):
        assert value(rows, f"{trained.DOUBLING}, by task", task=task) == pytest.approx(0.1, abs=0.02)
    assert abs(value(rows, f"{trained.DOUBLING}, by task", task="held-out pieces")) < 1e-9  # the same in all
    each = rows[rows["measure"] == f"{trained.DOUBLING}, by task"]["value"]
    assert value(rows, trained.DOUBLING) == pytest.approx(each.mean(), abs=1e-9), "each score counts the same"


def test_a_shared_layer_counts_once_and_its_null_is_as_small():
    rows, outcomes = judged("siz.albert.lan2020", loss=WORSE | {"shared and split": 0.1})
    assert value(rows, "parameters, shared / plain") == pytest.approx(293_218 / 901_250)
    assert value(rows, "parameters, narrower of that size / plain") == pytest.approx(1 / 3, abs=0.01)
    assert value(rows, "loss, shared - narrower of that size") == pytest.approx(-0.3, abs=0.02)
    assert outcomes == {"scores": HOLDS, "than narrower": HOLDS}


def test_sharing_that_costs_as_much_as_fewer_parameters_by_width_is_no_cheap_way_to_them():
    """A plain model that is narrower loses less than a fifth of a nat as well: without it the clause on scores would do."""
    alike = {"shared and split": 0.15, "three layers, narrower": 0.15}
    _, outcomes = judged("siz.albert.lan2020", loss=WORSE | alike)
    assert outcomes == {"scores": HOLDS, "than narrower": FAILS}


def test_what_is_trained_large_is_compared_at_no_more_bytes_and_equal_compute():
    rows, _ = judged("siz.train_large.li2020", right={"large, fewer bits 4": 0.7, "large, fewer bits 3": 0.6})
    assert value(rows, "accuracy, large compressed - small") == pytest.approx(-0.1, abs=0.02)
    assert value(rows, "accuracy, large - small, as trained") == pytest.approx(0, abs=0.02)
    assert value(rows, "accuracy lost, 4 bits", group="large, fewer bits") == pytest.approx(0.1, abs=0.02)
    assert value(rows, "bytes, large compressed / small") == 0.5  # the runs made by hand: 400 by 800
    assert any("compute, large over small: 1.000" in n for n in rows.attrs["notes"])
    shipped = Recorded(TIER)
    if shipped.has("large, fewer bits"):
        large, small = (next(iter(shipped.group(g).values())).items["bits"] for g in (trained.LARGE, trained.SMALL))
        assert 0.9 < large["4"]["bytes"] / small["8"]["bytes"] <= 1, "no larger, and not much smaller"
        sizes = [large[b]["bytes"] for b in BITS]
        assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == 5


def test_time_saved_is_read_off_between_the_runs_from_scratch():
    falling = {"half pieces": 0.3, "twice the pieces": -0.3}
    # as good as the base at half the layers for half the pieces: a quarter less time
    rows, outcomes = judged("trn.warm_start.gong2019", loss=falling)
    assert value(rows, "time saved to equal loss") == pytest.approx(0.25, abs=0.01)
    assert outcomes == {"saves_time": HOLDS, "a_quarter": HOLDS}
    # as good as twice the pieces: 0.75 of the time where 2 would be needed
    rows, _ = judged("trn.warm_start.gong2019", loss=falling | {"stacked": -0.3})
    assert value(rows, "time saved to equal loss") == pytest.approx(1 - 0.75 / 2, abs=0.01)
    # as good as half the pieces: 0.75 where 0.5 would do
    rows, outcomes = judged("trn.warm_start.gong2019", loss=falling | {"stacked": 0.3})
    assert value(rows, "time saved to equal loss") == pytest.approx(-0.5, abs=0.02)
    assert outcomes["saves_time"] == FAILS


@pytest.mark.parametrize(
    "group", ["long", "long, attention dropout", "long, dropout elsewhere", "long, half the pieces"]
)
def test_all_that_a_long_run_has_learnt_goes_through_its_heads(group):
    """Without any head its loss is above that of the pieces' frequencies: `departs` of attention dropout says so."""
    measured = [r for r in Recorded(TIER).group(group).values() if "headless" in r.items["heads"]]
    assert len(measured) >= 2
    for record in measured:
        assert sum(record.items["heads"]["headless"]) > differences.heldout(record, "unigram").sum()
