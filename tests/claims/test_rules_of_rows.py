"""Rules of single claims: what passed them without the property, and a figure that passes them with it."""

from __future__ import annotations

import pandas as pd
import pytest

from bertology_utils.claims import ledger
from bertology_utils.claims.rules import FAILS, HOLDS, MIXED, OPEN, UNTESTABLE, decide
from bertology_utils.scores import intervals


def decided(id: str, source: str, *rows: tuple) -> dict[str, str]:
    """The outcome of each clause for rows (measure, keys, value, half a width)."""
    made = [intervals.row(m, (v, v - half, v + half), 300, **keys) for m, keys, v, half in rows]
    found = decide(ledger.row(id).clauses, pd.DataFrame(made), None, source, partial=True)
    return {clause.name: clause.outcome for clause in found.tested}


@pytest.mark.parametrize(("right", "expected"), [(0.43, MIXED), (0.57, OPEN), (0.70, HOLDS)])
def test_who_is_wrong_on_more_than_half_is_not_robust_however_far_it_leads(right, expected):
    """One answer to all is right on half of the texts, wherever they are moved: .43 leads plain training's .29, as mini did."""
    gates = [("accuracy over majority", {"way": way}, 0.2, 0.05) for way in ("plain", "adversarial")]
    lead = ("perturbed accuracy, adversarial - plain", {}, 0.14, 0.06)
    found = decided(
        "trn.adversarial.zhu2019",
        "builtin",
        *gates,
        lead,
        ("accuracy", {"way": "adversarial", "text": "perturbed"}, right, 0.05),
    )
    assert found == {"robust": expected}


@pytest.mark.parametrize(("id", "way"), [("trn.mixout.lee2019", "mixout"), ("trn.cls_norm.zhou2019", "normalised")])
@pytest.mark.parametrize(
    ("plain", "less", "expected"), [(0.006, 0.0, UNTESTABLE), (0.03, 0.0, FAILS), (0.03, 0.02, HOLDS)]
)
def test_what_differs_by_less_than_a_point_cannot_be_steadied_by_one(id, way, plain, less, expected):
    gates = [("accuracy over majority", {"way": w}, 0.2, 0.05) for w in ("plain", way)]
    spread = ("standard deviation", {"way": "plain"}, plain, 0.004)
    found = decided(id, "glue_sst2", *gates, spread, (f"standard deviation over seeds, plain - {way}", {}, less, 0.005))
    assert found["steadier"] == expected


@pytest.mark.parametrize(("over", "expected"), [(0.0, FAILS), (0.08, OPEN), (0.2, HOLDS)])
def test_the_worst_heads_are_trained_where_they_beat_the_commonest_label(over, expected):
    """Nine points below the full model says that something is lost, not that nothing was learnt."""
    rows = [
        ("accuracy, full - bad", {"network": "heads and MLPs"}, 0.09, 0.02),
        ("accuracy, bad - majority", {"network": "heads and MLPs"}, over, 0.04),
        ("accuracy over majority", {"task": "all"}, 0.3, 0.05),
    ]
    assert decided("siz.lottery.chen2020", "released/prasanna2020_lottery", *rows)["bad_learn"] == expected


@pytest.mark.parametrize(("one", "expected"), [(0.054, HOLDS), (0.02, UNTESTABLE)])
def test_layers_are_redundant_only_where_depth_matters_by_more_than_is_allowed_to_be_lost(one, expected):
    rows = [
        ("accuracy lost, a third of the layers", {}, 0.002, 0.014),
        ("accuracy lost, all layers but one", {}, one, 0.021),
        ("accuracy over majority", {"task": "all"}, 0.3, 0.05),
    ]
    assert decided("siz.layer_redundancy.kao2020", "glue_sst2", *rows)["redundant"] == expected


@pytest.mark.parametrize(
    ("lost", "saved", "expected"), [(0.005, 0.0, UNTESTABLE), (0.035, -0.005, FAILS), (0.05, 0.03, HOLDS)]
)
def test_of_less_than_a_point_lost_with_3_bits_none_can_be_saved(lost, saved, expected):
    """MiniLM loses half a point of SST-2 with 3 bits: no care is needed there, and none can be seen to help."""
    rows = [
        ("accuracy lost, 8 bits", {}, 0.0, 0.005),
        ("accuracy lost, 3 bits", {}, lost, 0.007),
        ("accuracy lost, 2 bits", {}, 0.18, 0.04),
        ("bytes of linear weights, original / quantized", {}, 3.999, 0.0),
        ("accuracy, 3 bits with - without outliers", {}, saved, 0.01),
        ("accuracy over majority", {"task": "all"}, 0.35, 0.03),
    ]
    assert decided("siz.quantization.zafrir2019", "glue_sst2", *rows) == {"eight": HOLDS, "care": expected}


@pytest.mark.parametrize(
    ("lead", "expected"), [((-0.06,), OPEN), ((0.05,), HOLDS), ((-0.06, -0.05, -0.1, -0.2), FAILS)]
)
def test_what_is_so_of_some_tasks_does_not_fail_by_one(lead, expected):
    """Random weights match frozen ones on some of four tasks: three that were not measured may be among those."""
    rows = [("accuracy, random tuned - pretrained frozen", {"task": str(k)}, v, 0.02) for k, v in enumerate(lead)]
    gates = [
        ("accuracy over majority", {}, 0.36, 0.03),
        ("accuracy", {"start": "pretrained, frozen"}, 0.8, 0.02),
        ("accuracy, pretrained tuned - random tuned", {}, 0.1, 0.02),
    ]
    found = decided("trn.pretraining_benefit.kovaleva2019", "glue_sst2", *rows, *gates)
    assert found == {"usually_helps": HOLDS, "random_can_match": expected}


@pytest.mark.parametrize(("learnt", "expected"), [(0.03, UNTESTABLE), (0.2, HOLDS)])
def test_a_stage_on_a_task_that_was_not_learnt_cannot_have_helped(learnt, expected):
    """Other weights to start from may do better by luck."""
    rows = [
        ("accuracy, two stages - one", {}, 0.08, 0.03),
        ("accuracy over majority", {"stages": 2}, 0.2, 0.05),
        ("accuracy over majority, first stage", {"task": "paraphrase"}, learnt, 0.05),
    ]
    assert decided("trn.two_stage.phang2019", "builtin", *rows) == {"helps_small": expected}
