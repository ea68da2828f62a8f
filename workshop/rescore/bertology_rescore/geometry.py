"""Geometry of contextual vectors by layer: Ethayarajh's released statistics, and others' self-similarity curves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd

from bertology_rescore import Release, released
from bertology_rescore.curves import curve, rank_trend, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.counts import column_means, percentiles
from bertology_utils.scores.intervals import Interval, row, table

BASE = "bert-base-uncased"
ETHAYARAJH = {"bert-base-cased": "bert", "gpt2": "gpt2", "elmo": "elmo"}
_STATS = tuple(f"{folder}/embedding_space_stats.json" for folder in ETHAYARAJH.values())
PAIRS = 1000  # random pairs behind each mean cosine, as the author's analyze.py draws them
_AUTHOR = Release(study="ethayarajh2019", label="authors", folder="ethayarajh2019_results")


def by_layer(files: Files, folder: str) -> dict[str, np.ndarray]:
    """Statistic -> value by layer, from one model's ``embedding_space_stats.json``."""
    stats = json.loads(files.text(f"{folder}/embedding_space_stats.json"))
    return {name: np.array([values[f"layer_{i}"] for i in range(len(values))]) for name, values in stats.items()}


def changes(measure: str, value: np.ndarray, interval: Callable[[np.ndarray], Interval], n: int, **keys) -> list[dict]:
    """Differences between the means of the lower, middle and upper third of the layers.

    Parameters
    ----------
    value : array (layers,)
    interval : callable
        Weights of the layers (layers,) -> the interval of the weighted sum.
    """
    means = np.zeros((3, len(value)))
    for third, part in zip(means, np.array_split(np.arange(len(value)), 3)):
        third[part] = 1 / len(part)
    lower, middle, upper = means
    steps = {"lower to middle": middle - lower, "middle to upper": upper - middle, "lower to upper": upper - lower}
    return [row(f"change of {measure}", interval(w), n, step=step, **keys) for step, w in steps.items()]


def bounded(value: float, weights: Sequence[float] | np.ndarray, n: int, width: float = 2.0) -> Interval:
    """The interval of a weighted sum of independent means of n values each, whatever their distribution (hoeffding1963).

    `width` is the range of a single value: 2 for cosines.

    Examples
    --------
    >>> [round(x, 3) for x in bounded(0.5, [1.0], 1000)]
    [0.5, 0.414, 0.586]
    """
    half = width * np.sqrt(np.log(2 / 0.05) / 2 * np.square(weights).sum() / n)
    return Interval(float(value), float(value - half), float(value + half))


def _bounded_sum(means: np.ndarray, weights: np.ndarray) -> Interval:
    return bounded(weights @ means, weights, PAIRS)


@_AUTHOR.on(
    "emb.anisotropy.ethayarajh2019",
    stance="supports",
    files=_STATS,
    baselines=("gpt2", "elmo"),
    note="The author's mean cosine of random words by layer, rounded aggregates. By the author's code each is the mean over "
    f"{PAIRS} random pairs of a thousand words, so the intervals are the widest that the mean of {PAIRS} cosines can have; "
    "the drawing of the words is not in them. It grows with the layer in BERT, though the last layer falls back below the "
    "two before it.",
)
def anisotropy(files: Files) -> pd.DataFrame:
    """Mean cosine of random word pairs by layer (0 = input embeddings), and its change between thirds of the stack."""
    rows = []
    for subject, folder in ETHAYARAJH.items():
        cosine = by_layer(files, folder)["mean cosine similarity across words"]
        for i, v in enumerate(cosine):
            stage = "contextual" if i else "embeddings"
            rows.append(row("mean cosine", bounded(v, [1.0], PAIRS), PAIRS, subject=subject, layer=str(i), stage=stage))
        rows += changes("mean cosine", cosine, partial(_bounded_sum, cosine), PAIRS, subject=subject)
    return table(rows)


def _weighted_sum(value: np.ndarray, draws: np.ndarray, n: int, weights: np.ndarray) -> Interval:
    return percentiles(weights @ value, draws @ weights, clusters=n)


@_AUTHOR.on(
    "emb.context_specificity.ethayarajh2019",
    stance="supports",
    files=(*_STATS, "bert/self_similarity.csv", "bert/variance_explained.csv"),
    note="The author's self-similarity for 8,159 words, unadjusted; the adjustment for anisotropy by the released baseline, "
    "an aggregate that is taken as exact, is made here. Adjusted and relative self-similarity fall with the layer; the raw "
    "figures do not fall steadily, so the claim rests on the adjustment. The share of variance is that of centred vectors, "
    "another quantity than the uncentred one of the paper's formula.",
)
def context_specificity(files: Files) -> pd.DataFrame:
    """Self- and intra-sentence similarity, raw and adjusted, and the first component's variance (ethayarajh2019)."""
    stats, keys = by_layer(files, "bert"), {"subject": "bert-base-cased"}
    rows = []
    for measure, path in (
        ("self-similarity", "bert/self_similarity.csv"),
        ("variance of the first centred component", "bert/variance_explained.csv"),
    ):
        words = files.csv(path, keep_default_na=False, na_values=[""]).set_index("word").dropna()
        layers, n = [int(c.removeprefix("layer_")) for c in words.columns], len(words)
        mean, draws = column_means(words.to_numpy(float))
        kinds = {measure: (mean, draws)}
        if measure == "self-similarity":
            base = stats["mean cosine similarity across words"][layers]
            kinds["adjusted self-similarity"] = mean - base, draws - base
            kinds["relative self-similarity"] = (mean - base) / (1 - base), (draws - base) / (1 - base)
        for name, (value, drawn) in kinds.items():
            for i, layer in enumerate(layers):
                interval = percentiles(value[i], drawn[:, i], clusters=n)
                rows.append(row(name, interval, n, layer=str(layer), **keys))
            if name != measure:
                rows += changes(name, value, partial(_weighted_sum, value, drawn, n), n, **keys)
    intra = stats["mean cosine similarity between sentence and words"] - stats["mean cosine similarity across words"]
    return table(rows + curve("adjusted intra-sentence similarity", intra, **keys))


