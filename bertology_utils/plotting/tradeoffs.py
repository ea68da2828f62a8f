"""What is saved against what is kept: points with a front drawn through those that nothing beats."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes

from .theme import KINDS, MARKERS, axes


def tradeoff(frame: pd.DataFrame, x: str, y: str, text: str, *, on: str, ax: Axes | None = None, **labels) -> Axes:
    """Points named by column `text`, their intervals ``low, high`` upright, and steps through those where `on` is true.

    Parameters
    ----------
    frame : data frame
        Columns x, y, text, on (bool), low, high and, where there is one, ``size``, the area of a point.
    labels
        Go to ``ax.set``.

    Examples
    --------
    >>> from bertology_utils.plotting import plt
    >>> rows = [{"saved": s, "kept": k, "way": w, "front": f, "low": k - 0.1, "high": k + 0.1}
    ...         for s, k, w, f in [(1, 1.0, "as it is", True), (4, 0.9, "8 bits", True), (2, 0.8, "half", False)]]
    >>> ax = tradeoff(pd.DataFrame(rows), "saved", "kept", "way", on="front")
    >>> len(ax.texts)
    3
    >>> plt.close(ax.figure)
    """
    ax = axes(ax, figsize=(7, 4.4))
    sizes = frame["size"] if "size" in frame else pd.Series(40.0, frame.index)
    for k, (kind, part) in enumerate(((True, frame[frame[on]]), (False, frame[~frame[on]]))):
        spread = [part[y] - part["low"], part["high"] - part[y]]
        ax.errorbar(part[x], part[y], yerr=spread, fmt="none", ecolor=KINDS[k], alpha=0.5, linewidth=1)
        name = "on the front" if kind else "beaten in both"
        ax.scatter(part[x], part[y], s=sizes[part.index], color=KINDS[k], marker=MARKERS[k], label=name, zorder=3)
    best = frame[frame[on]].sort_values(x)
    ax.step(best[x], best[y], where="pre", color=KINDS[0], linewidth=1, alpha=0.6)
    for r in frame.to_dict("records"):
        ax.annotate(str(r[text]), (r[x], r[y]), xytext=(5, 4), textcoords="offset points", fontsize=7)
    ax.set(**labels)
    ax.legend(loc="lower left")
    return ax
