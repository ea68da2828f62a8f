"""Entity types and coreference: the authors' probe scores (tenney2019a), and pretraining seeds (Sellam et al. 2022)."""

from __future__ import annotations

import pandas as pd

from bertology_rescore.counts import only
from bertology_rescore.edge_probing import edge_scores, over_baselines
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import combine, row, table


def entity_types(files: Files) -> pd.DataFrame:
    """F1 of entity types by view, and over the input embeddings."""
    found = edge_scores(files, {"ner-ontonotes-_micro_avg_": "entities"})
    return combine(found, table(over_baselines(found, "F1 over lexical baseline")))


def seeds(files: Files) -> pd.DataFrame:
    """Winogender accuracy and bias (correlation with the share of women in an occupation), over seeds and between two."""
    boot, runs = files.csv("multibootstrap_results.csv"), files.csv("run_level.csv").set_index("group")
    coreference = boot[boot["notebook"] == "coref.ipynb"].set_index("comparison")
    rows = []
    overall = coreference[coreference.index.str.startswith("base vs CDA intervention")]
    for name, r in overall.iterrows():
        measure = {"accuracy": "accuracy, Winogender", "bias r": "bias, Winogender"}[r["metric"]]
        n = 720 if "720 items" in name else 60
        rows.append(row(measure, (r["base"], r["base_low"], r["base_high"]), n, subject="MultiBERTs"))
    (pair,) = [r for name, r in coreference.iterrows() if name.startswith("pretraining seed 0 vs seed 1")]
    gap = (pair["delta"], pair["delta_low"], pair["delta_high"])
    rows.append(row("bias, seed 1 - seed 0", gap, 60, subject="MultiBERTs"))
    for measure, column in (("accuracy", "accuracy_sd"), ("bias", "bias_r_sd")):
        spread = only(runs.loc["base", column])
        rows.append(row(f"{measure}, standard deviation of runs", spread, 0, subject="MultiBERTs"))
    return table(rows)
