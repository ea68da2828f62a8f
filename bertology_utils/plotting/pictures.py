"""What is no chart: matrices, points, maps of attention, trees over sentences and of distances, spreads, surfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import cast

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.cluster.hierarchy import dendrogram

from .theme import COLOURS, INK, KINDS, MARKERS, NARROW, QUIET, axes, look, style


@style()
def heatmap(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    ax: Axes | None = None,
    label: str = "",
    digits: int | None = 2,
    **labels,
) -> Axes:
    """A matrix with its figures written in where they have room; lighter is more, in a palette that prints in grey."""
    import seaborn  # takes a second, and most notebooks draw no matrix

    ax = axes(ax)
    ax.grid(False)
    width = cast(Figure, ax.figure).get_figwidth()
    room = 72 * 0.7 * width / max(len(columns), 1)  # points in a cell; a digit takes five
    written = digits is not None and bool(room > 5 * (digits + 2))
    seaborn.heatmap(
        np.asarray(values, float), ax=ax, cmap="cividis", cbar_kws={"label": label}, xticklabels=columns, yticklabels=rows,
        annot=written, fmt=f".{digits or 0}f", annot_kws={"size": 9}, rasterized=True,
    )  # fmt: skip
    ax.tick_params("x", rotation=45 if max(map(len, map(str, columns)), default=0) > 3 else 0)
    ax.tick_params("y", rotation=0)
    ax.set(**labels)
    return ax


def headmap(rows: pd.DataFrame, *, label: str, ax: Axes | None = None) -> Axes:
    """A figure of every head (rows with columns `block` and `place`, from 1) as a matrix, blocks from top to bottom.

    Examples
    --------
    >>> rows = pd.DataFrame({"block": [1, 1, 2, 2], "place": [1, 2, 1, 2], "value": [0.1, 0.2, 0.3, 0.4]})
    >>> ax = headmap(rows, label="UAS")
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('head', 'block')
    >>> plt.close(ax.figure)
    """
    table = rows.pivot(index="block", columns="place", values="value")
    return heatmap(table.to_numpy(float), table.index, table.columns, ax=ax, label=label, xlabel="head", ylabel="block")


def scatters(frame: pd.DataFrame, panel: str, group: str, *, title: str = "") -> np.ndarray:
    """Small multiples of points ``x, y``: one panel per value of column `panel`, a colour and marker per value of `group`.

    The axes of each panel are its own and bare: what is shown is who lies near whom.
    """
    panels, groups = list(dict.fromkeys(frame[panel])), sorted(set(frame[group]))
    lines_ = -(-len(panels) // 2)
    with style():
        figure, grid = plt.subplots(lines_, 2, figsize=(NARROW, 1.5 * lines_ + 0.6), squeeze=False)
        for ax in grid.flat[len(panels) :]:
            ax.set_visible(False)
        for ax, name in zip(grid.flat, panels):
            part = frame[frame[panel] == name]
            for k, kind in enumerate(groups):
                own = part[part[group] == kind]
                dress = {"color": KINDS[k % len(KINDS)], "marker": MARKERS[k % len(MARKERS)]}
                ax.scatter(own["x"], own["y"], s=14, alpha=0.8, label=kind, **dress)
            ax.set(title=name, xticks=[], yticks=[])
        figure.legend(*grid.flat[0].get_legend_handles_labels(), loc="outside lower center", ncols=len(groups))
        figure.suptitle(title, x=0.01, ha="left")
    return grid


def arcs(
    words: Sequence[str],
    edges: Sequence[tuple[int, int]],
    *,
    right: Sequence[tuple[int, int]] | None = None,
    ax: Axes | None = None,
    **labels,
) -> Axes:
    """A sentence's tree as half circles over its words; directions are not drawn.

    With `right` (the gold edges), an edge that is among them is a full line, another a dashed one.
    """
    ax = axes(ax, figsize=(NARROW, 2.6))
    known = None if right is None else {frozenset(e) for e in right}
    for i, j in edges:
        sure = known is None or frozenset((i, j)) in known
        turn = np.linspace(0, np.pi, 60)
        radius = abs(i - j) / 2
        colour, dash = (COLOURS[0], "-") if sure else (QUIET, "--")
        ax.plot((i + j) / 2 + radius * np.cos(turn), 0.15 + radius**0.7 * np.sin(turn), color=colour, linestyle=dash)
    for i, word in enumerate(words):
        ax.text(i, 0, word, ha="right", va="top", rotation=40, rotation_mode="anchor", fontsize=9)
    highest = max((abs(i - j) / 2 for i, j in edges), default=1) ** 0.7
    ax.set(xlim=(-0.7, len(words) - 0.3), ylim=(-0.5, highest + 0.5))
    ax.axis("off")
    ax.set(**labels)
    return ax


def tiles(maps: Sequence[np.ndarray | None], titles: Sequence[str], labels: Sequence[Sequence[str]]):
    """Square matrices, five side by side, darker for more; where there is none, its title alone.

    `labels` are the tokens of the rows and columns of each (or empty): there is room to name the special ones.
    """
    lines_ = -(-len(maps) // 5)
    with style():
        _, grid = plt.subplots(lines_, 5, figsize=(12.5, 2.9 * lines_), squeeze=False, layout="tight")
        for ax in grid.flat[len(maps) :]:
            ax.set_visible(False)
        for ax, values, title, names in zip(grid.flat, maps, titles, labels):
            ax.grid(False)
            ax.set_title(title, fontsize=9)
            if values is None:
                ax.set(xticks=[], yticks=[], facecolor="none")
                ax.spines[:].set_visible(False)
                continue
            ax.imshow(values, cmap="Blues", vmin=0)
            special = {k: name for k, name in enumerate(names) if name.startswith("[")}
            ax.set_xticks([*special], [*special.values()], rotation=90, fontsize=9)
            ax.set_yticks([*special], [*special.values()], fontsize=9)
    return grid


def attention(weights: pd.DataFrame, *, ax: Axes | None = None) -> Axes:
    """Lines from each word (left) to the words that it attends to (right), the stronger the darker.

    Parameters
    ----------
    weights : data frame (U, U)
        From the word of a row to the word of a column, as `sentences.attend` gives them.
    """
    ax = axes(ax, figsize=(4, 0.3 * len(weights) + 0.4))
    for i, row in enumerate(weights.to_numpy()):
        for j, weight in enumerate(row):
            ax.plot((0, 1), (i, j), color=COLOURS[0], alpha=float(weight), linewidth=2)
    for k, word in enumerate(weights.columns):
        ax.text(-0.03, k, word, ha="right", va="center")
        ax.text(1.03, k, word, ha="left", va="center")
    ax.set(xlim=(-0.5, 1.5))
    ax.invert_yaxis()
    ax.axis("off")
    return ax


def places(frame: pd.DataFrame, by: str, text: str, *, ax: Axes | None = None, **labels) -> Axes:
    """Points ``x, y`` coloured along a number `by` and named by column `text`: a map of who lies near whom."""
    ax = axes(ax, figsize=(NARROW, 3.1))
    points = ax.scatter(frame["x"], frame["y"], c=frame[by].astype(float), cmap="cividis", s=180)
    middle = (frame[by].astype(float).min() + frame[by].astype(float).max()) / 2
    for r in frame.to_dict("records"):
        colour = "#262626" if r[by] > middle else "white"
        ax.text(r["x"], r["y"], str(r[text]), ha="center", va="center", fontsize=9, color=colour)
    ax.figure.colorbar(points, ax=ax, label=by)
    ax.set(xticks=[], yticks=[], **labels)
    return ax


def tree(linked: np.ndarray, names: Sequence[str], groups: Sequence[str], *, ax: Axes | None = None, **labels) -> Axes:
    """A tree lying on its side, leaves on the right; each leaf says its group, and groups of several have a colour.

    Parameters
    ----------
    linked : float array (K - 1, 4)
        As `scipy.cluster.hierarchy.linkage` gives it.
    names, groups : sequences of K str

    Examples
    --------
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


def violins(groups: Mapping[str, Sequence[float]], *, ax: Axes | None = None, **labels) -> Axes:
    """How runs are spread: a shape and a point per run, a column per group in its subject's colour.

    Examples
    --------
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
