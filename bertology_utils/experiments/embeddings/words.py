"""Static word vectors out of a contextual model, and what removing leading directions does to similarity."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from ...claims.registry import claim
from ...data import load, sample
from ...data.items import Data
from ...errors import Refusal
from ...scores import intervals
from ...scores.choice import choose, choose_each
from ...settings import Settings
from ...subject import encode
from ...vectors import geometry, pooling, similarity
from .sentences import english

SIZES = (1, 5, 10, 20, 50)  # contexts pooled
WORDS = 120  # with enough contexts, at most so many are encoded
LEAST = 10  # pairs of a set in the test half; smaller sets say nothing
PAIRS = 1000  # of sentences, of each split
DRAWS = 500  # at most, of rank correlations


def _sets(items: Sequence, scores: np.ndarray, seed: int) -> dict[str, tuple]:
    """Set -> (dev gold, dev scores, test gold, test scores): random halves of each set that is large enough."""
    places = defaultdict(list)
    for k, item in enumerate(items):
        places[item.condition].append(k)
    out = {}
    for name, where in places.items():
        dev = similarity.halves(len(where), seed)
        if (~dev).sum() >= LEAST:
            gold, own = np.array([items[k].score for k in where]), scores[where]
            out[name] = gold[dev], own[dev], gold[~dev], own[~dev]
    if not out:
        raise ValueError(f"{len(items)} pairs in {len(places)} sets: no set has {2 * LEAST}")
    return out


def _mean_spearman(sets: dict[str, tuple], part: int) -> np.ndarray:
    """Mean over the sets of each column's Spearman; `part` 0 for the dev halves, 2 for the test halves."""
    return np.mean([similarity.rank_correlations(s[part], s[part + 1]) for s in sets.values()], 0)


def _mean_draws(sets: dict[str, tuple], columns: Sequence[int], settings) -> np.ndarray:
    """The mean over the sets resampled on the test halves, for some columns: (draws, columns)."""
    options = {"draws": min(settings.draws, DRAWS)}
    return np.mean(
        [
            similarity.rank_correlation_draws(gold, scores[:, columns], seed=settings.seed + k, **options)
            for k, (_, _, gold, scores) in enumerate(sets.values())
        ],
        0,
    )


def _pair_cosines(items: Sequence, place: dict[str, int], vectors: np.ndarray) -> np.ndarray:
    """(pairs, ...) cosines from (words, ..., H) vectors."""
    a, b = ([place[getattr(i, side)] for i in items] for side in "ab")
    return similarity.cosines(vectors[a], vectors[b])


@claim(
    "emb.postprocessing.mu2018",
    tasks=("word_similarity", "sts"),
    n=320,
    # a hundredth of Spearman at least
)
def postprocessing(subject, data, settings):
    """Spearman with similarity before and after removing mean and leading components (mu2018).

    Words stand alone in their input, sentences are means of their pieces; components (one in a hundred dimensions) are
    those of the vectors measured. The layer is the best before, on one half of the pairs, and scored on the other.
    """
    rows, notes = [], []
    for benchmark, task in (("word similarity", "word_similarity"), ("sentence similarity", "sts")):
        items = english(data.items.get(task, []))
        if not items:
            continue
        if task == "sts":
            items, cut = sample(items, PAIRS, settings.seed)
            notes += cut
        cosines = _before_and_after(subject, items, task, settings, notes)  # (pairs, 2, layers)
        layers = cosines.shape[-1]
        sets = _sets(items, cosines.reshape(len(items), -1), settings.seed)
        dev, test = _mean_spearman(sets, 0), _mean_spearman(sets, 2)
        drawn = _mean_draws(sets, range(2 * layers), settings)
        best, n = choose(np.nan_to_num(dev[:layers], nan=-2)), len(items)
        for name, start in (("before", 0), ("after", layers)):
            for k in range(layers):
                value = intervals.interval(test[start + k], drawn[:, start + k])
                rows.append(intervals.row(f"Spearman {name}", value, n, benchmark=benchmark, layer=k))
        for k in range(layers):
            gain = intervals.interval(test[layers + k] - test[k], drawn[:, layers + k] - drawn[:, k])
            rows.append(intervals.row("gain by layer", gain, n, benchmark=benchmark, layer=k))
            if k == best:
                rows.append(intervals.row("gain", gain, n, benchmark=benchmark, layer=k))
    return intervals.table(rows, notes)


def _before_and_after(subject, items, task, settings, notes) -> np.ndarray:
    texts = list(dict.fromkeys(t for i in items for t in (i.a, i.b)))
    if task == "word_similarity":
        vectors = pooling.isolated(subject, texts, settings)
    else:
        fit = encode.fits(subject, [t.split() for t in texts])
        if not fit.all():
            notes.append(f"{(~fit).sum()} sentences longer than {subject.name} takes are left out")
            known = {t for t, ok in zip(texts, fit) if ok}
            items[:] = [i for i in items if i.a in known and i.b in known]
            texts = [t for t in texts if t in known]
        vectors = np.empty((len(texts), subject.n_layers + 1, subject.hidden_size), np.float32)
        sentences = (t.split() for t in texts)
        for i, states in encode.hidden_states(subject, sentences, pool=None, settings=settings):
            vectors[i] = states[:, 1:-1].mean(1)
    place = {t: k for k, t in enumerate(texts)}
    before = _pair_cosines(items, place, vectors)
    after = [_pair_cosines(items, place, geometry.all_but_the_top(v)) for v in np.moveaxis(vectors, 1, 0)]
    return np.stack([before, np.stack(after, 1)], 1)


