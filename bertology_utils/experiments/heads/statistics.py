"""What heads look at, whatever the task: patterns, special tokens, norms, likeness."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import beta

from ...attention import patterns
from ...attention.choosing import fitting
from ...attention.collect import STATISTICS, collect, permutation_test
from ...attention.importance import separator_gradients
from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose


def _sentences(subject, data) -> tuple[list, str]:
    """Words of the sentences of at least four words that fit; of a treebank its test part."""
    items = next(iter(data.items.values()))
    items = [i for i in items if i.split == "test"] or items
    kept, note = fitting(subject, [i for i in items if len(i.words) > 3])
    return [i.words for i in kept], note


def by_layer(array: np.ndarray, measure: str, settings, **keys) -> list[dict]:
    """A row a layer from (n, L, A): mean over heads, interval over sentences."""
    means = np.nanmean(array, -1)  # (n, L)
    draws = settings.draws
    return [
        intervals.row(measure, intervals.mean_interval(column[~np.isnan(column)], seed=settings.seed, draws=draws),
                  int((~np.isnan(column)).sum()), **keys, layer=k)
        for k, column in enumerate(means.T)
    ]  # fmt: skip


@claim("hed.patterns.kovaleva2019", tasks="sentences", n=2400, limit=200)  # fmt: skip
def five_patterns(subject, data, settings):
    """Shares of the five patterns among the maps of sentence pairs, by a classifier of generated maps (kovaleva2019).

    Pairs, because the block pattern needs two segments: a sentence and the next.
    """
    words, note = _sentences(subject, data)
    first, second = words[::2], words[1::2]
    joined = [(a, b) for a, b in zip(first, second)]
    kept, more = fitting(subject, joined, lambda pair: [*pair[0], subject.tokenizer.sep_token, *pair[1]])
    labels = patterns.classify(subject, [a for a, _ in kept], [b for _, b in kept], settings=settings)  # (n, L, A)
    rows = []
    for k, pattern in enumerate(patterns.PATTERNS):
        is_it = labels == k
        share = intervals.mean_interval(is_it.mean((1, 2)), seed=settings.seed, draws=settings.draws)
        rows.append(intervals.row("share of maps", share, len(kept), pattern=pattern, layer="all"))
        rows += by_layer(is_it.astype(float), "share of maps, by layer", settings, pattern=pattern)
    unseen, truth = patterns.generated(60, settings.seed + 1)
    right = patterns.classifier(settings.seed).predict(unseen) == truth
    interval = intervals.mean_interval(right, seed=settings.seed, draws=settings.draws)
    rows.append(intervals.row("accuracy on unseen generated maps", interval, len(right), pattern="all", layer="all"))
    return intervals.table(rows, [note, more])


def _peak_gap(a: np.ndarray, b: np.ndarray) -> float:
    """Layers between the peaks of two curves, of arrays (n, L): b's less a's."""
    return float(choose(b.mean(0)) - choose(a.mean(0)))


@claim(
    "hed.special_tokens.clark2019",
    tasks="sentences",
    n=2000,
    limit=200,
)
def special_tokens(subject, data, settings):
    """Attention by kind of token and layer; gradient of the masked-LM loss by the attention to [SEP] (clark2019).

    Peaks are layers with the largest mean over heads. The last figure compares layers: does the gradient fall where the
    attention rises?
    """
    words, note = _sentences(subject, data)
    values = collect(subject, words, settings=settings).values
    rows = []
    for name in STATISTICS:
        rows += by_layer(values[name], "mean, by layer", settings, statistic=name)
    few = words[: min(len(words), 120)]  # gradients cost more, and each sentence gives one for every weight
    gradients = separator_gradients(subject, few, settings)
    rows += by_layer(gradients, "gradient by attention to [SEP]", settings, statistic="[SEP]")
    curves = {k: values[k].mean(-1) for k in ("[CLS]", "[SEP]", "punctuation")}  # (n, L)
    options = dict(seed=settings.seed, draws=min(settings.draws, 1000))
    for a, b in (("[CLS]", "[SEP]"), ("[SEP]", "punctuation")):
        gap = intervals.bootstrap([curves[a], curves[b]], _peak_gap, **options)
        rows.append(intervals.row(f"layers from the peak of {a} to that of {b}", gap, len(words)))
    both = [curves["[SEP]"][: len(few)], gradients.mean(-1)]
    rho = intervals.bootstrap(both, lambda m, g: intervals.spearman(m.mean(0), g.mean(0)), **options)
    rows.append(intervals.row("Spearman of attention to [SEP] and its gradient", rho, len(few)))
    return intervals.table(rows, [note])


@claim(
    "hed.norms.kobayashi2020",
    tasks="sentences",
    n=2000,
    limit=200,
)
def norms(subject, data, settings):
    """What special tokens get of the attention, by weights and by norms of the weighted vectors (kobayashi2020).

    The rank correlation is over heads, each with its mean weight on tokens of a kind and the mean norm of their
    transformed vectors; the interval is over sentences.
    """
    words, note = _sentences(subject, data)
    found = collect(subject, words, norms=True, settings=settings)
    rows = []
    options = dict(seed=settings.seed, draws=min(settings.draws, 500))
    for kind in ("[CLS]", "[SEP]", "punctuation", "other"):
        rows += by_layer(found.values[kind], "share of the weights", settings, kind=kind)
        rows += by_layer(found.norms[f"share {kind}"], "share of the norms", settings, kind=kind)
        pair = [a.reshape(len(a), -1) for a in (found.values[kind], found.norms[f"size {kind}"])]
        there = ~np.isnan(pair[1]).any(1)  # sentences with a token of the kind
        pair = [a[there] for a in pair]
        rho = intervals.bootstrap(pair, lambda w, s: intervals.spearman(w.mean(0), s.mean(0)), **options)
        rows.append(intervals.row("Spearman of weight and vector norm", rho, int(there.sum()), kind=kind))
    special = sum(found.norms[f"share {k}"] - found.values[k] for k in ("[CLS]", "[SEP]")).mean((1, 2))  # (n,)
    interval = intervals.mean_interval(special, seed=settings.seed, draws=settings.draws)
    rows.append(intervals.row("share of special tokens, norms - weights", interval, len(words)))
    return intervals.table(rows, [note])


@claim(
    "hed.redundancy.clark2019",
    tasks="sentences",
    n=1000,
)
def redundancy(subject, data, settings):
    """Jensen-Shannon divergences between heads, of one layer and of two (clark2019).

    The permutation test deals the heads out over the layers anew; the interval of its p is that of the count
    (Clopper-Pearson). `x` and `y` place the heads on a map that keeps their distances as well as two dimensions can.
    """
    words, note = _sentences(subject, data)
    found = collect(subject, words, distances=True, settings=settings)
    names = ("within a layer", "between layers")
    frame = pd.DataFrame(found.distances, columns=names).assign(gap=lambda f: f[names[1]] - f[names[0]])
    named = {names[0]: f"divergence {names[0]}", names[1]: f"divergence {names[1]}", "gap": "between - within layers"}
    measured = [intervals.means(frame, c, measure=m, settings=settings) for c, m in named.items()]
    over, draws = permutation_test(found.matrix, subject.n_heads, seed=settings.seed, draws=1000)
    p = (over + 1) / (draws + 1)
    low, high = beta.ppf([0.025, 0.975], [max(over, 1e-9), over + 1], [draws - over + 1, max(draws - over, 1e-9)])
    rows = [intervals.row("p of the permutation test", (p, low, high), draws)]
    points = _plane(found.matrix, settings.seed)
    for head, (x, y) in enumerate(points):
        layer, place = divmod(head, subject.n_heads)
        for axis, at in (("x", x), ("y", y)):  # a place on a map, not an estimate: no interval
            rows.append(intervals.row(axis, (at, np.nan, np.nan), len(words), layer=layer, head=place))
    return intervals.combine(*measured, intervals.table(rows, [note]))


def _plane(matrix: np.ndarray, seed: int) -> np.ndarray:
    """Heads in the plane, by classical scaling of the square roots of the divergences (which are distances)."""
    square = np.asarray(matrix)
    centre = np.eye(len(square)) - 1 / len(square)
    values, vectors = np.linalg.eigh(-0.5 * centre @ square @ centre)
    points = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0))
    return points * np.sign(points[np.abs(points).argmax(0), [0, 1]] + 1e-30)  # signs are free: the largest is positive
