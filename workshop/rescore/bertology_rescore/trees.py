"""Trees: structural probes by layer (mBERT, 23 treebanks), trees from averaged attention, trees from selected heads."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from bertology_rescore.counts import column_means, only
from bertology_rescore.curves import curve, released_row
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import interval as percentiles
from bertology_utils.scores.intervals import mean_interval, row, table

MBERT = "bert-base-multilingual-cased"
ENGLISH = "UD_English-EWT"
MEASURES = {
    ("dist", "uuas"): "UUAS",
    ("dist", "spearman_hm"): "distance Spearman",
    ("depth", "spearman_hm"): "depth Spearman",
    ("depth", "root_acc"): "root accuracy",
}


def probes_by_layer(files: Files) -> dict[str, pd.DataFrame]:
    """Measure -> treebanks x layers."""
    frame = files.csv("master_results_per_layer.csv")
    frame["layer"] = frame.layer.str.removeprefix("L").astype(int)
    return {
        name: frame[frame.probe == probe].pivot(index="language_slug", columns="layer", values=column).dropna()
        for (probe, column), name in MEASURES.items()
    }


def structural_probe(files: Files) -> pd.DataFrame:
    """Best layer's UUAS, Spearman and root accuracy: mean over treebanks, and English."""
    rows = []
    for measure, wide in probes_by_layer(files).items():
        mean, draws = column_means(wide.to_numpy())
        best = int(mean.argmax())
        keys = dict(subject=MBERT, set=f"{len(wide)} treebanks", layer=str(wide.columns[best]))
        rows.append(row(measure, percentiles(mean[best], draws[:, best]), len(wide), **keys))
        if ENGLISH in wide.index:
            english = wide.loc[ENGLISH]
            rows.append(released_row(measure, english.max(), subject=MBERT, set=ENGLISH, layer=str(english.idxmax())))
    return table(rows)


def probe_layers(files: Files) -> pd.DataFrame:
    """Mean over treebanks by layer, the best layer of the mean (interval over treebanks), and of English."""
    rows = []
    for measure, wide in probes_by_layer(files).items():
        layers = wide.columns.to_numpy()
        mean, draws = column_means(wide.to_numpy())
        keys, best = dict(subject=MBERT, set="mean"), f"best layer by {measure}"
        for i, layer in enumerate(layers):
            rows.append(row(measure, percentiles(mean[i], draws[:, i]), len(wide), **keys, layer=str(layer)))
        where = percentiles(layers[mean.argmax()], layers[draws.argmax(1)])
        rows.append(row(best, where, len(wide), **keys, layer="best"))
        if ENGLISH in wide.index:
            rows.append(released_row(best, int(wide.loc[ENGLISH].idxmax()), subject=MBERT, set=ENGLISH, layer="best"))
    return table([*rows, *inner_rows(probes_by_layer(files)["UUAS"])])


def inner_rows(wide: pd.DataFrame) -> list[dict]:
    """UUAS of an inner layer less that of the lowest and of the highest layer run, mean over treebanks (rows of `wide`).

    For each treebank the inner layer is the one that is best on average in the other treebanks. `inner - ends` is the
    lesser of the two.
    """
    inside = wide.iloc[:, 1:-1]
    chosen = [inside.drop(index=name).mean().idxmax() for name in wide.index]
    best = np.array([wide.loc[name, layer] for name, layer in zip(wide.index, chosen)])
    leads = {f"layer {end}": mean_interval(best - wide[end].to_numpy()) for end in (wide.columns[0], wide.columns[-1])}
    leads["ends"] = min(leads.values(), key=lambda lead: lead[0])
    return [row(f"inner - {name}", lead, len(wide), subject=MBERT, set="mean") for name, lead in leads.items()]


_ATTENTION = "train500-dep.csv --method attention --combine no"
_CHAINED = "--method gradient --combine chain\n"


def notes_scores(text: str, command: str) -> np.ndarray:
    """The twelve "means per layer" that the notes print after a command line.

    Raises
    ------
    ValueError
        If the command, or twelve layers after it, are not in the notes.
    """
    if command not in text:
        raise ValueError(f"the notes have no run {command!r}")
    rest = text[text.index(command) :]
    found = re.findall(r"^(\d+) +(0\.\d+)", rest[: rest.index("overall")], flags=re.M)
    if [int(i) for i, _ in found] != list(range(12)):
        raise ValueError(f"{len(found)} layers after {command!r}, not 12")
    return np.array([float(v) for _, v in found])


def notes_chain(text: str) -> tuple[float, float]:
    """Share of EWT's heads that are the left neighbour: directed, and undirected."""
    part = text[text.index("EWT:") : text.index("RIGHT")]
    match = re.search(
        r"^ +all\s+head_attachment_score:([\d.]+)\s+undirected_attachment_score:([\d.]+)", part, flags=re.M
    )
    if match is None:
        raise ValueError("the notes give no attachment to the left neighbour")
    return float(match.group(1)), float(match.group(2))


def averaged_attention(files: Files) -> pd.DataFrame:
    """Attachment of trees from averaged attention or gradients by layer, against the chain."""
    text = files.text("notes.txt")
    directed, undirected = notes_chain(text)
    rows = [
        released_row("attachment", directed, subject="left chain", method="directed", layer="none"),
        released_row("attachment", undirected, subject="left chain", method="undirected", layer="none"),
    ]
    for method, command in (("attention", _ATTENTION), ("gradient, chained", _CHAINED)):
        scores = notes_scores(text, command)
        keys = dict(subject="bert-base-cased", method=method)
        rows += curve("attachment", scores, **keys)
        lead, best = only(scores.max() - undirected), str(int(scores.argmax()))
        rows.append(row("best layer - undirected chain", lead, 0, **keys, layer=best))
    return table(rows)


def selected_heads(files: Files) -> pd.DataFrame:
    """UAS and LAS of trees from selected heads, by number of annotated sentences."""
    frame = files.csv("tree.csv").set_index("metric") / 100
    return table(
        [
            released_row(metric, value, subject="bert-base", sentences=re.sub(r"\D.*", "", column))
            for metric, values in frame.iterrows()
            for column, value in values.items()
        ]
    )
