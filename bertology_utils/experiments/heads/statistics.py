"""What heads look at, whatever the task: patterns, special tokens, norms, likeness."""

from __future__ import annotations

import numpy as np
import pandas as pd
from scipy.stats import beta

from ...attention import patterns
from ...attention.choosing import fitting
from ...attention.collect import STATISTICS, collect, permutation_test
from ...attention.importance import kind_gradients
from ...calibration import planted as plants
from ...calibration.nulls import Null
from ...claims.registry import claim
from ...scores import intervals
from ...scores.choice import choose
from ...scores.profiles import UNDEFINED, inside_lead, stretches
from .led import led

SPECIAL = ("[CLS]", "[SEP]")
PEAKS = (*SPECIAL, ". or ,")


def _sentences(subject, data) -> tuple[list, str]:
    """Words of the sentences of at least four words that fit; of a treebank its test part."""
    items = next(iter(data.items.values()))
    items = [i for i in items if i.split == "test"] or items
    kept, note = fitting(subject, [i for i in items if len(i.words) > 3])
    return [i.words for i in kept], note


def by_block(array: np.ndarray, measure: str, settings, **keys) -> list[dict]:
    """A row for each block (from 1) of values (n, L, A): mean over heads, interval over sentences."""
    known = ~np.isnan(array).all(-1)
    means = np.where(known, np.nansum(array, -1) / np.maximum((~np.isnan(array)).sum(-1), 1), np.nan)  # (n, L)
    options = dict(seed=settings.seed, draws=settings.draws)
    out = []
    for k, column in enumerate(means.T, 1):
        column = column[~np.isnan(column)]
        interval = intervals.mean_interval(column, **options) if len(column) else UNDEFINED
        out.append(intervals.row(measure, interval, len(column), **keys, block=k))
    return out


def _over_heads(values: np.ndarray) -> np.ndarray:
    """Mean over blocks and heads of (n, L, A), those that are undefined left out; (n,)."""
    known = ~np.isnan(values)
    total, count = np.where(known, values, 0).sum((1, 2)), known.sum((1, 2))
    return np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0)


def _columns(seen, at) -> np.ndarray:
    """Attention to some places from everywhere, (T, T)."""
    out = np.full((len(seen.ids), len(seen.ids)), 1e-3)
    out[:, at] += 1
    return out / out.sum(1, keepdims=True)


def vertical_heads(data, base, rng):
    """Two heads of three attend to [CLS] or to separators, one of six to the word before; the rest is uneven noise."""
    separator = base.tokenizer.sep_token_id

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 2.0)
        before = np.eye(len(seen.ids), k=-1) + 1e-3
        places = (seen.ids == separator, np.arange(len(seen.ids)) == 0)
        for h in range(base.n_layers * base.n_heads):
            layer, head = divmod(h, base.n_heads)
            if h % 6 < 4:
                maps[layer, head] = 0.9 * _columns(seen, places[h % 2]) + 0.1 * maps[layer, head]
            elif h % 6 == 4:
                maps[layer, head] = before / before.sum(1, keepdims=True)
        return maps

    return plants.plant(base, data, rng, attention=attention)


