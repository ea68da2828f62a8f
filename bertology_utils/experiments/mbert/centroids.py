"""The mean vectors of languages: do they cluster by genus? (libovicky2019; figure 7 of the survey)

Distances are cosines' between the languages' means less the mean of all languages, averaged over all layers above the
embeddings, so that no layer is chosen. Whether relatives are nearer by them (`relatives`) is told of three things: of
these layers; of the embeddings alone; and of the languages' pieces, counted, since relatives share words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import squareform
from sklearn.feature_extraction.text import CountVectorizer

from ...scores import intervals
from ...vectors.geometry import unit
from . import relatives
from .languages import language

RESAMPLES = 200


def families(vectors: np.ndarray, pieces: Sequence[str], spoken: np.ndarray, part: np.ndarray, settings) -> list[dict]:
    """How often relatives are nearer than others, and the distances of all pairs of languages.

    Parameters
    ----------
    vectors : float array (L + 1, M, H)
    pieces : sequence of M texts
        The ids of the pieces, with blanks between them.
    spoken, part : str arrays (M,)
        The language and the part of each sentence; all but the training sentences are used.

    Returns
    -------
    list of rows
        `relatives.rows_of` layers, embeddings and pieces, and the lead of layers over pieces; intervals of distances are
        over sentences.
    """
    asked = part != "train"
    codes, tongue = sorted(set(spoken[asked].tolist())), spoken[asked]
    x, counted = vectors[:, asked], shares_of_pieces([p for p, kept in zip(pieces, asked) if kept])[None]
    rows = []
    for of, seen in (("", x[1:]), (", embeddings", x[:1]), (", pieces counted", counted)):
        found, drawn = _centroids([seen[:, tongue == code] for code in codes], settings.seed)
        rows += relatives.rows_of(codes, found, drawn, of, settings)
        rows += _pairs(codes, found, drawn) if not of else []
    named = {r["measure"]: r for r in rows}
    return [*rows, relatives.over(named[relatives.NEARER], named[f"{relatives.NEARER}, pieces counted"])]


def shares_of_pieces(texts: Sequence[str]) -> np.ndarray:
    """The share of each piece in each of M texts, float32 (M, different pieces).

    Examples
    --------
    >>> shares_of_pieces(["7 12 7 7", "12"]).tolist()
    [[0.25, 0.75], [1.0, 0.0]]
    """
    counted = CountVectorizer(token_pattern=r"\d+", dtype=np.float32).fit_transform(texts).toarray()
    return counted / counted.sum(1, keepdims=True)


def _centroids(each: Sequence[np.ndarray], seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Distances of K languages' means, (K, K), and by resampled sentences, (RESAMPLES, K, K), from vectors (L, n, H)."""
    rng, drawn = np.random.default_rng(seed), []
    for _ in range(RESAMPLES):
        drawn.append(distances(np.stack([_resampled(x, rng) for x in each], 1)))
    return distances(np.stack([x.mean(1) for x in each], 1)), np.array(drawn)


def distances(means: np.ndarray) -> np.ndarray:
    """Cosine distances (K, K) of means (L, K, H), less the mean of all, averaged over the layers."""
    u = unit(means - means.mean(1, keepdims=True)).astype(np.float64)
    found = np.round(1 - np.einsum("lah,lbh->lab", u, u, optimize=True).mean(0), 5)
    np.fill_diagonal(found, 0)
    return (found + found.T) / 2


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
    d, names = square(zip(rows["language"], rows["other"], rows["value"]))
    return linkage(squareform(d, checks=False), "average"), names


def square(pairs: Iterable[tuple[str, str, float]]) -> tuple[np.ndarray, list[str]]:
    """Distances (K, K) of K languages, by pairs of their names, and the names."""
    found = {frozenset((one, two)): value for one, two, value in pairs}
    names = sorted({name for pair in found for name in pair})
    return np.array([[found.get(frozenset((a, b)), 0.0) for b in names] for a in names]), names


def _resampled(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The mean (L, H) of as many sentences, drawn with replacement."""
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
