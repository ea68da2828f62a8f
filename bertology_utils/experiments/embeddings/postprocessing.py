"""Does it help similarity to remove the directions that all vectors share? (mu2018)"""

from __future__ import annotations

import numpy as np

from ...claims.registry import claim
from ...data import sample
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode
from ...vectors import geometry, pooling
from .pairs import SIDES, Benchmarks, cosines, of_each_set, taken
from .planted import shared_noise
from .sentences import english

PAIRS = 1000  # of sentences, of each split
WORD_PAIRS = 1000  # of each set
WAYS = ("before", "after", "mean removed", "random directions removed")
LOWEST = (0, 1, 1, 0)  # the lowest layer that each may have


@claim(
    "emb.postprocessing.mu2018",
    ("word_similarity", "sts"),
    n=600,
    nulls=("untrained", "layer 0", "bag of words", "constant", "coin"),
    planted=shared_noise,
)
def postprocessing(subject, data, settings):
    """Spearman with similarity before and after removing mean and leading components (mu2018).

    Words stand alone in their input, sentences are means of their pieces; components (one in a hundred dimensions) are
    those of the vectors measured. As controls the mean alone is removed, and as many random directions. Of each way the
    best layer is chosen on one half of the pairs, and scored on the other: a contextual one where something is removed that
    vectors share, any layer, the embeddings too, where not.
    """
    rows, notes = [], []
    for benchmark, task in (("words", "word_similarity"), ("sentences", "sts")):
        items = english(data.items.get(task, []))
        if not items:
            continue
        items, cut = _some(items, task, settings.seed)
        vectors, items, left = _vectors(subject, items, task, settings)
        place = {t: k for k, t in enumerate(dict.fromkeys(t for i in items for t in (i.a, i.b)))}
        found = np.stack([cosines(items, place, v) for v in _ways(vectors, settings.seed)], 1)  # (pairs, ways, layers)
        bench = Benchmarks(items, settings, sentences=task == "sts")
        rows += _rows(bench, found, benchmark)
        notes += [*cut, left, f"{benchmark}: {bench.note}"]
    return intervals.table(rows, notes)


def _some(items: list, task: str, seed: int) -> tuple[list, tuple[str, ...]]:
    """At most so many pairs of each split, or of each set of word pairs."""
    if task == "sts":
        return sample(items, PAIRS, seed)
    return of_each_set(items, WORD_PAIRS, seed)


def _vectors(subject, items: list, task: str, settings) -> tuple[np.ndarray, list, str]:
    """The vectors of all texts, (texts, layers, H), the items whose texts the model takes, and how many it does not."""
    texts = list(dict.fromkeys(t for i in items for t in (i.a, i.b)))
    if task == "word_similarity":
        return pooling.isolated(subject, texts, settings), items, ""
    kept, left = taken(subject, items, *SIDES, what="pairs")
    texts = list(dict.fromkeys(t for i in kept for t in (i.a, i.b)))
    out = np.empty((len(texts), subject.n_layers + 1, subject.hidden_size), np.float32)
    sentences = (t.split() for t in texts)
    for i, states in encode.hidden_states(subject, sentences, pool=None, settings=settings):
        out[i] = states[:, 1:-1].mean(1)
    return out, kept, left


def _ways(vectors: np.ndarray, seed: int) -> list[np.ndarray]:
    """The vectors (n, layers, H) as they are, and after each way of `WAYS`."""
    size = vectors.shape[-1]
    directions = np.linalg.qr(np.random.default_rng(seed).standard_normal((size, max(1, size // 100))))[0]
    layers = np.moveaxis(vectors, 1, 0)
    after = np.stack([geometry.all_but_the_top(v) for v in layers], 1)
    return [vectors, after, vectors - vectors.mean(0), vectors - vectors @ directions @ directions.T]


def _rows(bench: Benchmarks, found: np.ndarray, benchmark: str) -> list[dict]:
    """Spearman by way and layer; and what removal gains, each way at its best layer on dev."""
    n_ways, layers = found.shape[1:]
    flat = found.reshape(len(found), -1)
    best = [k + choose(dev[k:]) for k, dev in zip(LOWEST, bench.dev(flat).reshape(n_ways, layers))]
    measured = bench.measure(flat)

    def row(measure, interval, **keys):
        return intervals.row(measure, interval, measured.n, benchmark=benchmark, **keys)

    rows = [
        row(f"Spearman {way}", measured.interval(w * layers + k), layer=k)
        for w, way in enumerate(WAYS)
        for k in range(layers)
    ]
    at = [w * layers + k for w, k in enumerate(best)]
    rows += [row("gain", measured.interval(at[1], at[w]), over=WAYS[w]) for w in (0, 3)]
    rows.append(row("gain of removing the mean alone", measured.interval(at[2], at[0])))
    return rows
