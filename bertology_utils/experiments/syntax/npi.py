"""Negative polarity items: licensors, the items themselves, and the scope in which they are allowed."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd

from ... import probes
from ...claims.registry import claim
from ...data.items import Labelled
from ...scores import intervals
from ...subject import cloze, encode

# The cells of the paradigm that each phenomenon sets apart: acceptable against not.
CONTRASTS = {
    "licensor": ("licensed", "unlicensed"),
    "npi": ("no npi", "unlicensed"),
    "scope": ("licensed", "out of scope"),
}


@claim(
    "syn.npi.warstadt2019",
    tasks=("npi_pairs", "npi_cloze", "npi_acceptability"),
    n=450,
    limit=700,
    # two points: a lead smaller than that would not be called "better"
)
def npi(subject, data, settings):
    """Accuracy by phenomenon with three methods: sentence scores, gap filling, an acceptability probe (warstadt2019).

    The items of the phenomena are other sentences, so their difference is not paired: items are drawn anew for each.
    """
    frames, notes, controls = [], [], []
    if pairs := data.items.get("npi_pairs"):
        # a pair costs two inputs a word: an eighth as many pairs as other items
        pairs = random.Random(settings.seed).sample(pairs, max(min(len(pairs), 60), len(pairs) // 8))
        notes.append(f"minimal pairs: {len(pairs)} drawn with seed {settings.seed}")
        right = cloze.prefer(subject, pairs, settings) > 0
        frames.append(("minimal pairs", [p.condition for p in pairs], right))
    if gaps := data.items.get("npi_cloze"):
        gaps, note = cloze.single_piece(subject, gaps)
        notes.append(note)
        if gaps:
            frames.append(("cloze", [g.condition for g in gaps], cloze.choose(subject, gaps, settings) > 0))
    if items := data.items.get("npi_acceptability"):
        conditions, right, bottom, note = probe(subject, items, settings)
        notes.append(note)
        frames.append(("probe", conditions, right))
        controls = [r for r in _rows("probe, layer 0", conditions, bottom, settings) if r["measure"] == "accuracy"]
    return intervals.table([*(row for method in frames for row in _rows(*method, settings)), *controls], notes)


def _rows(method: str, conditions: list[str], right: np.ndarray, settings) -> list[dict]:
    """Accuracy of each phenomenon, and the leads of licensor and NPI over scope where the method has all three."""
    by = {c: part["right"].to_numpy(float) for c, part in pd.DataFrame({"c": conditions, "right": right}).groupby("c")}
    options = {"seed": settings.seed, "draws": settings.draws}
    rows = [
        intervals.row(
            "accuracy", intervals.mean_interval(values, **options), len(values), method=method, phenomenon=name
        )
        for name, values in by.items()
    ]
    for name in ("licensor", "npi"):
        if name in by and "scope" in by:
            lead = intervals.difference(by[name], by["scope"], paired=False, **options)
            rows.append(intervals.row(f"{name} - scope", lead, len(by[name]) + len(by["scope"]), method=method))
    return rows


def cell(item: Labelled) -> str:
    """Which cell of the paradigm a sentence is: `licensed`, `out of scope`, `unlicensed`, or without an NPI."""
    if "kind" in item.meta:
        return item.meta["kind"]
    if not item.meta["present"]:
        return "no npi" if not item.meta["licensed"] else "licensor alone"
    if not item.meta["licensed"]:
        return "unlicensed"
    return "licensed" if item.meta["in_scope"] else "out of scope"


def probe(subject, items: list[Labelled], settings) -> tuple[list[str], np.ndarray, np.ndarray, str]:
    """Phenomenon of each test sentence of a contrast, and whether a linear probe on the mean word vector is right on it.

    The layer is the best on the dev split; the second array is that of layer 0, without context. Where a contrast has
    more sentences of one label, the surplus is left out, so that one half is chance.
    """
    fitting = encode.fits(subject, [i.text.split() for i in items])
    items = [i for i, ok in zip(items, fitting) if ok]
    vectors = np.empty((subject.n_layers + 1, len(items), subject.hidden_size), np.float32)
    for i, states in encode.hidden_states(subject, [i.text.split() for i in items], settings=settings):
        vectors[:, i] = states.mean(1)
    of = {split: np.array([k for k, i in enumerate(items) if i.split == split]) for split in ("train", "dev", "test")}
    labels = np.array([i.label for i in items])
    fits = probes.fit_each(vectors[:, of["train"]], labels[of["train"]], l2=0.01, device=settings.torch_device())
    dev = [(p.predict(x[of["dev"]]) == labels[of["dev"]]).mean() for p, x in zip(fits, vectors)]
    layer = int(np.argmax(dev))
    right, bottom = (fits[k].predict(vectors[k][of["test"]]) == labels[of["test"]] for k in (layer, 0))
    cells = [cell(items[k]) for k in of["test"]]
    conditions, kept = [], []
    for name, sides in CONTRASTS.items():
        parts = [[k for k, c in enumerate(cells) if c == side] for side in sides]
        least = min(map(len, parts))
        conditions += [name] * 2 * least
        kept += [*parts[0][:least], *parts[1][:least]]
    note = f"probe: layer {layer} of 0 to {subject.n_layers}, the best on the dev split"
    return conditions, right[kept], bottom[kept], note
