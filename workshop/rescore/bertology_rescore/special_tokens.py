"""Attention to special tokens by layer, and what value norms make of it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_rescore.curves import columns, estimated, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import table
from bertology_utils.scores.profiles import inside_lead, stretches

BASE = "bert-base-uncased"


def attention_by_layer(files: Files) -> pd.DataFrame:
    """Mean attention over heads by block (from 1) and token, the depth of the peak and how far it stands out."""
    frame = files.csv("avg_attention_by_layer_digitised.csv")
    rows = []
    for name, part in frame.groupby("attention_to", sort=False):
        curve = part.set_index("layer").mean_over_heads
        rows += [released_row("mean, by block", v, subject=BASE, statistic=name, block=k) for k, v in curve.items()]
        rows += _peak(curve, name)
    return table(rows)


def _peak(curve: pd.Series, name: str) -> list[dict]:
    keys = dict(subject=BASE, statistic=name)
    rows = [released_row("depth of the peak", curve.idxmax() / len(curve), **keys)]
    means = curve.to_numpy()
    for stretch, inside in stretches(len(means)).items():
        lead = inside_lead(means, inside)
        rows.append(released_row(f"peak in {stretch} - elsewhere", lead, **keys))
    return rows


def head_maps(files: Files) -> pd.DataFrame:
    """Mean over the heads of a block (from 1) of the attention to [CLS] and to [SEP], and the peak."""
    frame = files.csv("head_maps_digitised.csv")
    rows = []
    for name in ("[CLS]", "[SEP]"):
        part = frame[frame.quantity.str.startswith(f"attention to {name}") & (frame.model == "pretrained")]
        heads = {block: group.value.to_numpy() for block, group in part.groupby("layer")}
        rows += [estimated("mean, by block", v, subject=BASE, statistic=name, block=k) for k, v in heads.items()]
        rows += _peak(pd.Series({k: v.mean() for k, v in heads.items()}), name)
    return table(rows)


def mixing(files: Files) -> pd.DataFrame:
    """Share of context by measure, and weights minus norms where both were released."""
    frame = files.csv("mixing_ratio.csv")
    shares = frame.assign(mean=frame.mean_pct / 100, least=frame.min_pct / 100, greatest=frame.max_pct / 100)
    measures = {"mean share of context": "mean", "least": "least", "greatest": "greatest"}
    rows = columns(shares, measures, {"subject": "model", "method": "method"})
    for subject, part in frame.groupby("model"):
        mean = part.set_index("method").mean_pct / 100
        for block in ("Attn", "AttnRes"):
            rows.append(
                released_row("weights - norms", mean[f"{block}-W"] - mean[f"{block}-N"], subject=subject, method=block)
            )
    if not np.isfinite([r["value"] for r in rows]).all():
        raise ValueError("mixing_ratio.csv has cells that are no numbers")
    return table(rows)
