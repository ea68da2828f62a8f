"""Heads and syntactic relations: Clark's released accuracies, averaged heads, negation scope, coreference, frames."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from bertology_rescore.counts import accuracy_difference, only
from bertology_rescore.curves import estimated, released_row
from bertology_rescore.files import Files
from bertology_utils.attention.relations import called
from bertology_utils.scores.intervals import Interval, bootstrap, difference, mean_interval, proportion, row, table

BASE = "bert-base-uncased"


def clark_relations(files: Files) -> pd.DataFrame:
    """Relation, n, best head's and best offset's accuracy in percent, layer and head (0-based), direction.

    The direct object is called "obj", as in our own rows; all other names are the authors'.
    """
    return files.csv("relations.csv").replace({"relation": {"dobj": "obj"}}).set_index("relation")


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


def heads_and_position(files: Files) -> pd.DataFrame:
    """Best head against the positional baseline, by relation."""
    names = ("best head", "best offset", "head - offset")
    rows, leads = _ensembles(files, "best_head", "positional_baseline", names)
    mean = mean_interval(list(leads.values()))
    return table([*rows, row("head - offset, mean over relations", mean, len(leads), subject="bert-base")])


def averaged_heads(files: Files) -> pd.DataFrame:
    """Averaged heads against the best single head, by relation; the mean over all but the object."""
    rows, gains = _ensembles(files, "heads_averaged", "best_head", ("mixture", "best head", "mixture - best head"))
    rest = [gain for relation, gain in gains.items() if relation != "obj"]
    keys = dict(subject="bert-base", relation="others", direction="both")
    return table([*rows, estimated("mixture - best head, mean over relations", rest, **keys)])


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
