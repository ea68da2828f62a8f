"""Parts of a tuned BERT set at random or pruned afterwards: what each layer is worth (Prasanna et al. 2020)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import t as student

from bertology_rescore.files import Files
from bertology_rescore.glue import ACCURACY, METRICS, RUNS, gap_rows, task_scores
from bertology_rescore.lottery import FULL, SUBJECT, masked
from bertology_utils.scores.intervals import Interval, mean_interval, row, table

LAYERS = 12
ATTENTION = "randomize_qkv_together/qkv_layer_{}_results.json"
LAYER = "randomize_full_layerwise/randomize_layer_{}_results.json"
PAIR = "randomize_full_layerwise/randomize_layers_{}_{}_results.json"
PRUNED = "ablate_pruning/ablate_pruning/p_{}_{}.json"


def harmful_parts(files: Files) -> pd.DataFrame:
    """Largest gain of one layer's attention at random weights, by task; the interval holds for all layers at once."""
    means, sds = task_scores(files)
    names = [ATTENTION.format(k) for k in range(LAYERS)]
    rows, gains = [], []
    for task in METRICS:
        gain = (means.loc[names, task] - means.loc[FULL, task]).to_numpy()
        spread = np.hypot(sds.loc[names, task].to_numpy(), sds.loc[FULL, task])
        keys = dict(subject=SUBJECT, task=task, layer=int(gain.argmax()))
        rows.append(row("largest gain, one layer's attention at random", best(gain, spread), RUNS, **keys))
        gains.append(gain.max())
    mean = mean_interval(gains, signed=True)
    name = "largest gain, one layer's attention at random, mean over tasks"
    return table([*rows, row(name, mean, len(gains), subject=SUBJECT, task="all", layer="best")])


def best(gain: np.ndarray, spread: np.ndarray, runs: int = RUNS) -> Interval:
    """The greatest of several gains, from the greatest lower to the greatest upper end of Bonferroni's intervals.

    Examples
    --------
    >>> value, low, high = best(np.array([0.01, -0.02]), np.array([0.001, 0.001]))
    >>> value, low < value < high
    (0.01, True)
    """
    half = student.ppf(1 - 0.025 / len(gain), runs - 1) * spread / np.sqrt(runs - 1)
    return Interval(float(gain.max()), float((gain - half).max()), float((gain + half).max()), clusters=runs)


def layer_redundancy(files: Files) -> pd.DataFrame:
    """Accuracy lost by layer, on average over six tasks, with one layer at random and with two."""
    means, _ = task_scores(files)
    full, rows = means.loc[FULL, list(ACCURACY)], []
    every: dict[int, list[pd.Series]] = {1: [], 2: []}
    for k in range(LAYERS):
        for several, name in ((1, LAYER.format(k)), (2, PAIR.format(k, k + 1))):
            if name in means.index:
                lost = full - means.loc[name, list(ACCURACY)]
                every[several].append(lost)
                what = "one layer" if several == 1 else "two layers"
                found = mean_interval(lost.to_numpy(float), signed=True)
                rows.append(row(f"accuracy lost, {what} at random", found, len(lost), subject=SUBJECT, layer=k))
    for several, what in ((1, "one layer"), (2, "two layers")):
        mean = pd.concat(every[several], axis=1).mean(axis=1).to_numpy(float)
        name = f"accuracy lost, {what} at random, mean over places"
        rows.append(row(name, mean_interval(mean, signed=True), len(mean), subject=SUBJECT, layer="all"))
    return table(rows)


def magnitude_after_tuning(files: Files) -> pd.DataFrame:
    """Accuracy lost when a share of the weights is pruned after tuning, by magnitude and at random."""
    rows = []
    for share in ("0.2", "0.5", "0.7"):
        keys: dict[str, Any] = dict(subject=SUBJECT, sparsity=float(share))
        by_size, random = (PRUNED.format(share, how) for how in ("magnitude", "random"))
        rows += gap_rows(files, "accuracy lost, pruned after tuning", FULL, by_size, **keys)
        rows += gap_rows(files, "accuracy lost, random - magnitude, pruned after tuning", by_size, random, **keys)
    keys = dict(subject=SUBJECT, sparsity="not given")
    rows += gap_rows(files, "accuracy lost, pruned and tuned again", FULL, masked("global_magnitude_retrained"), **keys)
    return table(rows)
