"""True or false, read off a statement's vector: how often a linear probe of a few layers finds what is true (forbes2019).

The probe sees the mean of the statement's word vectors. Layer, penalty and threshold are those with the best F1 on
the dev items, which share no object with the training items.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.items import Labelled
from ..errors import TooFew
from ..scores.choice import choose
from ..scores.discrimination import f1, f1_columns
from ..settings import Settings
from ..subject import encode
from ..subject.models import Subject
from .linear import fit_grid

PENALTIES = (1.0, 1e-1, 1e-2)
CUTS = np.linspace(0.05, 0.95, 19)  # quantiles of the dev scores that a threshold is chosen from


@dataclass(frozen=True)
class Judged:
    """What is predicted of the test statements.

    Attributes
    ----------
    predicted : bool array (n,)
    lead : float array (n,)
        By how much "true" leads, in log-odds: what a threshold makes `predicted` of.
    static, static_lead : arrays (n,)
        The same of the embeddings alone, layer 0.
    layer : int
        The chosen one, above the embeddings.
    """

    predicted: np.ndarray
    lead: np.ndarray
    static: np.ndarray
    static_lead: np.ndarray
    layer: int


def depths(n_layers: int) -> list[int]:
    """The layers that are read: the embeddings, the middle, three quarters up, the last.

    >>> depths(12)
    [0, 6, 9, 12]
    """
    return sorted({0, n_layers // 2, 3 * n_layers // 4, n_layers})


def vectors(subject: Subject, texts: Sequence[str], settings: Settings) -> np.ndarray:
    """Mean word vectors (layers of `depths`, n, H); equal texts are read once."""
    unique = list(dict.fromkeys(texts))
    place = {text: k for k, text in enumerate(unique)}
    layers = depths(subject.n_layers)
    out = np.empty((len(layers), len(unique), subject.hidden_size), np.float32)
    words = [text.replace(".", " .").split() for text in unique]
    for k, states in encode.hidden_states(subject, words, layers=layers, settings=settings):
        out[:, k] = states.mean(1)
    return out[:, [place[text] for text in texts]]


def judge(
    subject: Subject, train: Sequence[Labelled], dev: Sequence[Labelled], test: Sequence[Labelled], settings: Settings
) -> Judged:
    """Fit on train, choose on dev, judge test.

    Raises
    ------
    ValueError
        If a part has no statement.
    """
    parts = [list(part) for part in (train, dev, test)]
    if not all(parts):
        raise TooFew(f"{[len(p) for p in parts]} statements to learn from, to choose by and to judge")
    read = vectors(subject, [i.text for part in parts for i in part], settings)
    x = np.split(read, np.cumsum([len(p) for p in parts])[:-1], axis=1)
    labels = [np.array([i.label for i in part]) for part in parts]
    grid = fit_grid(x[0], labels[0], PENALTIES, classes=["0", "1"], device=settings.torch_device())
    best = []
    for layer in range(len(read)):
        found = []
        for fits in grid:
            scores = [np.diff(fits[layer].log_probs(x[side][layer]))[:, 0] for side in (1, 2)]
            cut, got = best_cut(scores[0], labels[1] == "1", np.quantile(scores[0], CUTS))
            found.append((got, scores[1] > cut, scores[1]))
        best.append(found[choose([score for score, *_ in found])])
    top = choose([score for score, *_ in best[1:]]) + 1
    return Judged(best[top][1], best[top][2], *best[0][1:], depths(subject.n_layers)[top])


def best_cut(scores: np.ndarray, true: np.ndarray, cuts: np.ndarray) -> tuple[float, float]:
    """The threshold, of some, above which scores (n,) find what is true (n,) with the best F1; and that F1.

    >>> best_cut(np.array([0.1, 0.2, 0.9]), np.array([False, True, True]), np.array([0.0, 0.15, 0.5]))
    (0.15, 1.0)
    """
    got = [float(f1(f1_columns(scores > c, true).sum(0))) for c in cuts]
    at = choose(got)
    return float(cuts[at]), got[at]