@claim(
    "hed.patterns.kovaleva2019", tasks="sentences", n=2400, limit=1200, planted=vertical_heads,
    nulls=("untrained", "constant", "coin"),
)  # fmt: skip
def five_patterns(subject, data, settings):
    """Shares of the five patterns among the maps of sentence pairs, by a classifier of generated maps (kovaleva2019).

    Pairs, because the block pattern needs two segments: a sentence and the next. How often the classifier agrees with
    labels given by eye is part of the result.
    """
    words, note = _sentences(subject, data)
    joined = list(zip(words[::2], words[1::2]))
    kept, more = fitting(subject, joined, lambda pair: [*pair[0], subject.tokenizer.sep_token, *pair[1]])
    labels = patterns.classify(subject, [a for a, _ in kept], [b for _, b in kept], settings=settings)  # (n, L, A)
    is_it = np.stack([labels == k for k in range(len(patterns.PATTERNS))], -1)  # (n, L, A, 5)
    share = is_it.mean((1, 2))  # (n, 5)
    options = dict(seed=settings.seed, draws=settings.draws)
    rows = []
    for k, pattern in enumerate(patterns.PATTERNS):
        keys = dict(pattern=pattern, maps="weights")
        interval = intervals.mean_interval(share[:, k], **options)
        rows.append(intervals.row("share of maps", interval, len(kept), **keys, block="all"))
        rows += by_block(is_it[..., k].astype(float), "share of maps, by block", settings, **keys)
    vertical = patterns.PATTERNS.index("vertical")
    lead = intervals.bootstrap(share, lambda s: _lead(s.mean(0), vertical), **options, bounds=(-1.0, 1.0))
    rows.append(intervals.row("vertical - commonest other", lead, len(kept), maps="weights"))
    return intervals.table([*rows, *_agreement(settings)], [note, more])


def _lead(shares: np.ndarray, which: int) -> float:
    return float(shares[which] - np.delete(shares, which).max())


def _agreement(settings) -> list[dict]:
    """How often the classifier gives a map the label that the eye gave it; maps of one input are drawn together."""
    seen, truth, inputs = patterns.labelled("test")
    right = patterns.classifier(settings.seed).predict(seen) == truth
    usual = truth == np.bincount(truth).argmax()
    columns = {
        "agreement with maps labelled by eye": right,
        "agreement - commonest label": right.astype(float) - usual,
    }
    options = dict(seed=settings.seed, draws=settings.draws, groups=inputs)
    return [
        intervals.row(m, intervals.mean_interval(v, **options, signed=" - " in m), len(v)) for m, v in columns.items()
    ]


def moving_attention(data, base, rng):
    """A random network led to [CLS] early, to [SEP] in the middle (with short value vectors), to full stops at the end."""
    depth = np.arange(1, base.n_layers + 1) / base.n_layers
    peaks = zip(PEAKS, (0.2, 0.6, 1.0))
    return led(base, {kind: 0.6 * np.exp(-0.5 * ((depth - peak) / 0.12) ** 2) for kind, peak in peaks})


@claim(
    "hed.special_tokens.clark2019", tasks="sentences", n=2000, limit=1600, planted=moving_attention,
    nulls=("untrained", "positions", "constant", "coin"),
)  # fmt: skip
def special_tokens(subject, data, settings):
    """Attention by kind of token and block; gradient of the masked-LM loss by the attention to [SEP] (clark2019).

    Where attention to a kind of token peaks is told by the highest block of a stretch of the depth, less the highest
    elsewhere. What a gradient says depends on the block, so that on [SEP] is divided by that on ordinary words of the
    same block, and blocks that attend to [SEP] more than the median block are compared with the others.
    """
    words, note = _sentences(subject, data)
    values = collect(subject, words, settings=settings).values
    rows = []
    for name in STATISTICS:
        rows += by_block(values[name], "mean, by block", settings, statistic=name)
    few = words[: min(len(words), 200)]  # gradients cost more, and each sentence gives one for every weight
    gradients = kind_gradients(subject, few, settings)
    for name, array in gradients.items():
        rows += by_block(array, "gradient by attention, by block", settings, statistic=name)
    for name in PEAKS:
        rows += _peaks(values[name].mean(-1), name, settings)
    curves = [values["[SEP]"][: len(few)], gradients["[SEP]"], gradients["other"]]
    fall = intervals.bootstrap(
        [c.mean(-1) for c in curves], _fall, seed=settings.seed, draws=min(settings.draws, 1000), bounds=(0.0, np.inf)
    )
    rows.append(intervals.row("relative gradient, blocks that attend to [SEP] most / others", fall, len(few)))
    return intervals.table(rows, [note])


