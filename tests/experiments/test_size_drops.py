"""Layers that lower a probe: whether a drop is found, and none where there is none."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from support import tiny

from bertology_utils import Settings, runs
from bertology_utils.claims import ledger
from bertology_utils.claims.rules import HOLDS, decide
from bertology_utils.data import load
from bertology_utils.experiments.layers import tasks
from bertology_utils.experiments.size import drops
from bertology_utils.scores import intervals

SETTINGS = Settings(draws=60)


@pytest.mark.parametrize("lowered, holds", [(4, False), (5, True)])
def test_half_of_the_tasks_are_not_more_than_half(lowered, holds):
    rows = [(0.02, 0.01, 0.03) if k < lowered else (-0.02, -0.03, -0.01) for k in range(8)]
    rows = [intervals.row("largest drop of one layer", r, 500, task=str(k)) for k, r in enumerate(rows)]
    clause, _ = decide(ledger.row("siz.layers_drop.tenney2019a").clauses, intervals.table(rows)).clauses
    assert (clause.outcome == HOLDS) is holds


@pytest.fixture
def few(monkeypatch):
    """Two tasks, so that it is quick."""
    monkeypatch.setattr(drops.tasks, "available", partial(tasks.available, only=("POS", "chunks")))
    return load(drops.SOURCES, "builtin", n=160, seed=0)


def test_a_layer_that_misleads_the_probe_lowers_its_score_and_the_rule_says_so(few):
    claim = runs.get("siz.layers_drop.tenney2019a")
    planted = drops.unsaid_in_one_layer(few, tiny(), np.random.default_rng(0))
    rows = claim.experiment(planted, few, SETTINGS)
    found = rows[rows["measure"] == drops.MEASURE]
    assert len(found) == 2 and set(found["layer"]) == {2} and (found["low"] > 0.1).all()
    assert decide(ledger.row(claim.id).clauses, rows, source="builtin").outcome == HOLDS
    curve = rows[rows["measure"] == "cumulative accuracy"].pivot(index="task", columns="layer", values="value")
    assert np.allclose(found.set_index("task")["value"], (curve[1] - curve[2])[found["task"]])


def test_noisy_steps_of_a_random_model_are_no_drops(few):
    rows = runs.get("siz.layers_drop.tenney2019a").experiment(tiny(), few, SETTINGS)
    found = rows[rows["measure"] == drops.MEASURE]
    assert (found["low"] < 0.002).all() and (found["low"] < found["value"]).all()
    steps = rows[rows["measure"] == "step of the last layer"].set_index("task")["value"]
    share = rows.set_index("measure")["value"]["share of tasks with a last layer that lowers them"]
    assert share == pytest.approx((steps < 0).mean())
