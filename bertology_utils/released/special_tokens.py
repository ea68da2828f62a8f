"""Attention to special tokens by layer, and what value norms make of it."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_utils.released import released
from bertology_utils.released.files import Files
from bertology_utils.scores.counts import only
from bertology_utils.scores.intervals import mean_interval, row, table

BASE = "bert-base-uncased"
TOKENS = {"[CLS]": "[CLS]", "[SEP]": "[SEP]", ". or ,": "punctuation"}


@released(
    "hed.special_tokens.clark2019",
    study="clark2019",
    label="digitised",
    stance="supports",
    folder="released/clark2019_general_digitised",
    files=("avg_attention_by_layer_digitised.csv",),
    note="The authors' curves of mean attention by layer (from 0 here), read off their notebook's picture to "
    "about a hundredth. [CLS] peaks first, then [SEP], then punctuation, as the survey says. The "
    "gradients are not in this release.",
)
def attention_by_layer(files: Files) -> pd.DataFrame:
    """Mean attention over heads by layer and token, and the layer where it peaks."""
    frame = files.csv("avg_attention_by_layer_digitised.csv")
    rows = []
    for name, part in frame.groupby("attention_to", sort=False):
        curve = part.set_index(part.layer - 1).mean_over_heads
        token = TOKENS.get(name, name)
        rows += [
            row("mean attention", only(v), 0, subject=BASE, token=token, layer=str(layer)) for layer, v in curve.items()
        ]
        rows.append(row("peak layer", only(curve.idxmax()), 0, subject=BASE, token=token, layer="peak"))
    return table(rows)


@released(
    "hed.special_tokens.clark2019",
    study="kovaleva2019",
    label="digitised",
    stance="qualifies",
    folder="released/kovaleva2019_notebook_digitised",
    files=("head_maps_digitised.csv",),
    note="Another study's head maps (QQP examples, pretrained model), read back by colour: attention to [CLS] "
    "is high in low layers, but attention to [SEP] keeps growing nearly to the top instead of peaking in "
    "the middle. Intervals are over the heads of a layer.",
)
def head_maps(files: Files) -> pd.DataFrame:
    """Mean over the heads of a layer (from 0) of the attention to [CLS] and to [SEP], and the peak layer."""
    frame = files.csv("head_maps_digitised.csv")
    rows = []
    for token in ("[CLS]", "[SEP]"):
        part = frame[frame.quantity.str.startswith(f"attention to {token}") & (frame.model == "pretrained")]
        heads = {layer - 1: group.value.to_numpy() for layer, group in part.groupby("layer")}
        rows += [
            row("mean attention", mean_interval(v), len(v), subject=BASE, token=token, layer=str(k))
            for k, v in heads.items()
        ]
        rows.append(
            row(
                "peak layer",
                only(max(heads, key=lambda k: heads[k].mean())),
                0,
                subject=BASE,
                token=token,
                layer="peak",
            )
        )
    return table(rows)


@released(
    "hed.norms.kobayashi2020",
    study="Kobayashi et al. 2021",
    label="related",
    stance="supports",
    folder="released/kobayashi2021_mixing",
    files=("mixing_ratio.csv",),
    note="From the same group's later study: how much of a token's update comes from other tokens, by "
    "attention weights and by norms of the weighted vectors, with mean, least and greatest (no interval). "
    "Norms give the context far less than weights do; special tokens are not given apart.",
)
def mixing(files: Files) -> pd.DataFrame:
    """Share of context by measure, and weights minus norms where both were released."""
    frame = files.csv("mixing_ratio.csv")
    rows = []
    for r in frame.itertuples():
        for measure, value in (("mean share of context", r.mean_pct), ("least", r.min_pct), ("greatest", r.max_pct)):
            rows.append(row(measure, only(value / 100), 0, subject=r.model, method=r.method))
    for subject, part in frame.groupby("model"):
        mean = part.set_index("method").mean_pct / 100
        for block in ("Attn", "AttnRes"):
            rows.append(
                row("weights - norms", only(mean[f"{block}-W"] - mean[f"{block}-N"]), 0, subject=subject, method=block)
            )
    if not np.isfinite([r["value"] for r in rows]).all():
        raise ValueError("mixing_ratio.csv has cells that are no numbers")
    return table(rows)
