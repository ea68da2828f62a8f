"""One look for every figure.

Colours are those of the site's light theme (`book/_static/cards.css`), which gives each of them a dark twin. A subject has the
colour it has on the cards: cyan is our model, brown its untrained twin, blue the real BERT, wine a relative that others
trained, violet one of BERT's size; no outcome has any of these. Every series has a marker or hatch of its own as well.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

INK, QUIET = "#1c2430", "#55606b"  # letters and axes; what is drawn for comparison
# the model's, its twin's, the real BERT's, a relative's, a network's of BERT's size, the reader's own
SUBJECTS = ("#00738c", "#6e5a4e", "#2b4acb", "#9a2a7d", "#4b2e83", "#d6006c")
KINDS = ("#c24e00", "#20242b", "#b0508c", "#008060", "#2683b5", "#757575")  # of series that are no subjects
COLOURS = (*SUBJECTS, *KINDS)
# places in `KINDS` that tokens keep in every figure, and in all panels of one a group of runs that only some tiers have
TOKENS = {"[CLS]": 0, "[SEP]": 1, ". or ,": 2, "words": 3, "next sentence": 5}
NOW = ", measured now"  # behind the name of the reader's own model (`results`)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
OURS = ("mini", "mini-untrained")
# as the cards call them
SHORT = {
    f"{name}{mark}untrained": f"{name.removesuffix('-q4')}, untrained"
    for name in ("mini", "mini-multi", "mpnet", "me5-q4", "me5-mlm-q4")
    for mark in ("-", ", ")
}
SHORT |= {f"bert-{size}-uncased, released": f"BERT {size}" for size in ("base", "large")}
SHORT |= {
    "bert-base-multilingual-cased, released": "multilingual BERT",
    "bert-base-cased, released": "BERT base, cased",
    "all-MiniLM-L6-v2": "MiniLM",
    "me5-q4": "me5",
    "me5-mlm-q4": "me5-mlm",
}
# places that the published BERTs and their relative keep in every figure
PUBLISHED = {
    "bert-base": 2,
    "multilingual-bert": 2,
    "bert-large": len(SUBJECTS),
    "minilm": 3,
    "all-minilm": 3,
    "mpnet": 4,
    "me5": 4,
}
NARROW = 4.5  # inches; at three quarters of its size, with letters of 9 pixels, such a figure fits a phone
STYLE: dict[Any, Any] = {
    "figure.figsize": (NARROW, 2.8),
    "figure.dpi": 110,
    "savefig.bbox": "tight",
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color", "grid.color"), INK
    ),
    "axes.grid": True,
    "grid.alpha": 0.12,
    "axes.axisbelow": True,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "font.family": "sans-serif",
    "axes.prop_cycle": plt.cycler(color=COLOURS),
}
# Letters are letters, in a font of the reader's where this one, which is wide, is missing; the same figure is the same bytes.
SVG: dict[Any, Any] = {"svg.fonttype": "none", "font.sans-serif": ["DejaVu Sans"], "svg.hashsalt": "bertology"}


def as_svg() -> None:
    """Let a notebook's kernel, if this is one, show figures as SVG."""
    plt.rcParams.update(SVG)
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if hasattr(shell, "kernel"):
        from matplotlib_inline.config import InlineBackend

        inline = InlineBackend.instance(parent=shell)
        dated: dict[str, Any] = {"metadata": {"Date": None, "Creator": None}}
        inline.print_figure_kwargs = dated
        inline.figure_formats = {"svg"}


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


def panels(n: int, height: float = 2.2, **options) -> Any:
    """So many axes under one another, no wider than a phone; `height` of each in inches, `options` as of ``plt.subplots``.

    Examples
    --------
    >>> above, below = panels(2, sharex=True)
    >>> float(above.figure.get_figwidth()) == NARROW
    True
    >>> plt.close(above.figure)
    """
    return axes(nrows=n, figsize=(NARROW, height * n), **options)


def look(name: str) -> int | None:
    """The place in `COLOURS` that a subject keeps in every figure; None for what is no subject.

    Examples
    --------
    >>> look("mini"), look("mini, untrained"), look("bert-base-uncased, released"), look("MiniLM"), look("best head")
    (0, 1, 2, 3, None)
    >>> look("untrained"), look("mpnet-untrained"), COLOURS[look("roberta-base, measured now")]
    (1, 1, '#d6006c')
    """
    if name.endswith(NOW):  # the reader's own, but for its twin: that of the book's model is not drawn beside it
        return OURS.index("mini-untrained") if name.endswith(f"untrained{NOW}") else len(SUBJECTS) - 1
    called = name.lower().replace(",", "").replace(" ", "-")
    if called == "family":  # recorded runs of training, in mini's place
        return 0
    called = called.replace("mini-multi", "mini")  # it has mini's place in the chapter that is about such models
    if called.endswith("untrained"):  # of a figure's networks one has its twin beside it
        called = "mini-untrained"
    if called in OURS:
        return OURS.index(called)
    return next((place for start, place in PUBLISHED.items() if called.startswith(start)), None)