CONTEXTS = (("sts_semeval_2012_2016", "sentences"), ("ud_english_ewt", "sentences"), ("semcor", "senses"))


@lru_cache(maxsize=1)
def _published_contexts(folders: Settings) -> tuple[list[tuple[str, ...]], str]:
    """Sentences for words whose own data set has none: those of every source of `CONTEXTS` that can be had."""
    texts: dict[tuple[str, ...], None] = {}
    used, missing = [], None
    for source, task in CONTEXTS:
        try:
            found: Data = load(task, source, settings=folders)
        except Refusal as error:
            missing = error
            continue
        texts.update(dict.fromkeys(tuple(w.lower() for w in i.words) for i in found[task]))
        used.append(f"{source} (items {found.sha256[:8]})")
    if not texts:
        raise missing
    return list(texts), f"contexts from {', '.join(used)}: {len(texts)} sentences"


@claim(
    "emb.static_distillation.bommasani2020",
    tasks=("word_similarity", "sentences"),
    n=10_000,
    # a hundredth of Spearman at least
)
def static_distillation(subject, data, settings):
    """Word vectors pooled over contexts against the word alone, on word similarity (bommasani2020).

    Only words with 50 contexts count, and of each as many. Layers are chosen on one half of the pairs, for both sides
    apart, and scored on the other. Words and sentences are lower-cased.
    """
    notes = []
    if data.items.get("sentences"):
        texts = list(dict.fromkeys(tuple(w.lower() for w in i.words) for i in data["sentences"]))
    else:
        texts, note = _published_contexts(Settings(mirror=settings.mirror, cache=settings.cache))
        notes.append(note)
    items = data["word_similarity"]
    asked = {w.lower() for i in items for w in (i.a, i.b)}
    limit = min(60, subject.max_length // 3)  # words: longer contexts cost much, and some would not fit
    short = [t for t in texts if len(t) <= limit]
    places = geometry.sample(short, contexts=SIZES[-1], seed=settings.seed, keep=asked.__contains__)
    items = [i for i in items if i.a.lower() in places and i.b.lower() in places and i.a.lower() != i.b.lower()]
    items = _densest(items)
    words = list(dict.fromkeys(w.lower() for i in items for w in (i.a, i.b)))
    notes.append(f"{len(items)} pairs of {len(words)} words with {SIZES[-1]} contexts of at most {limit} words")
    made = pooling.static_vectors(subject, short, {w: places[w] for w in words}, SIZES, settings)
    columns = {"isolated": pooling.isolated(subject, words, settings)}
    columns |= {f"{k} contexts": vectors for k, vectors in zip(SIZES, made.means)}
    for p, pieces in enumerate(pooling.OVER_PIECES):
        for c, contexts in enumerate(pooling.OVER_CONTEXTS):
            columns[f"{pieces} over pieces, {contexts} over contexts"] = made.pooled[p, c]
    place = {w: k for k, w in enumerate(words)}
    a, b = ([place[getattr(i, side).lower()] for i in items] for side in "ab")
    cosines = np.stack([similarity.cosines(v[a], v[b]) for v in columns.values()], 1)  # (pairs, poolings, layers)
    return _distillation_rows(items, cosines, list(columns), settings, notes)


def _densest(items: list) -> list:
    """The pairs among the `WORDS` words that occur in the most pairs, where every set weighs the same."""
    sizes = Counter(i.condition for i in items)
    weights: dict[str, float] = defaultdict(float)
    for i in items:
        for word in (i.a.lower(), i.b.lower()):
            weights[word] += 1 / sizes[i.condition]
    kept = set(sorted(weights, key=lambda w: (-weights[w], w))[:WORDS])
    return [i for i in items if i.a.lower() in kept and i.b.lower() in kept]


def _distillation_rows(items, cosines, names, settings, notes):
    """Spearman by pooling and layer; pooled over most contexts less isolated, each at its best layer on dev."""
    layers = cosines.shape[-1]
    sets = _sets(items, cosines.reshape(len(items), -1), settings.seed)
    dev, test = (_mean_spearman(sets, part).reshape(-1, layers) for part in (0, 2))  # (poolings, layers)
    best = choose_each(np.nan_to_num(dev, nan=-2))  # (poolings,)
    n = sum(len(gold) for _, _, gold, _ in sets.values())
    pooled, alone = names.index(f"{SIZES[-1]} contexts"), names.index("isolated")
    drawn_for = {p * layers + k: None for p in (alone, pooled) for k in range(layers)}
    drawn_for |= {p * layers + int(k): None for p, k in enumerate(best)}
    drawn = dict(zip(drawn_for, _mean_draws(sets, list(drawn_for), settings).T))

    def row(measure, p, k):
        interval = intervals.interval(test[p, k], drawn[p * layers + k])
        return intervals.row(measure, interval, n, pooling=names[p], layer=int(k))

    rows = [row("Spearman by layer", p, k) for p in (alone, pooled) for k in range(layers)]
    rows += [row("Spearman, layer chosen on dev", p, k) for p, k in enumerate(best)]
    (value, draws), (value_alone, draws_alone) = (
        (test[p, best[p]], drawn[p * layers + best[p]]) for p in (pooled, alone)
    )
    gain = intervals.interval(value - value_alone, draws - draws_alone)
    rows.append(intervals.row("pooled less isolated", gain, n, contexts=SIZES[-1]))
    return intervals.table(rows, [*notes, f"{len(sets)} sets: {', '.join(sets)}"])
