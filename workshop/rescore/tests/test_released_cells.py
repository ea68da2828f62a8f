"""Cells of released tables: a score, the mean of runs in brackets, gains on the same tasks."""

from __future__ import annotations

import pytest

from bertology_rescore import cells


@pytest.mark.parametrize("cell", ["", "link", "91.0/", "--"])
def test_a_cell_without_a_score_is_refused(cell):
    with pytest.raises(ValueError, match="no score"):
        cells.score(cell)


def test_the_mean_of_runs_is_in_either_kind_of_brackets():
    assert cells.mean_of_runs("95.4 （94.6)") == pytest.approx(0.946)
    with pytest.raises(ValueError, match="no mean in brackets"):
        cells.mean_of_runs("95.4")


def test_gains_are_of_the_same_tasks():
    with pytest.raises(ValueError, match="scores of other tasks"):
        cells.gains("gain", {"a": 0.5}, {"b": 0.4}, subject="s")
