"""Entity types and coreference: the authors' probe scores (tenney2019a), and pretraining seeds (Sellam et al. 2022)."""

from __future__ import annotations

import pandas as pd

from bertology_rescore import released
from bertology_rescore.edge_probing import FOLDER, edge_scores, over_baselines
from bertology_rescore.files import Files
from bertology_utils.scores.counts import only
from bertology_utils.scores.intervals import combine, row, table


@released(
    "sem.ner_f1.tenney2019a",
    study="tenney2019b",
    label="authors",
    stance="supports",
    folder=FOLDER,
    files=("iclr_edge_probing_scores.csv", "iclr_edge_probing_errn95.csv"),
    note="The authors' scores of a probe for entity types, spans given: 96 of 100, as the survey says; but the input "
    "embeddings alone give 90, and an ELMo whose upper weights are random 92, so that training adds four points at most.",
    baselines=("elmo with random weights",),
)
def entity_types(files: Files) -> pd.DataFrame:
    """F1 of entity types by view, and over the input embeddings."""
    found = edge_scores(files, {"ner-ontonotes-_micro_avg_": "entities"})
    return combine(found, table(over_baselines(found, "F1 over lexical baseline")))


@released(
    "sem.name_brittleness.balasubramanian2020",
    study="Sellam et al. 2022",
    label="related",
    stance="qualifies",
    folder="released/sellam2022_multiberts",
    files=("multibootstrap_results.csv", "run_level.csv"),
    note="No names are exchanged here: BERTs of 25 pretraining seeds, fine-tuned for coreference, are right about 63 of 100 "
    "Winogender sentences, and how far they follow the sex of an occupation differs between two seeds more than "
    "fine-tuning explains.",
    baselines=(),
)
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
