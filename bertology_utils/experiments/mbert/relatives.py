"""Are related languages nearer to one another than others? A share of comparisons, and how well clusters fit genera.

Every pair of relatives (languages of one genus) is compared with every other pair: how often is it the nearer one? By
chance, in half of the comparisons. The interval draws languages and the sentences that their means are of; the share of
all ways to deal out the genera that do as well stands beside it (`permuted`).

The V-measure of as many clusters of average linkage as there are genera says less than the tree: one language apart from
all others is a cluster, and leaves one fewer for the rest. It is told beside, over shuffled genera.

A language without a relative among those measured says nothing of families, and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.stats import rankdata

from ...scores import intervals
from ...scores.profiles import UNDEFINED
from ...scores.replicates import finish
from .languages import language

NEARER = "relatives nearer than others - chance"
PERMUTED = "relatives nearer than others, permutation p"
OVER = "relatives nearer than others, over counted pieces"
V = "V-measure over shuffled families"
CHANCE = 0.5


def rows_of(codes: Sequence[str], found: np.ndarray, drawn: np.ndarray, of: str, settings) -> list[dict]:
    """How often relatives are nearer, the permutation test of it, and the V-measure of clusters.

    Parameters
    ----------
    codes : sequence of K str
        Languages.
    found : float array (K, K)
        Distances.
    drawn : float array (R, K, K)
        Distances by resampled sentences.
    of : str
        What the distances are of, behind the measures' names.

    Returns
    -------
    list of rows
        Without figures where no two languages are related, or all are: there is nothing to compare.
    """
    genera = np.array([language(code).genus for code in codes])
    kin = np.array([(genera == g).sum() > 1 for g in genera], bool)
    n = int(kin.sum())
    if len(set(genera[kin])) < 2:
        return [intervals.row(name + of, (np.nan,) * 3, n) for name in (NEARER, PERMUTED, V)]
    d, resampled = found[np.ix_(kin, kin)], drawn[:, kin][:, :, kin]
    every = dealt(pd.factorize(genera[kin])[0])
    shares = nearer(d, every)
    as_good = int((shares >= shares[0] - 1e-9).sum())
    weights = intervals.counts(n, settings.draws, settings.seed)
    return [
        intervals.row(NEARER + of, lead(d, resampled, every[0], weights), n),
        intervals.row(PERMUTED + of, intervals.proportion(as_good, len(every)), len(every)),
        intervals.row(V + of, _over_shuffled(d, resampled, every, settings), n),
    ]


def over(one: dict, other: dict) -> dict:
    """How much oftener relatives are nearer by one row's distances than by another's, languages and sentences drawn alike."""
    if one["draws"] is None or other["draws"] is None:
        return intervals.row(OVER, UNDEFINED, one["n"])
    gained, drawn = one["value"] - other["value"], one["draws"] - other["draws"]
    return intervals.row(OVER, finish(gained, drawn, one["n"], bounds=(-1, 1), signed=True), one["n"])


def dealt(labels: np.ndarray) -> np.ndarray:
    """All ways to deal out labels (K,), codes from 0, among their places: (P, K), the one that is given first.

    Eleven languages of three genera, all that `parallel.READ` has with a relative, can be dealt out in 11,550 ways.

    Examples
    --------
    >>> dealt(np.array([0, 1, 1])).tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    every = np.full((1, len(labels)), -1)
    for label, size in enumerate(np.bincount(labels)):
        free = np.nonzero(every < 0)[1].reshape(len(every), -1)  # (ways so far, places left)
        chosen = np.array(list(combinations(range(free.shape[1]), int(size))))
        places = free[:, chosen].reshape(-1, size)
        every = np.repeat(every, len(chosen), 0)
        np.put_along_axis(every, places, label, 1)
    return np.concatenate([labels[None], every[(every != labels).any(1)]])


