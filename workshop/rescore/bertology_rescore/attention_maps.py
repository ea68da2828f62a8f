"""Attention maps of the real bert-base-uncased for four inputs, saved in the notebooks of a visualisation tool.

A handful of examples: they show what a statistic looks like on the real model, and claim no statistics.
"""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from bertology_rescore.curves import released_row
from bertology_rescore.files import Files, mirror
from bertology_utils.attention import patterns
from bertology_utils.attention.relations import called
from bertology_utils.scores.intervals import mean_interval, row, table

FOLDER, BASE = "released/bert_attention_maps", "bert-base-uncased"
FILES = ("index.json", "bertviz_attention.npz")
Maps = list[tuple[list[str], np.ndarray]]


def read_maps(files: Files, model: str = BASE) -> Maps:
    """The maps whose notebook names `model`.

    Raises
    ------
    ValueError
        If a map's shape contradicts its tokens, or its rows do not sum to one.
    """
    with np.load(BytesIO(files.bytes("bertviz_attention.npz")), allow_pickle=False) as arrays:
        found = []
        for entry in json.loads(files.text("index.json")):
            if entry["model_as_named_in_notebook"] != model:
                continue
            tokens, maps = entry["tokens"], arrays[f"{entry['key']}_attn"].astype(float)
            if maps.ndim != 4 or maps.shape[2:] != (len(tokens), len(tokens)):
                raise ValueError(f"map {entry['key']} has shape {maps.shape} for {len(tokens)} tokens")
            if not np.allclose(maps.sum(-1), 1, atol=1e-3):
                raise ValueError(f"map {entry['key']}: rows do not sum to one")
            found.append((tokens, maps))
    return found


def attention_maps(root: str | Path | None = None) -> Maps:
    """Tokens and attention (layers, heads, T from, T to) of bert-base-uncased for each of four inputs.

    Raises
    ------
    MirrorMissing, FileChanged
        As for any released file.
    """
    return read_maps(Files(mirror(root), FOLDER, FILES))


def offset_attention(maps: np.ndarray, offset: int) -> np.ndarray:
    """(layers, heads) mean attention to the token `offset` places on (negative: back), where there is one."""
    return np.diagonal(maps, offset, axis1=2, axis2=3).mean(-1)


def token_mass(maps: np.ndarray, tokens: list[str], token: str) -> np.ndarray:
    """(layers,) share of attention that goes to all occurrences of a token, mean over heads and source positions."""
    places = [i for i, t in enumerate(tokens) if t == token]
    return maps[..., places].sum(-1).mean((1, 2))


def special_tokens(files: Files) -> pd.DataFrame:
    """Mean over the inputs of the attention to [CLS] and [SEP], by block (from 1)."""
    maps = read_maps(files)
    rows = []
    for token in ("[CLS]", "[SEP]"):
        mass = np.stack([token_mass(a, tokens, token) for tokens, a in maps])
        rows += [
            row("mean, by block", mean_interval(column), len(mass), subject=BASE, statistic=token, block=k)
            for k, column in enumerate(mass.T, 1)
        ]
    return table(rows)


def neighbours(files: Files) -> pd.DataFrame:
    """Shares of patterns; the three heads with the most attention to the next and to the previous token."""
    found = read_maps(files)
    labels = np.stack([_patterns(tokens, maps) for tokens, maps in found])  # (inputs, heads)
    rows = []
    for k, pattern in enumerate(patterns.PATTERNS):
        share = mean_interval((labels == k).mean(1))
        rows.append(row("share of maps", share, len(found), subject=BASE, pattern=pattern, maps="weights", block="all"))
    stripes = mean_interval(np.isin(labels, [patterns.PATTERNS.index(name) for name in patterns.STRIPES]).mean(1))
    rows.append(row("share of maps with stripes", stripes, len(found), subject=BASE, maps="weights"))
    for name, offset in (("next", 1), ("previous", -1)):
        mass = np.stack([offset_attention(a, offset) for _, a in found])  # (inputs, layers, heads)
        measure = f"attention to the {name} token"
        for place in np.argsort(-mass.mean(0), axis=None)[:3]:
            layer, head = np.unravel_index(place, mass.shape[1:])
            interval = mean_interval(mass[:, layer, head])
            rows.append(row(measure, interval, len(found), subject=BASE, head=called(int(layer), int(head))))
        rows.append(released_row(measure, np.median(mass.mean(0)), len(found), subject=BASE, head="median"))
    return table(rows)


def _patterns(tokens: list[str], maps: np.ndarray) -> np.ndarray:
    """The pattern of every map (layers, heads, T, T) of an input, as indices (layers * heads,)."""
    weights = torch.from_numpy(maps).flatten(0, 1)[None]  # (1, L * A, T, T)
    separator = np.array(tokens) == "[SEP]"
    segment = torch.from_numpy((separator.cumsum() - separator > 0).astype(int))[None]
    seen = patterns.features(weights, torch.ones_like(segment, dtype=torch.bool), segment)[0]
    return patterns.classifier().predict(seen.numpy())
