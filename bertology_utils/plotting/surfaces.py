"""Runs as points side by side, and a loss over a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from .theme import COLOURS, axes


def swarm(groups: Mapping[str, Sequence[float]], *, ax: Axes | None = None, **labels) -> Axes:
    """One point per run, a column per group; runs of like score are moved aside.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> ax = swarm({"mini": [0.6, 0.7, 0.7], "bert-base-uncased": [0.2, 0.5]}, ylabel="accuracy")
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['mini', 'bert-base-uncased']
    >>> plt.close(ax.figure)
    """
    ax = axes(ax)
    for k, values in enumerate(groups.values()):
        ordered = np.sort(np.asarray(values, float))
        aside = (np.arange(len(ordered)) * 0.618034) % 1 - 0.5  # of neighbours in height, far apart
        ax.scatter(k + 0.5 * aside, ordered, s=9, color=COLOURS[k % len(COLOURS)], alpha=0.8, linewidths=0)
    ax.set_xticks(range(len(groups)), list(groups))
    ax.set(**{"xlim": (-0.6, len(groups) - 0.4), **labels})
    return ax


def contours(rows: pd.DataFrame, x: str, y: str, *, levels: Sequence[float], ax: Axes | None = None, **labels) -> Axes:
    """Lines of equal value over two columns of rows; lighter is more, in a palette that prints in grey.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> rows = pd.DataFrame([{"a": a, "b": b, "value": a * a + b * b} for a in (-1, 0, 1) for b in (-1, 0, 1)])
    >>> ax = contours(rows, "a", "b", levels=(0.5, 1.0, 1.5))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('a', 'b')
    >>> plt.close(ax.figure)
    """
    ax = axes(ax)
    ax.grid(False)
    table = rows.pivot(index=y, columns=x, values="value")
    at = np.asarray(table.columns, float), np.asarray(table.index, float), table.to_numpy(float)
    ax.contourf(*at, levels=levels, cmap="cividis", extend="both")
    drawn = ax.contour(*at, levels=levels, colors="white", linewidths=0.6)
    ax.clabel(drawn, fontsize=7)
    ax.set(**{"xlabel": x, "ylabel": y, **labels})
    return ax
