"""Word senses by nearest neighbours: predictions on CoarseWSD-20 item by item, and F1 by layer on two inventories."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from bertology_rescore.counts import DRAWS
from bertology_rescore.curves import curve, estimated, rank_trend, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import interval as percentiles
from bertology_utils.scores.intervals import mean_interval, row, table


def read_predictions(files: Files) -> pd.DataFrame:
    """One row per test item: word, gold sense, nearest sense, and whether the training set's commonest sense is right.

    Raises
    ------
    ValueError
        If the items' gold senses are not those of the data set's own test file.
    """
    frames = []
    for path in files.paths():
        if not path.endswith(".jsonl"):
            continue
        word = path.rsplit("/", 1)[1].removesuffix(".jsonl")
        items = [json.loads(line) for line in files.text(path).splitlines()]
        names = json.loads(files.text(f"data/CoarseWSD-20/{word}/classes_map.txt"))
        gold, train = (
            [names[k.strip()] for k in files.text(f"data/CoarseWSD-20/{word}/{split}.gold.txt").splitlines()]
            for split in ("test", "train")
        )
        if [i["gold"] for i in items] != gold:
            raise ValueError(f"{path}: gold senses differ from the test file of {word}")
        commonest = max(dict.fromkeys(train), key=train.count)
        nearest = [max(i["matches"], key=lambda m: m[1])[0] for i in items]
        frames.append(pd.DataFrame({"word": word, "gold": gold, "nearest": nearest, "commonest": commonest}))
    items = pd.concat(frames, ignore_index=True)
    return items.assign(right=items.nearest == items.gold, baseline=items.commonest == items.gold)


def micro_macro(items: pd.DataFrame, column: str, seed: int = 0) -> tuple[tuple, tuple]:
    """Accuracy over items, and the mean over words of the accuracy of each, items resampled within their word."""
    rng = np.random.default_rng(seed)
    parts = [part[column].to_numpy(float) for _, part in items.groupby("word")]
    draws = np.stack([rng.binomial(len(p), p.mean(), DRAWS) / len(p) for p in parts], 1)
    sizes = np.array([len(p) for p in parts])
    micro = percentiles(items[column].mean(), draws @ sizes / sizes.sum())
    return micro, percentiles(np.mean([p.mean() for p in parts]), draws.mean(1))


def coarse_senses(files: Files) -> pd.DataFrame:
    """Micro and macro accuracy of nearest senses, of the commonest sense, and their paired difference."""
    items = read_predictions(files)
    items["gain"] = items.right.astype(float) - items.baseline.astype(float)
    rows = []
    for subject, column in (("bert-base-uncased", "right"), ("commonest sense", "baseline")):
        micro, macro = micro_macro(items, column)
        rows.append(row("micro accuracy", micro, len(items), subject=subject, word="all"))
        rows.append(row("macro accuracy", macro, len(items), subject=subject, word="all"))
    # words are what was sampled, and three of them hold half of the items: each counts the same
    gain = mean_interval(items.groupby("word").gain.mean(), signed=True)
    keys = {"subject": "bert-base-uncased", "word": "all", "task": "senses", "over": "commonest sense"}
    rows.append(row("gain over baseline", gain, len(items), **keys))
    for word, part in items.groupby("word"):
        rows.append(estimated("accuracy", part.right, subject="bert-base-uncased", word=word))
    return table(rows)


def senses_by_layer(files: Files) -> pd.DataFrame:
    """F1 by layer (0 = input embeddings), best layer, gain of the best over layer 0."""
    rows = []
    for path, task in (
        ("nlm_single_layer_val_wsd_f1.txt", "disambiguation"),
        ("nlm_single_layer_val_usm_f1.txt", "uninformed matching"),
    ):
        for line in files.text(path).splitlines():
            name, *values = line.split()
            if not name.startswith("bert"):
                continue
            f1 = np.array(values, float) / 100
            keys = dict(subject=name, task=task)
            rows += [*curve("F1", f1, **keys), rank_trend("F1", f1, **keys)]
            rows.append(released_row("best layer", int(f1.argmax()), **keys, layer="best"))
            rows.append(released_row("best layer less layer 0", f1.max() - f1[0], **keys, layer="best"))
    return table(rows)