MONOPOLY = {
    "bert-base-uncased": "en-bert",
    "bert-base-cased": "en-bbcased",
    "bert-base-multilingual-cased": "en-multicased",
}
_MONOPOLY = Release(
    study="Garí Soler & Apidianaki 2021",
    label="rerun",
    folder="released/gari_soler2021_monopoly",
    files=tuple(f"{folder}/*.csv" for folder in MONOPOLY.values()),
)


def monopoly(files: Files, kinds: str) -> pd.DataFrame:
    """Mean self-similarity by model, kind of word (`condition`) and layer, from one of the study's tables."""
    parts = []
    for subject, folder in MONOPOLY.items():
        frame = files.csv(f"{folder}/{kinds}_semcor{'_poly-bal' if 'bands' in kinds else ''}.csv", sep="\t")
        frame = frame.melt(id_vars="Type", var_name="layer", value_name="value")
        parts.append(frame.assign(subject=subject, layer=frame.layer.astype(int)).rename(columns={"Type": "condition"}))
    return pd.concat(parts, ignore_index=True)


@_MONOPOLY.on(
    "emb.context_specificity.ethayarajh2019",
    stance="qualifies",
    label="related",
    note="Mean self-similarity of English words in SemCor by layer, without intervals and without that of random words, so "
    "that it cannot be adjusted and decides nothing. It falls with the layer in bert-base-uncased; in the cased and the "
    "multilingual model the curve is not monotone.",
)
def self_similarity(files: Files) -> pd.DataFrame:
    """Unadjusted self-similarity by layer for monosemous and polysemous words."""
    rows = []
    for (subject, condition), part in monopoly(files, "mono_poly").groupby(["subject", "condition"], sort=False):
        values = part.sort_values("layer").value.to_numpy()
        keys = dict(subject=subject, condition=condition)
        rows += [*curve("self-similarity", values, **keys), rank_trend("self-similarity", values, **keys)]
    return table(rows)


@_MONOPOLY.on(
    "emb.sense_clusters.wiedemann2019",
    stance="supports",
    label="related",
    note="Self-similarity of words with few and with many senses: words with fewer senses keep more similar "
    "vectors at every layer. It bears on senses without any disambiguation, and has no intervals.",
)
def polysemy(files: Files) -> pd.DataFrame:
    """Self-similarity of monosemous minus polysemous words, and of low minus high polysemy, by layer."""
    rows = []
    for name, more, less in (("mono_poly", "monosemous", "poly-bal"), ("polysemy_bands", "low", "high")):
        frame = monopoly(files, name)
        wide = frame.pivot_table(index=["subject", "layer"], columns="condition", values="value")
        for (subject, layer), value in (wide[more] - wide[less]).items():
            keys = dict(subject=subject, condition=f"{more} - {less}", layer=str(layer))
            rows.append(released_row("difference of self-similarity", value, **keys))
    return table(rows)


@released(
    "emb.token_identity.voita2019a",
    study="Mickus et al. 2022",
    label="related",
    stance="qualifies",
    folder="released/mickus2022_bert_splat",
    files=("xlayers.csv",),
    note="How much of each layer's output vectors comes from the input embedding, the feed-forward layers, "
    "attention and bias terms (means over tokens; their spread over tokens was released, but no interval "
    "of the mean). The input's share falls almost throughout: it shows the fading of token identity, but "
    "no return near the top, and as no decoder of tokens was measured it decides nothing here.",
)
def input_share(files: Files) -> pd.DataFrame:
    """Share of the layer output that each kind of term makes up, by layer."""
    frame = files.csv("xlayers.csv", skipinitialspace=True)
    names = {"ipt": "input embedding", "ff": "feed-forward", "mha": "attention", "norm": "bias and norm"}
    long = frame.melt(id_vars="layer", value_vars=list(names), var_name="term").dropna(subset="value")
    rows = [
        released_row("share of output", r.value, subject=BASE, term=names[r.term], layer=str(int(r.layer)))
        for r in long.itertuples()
    ]
    return table([*rows, rank_trend("input share", frame.ipt.to_numpy(), subject=BASE, term="input embedding")])
