"""Do contextual vectors keep the senses of a word apart? Nearest neighbours, clusters, two contexts compared.

Nearest-neighbour tagging is that of wiedemann2019: an occurrence gets the sense of the training occurrences of the same
word that lie nearest. It is worth something only above always taking the sense that is most frequent in training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import silhouette_score

from .geometry import cosines, unit


def nearest(train: np.ndarray, labels: Sequence[Hashable], test: np.ndarray, k: int = 1) -> list:
    """The label of each test vector by its k nearest training vectors.

    Parameters
    ----------
    train : array (n, H)
    labels : sequence of n labels
    test : array (m, H)
    k : int
        Neighbours that vote, each with its cosine (where it is above 0); fewer where `train` has fewer.

    Returns
    -------
    list of m labels
    """
    labels = list(labels)
    if len(labels) != len(train) or not labels:
        raise ValueError(f"{len(labels)} labels for {len(train)} training vectors")
    out = []
    for similarities in cosines(test, train):
        votes: dict[Hashable, float] = {}
        for i in np.argsort(-similarities, kind="stable")[: min(k, len(labels))]:  # nearest first: it wins a tie
            votes[labels[i]] = votes.get(labels[i], 0.0) + max(float(similarities[i]), 0.0)
        out.append(max(votes, key=votes.__getitem__))
    return out


def most_frequent(labels: Sequence[Hashable]) -> Hashable:
    """The commonest label, the first of those that tie."""
    if not labels:
        raise ValueError("no label to choose from")
    return Counter(labels).most_common(1)[0][0]


def clusters(vectors: np.ndarray, n: int) -> np.ndarray:
    """Cluster numbers (m,) of (m, H) vectors: Ward's linkage of the vectors at length 1, `n` clusters."""
    return AgglomerativeClustering(n, linkage="ward").fit_predict(unit(np.asarray(vectors, np.float64)))


def silhouette(vectors: np.ndarray, labels: Sequence[Hashable]) -> float:
    """Mean silhouette of gold labels by cosine distance, -1 to 1; nan where it is not defined.

    It is not with one label, or with as many labels as vectors.
    """
    if not 1 < len(set(labels)) < len(labels):
        return float("nan")
    return float(silhouette_score(np.asarray(vectors, np.float64), np.asarray(labels), metric="cosine"))


def best_threshold(values: Sequence[float] | np.ndarray, labels: Sequence[bool] | np.ndarray) -> float:
    """The value at or above which to say True so that most of the items are right.

    Ties go to the lowest; `inf` (always False) where that is best.
    """
    values, labels = np.asarray(values, float), np.asarray(labels, bool)
    if len(values) != len(labels) or not len(values):
        raise ValueError(f"{len(values)} values for {len(labels)} labels")
    candidates = np.append(np.unique(values), np.inf)
    order = np.argsort(values, kind="stable")
    below = np.searchsorted(values[order], candidates, side="left")  # so many are called False
    false_below = np.concatenate([[0], np.cumsum(~labels[order])])[below]
    true_above = labels.sum() - np.concatenate([[0], np.cumsum(labels[order])])[below]
    return float(candidates[int((false_below + true_above).argmax())])
