"""Bars and curves; intervals are drawn wherever rows have them."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Literal, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from .theme import COLOURS, INK, KINDS, MARKERS, OURS, QUIET, SHORT, TOKENS, axes, look, style

WRAP = 22  # letters in a line beside a bar or an axis


def _short(name: str) -> str:
    """The name that readers know, of a subject or of one in some condition."""
    subject, comma, condition = name.partition(", ")
    return SHORT.get(name) or f"{SHORT.get(subject, subject)}{comma}{condition}"


def _drawn(frames: dict[str, pd.DataFrame], colours: Sequence[str] | None) -> list[tuple[str, str, int, pd.DataFrame]]:
    """(label, colour, which marker or hatch, rows) of each frame; published BERTs come first, as on the cards."""
    out = []
    for k, (name, frame) in enumerate(frames.items()):
        place = look(name)
        own = TOKENS.get(name, k) if place is None else place
        colour = KINDS[TOKENS.get(name.split(", ")[0], k) % len(KINDS)] if place is None else COLOURS[place]
        out.append((_short(name), colours[own % len(colours)] if colours else colour, own, frame))
    published = {_short(name) for name in frames if (look(name) or 0) >= len(OURS)}
    return sorted(out, key=lambda one: one[0] not in published)


@style()
def bars(
    frames: dict[str, pd.DataFrame],
    x: str,
    *,
    chance: float | None = None,
    ax: Axes | None = None,
    colours: Sequence[str] | None = None,
    reference: str = "chance",
    **labels,
) -> Axes:
    """Horizontal bars with intervals: one group per value of column `x`, one bar per frame.

    `labels` go to ``ax.set`` (title, xlabel, xlim, …); `chance` draws a reference line, which `reference` names;
    `colours` are the frames' in their order, where they are not those of `look`.

    Examples
    --------
    >>> from bertology_utils.plotting import plt
    >>> row = {"erased": "part of speech", "measure": "drop", "value": 0.1, "low": 0.05, "high": 0.15, "n": 90}
    >>> ax = bars({"last layer": pd.DataFrame([row])}, "erased", xlabel="drop of accuracy")
    >>> ax.get_xlabel()
    'drop of accuracy'
    >>> plt.close(ax.figure)
    """
    ax = axes(ax)
    frames = with_column(frames, x)
    if not frames:
        return nothing(ax, **labels)
    groups = list(dict.fromkeys(v for f in frames.values() for v in f[x]))
    if all(isinstance(v, (int, float)) for v in groups):  # not every frame has all of them
        groups.sort()
    height = 0.8 / len(frames)
    for k, (name, colour, own, frame) in enumerate(_drawn(frames, colours)):
        at = np.array([groups.index(v) for v in frame[x]]) + (k - (len(frames) - 1) / 2) * height
        ax.barh(
            at,
            frame["value"],
            height * 0.92,
            label=name,
            color=colour,
            hatch=("", "//", "..", "xx")[own % 4],
            edgecolor="white",
            linewidth=0.5,
        )
        ax.errorbar(frame["value"], at, xerr=_errors(frame), fmt="none", ecolor=INK, elinewidth=1, capsize=2)
    ax.set_yticks(range(len(groups)), [fill(str(g).replace("_", " "), WRAP) for g in groups])
    ax.set_ylim(len(groups) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    return _finish(ax, chance, len(frames), vertical=True, reference=reference, **labels)


@style()
def lines(
    frames: dict[str, pd.DataFrame],
    x: str,
    *,
    chance: float | None = None,
    ax: Axes | None = None,
    colours: Sequence[str] | None = None,
    reference: str = "chance",
    **labels,
) -> Axes:
    """Curves with interval bands over a numeric column `x` (layer, attractors, distance, …), one per frame.

    Other parameters as of `bars`. Curves are named at their ends where there is room for it, else in a legend.

    Examples
    --------
    >>> from bertology_utils.plotting import plt
    >>> rows = pd.DataFrame({"layer": [0, 1], "value": [0.2, 0.4], "low": [0.1, 0.3], "high": [0.3, 0.5]})
    >>> ax = lines({"mini": rows}, "layer", chance=0.3, reference="asked for")
    >>> [text.get_text() for text in ax.texts], ax.get_legend()
    (['mini', 'asked for 0.3'], None)
    >>> plt.close(ax.figure)
    """
    ax = axes(ax)
    frames = with_column(frames, x)
    if not frames:
        return nothing(ax, **labels)
    seen: list[str] = []
    for name, colour, own, frame in _drawn(frames, colours):
        frame = frame.sort_values(x, key=lambda values: values.astype(float))  # in released files they may be text
        at, marker = frame[x].to_numpy(float), MARKERS[own % len(MARKERS)]
        dash = ("-", "--", "-.", ":")[seen.count(colour) % 4]  # of curves of one subject
        ax.plot(at, frame["value"], linestyle=dash, marker=marker, markersize=4, color=colour, label=name)
        seen.append(colour)
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


def with_column(frames: dict[str, pd.DataFrame], x: str) -> dict[str, pd.DataFrame]:
    """The frames that can be drawn over a column: with that column, and a figure in a row where it has a value."""
    drawn = {name: f[f[x].notna() & f["value"].notna()] for name, f in frames.items() if x in f}
    return {name: f for name, f in drawn.items() if len(f)}


def nothing(ax: Axes, **labels) -> Axes:
    """An empty figure that says so: what could not be measured stops no chapter."""
    ax.set(**{k: v for k, v in labels.items() if k in ("title", "xlabel", "ylabel")})
    ax.set_xticks([])
    ax.set_yticks([])
    ax.text(0.5, 0.5, "nothing was measured", ha="center", va="center", color=QUIET, transform=ax.transAxes)
    return ax


def _errors(frame: pd.DataFrame) -> np.ndarray:
    low, high = frame["low"].to_numpy(float), frame["high"].to_numpy(float)
    value = frame["value"].to_numpy(float)
    return np.clip([value - low, high - value], 0, None)  # nan: no whisker, which would look like certainty


def _finish(
    ax: Axes, chance: float | None, n: int, *, vertical: bool = False, reference: str = "chance", **labels
) -> Axes:
    if chance is not None and chance == chance:
        (ax.axvline if vertical else ax.axhline)(
            chance, color=QUIET, linestyle=":", linewidth=1.2, label=f"{reference} {chance:.3g}" if chance else None
        )
    if "ylabel" in labels:
        labels["ylabel"] = fill(labels["ylabel"], WRAP)
    if "title" in labels:
        labels["title"] = _short(labels["title"])
    ax.set(**labels)
    if len(ax.figure.axes) > 1:
        _legend(ax, "outside lower center")
    elif (n > 1 or chance) and not named_at_ends(ax):
        _legend(ax, "outside upper left")
    return ax


def _legend(ax: Axes, place: Literal["outside lower center", "outside upper left"]) -> None:
    """One legend for all panels, beside what is drawn; an axis that panels share is named once."""
    figure, last = cast(Figure, ax.figure), ax.figure.axes[-1]
    if ax is not last and ax.get_shared_x_axes().joined(ax, last):
        ax.set_xlabel("")
    for legend in list(figure.legends):
        legend.remove()
    drawn = {name: handle for one in figure.axes for handle, name in zip(*one.get_legend_handles_labels())}
    if len(drawn) > 1:
        columns = _columns(ax, list(drawn))
        figure.legend(list(drawn.values()), list(drawn), loc=place, ncols=columns)
        if ax is last:
            figure.set_figheight(figure.get_figheight() + 0.18 * (-(-len(drawn) // columns) - 1))


def _columns(ax: Axes, names: Sequence[str]) -> int:
    """How many columns of names, with their markers, a figure has room for."""
    room = 72 * cast(Figure, ax.figure).get_figwidth()
    for columns in (3, 2):
        parts = [part for part in np.array_split([len(name) for name in names], columns) if part.size]
        if sum(4.9 * part.max() + 32 for part in parts) <= room:
            return columns
    return 1


def named_at_ends(ax: Axes) -> bool:
    """Write the names of up to five curves at their last points, if the figure has one panel and none meets another or a curve.

    Examples
    --------
    >>> from bertology_utils.plotting import plt
    >>> ax = axes()
    >>> apart, close = ax.plot([0, 1], [0, 1], label="rises"), ax.plot([0, 1], [1, 0], label="falls")
    >>> named_at_ends(ax), [text.get_text() for text in ax.texts]
    (True, ['rises', 'falls'])
    >>> close = ax.plot([0, 1], [0.5, 0.02], label="falls too")
    >>> named_at_ends(ax)
    False
    >>> plt.close(ax.figure)
    """
    curves = [line for line in ax.get_lines() if not str(line.get_label()).startswith("_")]
    names = [str(curve.get_label()) for curve in curves]
    if len(ax.figure.axes) > 1 or len(curves) > 5 or names != ax.get_legend_handles_labels()[1]:
        return False
    width, height = 9 / (
        0.8 * 72 * np.asarray(ax.figure.bbox.size) / ax.figure.dpi
    )  # of a letter, as shares of the panel
    to, points = ax.transAxes.inverted(), [np.asarray(curve.get_path().vertices) for curve in curves]
    paths = [to.transform(curve.get_transform().transform(at)) for curve, at in zip(curves, points)]
    paths = [np.vstack([path, path[-1] + [0.6 * width * (1 + len(name)), 0]]) for path, name in zip(paths, names)]
    for path in paths:
        under = np.linspace(path[-2, 0], path[-1, 0], 20)
        others = [other.T for other in paths if other is not path]
        met = [np.interp(under, x, y, left=np.inf, right=np.inf) for x, y in others]
        if np.min(np.abs(np.asarray(met) - path[-1, 1]), initial=np.inf) < height:
            return False
    for curve, name, at in zip(curves, names, points):
        ax.annotate(
            name, tuple(at[-1]), xycoords=curve.get_transform(), xytext=(6, 0), textcoords="offset points", va="center",
            fontsize=9, color=curve.get_color(), annotation_clip=False,
        )  # fmt: skip
    return True
