"""What is saved against what is kept: points with a front drawn through those that nothing beats."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from .theme import KINDS, MARKERS, NARROW, axes


def tradeoff(
    frame: pd.DataFrame,
    x: str,
    y: str,
    text: str,
    *,
    on: str,
    beside: pd.DataFrame,
    beside_name: str,
    ax: Axes | None = None,
    **labels,
) -> Axes:
    """Points named by column `text`, their intervals ``low, high`` upright, and steps through those where `on` is true.

    Parameters
    ----------
    frame : data frame
        Columns x, y, text, on (bool), low, high and ``size``, the area of a point.
    beside : data frame
        Points of another kind, which are on no front: hollow, named `beside_name` in the legend.
    labels
        Go to ``ax.set``.

    Examples
    --------
    >>> from bertology_utils.plotting import plt
    >>> rows = [{"saved": s, "kept": k, "way": w, "front": f, "low": k - 0.1, "high": k + 0.1, "size": 9}
    ...         for s, k, w, f in [(1, 1.0, "as it is", True), (4, 0.9, "8 bits", True), (2, 0.8, "half", False)]]
    >>> points = pd.DataFrame(rows)
    >>> ax = tradeoff(points[:2], "saved", "kept", "way", on="front", beside=points[2:], beside_name="released")
    >>> len(ax.texts), [t.get_text() for t in ax.get_legend().get_texts()]
    (3, ['on the front', 'released'])
    >>> plt.close(ax.figure)
    """
    ax = axes(ax, figsize=(NARROW, 4.0))
    parts = [("on the front", frame[frame[on]]), ("beaten in both", frame[~frame[on]]), (beside_name, beside)]
    for k, (name, part) in enumerate(parts):
        if not len(part):
            continue
        colour, fill = KINDS[k], KINDS[k] if k < 2 else "none"
        spread = [part[y] - part["low"], part["high"] - part[y]]
        ax.errorbar(part[x], part[y], yerr=spread, fmt="none", ecolor=colour, alpha=0.4, linewidth=1)
        ax.scatter(
            part[x], part[y], s=part["size"], edgecolor=colour, color=fill, marker=MARKERS[k], label=name, zorder=3
        )
        for r in part.to_dict("records"):
            ax.annotate(
                str(r[text]), (r[x], r[y]), xytext=(5, 4 if k < 2 else -9), textcoords="offset points", fontsize=9
            )
    best = frame[frame[on]].sort_values(x)
    ax.step(best[x], best[y], where="pre", color=KINDS[0], linewidth=1, alpha=0.6)
    ax.set(**labels)
    ax.legend(loc="lower left")
    return ax
