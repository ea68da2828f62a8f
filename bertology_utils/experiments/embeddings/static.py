"""Static word vectors out of a contextual model: pooled over sentences, against the word alone (bommasani2020)."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose
from ...vectors import geometry, pooling
from .pairs import Benchmarks, cosines
from .planted import noisy_contexts

SIZES = (1, 5, 10, 20, 50)  # contexts pooled
WORDS = 600  # with enough contexts, at most so many are encoded
LONGEST = 40  # words of a context: longer ones cost much
ALONE, FLAT = "the word alone", "embeddings (layer 0), pooled alike"


@claim(
    "emb.static_distillation.bommasani2020",
    ("word_similarity", "sentences"),
    beside={"sentences": ("sts_semeval_2012_2016", "ud_english_ewt")},
    n=20_000,
    quick=8000,
    nulls=(*VECTORS, "coin"),
    planted=noisy_contexts,
)
def static_distillation(subject, data, settings):
    """Word vectors pooled over contexts against the word alone, on word similarity (bommasani2020).

    Only words with 50 contexts count, and of each as many. Layers are chosen on one half of the pairs, for each way
    apart, and scored on the other; a pooled vector is one of a contextual layer, the word alone may be the embeddings.
    The embeddings pooled alike are the second baseline: over positions, without any context. A mean of noisy vectors
    is better than one of them whatever the noise, so what many contexts gain is told less what pooling gains of the
    embeddings. Words and sentences are lower-cased.
    """
    texts = list(dict.fromkeys(tuple(w.lower() for w in i.words) for i in data["sentences"]))
    items = [i for i in data["word_similarity"] if i.a.lower() != i.b.lower()]
    asked = {w.lower() for i in items for w in (i.a, i.b)}
    limit = min(LONGEST, subject.max_length // 3)
    short = [t for t in texts if len(t) <= limit]
    places = geometry.sample(short, contexts=SIZES[-1], seed=settings.seed, keep=asked.__contains__)
    items = densest([i for i in items if i.a.lower() in places and i.b.lower() in places])
    words = list(dict.fromkeys(w.lower() for i in items for w in (i.a, i.b)))
    made = pooling.static_vectors(subject, short, {w: places[w] for w in words}, SIZES, settings)
    columns = {ALONE: pooling.isolated(subject, words, settings)}
    columns |= {f"{k} contexts": vectors for k, vectors in zip(SIZES, made.means)}
    for p, pieces in enumerate(pooling.OVER_PIECES):
        for c, contexts in enumerate(pooling.OVER_CONTEXTS):
            columns[f"{pieces} over pieces, {contexts} over contexts"] = made.pooled[p, c]
    bench, measured = Similarities(items, words, columns, settings), f"{SIZES[-1]} contexts"
    rows = [
        *bench.curves(ALONE, measured),
        *bench.chosen(),
        *bench.gains("pooled less baseline", measured),
        *bench.growth("50 contexts less 1, over the embeddings' gain", measured, "1 contexts"),
    ]
    notes = [f"{len(items)} pairs of {len(words)} words with {SIZES[-1]} contexts of at most {limit} words", bench.note]
    return intervals.table(rows, notes)


def densest(items: list) -> list:
    """The pairs among the words that occur in the most pairs, where every set weighs the same."""
    sizes = Counter(i.condition for i in items)
    weights: dict[str, float] = defaultdict(float)
    for i in items:
        for word in (i.a.lower(), i.b.lower()):
            weights[word] += 1 / sizes[i.condition]
    kept = set(sorted(weights, key=lambda w: (-weights[w], w))[:WORDS])
    return [i for i in items if i.a.lower() in kept and i.b.lower() in kept]


class Similarities:
    """Word similarity by several ways of making a word's vector, each with all layers.

    Parameters
    ----------
    items : list of ScoredPair
    words : list of str
        Lower-cased, as the vectors are ordered.
    columns : mapping
        Name of a way -> vectors (words, layers, H); `ALONE` among them.
    """

    def __init__(self, items, words, columns, settings) -> None:
        place = {w: k for k, w in enumerate(words)}
        place |= {t: place[t.lower()] for i in items for t in (i.a, i.b)}
        scores = np.stack([cosines(items, place, v) for v in columns.values()], 1)  # (pairs, ways, layers)
        self.names, self.layers = list(columns), scores.shape[-1]
        flat = scores.reshape(len(items), -1)
        bench = Benchmarks(items, settings)
        dev = bench.dev(flat).reshape(-1, self.layers)
        # of a pooled vector a contextual layer; the word alone may be no more than its embedding
        self.best = {name: choose(own) if name == ALONE else 1 + choose(own[1:]) for name, own in zip(self.names, dev)}
        self.measured, self.note = bench.measure(flat), bench.note

    def _at(self, name: str, layer: int | None = None) -> int:
        return self.names.index(name) * self.layers + (self.best[name] if layer is None else layer)

    def _row(self, measure, plus, minus=(), **keys) -> dict:
        return intervals.row(measure, self.measured.interval(plus, minus), self.measured.n, **keys)

    def curves(self, *names: str) -> list[dict]:
        """Spearman of some ways at every layer."""
        return [
            self._row("Spearman by layer", self._at(name, k), pooling=name, layer=k)
            for name in names
            for k in range(self.layers)
        ]

    def chosen(self) -> list[dict]:
        """Spearman of every way at the layer chosen for it."""
        return [
            self._row("Spearman, layer chosen on dev", self._at(name), pooling=name, layer=k)
            for name, k in self.best.items()
        ]

    def gains(self, measure: str, way: str) -> list[dict]:
        """A way's lead over the word alone, and over its own embeddings."""
        baselines = {ALONE: self._at(ALONE), FLAT: self._at(way, 0)}
        return [self._row(measure, self._at(way), at, over=over) for over, at in baselines.items()]

    def growth(self, measure: str, way: str, other: str) -> list[dict]:
        """A way's lead over another, each at its own layer, less the same lead of the embeddings."""
        return [self._row(measure, [self._at(way), self._at(other, 0)], [self._at(other), self._at(way, 0)])]
