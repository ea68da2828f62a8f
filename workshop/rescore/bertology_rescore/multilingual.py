"""Multilingual BERT beyond transfer: agreement by language, names of languages, word alignment."""

from __future__ import annotations

import numpy as np
import pandas as pd

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_rescore.glue import readme_table, task_rows
from bertology_utils.scores.intervals import mean_interval, proportion, row, table

SUBJECT = "bert-base-multilingual-cased"
BY_LANGUAGE = f"{SUBJECT}, by language"  # a record of its own beside the pooled figures of the same folder


def agreement_pooled(files: Files) -> pd.DataFrame:
    """Share right over all languages, and by kind of agreement."""
    frame = files.csv("accuracy.csv")
    frame = frame[frame.correct & frame.scope.str.startswith(">10")]
    rows = []
    for kind, share, n in zip(frame.group, frame.proportion, frame.n):
        found = only(share) if pd.isna(n) else proportion(round(share * n), int(n))
        rows.append(row("accuracy, languages pooled", found, 0 if pd.isna(n) else int(n), subject=SUBJECT, kind=kind))
    return table(rows)


def agreement_by_language(files: Files) -> pd.DataFrame:
    """Accuracy by language, how many languages are above 55 %, and the mean over languages."""
    frame = files.csv("accuracy_by_language_digitised.csv")
    counts = files.csv("n_cloze_by_language.csv").set_index("language").n_cloze
    counts = counts.rename(lambda name: name.removesuffix("-Nynorsk"))
    rows = []
    for name, share in zip(frame.language, frame.accuracy_digitised):
        n = int(counts[name])
        subject = "bert-base, English" if name == "English" else BY_LANGUAGE
        found = proportion(round(share * n), n)
        rows.append(row("accuracy by language", found, n, subject=subject, language=name))
    values = frame[frame.language != "English"].accuracy_digitised.to_numpy(float)
    keys, above = dict(subject=BY_LANGUAGE, language="all"), values > 0.55
    rows.append(row("accuracy, mean over languages", mean_interval(values), len(values), **keys))
    return table([*rows, row("share of languages above .55", mean_interval(above), len(above), **keys)])


def language_names(files: Files) -> pd.DataFrame:
    """Mean over languages of naming the language first, among five and among ten; and the share never named."""
    frame = files.csv("translator_langs.csv")
    rows = []
    for column, first in (("acc1", 1), ("acc5", 5), ("acc10", 10)):
        values = frame[column].to_numpy(float)
        rows.append(row("language named", mean_interval(values), len(values), subject=SUBJECT, among=f"first {first}"))
    never = (frame.acc10 == 0).to_numpy()
    rows.append(
        row("share of languages never named", mean_interval(never), len(never), subject=SUBJECT, among="first 10")
    )
    rows += [
        row("language named, by language", only(r.acc1), 0, subject=SUBJECT, among="first 1", language=r.language)
        for r in frame.itertuples()
    ]
    return table(rows)


def alignment(files: Files) -> pd.DataFrame:
    """F1 by pair of languages, and the lead over each statistical aligner."""
    frame = readme_table(files, "README_md_01.csv").astype(float)
    rows = [
        row("alignment F1", only(v), 0, subject=SUBJECT, task=pair) for pair, v in frame.loc["mBERT-Argmax"].items()
    ]
    for aligner in ("fast-align", "eflomal"):
        lead = frame.loc["mBERT-Argmax"] - frame.loc[aligner]
        rows += task_rows(f"alignment F1, mBERT - {aligner}", lead, subject=SUBJECT)
    if not np.isfinite([r["value"] for r in rows]).all():
        raise ValueError("the table of alignments has gaps")
    return table(rows)
