"""Figures show what they are given: heads in their places, rows by name, intervals as text with the digits they bear."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bertology_utils import plotting


def test_a_matrix_of_heads_has_blocks_from_top_to_bottom():
    values = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    rows = [{"block": b + 1, "place": p + 1, "value": values[b, p]} for b in (1, 0) for p in (2, 0, 1)]
    ax = plotting.headmap(pd.DataFrame(rows), label="UAS")
    np.testing.assert_array_equal(np.asarray(ax.collections[0].get_array()).reshape(2, 3), values)
    assert ax.yaxis_inverted() and [t.get_text() for t in ax.get_yticklabels()] == ["1", "2"]
    plotting.plt.close(ax.figure)


def test_rows_that_are_not_there_are_named():
    rows = pd.DataFrame([{"measure": "accuracy", "value": 0.5}])
    with pytest.raises(ValueError, match=r"mini: no rows with measure 'F1'.*accuracy"):
        plotting.series({"mini": rows}, "F1")


def test_bars_are_as_long_as_their_values_and_whiskers_as_their_intervals():
    row = {"task": "a", "measure": "accuracy", "value": 0.6, "low": 0.5, "high": 0.8, "n": 9}
    ax = plotting.bars({"mini": pd.DataFrame([row])}, "task")
    assert ax.patches[0].get_width() == pytest.approx(0.6)
    (whisker,) = [c for c in ax.collections if len(c.get_segments())]
    assert np.asarray(whisker.get_segments())[0, :, 0].tolist() == pytest.approx([0.5, 0.8])
    plotting.plt.close(ax.figure)


def test_a_bar_without_an_interval_has_no_whisker():
    rows = {"task": ["a", "b"], "value": [0.6, 0.7], "low": [0.5, np.nan], "high": [0.8, np.nan]}
    ax = plotting.bars({"mini": pd.DataFrame(rows)}, "task")
    whiskers = [s for c in ax.collections for s in c.get_segments() if len(s)]
    caps = np.concatenate([np.asarray(line.get_xdata(), float) for line in ax.lines])
    assert len(ax.patches) == 2 and len(whiskers) == 1
    assert caps[np.isfinite(caps)].tolist() == pytest.approx([0.5, 0.8])
    plotting.plt.close(ax.figure)


def test_printed_numbers_have_their_interval_and_count():
    row = {"task": "a", "measure": "accuracy", "value": 0.61234, "low": 0.51, "high": 0.79, "n": 9}
    assert (
        plotting.printed({"mini": pd.DataFrame([row])}).split(" ", 1)[1].strip()
        == "accuracy (a): 0.612 [0.510, 0.790]  n=9"
    )