def nearer(d: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The share of comparisons of a pair of one label with a pair of two in which the first is nearer; equals count half.

    Parameters
    ----------
    d : float array (K, K)
        Distances.
    labels : int array (P, K)
        Several labellings, with as many pairs alike in each; not all pairs may be.

    Returns
    -------
    float array (P,)

    Examples
    --------
    >>> d = np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 1], [9, 9, 1, 0.0]])
    >>> nearer(d, np.array([[0, 0, 1, 1], [0, 1, 0, 1]])).tolist()
    [1.0, 0.25]
    """
    a, b = np.triu_indices(len(d), 1)
    ranks = rankdata(d[a, b])
    alike = labels[:, a] == labels[:, b]  # (P, pairs)
    n = alike.sum(1)
    return 1 - ((alike * ranks).sum(1) / n - (n + 1) / 2) / (len(ranks) - n)


def lead(d: np.ndarray, drawn: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> intervals.Interval:
    """`nearer` less chance, with an interval over sentences and languages; parameters as of `nearer_drawn`.

    Not widened for few languages: drawing both languages of each pair spreads the figure more than languages do
    (owen2007), and on simulated ones the interval held the truth in 88 to 100 of a hundred trials.
    """
    k, value = len(labels), nearer(d, labels[None])[0] - CHANCE
    draws = nearer_drawn(drawn, labels, weights) - CHANCE
    found = finish(value, draws, k, bounds=(-CHANCE, CHANCE), signed=True)
    # the draws as they are: where none moves the figure, as in perfect families, it still pairs with another subject's
    return intervals.Interval(*map(float, found), draws=draws, clusters=k)


def nearer_drawn(drawn: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """`nearer`, with each language counted so many times.

    Parameters
    ----------
    drawn : float array (R, K, K)
        Distances; the i-th draw of languages takes the i-th, and begins again with the first after the last.
    labels : int array (K,)
    weights : float array (D, K)

    Returns
    -------
    float array (D,)
        nan where no two relatives, or nobody else, were drawn.
    """
    a, b = np.triu_indices(len(labels), 1)
    alike = labels[a] == labels[b]
    kin, others = (weights[:, a[m]] * weights[:, b[m]] for m in (alike, ~alike))  # (D, pairs)
    wins = np.full(len(weights), np.nan)
    for r, d in enumerate(drawn):
        x, mine = d[a, b], slice(r, None, len(drawn))
        gap = x[alike][:, None] - x[~alike]  # (pairs of relatives, other pairs)
        won = (gap < 0) + 0.5 * (gap == 0)
        wins[mine] = np.einsum("dk,ko,do->d", kin[mine], won, others[mine], optimize=True)
    total = kin.sum(1) * others.sum(1)
    return np.divide(wins, total, out=np.full(len(weights), np.nan), where=total > 0)


def _over_shuffled(d: np.ndarray, drawn: np.ndarray, every: np.ndarray, settings) -> intervals.Interval:
    """V-measure less that of dealt-out genera; its interval is over sentences and over these: the languages are given."""
    value, *shuffled = v_measures_of(d, every)
    rng = np.random.default_rng(settings.seed)
    by_sentences = [v_measures_of(x, every[:1])[0] for x in drawn]
    draws = rng.choice(by_sentences, settings.draws) - rng.choice(shuffled, settings.draws)
    return intervals.interval(float(value - np.mean(shuffled)), draws)


def clusters(d: np.ndarray, n: int) -> np.ndarray:
    """Numbers (K,) of the clusters of average linkage, at most n, from distances (K, K)."""
    return fcluster(linkage(squareform(d, checks=False), "average"), n, "maxclust")


def v_measures_of(d: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """V-measure (P,) of as many clusters as labels, by distances (K, K), with each of several labellings (P, K).

    Examples
    --------
    >>> d = np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 1], [9, 9, 1, 0.0]])
    >>> v_measures_of(d, np.array([[0, 0, 1, 1], [0, 1, 0, 1]])).round(6).tolist()
    [1.0, 0.0]
    """
    return v_measures(pd.factorize(clusters(d, labels.max() + 1))[0], labels)


def v_measures(found: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """V-measure of clusters (K,) with each of several labellings (P, K), both as codes from 0: (P,).

    Examples
    --------
    >>> import numpy as np
    >>> v_measures(np.array([0, 0, 1, 1]), np.array([[0, 0, 1, 1], [0, 1, 0, 1]])).round(6).tolist()
    [1.0, 0.0]
    """
    joint = np.einsum("kc,pkg->pcg", np.eye(found.max() + 1)[found], np.eye(labels.max() + 1)[labels]) / len(found)

    def entropy(p: np.ndarray) -> np.ndarray:
        return -np.sum(p * np.log(np.where(p > 0, p, 1)), -1)

    h = entropy(joint.sum(2)) + entropy(joint.sum(1))
    mutual = h - entropy(joint.reshape(len(joint), -1))
    return np.where(h > 1e-12, 2 * mutual / np.maximum(h, 1e-12), 1.0)
