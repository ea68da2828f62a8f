"""The rows that a figure shows, and the plotted numbers as text: nothing is computed here."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from ..scores.rows import COLUMNS, matching
from ..scores.sameness import decimals


def series(frames: dict[str, pd.DataFrame], measure: str, **where) -> dict[str, pd.DataFrame]:
    """The rows of one measure (and key values) of several frames, for the functions below."""
    return {name: rows_of(frame, measure, name, **where) for name, frame in frames.items()}


def rows_of(frame: pd.DataFrame, measure: str, name: str = "", **where) -> pd.DataFrame:
    """The rows of one measure (and key values) of a frame.

    Raises
    ------
    ValueError
        If there is none; the frame's `name` and the measures it has are said.

    Examples
    --------
    >>> rows = pd.DataFrame({"layer": [0, 1], "measure": "accuracy", "value": [0.2, 0.4]})
    >>> rows_of(rows, "accuracy", layer=1)["value"].item()
    0.4
    """
    chosen = matching(frame, measure, where)
    if chosen.empty:
        known = sorted(set(frame["measure"]))
        raise ValueError(f"{name}: no rows with measure {measure!r} {where or ''}; there are {known}")
    return chosen


def show(frames: dict[str, pd.DataFrame]) -> None:
    """Show the figures drawn so far, then the plotted numbers as text below them."""
    plt.show()
    print(printed(frames))


def printed(frames: dict[str, pd.DataFrame], *, digits: int = 3) -> str:
    """The plotted numbers as text, for under the figure: pictures are not compared by CI, numbers are."""
    rows = []
    for name, frame in frames.items():
        keys = [c for c in frame.columns if c not in COLUMNS]
        for r in frame.to_dict("records"):
            key = ", ".join(f"{r[k]}" for k in keys if not pd.isna(r[k]))
            shown = digits if pd.isna(r["low"]) else decimals(r["low"], r["high"], digits)
            span = "" if pd.isna(r["low"]) else f" [{r['low']:.{shown}f}, {r['high']:.{shown}f}]"
            rows.append(
                f"{name:<16} {r['measure']}{f' ({key})' if key else ''}: {r['value']:.{shown}f}{span}  n={r['n']}"
            )
    return "\n".join(rows)
