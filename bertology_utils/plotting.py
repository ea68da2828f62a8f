"""One look for every figure: `ax` in, `ax` out; nothing is computed here.

Colours are the Okabe–Ito set (told apart by colour-blind readers), and every series has a marker or hatch of its own
as well. Intervals are drawn wherever rows have them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from .scores.intervals import COLUMNS
from .scores.sameness import decimals

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
KINDS = COLOURS[3:]  # for series that are no subjects: the first three are the model's, its twin's and the real BERT's
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
OURS = ("mini", "mini-untrained")
PUBLISHED = {"bert-base": 2, "multilingual-bert": 2, "bert-large": 3}  # places the published BERTs keep in every figure
STYLE: dict[Any, Any] = {
    "figure.figsize": (7.0, 3.4),
    "figure.dpi": 110,
    "savefig.bbox": "tight",
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.25,
    "axes.axisbelow": True,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "font.family": "DejaVu Sans",
    "svg.hashsalt": "bertology",
    "axes.prop_cycle": plt.cycler(color=COLOURS),
}


@contextmanager
def style():
    """The book's look, within the context only."""
    with plt.rc_context(STYLE):
        yield
        interactive = plt.isinteractive()
    # a notebook's backend, loaded by the first figure, has switched this on: were it reset, no later figure would show
    plt.interactive(interactive)


def axes(ax: Axes | None = None, **options) -> Axes:
    """The given axes, or new ones in the book's style."""
    if ax is not None:
        return ax
    with style():
        return plt.subplots(**options)[1]


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
    chosen = frame[frame["measure"] == measure]
    for column, value in where.items():
        chosen = chosen[chosen[column] == value]
    if chosen.empty:
        known = sorted(set(frame["measure"]))
        raise ValueError(f"{name}: no rows with measure {measure!r} {where or ''}; there are {known}")
    return chosen


def look(name: str, k: int) -> int:
    """Which colour and marker the k-th of several frames gets: our model, its twin and the published BERTs keep theirs.

    Examples
    --------
    >>> look("mini", 2), look("mini, untrained", 0), look("bert-base-uncased, released", 0)
    (0, 1, 2)
    """
    called = name.lower().replace(",", "").replace(" ", "-")
    if called in OURS:
        return OURS.index(called)
    return next((at for start, at in PUBLISHED.items() if called.startswith(start)), k % len(COLOURS))


def bars(
    frames: dict[str, pd.DataFrame],
    x: str,
    *,
    chance: float | None = None,
    ax: Axes | None = None,
    colours: Sequence[str] = COLOURS,
    reference: str = "chance",
    **labels,
) -> Axes:
    """Horizontal bars with intervals: one group a value of column `x`, one bar a frame.

    `labels` go to ``ax.set`` (title, xlabel, xlim, …); `chance` draws a reference line, which `reference` names;
    `colours` are the frames' in their order: `KINDS` where they are not subjects, so that a colour stands for one thing.

    Examples
    --------
    >>> row = {"erased": "part of speech", "measure": "drop", "value": 0.1, "low": 0.05, "high": 0.15, "n": 90}
    >>> ax = bars({"last layer": pd.DataFrame([row])}, "erased", colours=KINDS, xlabel="drop of accuracy")
    >>> ax.get_xlabel()
    'drop of accuracy'
    >>> plt.close(ax.figure)
    """
    ax = axes(ax)
    groups = list(dict.fromkeys(v for f in frames.values() for v in f[x]))
    height = 0.8 / len(frames)
    for k, (name, frame) in enumerate(frames.items()):
        at = np.array([groups.index(v) for v in frame[x]]) + (k - (len(frames) - 1) / 2) * height
        ax.barh(
            at,
            frame["value"],
            height * 0.92,
            label=name,
            color=colours[look(name, k) % len(colours)],
            hatch=("", "//", "..", "xx")[look(name, k) % 4],
            edgecolor="white",
            linewidth=0.5,
        )
        ax.errorbar(frame["value"], at, xerr=_errors(frame), fmt="none", ecolor="#333333", elinewidth=1, capsize=2)
    ax.set_yticks(range(len(groups)), [str(g) for g in groups])
    ax.invert_yaxis()
    ax.grid(axis="y", visible=False)
    return _finish(ax, chance, len(frames), vertical=True, reference=reference, **labels)


def lines(
    frames: dict[str, pd.DataFrame],
    x: str,
    *,
    chance: float | None = None,
    ax: Axes | None = None,
    colours: Sequence[str] = COLOURS,
    reference: str = "chance",
    **labels,
) -> Axes:
    """Curves with interval bands over a numeric column `x` (layer, attractors, distance, …), one per frame.

    Other parameters as of `bars`.

    Examples
    --------
    >>> rows = pd.DataFrame({"layer": [0, 1], "value": [0.2, 0.4], "low": [0.1, 0.3], "high": [0.3, 0.5]})
    >>> ax = lines({"mini": rows}, "layer", chance=0.3, reference="asked for")
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['mini', 'asked for 0.3']
    """
    ax = axes(ax)
    for k, (name, frame) in enumerate(frames.items()):
        frame, its = frame.sort_values(x), look(name, k)
        at, colour = frame[x].to_numpy(float), colours[its % len(colours)]
        ax.plot(at, frame["value"], marker=MARKERS[its % 7], markersize=4, color=colour, label=name)
        if frame["low"].notna().any():
            ax.fill_between(
                at,
                frame["low"].astype(float),
                frame["high"].astype(float),
                color=colour,
                alpha=0.15,
                linewidth=0,
            )
    if all(float(v).is_integer() for f in frames.values() for v in f[x]):
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    return _finish(ax, chance, len(frames), reference=reference, **{"xlabel": x, **labels})


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
    """A matrix with its figures written in; lighter is more, in a palette that prints in grey."""
    import seaborn  # takes a second, and most notebooks draw no matrix

    ax = axes(ax)
    ax.grid(False)
    seaborn.heatmap(
        np.asarray(values, float), ax=ax, cmap="cividis", cbar_kws={"label": label}, xticklabels=columns, yticklabels=rows,
        annot=digits is not None, fmt=f".{digits or 0}f", annot_kws={"size": 7},
    )  # fmt: skip
    ax.tick_params("x", rotation=45 if max(map(len, map(str, columns)), default=0) > 3 else 0)
    ax.tick_params("y", rotation=0)
    ax.set(**labels)
    return ax


