"""Heads and syntactic relations: Clark's released accuracies, averaged heads, negation scope, coreference, frames."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from bertology_rescore import Release, released
from bertology_rescore.curves import estimated, released_row
from bertology_rescore.files import Files
from bertology_utils.attention.relations import called
from bertology_utils.scores.counts import accuracy_difference, only, proportion
from bertology_utils.scores.intervals import Interval, bootstrap, difference, mean_interval, row, table

BASE = "bert-base-uncased"
_CLARK = Release(study="clark2019", label="authors", folder="clark2019_released")


def clark_relations(files: Files) -> pd.DataFrame:
    """Relation, n, best head's and best offset's accuracy in percent, layer and head (0-based), direction.

    The direct object is called "obj", as in our own rows; all other names are the authors'.
    """
    return files.csv("relations.csv").replace({"relation": {"dobj": "obj"}}).set_index("relation")


@_CLARK.on(
    "hed.syntactic.clark2019",
    stance="supports",
    label="related",
    files=("relations.csv",),
    note="The authors' best head and best fixed offset for each relation of the Penn Treebank's development "
    "sentences (their `dobj` is called obj here), both chosen on the sentences they are scored on. The direct "
    "object's head is far above any offset, while for possessives, compounds and others the offset does "
    "as well. Against the nearest word of a part of speech heads were not held, so that this decides nothing.",
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
        keys = dict(subject=BASE, relation=relation, head=called(r.layer, r["head"]))
        rows += [
            row("best head", proportion(head, n), n, **keys),
            row("best offset", proportion(offset, n), n, **keys),
            row("head - offset", accuracy_difference(head, offset, n), n, **keys),
        ]
    rows.append(row("least lead of three heads - offset", *_third_head(frame), subject=BASE))
    leads = [r["low"] > 0 for r in rows if r["measure"] == "head - offset"]
    rows.append(
        estimated("share of relations whose head beats the offset", leads, subject=BASE, relation="all", head="best")
    )
    return table(rows)


def _third_head(frame: pd.DataFrame) -> tuple[Interval, int]:
    """The third of the leads over the offset when each head has one relation, that where it leads most; and its arcs."""
    lead = frame.best_head_accuracy - frame.offset_accuracy
    own = lead.groupby([frame["layer"], frame["head"]]).idxmax()  # (layer, head) -> relation
    third = frame.loc[lead[own].nlargest(3).index[-1]]
    n = int(third.n)
    head, offset = (round(n * a / 100) for a in (third.best_head_accuracy, third.offset_accuracy))
    return accuracy_difference(head, offset, n), n


@_CLARK.on(
    "hed.no_full_tree.clark2019",
    stance="supports",
    files=("relations.csv",),
    note="The authors' best single head over all relations: some points above the best offset and far from a parser. "
    "The figure has no count; the intervals take the arcs of the relations that are listed, which are not all, for it. "
    "Head and offset were chosen on the sentences they are scored on.",
)
def best_head_overall(files: Files) -> pd.DataFrame:
    """UAS of the best head and the best offset over all relations, and with one of each for every listed relation."""
    frame = clark_relations(files)
    whole, listed = frame.loc["all"], frame.drop("all")
    n = int(listed.n.sum())
    keys = dict(subject=BASE, relation="all", head=called(whole.layer, whole["head"]))
    rows = _compared(whole.best_head_accuracy, whole.offset_accuracy, n, ("best head", "best offset"), keys)
    each = [float((listed.n * listed[c]).sum() / n) for c in ("best_head_accuracy", "offset_accuracy")]
    names = ("a head for each relation", "an offset for each relation")
    more = _compared(each[0], each[1], n, names, keys | {"head": "one for each relation"})
    more[-1]["measure"] = "heads - offsets, each relation its own"
    return table(rows + more)


def _compared(head: float, offset: float, n: int, names: tuple[str, str], keys: dict) -> list[dict]:
    """Two accuracies, in percent of n arcs, and their difference, as if independent."""
    right = [round(n * x / 100) for x in (head, offset)]
    rows = [row(f"UAS, {name}", proportion(k, n), n, **keys) for name, k in zip(names, right)]
    return [*rows, row(" - ".join(names), accuracy_difference(right[0], right[1], n), n, **keys)]


@_CLARK.on(
    "hed.combination.hoover2019",
    stance="supports",
    files=("relations.csv", "SOURCE.txt"),
    label="related",
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
            released_row(m, v, subject=BASE, relation="all")
            for m, v in (("mixture", mixture), ("best head", head), ("mixture - best head", mixture - head))
        ]
    )


_LSD = Release(
    study="Limisiewicz et al. 2020", folder="released/limisiewicz_lsd_heads", files=("heads_vs_ensembles.csv",)
)


# the notes' names of Universal Dependencies
UD = {"object": "obj", "nominal subject": "nsubj", "adjective modifier": "amod", "adverb modifier": "advmod"}


def _ensembles(files: Files, a: str, b: str, names: tuple[str, str, str]) -> tuple[list[dict], dict[str, float]]:
    """Rows of two columns and their difference by relation, without intervals; and the differences by relation."""
    rows, gains = [], {}
    for r in files.csv("heads_vs_ensembles.csv").to_dict("records"):
        relation = UD.get(r["relation"], r["relation"])
        keys = dict(subject="bert-base", relation=relation, direction=r["direction"])
        gains[relation] = (r[a] - r[b]) / 100
        figures = (r[a] / 100, r[b] / 100, gains[relation])
        rows += [released_row(name, value, **keys) for name, value in zip(names, figures)]
    return rows, gains


@_LSD.on(
    "hed.syntactic.clark2019",
    label="related",
    stance="supports",
    note="Working notes with the best head and a positional baseline for twelve UD relations in English, no "
    "counts: the object's head is far above position, the compound's is below it. The mean's interval is "
    "over relations. Position is the only baseline, so that this decides nothing.",
)
def heads_and_position(files: Files) -> pd.DataFrame:
    """Best head against the positional baseline, by relation."""
    names = ("best head", "best offset", "head - offset")
    rows, leads = _ensembles(files, "best_head", "positional_baseline", names)
    mean = mean_interval(list(leads.values()))
    return table([*rows, row("head - offset, mean over relations", mean, len(leads), subject="bert-base")])


@_LSD.on(
    "hed.combination.hoover2019",
    label="related",
    stance="supports",
    note="Working notes where a few heads picked for a relation are averaged: the average beats the best "
    "single head in every one of the twelve relations. The heads were picked with annotation; there are no counts, so "
    "the object alone has no interval, and the mean's is over the other relations.",
)
def averaged_heads(files: Files) -> pd.DataFrame:
    """Averaged heads against the best single head, by relation; the mean over all but the object."""
    rows, gains = _ensembles(files, "heads_averaged", "best_head", ("mixture", "best head", "mixture - best head"))
    rest = [gain for relation, gain in gains.items() if relation != "obj"]
    keys = dict(subject="bert-base", relation="others", direction="both")
    return table([*rows, estimated("mixture - best head, mean over relations", rest, **keys)])


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
    """F1 of the head chosen on the other data set, against all heads; and the best head of each tuning run.

    Intervals: over heads for the median, over runs after tuning. Of one head on one data set only the F1 is known.
    """
    frame = files.csv("head_scores.csv.gz")
    rows = []
    for model in ("bert-base", "bert-large"):
        subject = f"{model}-uncased"
        part = frame[frame.model == model]
        plain = part[part.kind == "pretrained"].pivot_table(index=["layer", "head"], columns="data", values="f1")
        for data, other in (("story", "review"), ("review", "story")):
            layer, head = plain[other].idxmax()
            values = plain[data].to_numpy()
            keys = dict(subject=subject, data=data, kind="pretrained")
            chosen, median = plain[data][layer, head], bootstrap(values, np.median)
            head = called(layer - 1, head - 1)  # counted from 1 in the file as well
            gap = only(chosen - median[0])
            rows += [
                released_row("F1, head chosen on the other data", chosen, **keys, head=head),
                row("F1, median head", median, len(values), **keys, head="median"),
                row("F1, head chosen on the other data - median head", gap, 0, **keys, head=head),
            ]
            best = {}
            for kind in ("neg", "control"):
                tuned = part[(part.kind == kind) & (part.data == data)]
                best[kind] = tuned.groupby("run").f1.max().to_numpy()
                more = dict(subject=subject, data=data, kind=f"tuned: {kind}", head="best")
                if len(tuned):
                    rows.append(estimated("F1, best head of each run", best[kind], **more))
            if all(len(runs) for runs in best.values()):
                gap = difference(best["neg"], best["control"], paired=False)
                name = "F1, best head, tuned for negation - for a control"
                rows.append(row(name, gap, len(best["neg"]), subject=subject, data=data, kind="tuned", head="best"))
    return table(rows)


@released(
    "hed.coreference.clark2019",
    study="Westera 2019",
    label="related",
    stance="qualifies",
    folder="released/westera_bertology",
    files=("COREF_stats_attention.tsv",),
    note="Working notes with t-tests, by block of bert-base-cased (heads averaged), of attention "
    "between pronouns and nouns that corefer and that do not. Corefering pairs attend more, but this is "
    "neither one head nor a resolved antecedent, so it decides nothing here.",
)
def coreference(files: Files) -> pd.DataFrame:
    """t and p by layer, and with all layers pooled."""
    lines = files.text("COREF_stats_attention.tsv").splitlines()
    rows = []
    for line in lines:
        fields = line.split("\t")
        if len(fields) in (2, 3) and re.fullmatch(r"-?[\d.]+", fields[-2]):
            block = int(fields[0]) + 1 if len(fields) == 3 else "all"
            keys = dict(subject="bert-base-cased", block=str(block))
            rows += [released_row("t", float(fields[-2]), **keys), released_row("p", float(fields[-1]), **keys)]
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
    "part of the attention; disabling them is not in this release. Read off a picture, without examples and without a "
    "baseline as far off, it decides nothing here.",
)
def frames(files: Files) -> pd.DataFrame:
    """The two strongest heads, the median head, and how many heads reach half of the strongest."""
    frame = files.csv("head_maps_digitised.csv")
    part = frame[frame.quantity.str.startswith("FrameNet")].sort_values("value", ascending=False)
    rows = [
        released_row("attention on core links", r.value, subject=BASE, head=called(r.layer - 1, r.head - 1))
        for r in part.head(2).itertuples()
    ]
    values = part.value.to_numpy()
    rows.append(row("attention on core links", bootstrap(values, np.median), len(values), subject=BASE, head="median"))
    strong = int((values >= values.max() / 2).sum())
    share = proportion(strong, len(values))
    rows.append(row("share of heads with half of the strongest", share, len(values), subject=BASE, head="all"))
    return table(rows)
