"""A tree of things by their distances, drawn from a linkage that was computed elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from scipy.cluster.hierarchy import dendrogram

from .theme import INK, KINDS, NARROW, QUIET, axes


def tree(linked: np.ndarray, names: Sequence[str], groups: Sequence[str], *, ax: Axes | None = None, **labels) -> Axes:
    """A tree lying on its side, leaves on the right; each leaf says its group, and groups of several have a colour.

    Parameters
    ----------
    linked : float array (K - 1, 4)
        As `scipy.cluster.hierarchy.linkage` gives it.
    names, groups : sequences of K str

    Examples
    --------
    >>> from matplotlib import pyplot as plt
    >>> ax = tree(np.array([[0, 1, 0.2, 2], [2, 3, 0.9, 3]]), ["Dutch", "German", "Greek"], ["Germanic", "Germanic", "Greek"])
    >>> sorted(tick.get_text() for tick in ax.get_yticklabels())
    ['Dutch (Germanic)', 'German (Germanic)', 'Greek']
    >>> plt.close(ax.figure)
    """
    ax = axes(ax, figsize=(NARROW, 0.26 * len(names) + 0.8))
    said = [name if name == group else f"{name} ({group})" for name, group in zip(names, groups)]
    dendrogram(linked, labels=said, orientation="left", ax=ax, color_threshold=0, above_threshold_color=QUIET)
    several = sorted({g for g in groups if list(groups).count(g) > 1})
    colour = {g: KINDS[k % len(KINDS)] for k, g in enumerate(several)}
    for tick in ax.get_yticklabels():
        tick.set(fontsize=9, color=colour.get(groups[said.index(tick.get_text())], INK))
    ax.grid(False)
    ax.spines["left"].set_visible(False)
    ax.set(**{"xlabel": "distance", **labels})
    return ax
