"""Heads and feed-forward layers pruned by importance, and what is left tuned again (Prasanna et al. 2020)."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from bertology_rescore.files import Files
from bertology_rescore.glue import COMMONEST, METRICS, gap_rows, over_runs
from bertology_rescore.patterns import shares
from bertology_utils.scores.intervals import difference, mean_interval, row, table

SUBJECT = "bert-base-uncased, fine-tuned"
FULL = "no_mask/baseline/results.json"
NO_ATTENTION = "zero_out_qkv/qkv_layer_all_results.json"
MASKS = "masks_and_importances.npz"


def surviving(files: Files) -> pd.DataFrame:
    """Share of the 144 heads that is kept, one row per run and one column per task; the mask's own heads."""
    return pd.DataFrame({task: [mask.mean() for mask in runs] for task, runs in head_masks(files).items()})


def head_masks(files: Files) -> dict[str, list[np.ndarray]]:
    """Task -> five masks (layer, head) of pruning heads alone; 1 where a head is kept."""
    with np.load(BytesIO(files.bytes(MASKS)), allow_pickle=False) as arrays:
        return {
            task: [arrays[k] for k in sorted(arrays) if k.startswith(f"heads/{task}/") and k.endswith("head_mask")]
            for task in METRICS
        }


def masked(name: str) -> str:
    """The released file of one kind of subnetwork."""
    return f"{name}/baseline/results.json"


def head_pruning(files: Files) -> pd.DataFrame:
    """Share of heads that can go for a tenth of the score, what that costs, and what random heads cost."""
    pruned = 1 - surviving(files)
    keys = dict(subject=SUBJECT)
    name = "share of heads pruned for a tenth of the score"
    rows = [row(name, mean_interval(pruned.mean()), len(METRICS), **keys, task="all")]
    rows += [
        row(f"{name}, by task", over_runs(runs.mean(), runs.std(ddof=0)), len(runs), **keys, task=task)
        for task, runs in pruned.items()
    ]
    comparisons = {
        "accuracy over majority": (FULL, COMMONEST),
        "accuracy lost, all heads": (FULL, NO_ATTENTION),
        "accuracy lost, heads pruned for a tenth of the score": (FULL, masked("head")),
        "accuracy lost, heads pruned and tuned again": (FULL, masked("head_retrained")),
        "accuracy lost, random - by importance": (masked("head"), masked("head_random")),
        "accuracy lost, random - by importance, tuned again": (
            masked("head_retrained"),
            masked("head_random_retrained"),
        ),
    }
    for measure, pair in comparisons.items():
        rows += gap_rows(files, measure, *pair, **keys)
    return table(rows)


def specialised_survive(files: Files) -> pd.DataFrame:
    """Survival rank of syntactic heads less that of the others; shares of patterns among survivors less among all heads."""
    ranks, rows = survival_ranks(files), []
    for lead, which in ((10.0, "ten points over the offset"), (0.0, "at least as good as the offset")):
        chosen = syntactic_heads(files, lead)
        special = np.array([head in chosen for head in np.ndindex(ranks.shape)])
        gap = difference(ranks.ravel()[special], ranks.ravel()[~special], paired=False)
        rows.append(row("survival rank, syntactic - other heads", gap, ranks.size, subject=SUBJECT, heads=which))
    frame = shares(files).xs(("fine-tuned", "raw attention"), level=("model", "map"))
    for pattern in ("diagonal", "vertical", "vertical + diagonal", "heterogeneous"):
        few, every = (frame.loc[(heads, pattern)].to_numpy(float) for heads in ("super survivors", "all heads"))
        found = mean_interval(few - every, signed=True)
        rows.append(row("share of maps, survivors - all heads", found, len(few), subject=SUBJECT, heads=pattern))
    return table(rows)


def survival_ranks(files: Files) -> np.ndarray:
    """(layer, head) rank, as a share of the ranking, by how many of the forty runs keep a head; the highest survive longest."""
    often = np.mean([np.mean(runs, axis=0) for runs in head_masks(files).values()], axis=0)
    return (rankdata(often.ravel()) / often.size).reshape(often.shape)


def syntactic_heads(files: Files, lead: float) -> set[tuple[int, int]]:
    """Layer and head (0-based) of every best head of clark2019 that is `lead` points above the best fixed offset."""
    frame = files.beside("clark2019_released", "relations.csv").csv("relations.csv")
    frame = frame[(frame.relation != "all") & (frame.best_head_accuracy - frame.offset_accuracy >= lead)]
    return {(int(layer), int(head)) for layer, head in zip(frame["layer"], frame["head"])}


def lottery(files: Files) -> pd.DataFrame:
    """Good against random, full against bad, and bad against the commonest label, for both kinds of subnetwork."""
    kinds = {
        "weights": ("global_magnitude_retrained", "global_random_retrained", "global_bad_retrained"),
        "heads and MLPs": ("head_mlp_retrained", "head_mlp_random_retrained", "head_mlp_bad_1_retrained"),
    }
    rows = gap_rows(files, "accuracy over majority", FULL, COMMONEST, subject=SUBJECT, network="full")
    for network, names in kinds.items():
        good, random, bad = map(masked, names)
        keys = dict(subject=SUBJECT, network=network)
        rows += gap_rows(files, "accuracy, winning - random", good, random, **keys)
        rows += gap_rows(files, "accuracy, full - winning", FULL, good, **keys)
        rows += gap_rows(files, "accuracy, full - bad", FULL, bad, **keys)
        rows += gap_rows(files, "accuracy, bad - majority", bad, COMMONEST, **keys)
    return table(rows)
