"""Geometry of contextual vectors by layer: Ethayarajh's released statistics, and others' self-similarity curves."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd

from bertology_utils.released import released
from bertology_utils.released.files import Files
from bertology_utils.scores.counts import column_means, only, percentiles, trend, trend_interval
from bertology_utils.scores.intervals import row, table

ETHAYARAJH = {"bert-base-cased": "bert", "gpt2": "gpt2", "elmo": "elmo"}
_STATS = tuple(f"{folder}/embedding_space_stats.json" for folder in ETHAYARAJH.values())
_AUTHOR = dict(study="ethayarajh2019", label="authors", folder="ethayarajh2019_results")


def by_layer(files: Files, folder: str) -> dict[str, np.ndarray]:
    """Statistic -> value by layer, from one model's ``embedding_space_stats.json``."""
    stats = json.loads(files.text(f"{folder}/embedding_space_stats.json"))
    return {name: np.array([values[f"layer_{i}"] for i in range(len(values))]) for name, values in stats.items()}


@released(
    "emb.anisotropy.ethayarajh2019",
    stance="supports",
    files=_STATS,
    **_AUTHOR,
    note="The author's mean cosine of random words by layer, as rounded aggregates without intervals. It is "
    "above 0 in every layer and grows with the layer in BERT, though the last layer falls back below the "
    "two before it.",
)
def anisotropy(files: Files) -> pd.DataFrame:
    """Mean cosine of random word pairs by layer (0 = input embeddings) and its rank correlation with the layer."""
    rows = []
    for subject, folder in ETHAYARAJH.items():
        cosine = by_layer(files, folder)["mean cosine similarity across words"]
        rows += [row("mean cosine", only(v), 0, subject=subject, layer=str(i)) for i, v in enumerate(cosine)]
        rows.append(
            row("Spearman of layer and mean cosine", only(trend(cosine)), len(cosine), subject=subject, layer="all")
        )
    return table(rows)


@released(
    "emb.context_specificity.ethayarajh2019",
    stance="supports",
    files=(*_STATS, "bert/self_similarity.csv", "bert/variance_explained.csv"),
    **_AUTHOR,
    note="The author's self-similarity and variance explained by one component for 8,159 words, unadjusted; "
    "the adjustment for anisotropy by the released baselines is made here. Adjusted self-similarity falls "
    "with the layer; the raw figures do not fall steadily, so the claim rests on the adjustment.",
)
def context_specificity(files: Files) -> pd.DataFrame:
    """Self- and intra-sentence similarity and maximum explainable variance, raw and adjusted (ethayarajh2019)."""
    stats = by_layer(files, "bert")
    baseline = {
        "self-similarity": stats["mean cosine similarity across words"],
        "explained variance": stats["variance explained for random words"],
    }
    rows = []
    for measure, path in (
        ("self-similarity", "bert/self_similarity.csv"),
        ("explained variance", "bert/variance_explained.csv"),
    ):
        words = files.csv(path, keep_default_na=False, na_values=[""]).set_index("word").dropna()
        layers = [int(c.removeprefix("layer_")) for c in words.columns]
        mean, draws = column_means(words.to_numpy(float))
        for name, shift in ((measure, 0.0), (f"adjusted {measure}", baseline[measure][layers])):
            for i, layer in enumerate(layers):
                value = percentiles((mean - shift)[i], (draws - shift)[:, i])
                rows.append(row(name, value, len(words), subject="bert-base-cased", layer=str(layer)))
            rows.append(
                row(
                    f"Spearman of layer and {name}",
                    trend_interval(mean - shift, draws - shift),
                    len(words),
                    subject="bert-base-cased",
                    layer="all",
                )
            )
    intra = stats["mean cosine similarity between sentence and words"] - stats["mean cosine similarity across words"]
    rows += [
        row("adjusted intra-sentence similarity", only(v), 0, subject="bert-base-cased", layer=str(i))
        for i, v in enumerate(intra)
    ]
    return table(rows)


MONOPOLY = {
    "bert-base-uncased": "en-bert",
    "bert-base-cased": "en-bbcased",
    "bert-base-multilingual-cased": "en-multicased",
}
_MONOPOLY = dict(
    study="Garí Soler & Apidianaki 2021",
    label="rerun",
    folder="released/gari_soler2021_monopoly",
    files=tuple(f"{folder}/*.csv" for folder in MONOPOLY.values()),
)


