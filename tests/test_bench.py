"""The benchmark counts no times of results that differ, costs are fitted, and the stored tables say what they should."""

from html import escape

import numpy as np
import pytest
import torch

from bertology_utils.book import speed
from tests import bench, costs


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


def test_memory_is_what_a_call_adds_at_its_peak():
    found = bench.peak(lambda: np.ones(8 * 2**20).cumsum()[:1])  # two arrays of 64 MiB at once, and both are gone
    assert found is None or found == pytest.approx(128, abs=8)


def test_products_are_counted_and_timed_alone():
    model = torch.nn.Sequential(torch.nn.Linear(300, 500), torch.nn.ReLU(), torch.nn.Linear(500, 200))
    x = torch.randn(1000, 300)
    found = bench.products(lambda: model(x).detach().numpy(), model, turns=3)
    assert found["GFLOP"] == pytest.approx(2e-9 * 1000 * (300 * 500 + 500 * 200), abs=0.05)
    assert 0 < found["ours"] < 1.5 * found["products alone"]


def test_a_fit_finds_the_powers_that_costs_were_made_of():
    shapes = [(n, t, k, w) for n in (4, 16) for t in (8, 32) for k in (2, 8) for w in (128, 512)]
    powers = costs.fitted(shapes, [3e-9 * n * t**1.1 * k * w**1.8 for n, t, k, w in shapes])
    np.testing.assert_allclose(powers[1:], [1, 1.1, 1, 1.8], atol=1e-9)
    np.testing.assert_allclose(costs.predicted(powers, [(32, 128, 12, 768)]), 3e-9 * 32 * 128**1.1 * 12 * 768**1.8)


def test_a_survey_takes_longer_at_a_slower_pace_and_ten_machines_share_it():
    found = costs.survey({"slow": 2e-3, "fast": 2e-4})
    one, ten = (found["slow"][k] for k in ("one", "ten"))
    assert found["fast"]["one"] < one < 10 * found["fast"]["one"] and one / 10 - 0.1 <= ten < one


def test_the_stored_tables_are_shown_whole():
    made, measured = speed.stored("bench"), speed.stored("costs")
    page = speed.table()
    assert page.count('<th scope="row">') == len(made["rows"]) and all(
        escape(row["peer"]) in page for row in made["rows"]
    )
    assert speed.precision().count('<th scope="row">') == sum(map(len, measured["dtype"].values())) >= 10
    chapters = measured["scale"]["sections"]
    assert all(f"<td>{row['predicted']}</td>" in speed.scale() for row in chapters) and len(chapters) >= 5
