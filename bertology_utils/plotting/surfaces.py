"""How runs are spread, and a loss over a plane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from .theme import COLOURS, axes, look


def violins(groups: Mapping[str, Sequence[float]], *, ax: Axes | None = None, **labels) -> Axes:
    """How runs are spread: a shape and a point per run, a column per group in its subject's colour.

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> ax = violins({"mini": [0.6, 0.7, 0.7], "BERT": [0.2, 0.5]}, ylabel="accuracy")
    >>> [tick.get_text() for tick in ax.get_xticklabels()]
    ['mini', 'BERT']
    >>> plt.close(ax.figure)
    """
    import seaborn  # takes a second, and most notebooks draw nothing with it

    ax = axes(ax)
    places = [k if (place := look(name)) is None else place for k, name in enumerate(groups)]
    seaborn.violinplot(
        {name: np.asarray(values, float) for name, values in groups.items()}, palette=[COLOURS[p] for p in places],
        inner="point", cut=0, density_norm="width", linewidth=0.8, saturation=1, ax=ax,
    )  # fmt: skip
    ax.set_xticks(range(len(groups)), [fill(name, 14) for name in groups])
    ax.set(**labels)
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
    ax.clabel(drawn, fontsize=9)
    ax.set(**{"xlabel": x, "ylabel": y, **labels})
    return ax