def _peaks(curve: np.ndarray, name: str, settings) -> list[dict]:
    """Depth of the peak of a curve (n, L), and by how much the highest block of each stretch leads those elsewhere."""
    options = dict(seed=settings.seed, draws=min(settings.draws, 1000))
    depth = intervals.bootstrap(curve, lambda c: (choose(c.mean(0)) + 1) / c.shape[1], **options, bounds=(0.0, 1.0))
    rows = [intervals.row("depth of the peak", depth, len(curve), statistic=name)]
    for stretch, inside in stretches(curve.shape[1]).items():
        lead, n = UNDEFINED, 0  # of two blocks, none is in the first third
        if inside.any() and not inside.all():
            lead, n = intervals.bootstrap(curve, lambda c, i=inside: inside_lead(c.mean(0), i), **options), len(curve)
        rows.append(intervals.row(f"peak in {stretch} - elsewhere", lead, n, statistic=name))
    return rows


def _fall(mass: np.ndarray, separator: np.ndarray, other: np.ndarray) -> float:
    """Geometric mean over blocks of the gradient on [SEP] by that on words: blocks of much mass by the rest; (n, L)."""
    mass, least = mass.mean(0), 1e-30
    relative = np.log(np.maximum(separator.mean(0), least) / np.maximum(other.mean(0), least))
    much = mass > np.median(mass)
    if not much.any() or not np.any(separator):
        return float("nan")
    return float(np.exp(relative[much].mean() - relative[~much].mean()))


def _separated(base, data, rng, size: float, name: str):
    """Heads give half of their attention to [SEP], whose vectors are `size` times as long as those of words."""
    separator = base.tokenizer.sep_token_id

    def vectors(seen):
        drawn = np.stack([plants.code(i, 32) for i in seen.ids.tolist()])
        return drawn * np.where(seen.ids[:, None] == separator, size, 1.0)

    def attention(seen, own):
        even = plants.even_maps(base.n_layers, base.n_heads, seen, own, 0.5)
        return 0.5 * even + 0.5 * _columns(seen, seen.ids == separator)

    parts = [plants.Part(32, vectors, noise=0.01, by_piece=True)]
    return plants.plant(base, data, rng, parts=parts, attention=attention, flow=1.0, name=name)


def short_vectors(data, base, rng):
    """Heads give half of their attention to [SEP], whose vectors are a tenth as long as those of words."""
    return _separated(base, data, rng, 0.1, "planted")


def alike_vectors(data, base, rng):
    """Heads give half of their attention to [SEP], whose vectors are as long as any."""
    return _separated(base, data, rng, 1.0, "alike vectors")


@claim(
    "hed.norms.kobayashi2020", tasks="sentences", n=2000, limit=1600, planted=short_vectors,
    nulls=("untrained", Null("alike vectors", "much attention to [SEP], whose vectors are as long as any", alike_vectors)),
)  # fmt: skip
def norms(subject, data, settings):
    """What special tokens get of the attention, by weights and by norms of the weighted vectors (kobayashi2020).

    The rank correlation is over heads, each with its mean weight on tokens of a kind and the mean norm of their
    transformed vectors; its interval is over sentences.
    """
    words, note = _sentences(subject, data)
    found = collect(subject, words, norms=True, settings=settings)
    rows = []
    options = dict(seed=settings.seed, draws=settings.draws)
    for kind in (*PEAKS, "other"):
        rows += by_block(found.values[kind], "share of the weights", settings, kind=kind)
        rows += by_block(found.norms[f"share {kind}"], "share of the norms", settings, kind=kind)
        pair = [a.reshape(len(a), -1) for a in (found.values[kind], found.norms[f"size {kind}"])]
        pair = [a[~np.isnan(pair[1]).any(1)] for a in pair]  # sentences with a token of the kind
        if len(pair[0]) > 1:
            rho = intervals.bootstrap(
                pair, lambda w, s: intervals.spearman(w.mean(0), s.mean(0)), seed=settings.seed,
                draws=min(settings.draws, 500), bounds=(-1.0, 1.0),
            )  # fmt: skip
            rows.append(intervals.row("Spearman of weight and vector norm", rho, len(pair[0]), kind=kind))
    weights = sum(found.values[k] for k in SPECIAL)  # (n, L, A)
    by_norm = sum(found.norms[f"share {k}"] for k in SPECIAL)  # nan for a head that moves nothing
    columns = {"weights": weights, "norms": by_norm, "norms - weights": by_norm - weights}
    columns = {name: _over_heads(values) for name, values in columns.items()}
    for name, values in columns.items():
        known = values[~np.isnan(values)]
        interval = intervals.mean_interval(known, **options, signed=" - " in name) if len(known) else UNDEFINED
        rows.append(intervals.row(f"share of special tokens, {name}", interval, len(known)))
    return intervals.table(rows, [note])


