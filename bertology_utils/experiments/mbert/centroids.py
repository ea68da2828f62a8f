"""The mean vectors of languages: do they cluster by genus? (libovicky2019; figure 7 of the survey)

Distances are cosines' between the languages' means less the mean of all languages, averaged over all layers above the
embeddings, so that no layer is chosen. The clusters are those of average linkage, as many as there are genera; how well
they agree with the genera is the V-measure, less what shuffled genera give. A language without a relative among those
measured says nothing of families: it is in the tree, not in the V-measure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform

from ...scores import intervals
from ...vectors.geometry import unit
from .languages import language

SHUFFLES, RESAMPLES = 200, 200


def families(vectors: np.ndarray, spoken: np.ndarray, part: np.ndarray, settings) -> list[dict]:
    """V-measure of the clusters of centroids over shuffled genera, and the distances of all pairs of languages.

    Parameters
    ----------
    vectors : float array (L + 1, M, H)
    spoken, part : str arrays (M,)
        The language and the part of each sentence; all but the training sentences are used.

    Returns
    -------
    list of rows
        The V-measure is of the languages that have a relative (of their genus) among them; its interval is over the
        sentences that the means are of and over the shuffles of the genera: these languages are given.
    """
    codes = sorted(set(spoken[part != "train"].tolist()))
    each = [vectors[:, (spoken == code) & (part != "train")] for code in codes]  # (L + 1, n, H) of each language
    rng, drawn = np.random.default_rng(settings.seed), []
    for _ in range(RESAMPLES):
        means = np.stack([_resampled(x, rng) for x in each], 1)
        drawn.append((distances(means), distances(means[:1], above=0)))
    whole = np.stack([x.mean(1) for x in each], 1)
    found, static = distances(whole), distances(whole[:1], above=0)
    above, below = (np.array(d) for d in zip(*drawn))
    rows = _agreeing(codes, found, above, "V-measure over shuffled families", settings)
    rows += _agreeing(codes, static, below, "V-measure over shuffled families, embeddings", settings)
    return rows + _pairs(codes, found, above)


def _agreeing(codes: Sequence[str], found: np.ndarray, drawn: np.ndarray, measure: str, settings) -> list[dict]:
    """The row of one V-measure; none if no two languages are relatives."""
    genera = np.array([language(code).genus for code in codes])
    kin = np.array([(genera == g).sum() > 1 for g in genera])
    if not kin.any():
        return []
    value, shuffled = against_shuffles(found[np.ix_(kin, kin)], genera[kin], settings.seed)
    rng = np.random.default_rng(settings.seed)
    by_sentences = [against_shuffles(d[np.ix_(kin, kin)], genera[kin], settings.seed)[0] for d in drawn]
    draws = rng.choice(by_sentences, settings.draws) - rng.choice(shuffled, settings.draws)
    interval = intervals.interval(value - shuffled.mean(), draws)
    return [intervals.row(measure, interval, int(kin.sum()))]


def distances(means: np.ndarray, above: int = 1) -> np.ndarray:
    """Cosine distances (K, K) of means (L + 1, K, H), less the mean of all, averaged over the layers from `above` on."""
    u = unit(means[above:] - means[above:].mean(1, keepdims=True)).astype(np.float64)
    found = np.round(1 - np.einsum("lah,lbh->lab", u, u).mean(0), 5)
    np.fill_diagonal(found, 0)
    return (found + found.T) / 2


def clusters(d: np.ndarray, n: int) -> np.ndarray:
    """Numbers (K,) of the clusters of average linkage, at most n, from distances (K, K)."""
    return fcluster(linkage(squareform(d, checks=False), "average"), n, "maxclust")


def linked(rows: pd.DataFrame) -> tuple[np.ndarray, list[str]]:
    """The tree of average linkage (K - 1, 4) of recorded distances, and the K languages' names.

    Parameters
    ----------
    rows : tidy rows of the measure "distance of centroids"

    Examples
    --------
    >>> pairs = [("Dutch", "German", 0.2), ("Dutch", "Greek", 0.8), ("German", "Greek", 1.0)]
    >>> rows = pd.DataFrame(pairs, columns=["language", "other", "value"])
    >>> tree, names = linked(rows)
    >>> names, tree[:, 2].round(6).tolist()
    (['Dutch', 'German', 'Greek'], [0.2, 0.9])
    """
    names = sorted({*rows["language"], *rows["other"]})
    d = np.zeros((len(names), len(names)))
    for one, two, value in zip(rows["language"], rows["other"], rows["value"]):
        a, b = names.index(one), names.index(two)
        d[a, b] = d[b, a] = value
    return linkage(squareform(d, checks=False), "average"), names


def against_shuffles(d: np.ndarray, labels: np.ndarray, seed: int = 0) -> tuple[float, np.ndarray]:
    """V-measure of as many clusters as labels with the labels (K,), and with each of `SHUFFLES` shuffles of them.

    Examples
    --------
    >>> d = np.array([[0, 1, 9, 9], [1, 0, 9, 9], [9, 9, 0, 1], [9, 9, 1, 0.0]])
    >>> value, shuffled = against_shuffles(d, np.array(["a", "a", "b", "b"]))
    >>> value, bool(shuffled.mean() < 0.5)
    (1.0, True)
    """
    known = pd.factorize(labels)[0]
    found, rng = pd.factorize(clusters(d, known.max() + 1))[0], np.random.default_rng(seed)
    v = v_measures(found, np.stack([known, *(rng.permutation(known) for _ in range(SHUFFLES))]))
    return float(v[0]), v[1:]


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


def _resampled(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The mean (L + 1, H) of as many sentences, drawn with replacement."""
    n = x.shape[1]
    counts = np.bincount(rng.integers(0, n, n), minlength=n).astype(np.float32)
    return np.einsum("lnh,n->lh", x, counts / n)


def _pairs(codes: Sequence[str], found: np.ndarray, drawn: np.ndarray) -> list[dict]:
    rows = []
    for a, one in enumerate(codes):
        for b in range(a + 1, len(codes)):
            interval = intervals.interval(found[a, b], drawn[:, a, b])
            keys = {"language": language(one).name, "other": language(codes[b]).name}
            rows.append(intervals.row("distance of centroids", interval, 2, **keys))
    return rows
