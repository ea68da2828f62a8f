"""World knowledge: facts retrieved with several prompts, properties and affordances of objects."""

from __future__ import annotations

import pandas as pd

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import mean_interval, row, table, unpaired

BASE = "bert-base"


def _prompts(files: Files) -> pd.Series:
    """Share of LAMA's facts by kind of prompt."""
    frame = files.csv("lama_bert_base.csv")
    return frame.set_index("prompts")["LAMA_accuracy_pct"] / 100


def facts(files: Files) -> pd.DataFrame:
    """P@1 with manual prompts, the commonest object of the training facts, and the lead over it."""
    found = _prompts(files)
    bottom = found["majority class (from training data)"]
    rows = []
    for subject, name in ((BASE, "LAMA manual"), ("naive Bayes", "naive Bayes (from training data)")):
        figures = {"P@1": found[name], "majority object": bottom, "P@1 over majority object": found[name] - bottom}
        rows += [row(m, only(v), 0, subject=subject) for m, v in figures.items()]
    return table(rows)


def templates(files: Files) -> pd.DataFrame:
    """P@1 by kind of prompt, and what each adds to the manual ones."""
    found = _prompts(files)
    kinds = {"manual": "LAMA manual", "LPAQA": "LPAQA", "AutoPrompt": "AutoPrompt", "OptiPrompt": "OptiPrompt"}
    rows = [row("P@1", only(found[name]), 0, subject=BASE, prompts=kind) for kind, name in kinds.items()]
    rows += [
        row("P@1 over manual prompts", only(found[name] - found["LAMA manual"]), 0, subject=BASE, prompts=kind)
        for kind, name in kinds.items()
        if kind != "manual"
    ]
    return table(rows)


NAMES = {"BERT": "BERT", "ELMO": "ELMo", "GLOVE": "GloVe", "DEP-EMBS": "dependency embeddings",
         "RANDOM": "random", "MAJORITY": "majority", "HUMAN": "people"}  # fmt: skip
TASKS = {"situated_OP": "object-property", "situated_OA": "object-affordance", "situated_AP": "affordance-property",
         "abstract_OP": "object-property, abstract"}  # fmt: skip


def affordances(files: Files) -> pd.DataFrame:
    """F1 (micro) by task, that of the majority, and the lead over it; BERT, its baselines, and people."""
    frame = files.csv("table_f1.csv").set_index("model")
    rows = []
    for model, name in NAMES.items():
        for column, task in TASKS.items():
            value, bottom = (float(frame.loc[k, f"{column}_muF1"]) for k in (model, "MAJORITY"))
            figures = {"F1": value, "F1, majority": bottom, "F1 over majority": value - bottom}
            rows += [row(m, only(v), 0, subject=name, task=task) for m, v in figures.items()]
    return table(rows)


def attributes(files: Files) -> pd.DataFrame:
    """Mean accuracy over the properties of a category, and the lead of the easier ones; properties are resampled."""
    frame = files.csv("property_accuracy_by_category_digitised.csv")
    by = {name: part["accuracy_digitised"].to_numpy() for name, part in frame.groupby("category", sort=False)}
    easy = frame[frame["category"].isin(("Encyclopedic", "Functional"))]["accuracy_digitised"].to_numpy()
    groups = {name.lower(): v for name, v in by.items()} | {"encyclopedic and functional": easy}
    found = {name: mean_interval(v) for name, v in groups.items()}
    subject = NAMES["BERT"]
    rows = [row("accuracy", i, len(groups[name]), subject=subject, category=name) for name, i in found.items()]
    lead = unpaired(found["encyclopedic and functional"], found["perceptual"])
    few = min(len(easy), len(groups["perceptual"]))
    rows.append(row("accuracy, encyclopedic and functional - perceptual", lead, few, subject=subject))
    return table(rows)
