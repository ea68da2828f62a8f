"""The benchmark counts no times of results that differ, and its stored table says what it should."""

import json
from html import escape

import numpy as np
import pytest

from bertology_utils.book import speed
from tests import bench


def of(apart):
    return bench.Pair("a sum", "numpy", lambda: np.ones(2), lambda: np.ones(2) + apart, 0.1)


def test_times_count_where_results_agree():
    row = bench.measured(of(0.05), turns=2)
    assert row["apart"] == pytest.approx(0.05) and row["range"][0] <= row["ratio"] <= row["range"][1]
    with pytest.raises(AssertionError, match=r"a sum, numpy: results lie 0.2 apart"):
        bench.measured(of(0.2), turns=1)


def test_a_bootstrap_is_as_numpy_has_it():
    ours, theirs = bench._bootstraps(np.random.default_rng(1).normal(size=300))
    assert np.abs(ours() - theirs()).max() < 0.03


def test_what_became_slower_is_named():
    before = {"task": "t", "peer": "p", "ratio": 2.0}
    assert bench.slower([{**before, "ratio": 1.71}], [before]) == []
    assert bench.slower([{**before, "ratio": 1.69}], [before]) == ["t, p: 1.69 times as fast, 2.0 before"]


def test_the_stored_table_is_shown_whole():
    made = json.loads((speed.files("bertology_utils") / "assets" / "bench.json").read_text("utf-8"))
    page = speed.table()
    assert page.count('<th scope="row">') == len(made["rows"]) and all(
        escape(row["peer"]) in page for row in made["rows"]
    )