def alike_in_a_layer(data, base, rng):
    """All heads of a layer attend to the same offset, another in each layer, with noise."""

    def attention(seen, own):
        maps = plants.even_maps(base.n_layers, base.n_heads, seen, own, 1.0)
        for layer in range(base.n_layers):
            near = np.eye(len(seen.ids), k=layer - base.n_layers // 2) + 0.05
            maps[layer] = 0.5 * maps[layer] + 0.5 * near / near.sum(1, keepdims=True)
        return maps

    return plants.plant(base, data, rng, attention=attention)


@claim(
    "hed.redundancy.clark2019", tasks="sentences", n=1000, limit=800, planted=alike_in_a_layer,
    nulls=("untrained", "positions", "bag of words", "coin"),
)  # fmt: skip
def redundancy(subject, data, settings):
    """Jensen-Shannon divergences between heads, of one layer and of two (clark2019).

    The permutation test deals the heads out over the layers anew. What it gives by chance, its 95th percentile, is
    taken off the difference; its p is shown with the interval of the count (Clopper-Pearson). `x` and `y` place the
    heads on a map that keeps their distances as well as two dimensions can.
    """
    words, note = _sentences(subject, data)
    found = collect(subject, words, distances=True, settings=settings)
    observed, drawn = permutation_test(found.matrix, subject.n_heads, seed=settings.seed, draws=1000)
    chance = float(np.quantile(drawn, 0.95))
    names = ("within a layer", "between layers")
    frame = pd.DataFrame(found.distances, columns=names).assign(gap=lambda f: f[names[1]] - f[names[0]])
    frame["beyond"] = frame["gap"] - chance
    named = {
        names[0]: f"divergence {names[0]}",
        names[1]: f"divergence {names[1]}",
        "gap": "between - within layers",
        "beyond": "between - within layers, beyond chance",
    }
    measured = [
        intervals.means(frame, c, measure=m, settings=settings, signed=c in ("gap", "beyond"))
        for c, m in named.items()
    ]  # fmt: skip
    over = int((drawn >= observed - 1e-12).sum())
    p = (over + 1) / (len(drawn) + 1)
    low, high = beta.ppf([0.025, 0.975], [max(over, 1e-9), over + 1], [len(drawn) - over + 1, len(drawn) - over])
    rows = [intervals.row("p of the permutation test", (p, low, high), len(drawn))]
    points = _plane(found.matrix)
    for head, (x, y) in enumerate(points):
        block, place = divmod(head, subject.n_heads)
        for axis, at in (("x", x), ("y", y)):  # a place on a map, not an estimate: no interval
            rows.append(intervals.row(axis, (at, np.nan, np.nan), len(words), block=block + 1, place=place + 1))
    return intervals.combine(*measured, intervals.table(rows, [note]))


def _plane(matrix: np.ndarray) -> np.ndarray:
    """Heads in the plane, by classical scaling of the square roots of the divergences (which are distances)."""
    square = np.asarray(matrix)
    centre = np.eye(len(square)) - 1 / len(square)
    values, vectors = np.linalg.eigh(-0.5 * centre @ square @ centre)
    points = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 0))
    return points * np.sign(points[np.abs(points).argmax(0), [0, 1]] + 1e-30)  # signs are free: the largest is positive
