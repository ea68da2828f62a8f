"""Static vectors from contexts, post-processing, bias tests and sentence pooling: what was released around them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_rescore.curves import columns, curve, rank_trend, released_row
from bertology_rescore.files import Files
from bertology_rescore.senteval import run_scores
from bertology_utils.scores.intervals import Interval, proportion, row, table, unpaired


def prototypes(files: Files) -> pd.DataFrame:
    """Correlation by layer and number of prototypes; best layer of each; gain of the best number over one mean."""
    rows = []
    for path, name in (("ws353_max_sim.csv", "WordSim-353"), ("ws353_sim_max_sim.csv", "WordSim-353 similarity")):
        frame = files.csv(path).set_index("k_clusters")
        for k, scores in frame.iterrows():
            keys = dict(subject="bert-base-uncased", set=name, prototypes=int(k))
            values = scores.to_numpy()
            rows += [*curve("correlation", values, **keys), rank_trend("correlation", values, **keys)]
            rows.append(released_row("best layer", int(values.argmax()), **keys, layer="best"))
        gain = frame.drop(index=1).to_numpy().max() - frame.loc[1].to_numpy().max()
        keys = dict(subject="bert-base-uncased", set=name, prototypes=0, layer="best")
        rows.append(released_row("best of several prototypes - best of one mean", gain, **keys))
    return table(rows)


def flow(files: Files) -> pd.DataFrame:
    """STS-B Spearman by model, and the flow's gain over the same model's averaged last two layers."""
    frame = files.csv("README_md_01.csv", comment="#").set_index("Model")["Spearman's rho"]
    rows = [released_row("STS-B Spearman", v / 100, subject=str(name)) for name, v in frame.items()]
    plain = frame["BERT-large-NLI-last2avg"]
    for name, value in frame.items():
        if "flow" in name:
            rows.append(released_row("gain over last2avg", (value - plain) / 100, subject=str(name)))
    return table(rows)


def log_probability_bias(files: Files) -> pd.DataFrame:
    """Effect size and p-value of each test."""
    measures = {"effect size": "effect_size", "permutation p": "permutation_p"}
    keys = {"test": "test", "method": "measure"}
    return table(columns(files.csv("effect_sizes.csv"), measures, keys, subject="bert-base-uncased"))


PAIRS, SENTENCES = 1379, 1821  # of the test sets of STS-B and of binary SST, which every run of them scores
_CLS, _FLAT = "[CLS], last layer", "mean, layer 0"


def spearman_interval(value: float, n: int) -> Interval:
    """95 % interval of a Spearman correlation of n pairs, by Fisher's transformation (bonett2000)."""
    z, half = np.arctanh(value), 1.96 * np.sqrt((1 + value**2 / 2) / (n - 3))
    return Interval(value, float(np.tanh(z - half)), float(np.tanh(z + half)), clusters=n)


def cosine_pooling(files: Files) -> pd.DataFrame:
    """STS-B Spearman by encoder, and the gain of BERT's mean over its [CLS] and over averaged GloVe."""
    frame = files.csv("stsb_cosine_spearman.csv").set_index("encoder").STSb_test_spearman / 100
    names = {n: ("mean" if "avg" in n else _CLS) for n in frame.index if n.startswith("BERT")}
    bert, rows = "bert-base (as a service)", []
    for name, value in frame.items():
        keys = (
            {"subject": bert, "pooling": names[name]} if name in names else {"subject": str(name), "pooling": "its own"}
        )
        rows.append(row("Spearman", spearman_interval(value, PAIRS), PAIRS, task="similarity", **keys))
    (mean,) = (frame[n] for n, kind in names.items() if kind == "mean")
    (cls,) = (frame[n] for n, kind in names.items() if kind == _CLS)
    for over, other in ((_CLS, cls), ("averaged GloVe vectors", frame["Avg. GloVe embeddings"])):
        gain = unpaired(spearman_interval(mean, PAIRS), spearman_interval(other, PAIRS))
        rows.append(row("gain", gain, PAIRS, task="similarity", subject=bert, over=over))
    return table(rows)


def trained_pooling(files: Files) -> pd.DataFrame:
    """Score by pooling and layer, and what the mean of the layer below the last gains over [CLS] and the embeddings."""
    poolings = {"first": "[CLS]", "last": "[SEP]", "mean": "mean", "max": "max"}
    kinds = {
        "STS-B s": ("similarity", "Spearman", PAIRS, lambda v: spearman_interval(v, PAIRS)),
        "SST-B": ("sentiment", "accuracy", SENTENCES, lambda v: proportion(round(v * SENTENCES), SENTENCES)),
    }
    subject, rows = "bert-base-uncased", []
    scores = run_scores(files, tuple(kinds)).loc[subject]
    for name, (task, measure, n, interval) in kinds.items():
        column, keys = scores[name].dropna(), {"subject": subject, "task": task}
        top = max(layer for _, layer in column.index)
        for (kind, layer), value in column.items():
            pooling = f"{poolings[kind]}, {'last layer' if layer == top else f'layer {layer}'}"
            rows.append(row(measure, interval(value), n, pooling=pooling, layer=str(layer), **keys))
        best = interval(column["mean", top - 1])
        for over, place in ((_CLS, ("first", top)), (_FLAT, ("mean", 0))):
            rows.append(row("gain", unpaired(best, interval(column[place])), n, over=over, **keys))
    return table(rows)