def monopoly(files: Files, name: str) -> pd.DataFrame:
    """Mean self-similarity by model, kind of word (`condition`) and layer, from one of the study's tables."""
    parts = []
    for subject, folder in MONOPOLY.items():
        frame = files.csv(f"{folder}/{name}_semcor{'_poly-bal' if 'bands' in name else ''}.csv", sep="\t")
        frame = frame.melt(id_vars="Type", var_name="layer", value_name="value")
        parts.append(frame.assign(subject=subject, layer=frame.layer.astype(int)).rename(columns={"Type": "condition"}))
    return pd.concat(parts, ignore_index=True)


@released(
    "emb.context_specificity.ethayarajh2019",
    stance="qualifies",
    **_MONOPOLY,
    note="Mean self-similarity of English words in SemCor by layer, not adjusted for anisotropy and without "
    "intervals. It falls with the layer in bert-base-uncased; in the cased and the multilingual model the "
    "curve is not monotone.",
)
def self_similarity(files: Files) -> pd.DataFrame:
    """Unadjusted self-similarity by layer for monosemous and polysemous words."""
    rows = []
    for (subject, condition), part in monopoly(files, "mono_poly").groupby(["subject", "condition"], sort=False):
        values = part.sort_values("layer").value.to_numpy()
        rows += [
            row("self-similarity", only(v), 0, subject=subject, condition=condition, layer=str(i))
            for i, v in enumerate(values)
        ]
        rows.append(
            row(
                "Spearman of layer and self-similarity",
                only(trend(values)),
                len(values),
                subject=subject,
                condition=condition,
                layer="all",
            )
        )
    return table(rows)


@released(
    "emb.sense_clusters.wiedemann2019",
    stance="supports",
    **{**_MONOPOLY, "label": "related"},
    note="Self-similarity of words with few and with many senses: words with fewer senses keep more similar "
    "vectors at every layer. It bears on senses without any disambiguation, and has no intervals.",
)
def polysemy(files: Files) -> pd.DataFrame:
    """Self-similarity of monosemous minus polysemous words, and of low minus high polysemy, by layer."""
    rows = []
    for name, more, less in (("mono_poly", "monosemous", "poly-bal"), ("polysemy_bands", "low", "high")):
        frame = monopoly(files, name)
        wide = frame.pivot_table(index=["subject", "layer"], columns="condition", values="value")
        for (subject, layer), value in (wide[more] - wide[less]).items():
            rows.append(
                row(
                    "difference of self-similarity",
                    only(value),
                    0,
                    subject=subject,
                    condition=f"{more} - {less}",
                    layer=str(layer),
                )
            )
    return table(rows)


@released(
    "emb.token_identity.voita2019a",
    study="Mickus et al. 2022",
    label="related",
    stance="qualifies",
    folder="released/mickus2022_bert_splat",
    files=("xlayers.csv",),
    note="How much of each layer's output vectors comes from the input embedding, the feed-forward layers, "
    "attention and bias terms (means over tokens; their spread over tokens was released, but no interval "
    "of the mean). The input's share falls almost throughout: it shows the fading of token identity, but "
    "no return near the top.",
)
def input_share(files: Files) -> pd.DataFrame:
    """Share of the layer output that each kind of term makes up, by layer."""
    frame = files.csv("xlayers.csv", skipinitialspace=True)
    names = {"ipt": "input embedding", "ff": "feed-forward", "mha": "attention", "norm": "bias and norm"}
    rows = []
    for r in frame.to_dict("records"):
        for column, name in names.items():
            if np.isfinite(r[column]):
                rows.append(
                    row(
                        "share of output",
                        only(r[column]),
                        0,
                        subject="bert-base-uncased",
                        term=name,
                        layer=str(int(r["layer"])),
                    )
                )
    rows.append(
        row(
            "Spearman of layer and input share",
            only(trend(frame.ipt.to_numpy())),
            len(frame),
            subject="bert-base-uncased",
            term="input embedding",
            layer="all",
        )
    )
    return table(rows)
