"""Heads and syntactic relations: Clark's released accuracies, averaged heads, negation scope, coreference, frames."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from bertology_utils.released import released
from bertology_utils.released.files import Files
from bertology_utils.scores.counts import accuracy_difference, only, proportion
from bertology_utils.scores.intervals import bootstrap, mean_interval, row, table

BASE = "bert-base-uncased"
_CLARK = dict(study="clark2019", label="authors", folder="clark2019_released")


def clark_relations(files: Files) -> pd.DataFrame:
    """Relation, n, best head's and best offset's accuracy in percent, layer and head (0-based), direction."""
    return files.csv("relations.csv").set_index("relation")


@released(
    "hed.syntactic.clark2019",
    stance="supports",
    files=("relations.csv",),
    **_CLARK,
    note="The authors' best head and best fixed offset for each relation of the Penn Treebank's development "
    "sentences (layers and heads from 0), both chosen on the sentences they are scored on. The direct "
    "object's head is far above any offset, while for possessives, compounds and others the offset does "
    "as well.",
)
def syntactic_heads(files: Files) -> pd.DataFrame:
    """Accuracy of the best head and of the best offset, and their difference, by relation.

    Right answers are counted back from the rounded percentages; the two are resampled independently.
    """
    rows = []
    frame = clark_relations(files).drop("all")
    for relation, r in frame.iterrows():
        n = int(r.n)
        head, offset = (round(n * a / 100) for a in (r.best_head_accuracy, r.offset_accuracy))
        keys = dict(subject=BASE, relation=relation, head=f"({r.layer}, {r['head']})")
        rows += [
            row("best head", proportion(head, n), n, **keys),
            row("best offset", proportion(offset, n), n, **keys),
            row("head - offset", accuracy_difference(head, offset, n), n, **keys),
        ]
    leads = [r["low"] > 0 for r in rows if r["measure"] == "head - offset"]
    rows.append(
        row(
            "share of relations whose head beats the offset",
            mean_interval(leads),
            len(leads),
            subject=BASE,
            relation="all",
            head="best",
        )
    )
    return table(rows)


@released(
    "hed.no_full_tree.clark2019",
    stance="supports",
    files=("relations.csv",),
    **_CLARK,
    note="The authors' best single head over all relations, as one figure without a count: it is some points "
    "above the best offset and far from a parser.",
)
def best_head_overall(files: Files) -> pd.DataFrame:
    """Accuracy over all relations of the best head and of the best offset."""
    r = clark_relations(files).loc["all"]
    head, offset = r.best_head_accuracy / 100, r.offset_accuracy / 100
    return table(
        [
            row(measure, only(value), 0, subject=BASE, head=f"({r.layer}, {r['head']})")
            for measure, value in (("best head", head), ("best offset", offset), ("head - offset", head - offset))
        ]
    )


@released(
    "hed.combination.hoover2019",
    stance="supports",
    files=("relations.csv", "SOURCE.txt"),
    **{**_CLARK, "label": "related"},
    note="UAS of the authors' learnt mixture of all heads with word vectors, as their notebook printed it, "
    "against the best single head over all relations. The mixture also sees the words, so not all of the "
    "gain is the combination's.",
)
def attention_and_words(files: Files) -> pd.DataFrame:
    """UAS of the attention-and-words probe and its lead over the best head."""
    match = re.search(r"attention-and-words probe.*?UAS ([\d.]+)", files.text("SOURCE.txt"))
    if match is None:
        raise ValueError("SOURCE.txt gives no UAS of the attention-and-words probe")
    mixture, head = float(match.group(1)) / 100, clark_relations(files).loc["all", "best_head_accuracy"] / 100
    return table(
        [
            row(m, only(v), 0, subject=BASE, relation="all")
            for m, v in (("mixture", mixture), ("best head", head), ("mixture - best head", mixture - head))
        ]
    )


_LSD = dict(study="Limisiewicz et al. 2020", folder="released/limisiewicz_lsd_heads", files=("heads_vs_ensembles.csv",))


def _ensembles(files: Files, a: str, b: str, names: tuple[str, str]) -> pd.DataFrame:
    rows, gains = [], []
    for r in files.csv("heads_vs_ensembles.csv").to_dict("records"):
        keys = dict(subject="bert-base", relation=r["relation"], direction=r["direction"])
        gains.append((r[a] - r[b]) / 100)
        rows += [
            row(names[0], only(r[a] / 100), 0, **keys),
            row(names[1], only(r[b] / 100), 0, **keys),
            row(f"{names[0]} - {names[1]}", only(gains[-1]), 0, **keys),
        ]
    rows.append(
        row(
            f"mean {names[0]} - {names[1]}",
            mean_interval(gains),
            len(gains),
            subject="bert-base",
            relation="mean",
            direction="both",
        )
    )
    return table(rows)


@released(
    "hed.syntactic.clark2019",
    label="rerun",
    stance="supports",
    **_LSD,
    note="Working notes with the best head and a positional baseline for twelve UD relations in English, no "
    "counts: the object's head is far above position, the compound's is below it. The mean's interval is "
    "over relations.",
)
def heads_and_position(files: Files) -> pd.DataFrame:
    """Best head against the positional baseline, by relation."""
    return _ensembles(files, "best_head", "positional_baseline", ("best head", "position"))


@released(
    "hed.combination.hoover2019",
    label="rerun",
    stance="supports",
    **_LSD,
    note="Working notes where a few heads picked for a relation are averaged: the average beats the best "
    "single head in every one of the twelve relations. The heads were picked with annotation; the mean's "
    "interval is over relations.",
)
def averaged_heads(files: Files) -> pd.DataFrame:
    """Averaged heads against the best single head, by relation."""
    return _ensembles(files, "heads_averaged", "best_head", ("heads averaged", "best head"))


@released(
    "hed.negation_scope.zhao2020",
    study="zhao2020",
    label="authors",
    stance="supports",
    folder="released/zhao_bethard2020_negation_scope",
    files=("head_scores.csv.gz",),
    note="The authors' F1 of every head's attention from the negation cue to its scope, pretrained and after "
    "ten fine-tuning runs on negation or on a control task. A head chosen on one data set is far above "
    "the median head on the other, and tuning on negation, unlike the control task, makes the best heads "
    "better. No fixed-offset baseline was released.",
)
def negation_scope(files: Files) -> pd.DataFrame:
    """F1 of the head chosen on the other data set, against all heads; and the mean over heads after tuning.

    Heads are counted from 0 here, from 1 in the file. Intervals: over heads for the median, over runs after tuning.
    """
    frame = files.csv("head_scores.csv.gz")
    rows = []
    for model in ("bert-base", "bert-large"):
        subject = f"{model}-uncased"
        part = frame[frame.model == model].assign(place=lambda f: list(zip(f.layer - 1, f["head"] - 1)))
        plain = part[part.kind == "pretrained"].pivot_table(index=["layer", "head"], columns="data", values="f1")
        for data, other in (("story", "review"), ("review", "story")):
            layer, head = plain[other].idxmax()
            values = plain[data].to_numpy()
            keys = dict(subject=subject, data=data, kind="pretrained")
            rows += [
                row(
                    "F1, head chosen on the other data",
                    only(plain[data][layer, head]),
                    0,
                    **keys,
                    head=f"({layer - 1}, {head - 1})",
                ),
                row("F1, median head", bootstrap(values, np.median), len(values), **keys, head="median"),
            ]
            for kind in ("neg", "control"):
                tuned = part[(part.kind == kind) & (part.data == data)]
                if len(tuned):
                    rows.append(
                        row(
                            "F1, best head of each run",
                            mean_interval(tuned.groupby("run").f1.max()),
                            tuned.run.nunique(),
                            subject=subject,
                            data=data,
                            kind=f"tuned: {kind}",
                            head="best",
                        )
                    )
    return table(rows)


@released(
    "hed.coreference.clark2019",
    study="Westera 2019",
    label="related",
    stance="qualifies",
    folder="released/westera_bertology",
    files=("COREF_stats_attention.tsv",),
    note="Working notes with t-tests, by layer of bert-base-cased (from 0, heads averaged), of attention "
    "between pronouns and nouns that corefer and that do not. Corefering pairs attend more, but this is "
    "neither one head nor a resolved antecedent.",
)
def coreference(files: Files) -> pd.DataFrame:
    """t and p by layer, and with all layers pooled."""
    lines = files.text("COREF_stats_attention.tsv").splitlines()
    rows = []
    for line in lines:
        fields = line.split("\t")
        if len(fields) in (2, 3) and re.fullmatch(r"-?[\d.]+", fields[-2]):
            layer = fields[0] if len(fields) == 3 else "all"
            keys = dict(subject="bert-base-cased", layer=layer)
            rows += [row("t", only(float(fields[-2])), 0, **keys), row("p", only(float(fields[-1])), 0, **keys)]
    return table(rows)


@released(
    "hed.frames.kovaleva2019",
    study="kovaleva2019",
    label="digitised",
    stance="qualifies",
    folder="released/kovaleva2019_notebook_digitised",
    files=("head_maps_digitised.csv",),
    note="The authors' picture of each head's largest attention on links between a frame's trigger and its "
    "core elements, read back by colour. A few heads stand out from the rest, but even theirs is a small "
    "part of the attention; disabling them is not in this release.",
)
def frames(files: Files) -> pd.DataFrame:
    """The two strongest heads (from 0), the median head, and how many heads reach half of the strongest."""
    frame = files.csv("head_maps_digitised.csv")
    part = frame[frame.quantity.str.startswith("FrameNet")].sort_values("value", ascending=False)
    rows = [
        row("attention on core links", only(r.value), 0, subject=BASE, head=f"({r.layer - 1}, {r.head - 1})")
        for r in part.head(2).itertuples()
    ]
    values = part.value.to_numpy()
    rows.append(row("attention on core links", bootstrap(values, np.median), len(values), subject=BASE, head="median"))
    strong = int((values >= values.max() / 2).sum())
    rows.append(
        row(
            "share of heads with half of the strongest",
            proportion(strong, len(values)),
            len(values),
            subject=BASE,
            head="all",
        )
    )
    return table(rows)
