"""Geometry of contextual vectors by layer: Ethayarajh's released statistics, and others' self-similarity curves."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pandas as pd

from bertology_rescore.counts import column_means
from bertology_rescore.curves import curve, rank_trend, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import Interval, row, table
from bertology_utils.scores.intervals import interval as percentiles

BASE = "bert-base-uncased"
ETHAYARAJH = {"bert-base-cased": "bert", "gpt2": "gpt2", "elmo": "elmo"}
PAIRS = 1000  # random pairs behind each mean cosine, as the author's analyze.py draws them


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


def monopoly(files: Files, kinds: str) -> pd.DataFrame:
    """Mean self-similarity by model, kind of word (`condition`) and layer, from one of the study's tables."""
    parts = []
    for subject, folder in MONOPOLY.items():
        frame = files.csv(f"{folder}/{kinds}_semcor{'_poly-bal' if 'bands' in kinds else ''}.csv", sep="\t")
        frame = frame.melt(id_vars="Type", var_name="layer", value_name="value")
        parts.append(frame.assign(subject=subject, layer=frame.layer.astype(int)).rename(columns={"Type": "condition"}))
    return pd.concat(parts, ignore_index=True)


def self_similarity(files: Files) -> pd.DataFrame:
    """Unadjusted self-similarity by layer for monosemous and polysemous words."""
    rows = []
    for (subject, condition), part in monopoly(files, "mono_poly").groupby(["subject", "condition"], sort=False):
        values = part.sort_values("layer").value.to_numpy()
        keys = dict(subject=subject, condition=condition)
        rows += [*curve("self-similarity", values, **keys), rank_trend("self-similarity", values, **keys)]
    return table(rows)


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