def scatters(frame: pd.DataFrame, panel: str, group: str, *, columns: int = 3, title: str = "") -> np.ndarray:
    """Small multiples of points ``x, y``: one panel a value of column `panel`, a colour and marker a value of `group`.

    The axes of each panel are its own and bare: what is shown is who lies near whom.
    """
    panels, groups = list(dict.fromkeys(frame[panel])), sorted(set(frame[group]))
    lines_ = -(-len(panels) // columns)
    with style():
        figure, grid = plt.subplots(lines_, columns, figsize=(2.4 * columns, 2.2 * lines_ + 0.4), squeeze=False)
        for ax in grid.flat[len(panels) :]:
            ax.set_visible(False)
        for ax, name in zip(grid.flat, panels):
            part = frame[frame[panel] == name]
            for k, kind in enumerate(groups):
                own = part[part[group] == kind]
                ax.scatter(own["x"], own["y"], s=14, color=COLOURS[k % 7], marker=MARKERS[k % 7], alpha=0.8, label=kind)
            ax.set(title=name, xticks=[], yticks=[])
        figure.legend(*grid.flat[0].get_legend_handles_labels(), loc="outside upper right", ncols=len(groups))
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
    ax = axes(ax, figsize=(max(5.0, 0.75 * len(words)), 2.4))
    known = None if right is None else {frozenset(e) for e in right}
    for i, j in edges:
        sure = known is None or frozenset((i, j)) in known
        turn = np.linspace(0, np.pi, 60)
        radius = abs(i - j) / 2
        colour, dash = (COLOURS[0], "-") if sure else (COLOURS[1], "--")
        ax.plot((i + j) / 2 + radius * np.cos(turn), 0.15 + radius**0.7 * np.sin(turn), color=colour, linestyle=dash)
    for i, word in enumerate(words):
        ax.text(i, 0, word, ha="center", va="top", fontsize=9)
    highest = max((abs(i - j) / 2 for i, j in edges), default=1) ** 0.7
    ax.set(xlim=(-0.7, len(words) - 0.3), ylim=(-0.5, highest + 0.5))
    ax.axis("off")
    ax.set(**labels)
    return ax


def tiles(maps: Sequence[np.ndarray], titles: Sequence[str], labels: Sequence[Sequence[str]], *, columns: int = 5):
    """Square matrices side by side, darker for more; `labels` name the rows and columns of each (or are empty)."""
    lines_ = -(-len(maps) // columns)
    with style():
        _, grid = plt.subplots(lines_, columns, figsize=(2.5 * columns, 2.9 * lines_), squeeze=False)
        for ax in grid.flat[len(maps) :]:
            ax.set_visible(False)
        for ax, values, title, names in zip(grid.flat, maps, titles, labels):
            ax.grid(False)
            ax.imshow(values, cmap="Blues", vmin=0)
            ax.set_title(title, fontsize=9)
            ax.set_xticks(range(len(names)), names, rotation=90, fontsize=6)
            ax.set_yticks(range(len(names)), names, fontsize=6)
    return grid


def places(frame: pd.DataFrame, by: str, text: str, *, ax: Axes | None = None, **labels) -> Axes:
    """Points ``x, y`` coloured along a number `by` and named by column `text`: a map of who lies near whom."""
    ax = axes(ax, figsize=(6.5, 5.0))
    points = ax.scatter(frame["x"], frame["y"], c=frame[by].astype(float), cmap="cividis", s=90)
    middle = (frame[by].astype(float).min() + frame[by].astype(float).max()) / 2
    for r in frame.to_dict("records"):
        colour = "black" if r[by] > middle else "white"
        ax.text(r["x"], r["y"], str(r[text]), ha="center", va="center", fontsize=6, color=colour)
    ax.figure.colorbar(points, ax=ax, label=by)
    ax.set(xticks=[], yticks=[], **labels)
    return ax


def _errors(frame: pd.DataFrame) -> np.ndarray:
    low, high = frame["low"].to_numpy(float), frame["high"].to_numpy(float)
    value = frame["value"].to_numpy(float)
    return np.nan_to_num(np.clip([value - low, high - value], 0, None))


def _finish(
    ax: Axes, chance: float | None, n: int, *, vertical: bool = False, reference: str = "chance", **labels
) -> Axes:
    if chance is not None:
        (ax.axvline if vertical else ax.axhline)(
            chance, color="#555555", linestyle=":", linewidth=1.2, label=f"{reference} {chance:.3g}" if chance else None
        )
    if ax.get_legend_handles_labels()[0] and (n > 1 or chance):
        if vertical and "title" not in labels:  # above: inside it would cover bars
            ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2)
        else:
            ax.legend(loc="best")
    ax.set(**labels)
    return ax


def show(frames: dict[str, pd.DataFrame], *, digits: int = 3) -> None:
    """Show the figures drawn so far, then the plotted numbers as text below them."""
    plt.show()
    print(printed(frames, digits=digits))


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
