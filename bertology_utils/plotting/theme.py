"""One look for every figure.

Colours are the Okabe–Ito set (told apart by colour-blind readers), and every series has a marker or hatch of its own
as well: as on the cards, green is our model, amber its untrained twin, blue the real BERT, wine a relative that others trained.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes

SUBJECTS = ("#009E73", "#E69F00", "#0072B2")  # the model's, its twin's and the real BERT's
KINDS = ("#CC79A7", "#D55E00", "#56B4E9", "#000000", "#882255", "#999999")  # of series that are no subjects
SIZED, CHOSEN = "#4B2E83", "#C1121F"  # a network of BERT's size, and the reader's own
COLOURS = (*SUBJECTS, *KINDS, SIZED, CHOSEN)
NOW = ", measured now"  # behind the name of the reader's own model (`results`)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
OURS = ("mini", "mini-untrained")
# as the cards call them
SHORT = {
    f"{name}{mark}untrained": "untrained"
    for name in ("mini", "mini-multi", "mpnet", "me5-q4", "me5-mlm-q4")
    for mark in ("-", ", ")
}
SHORT |= {"all-MiniLM-L6-v2": "MiniLM", "me5-q4": "me5", "me5-mlm-q4": "me5-mlm"}
# places that the published BERTs and their relative keep in every figure
PUBLISHED = {
    "bert-base": 2,
    "multilingual-bert": 2,
    "bert-large": 3,
    "minilm": 7,
    "all-minilm": 7,
    "mpnet": 9,
    "me5": 9,
}
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


def look(name: str) -> int | None:
    """The place in `COLOURS` that a subject keeps in every figure; None for what is no subject.

    Examples
    --------
    >>> look("mini"), look("mini, untrained"), look("bert-base-uncased, released"), look("MiniLM"), look("best head")
    (0, 1, 2, 7, None)
    >>> look("untrained"), look("mpnet-untrained"), COLOURS[look("roberta-base, measured now")]
    (1, 1, '#C1121F')
    """
    if name.endswith(NOW):  # the reader's own, but for its twin: that of the book's model is not drawn beside it
        return OURS.index("mini-untrained") if name.endswith(f"untrained{NOW}") else len(COLOURS) - 1
    called = name.lower().replace(",", "").replace(" ", "-")
    if called == "family":  # recorded runs of training, in mini's place
        return 0
    called = called.replace("mini-multi", "mini")  # it has mini's place in the chapter that is about such models
    if called.endswith("untrained"):  # of a figure's networks one has its twin beside it
        called = "mini-untrained"
    if called in OURS:
        return OURS.index(called)
    return next((place for start, place in PUBLISHED.items() if called.startswith(start)), None)
