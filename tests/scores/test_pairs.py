"""Rows of a subject less those of its twin: paired where the items are the same. What a sample could have found."""

from __future__ import annotations

import numpy as np
import pytest

from bertology_utils.scores import intervals, pairs, power


def test_subject_less_twin_row_by_row():
    rng = np.random.default_rng(0)
    options = {"draws": 200}
    base = rng.normal(size=80)

    def rows(shift, best):
        made = [
            intervals.row("accuracy", intervals.mean_interval(base + shift * k, **options), 80, layer=k) for k in (0, 1)
        ]
        gain = intervals.mean_interval(base + shift, **options)
        return intervals.table(
            [*made, intervals.row("gain", gain, 80, layer=best), intervals.row(f"only {shift}", gain, 1)]
        )

    found = pairs.over(rows(2, 5), rows(1, 3)).set_index("measure")
    assert found.index.tolist() == ["accuracy", "accuracy", "gain"] and found["layer"].tolist() == [0, 1, 5]
    assert found["value"].tolist() == pytest.approx([0, 1, 1]) and found["twin_value"].iloc[2] == pytest.approx(
        1 + base.mean()
    )
    # the same figures: nothing tells them apart, and the width stays that of independent ones
    assert not found["paired"].any() and (found["high"] > found["low"]).all()
    noisy = rows(2, 5).assign(draws=None)
    assert not pairs.over(noisy, rows(1, 3))["paired"].any()


def test_differences_of_rows_are_paired():
    rng = np.random.default_rng(0)
    base = rng.normal(0, 5, 80)
    ours, twins = (
        intervals.table([intervals.row("m", intervals.mean_interval(x, draws=300), 80, layer=1)])
        for x in (base + 1 + rng.normal(0, 0.1, 80), base)
    )
    found = pairs.over(ours, twins).iloc[0]
    assert found["paired"] and found["value"] == pytest.approx(1, abs=0.1) and found["high"] - found["low"] < 0.1
    loose = pairs.over(ours, twins.assign(n=79)).iloc[0]
    assert not loose["paired"] and loose["high"] - loose["low"] > 2


def test_smallest_detectable_effect_is_found_four_times_in_five():
    rng = np.random.default_rng(0)
    effect = np.mean([power.smallest_detectable(intervals.mean_interval(rng.normal(size=40))) for _ in range(20)])
    found = [intervals.mean_interval(rng.normal(effect, 1, 40), draws=300)[1] > 0 for _ in range(500)]
    assert np.mean(found) == pytest.approx(0.8, abs=0.05)
