"""One row, or one figure, picked from an experiment's rows."""

from __future__ import annotations

import pytest


def of(rows, measure: str, **where):
    """The one row of a measure with these keys; none or several fail the test."""
    for column, wanted in {"measure": measure, **where}.items():
        rows = rows[rows[column] == wanted]
    return rows.iloc[0] if len(rows) == 1 else pytest.fail(f"{len(rows)} rows of {measure} with {where}")


def value(rows, measure: str, part: str = "value", **where) -> float:
    """The figure of that row, or an end of its interval."""
    return float(of(rows, measure, **where)[part])
