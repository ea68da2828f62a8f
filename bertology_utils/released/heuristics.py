"""Shallow heuristics: a hundred fine-tuning runs of BERT on MNLI, scored on HANS (McCoy et al.)."""

from __future__ import annotations

import pandas as pd

from bertology_utils.released import Release
from bertology_utils.released.curves import estimated, told
from bertology_utils.released.files import Files
from bertology_utils.scores.intervals import bootstrap, mean_interval, row, table

_RUNS = "berts_of_a_feather/berts_of_a_feather_accuracies_by_run.csv"
_MCCOY = Release(study="McCoy et al. 2020", folder="hans_partial", files=(_RUNS,))
BASE = "bert-base-uncased"
HEURISTICS = {"lexical overlap": "Lexical", "subsequence": "Subseq", "constituent": "Constituent"}


def runs(files: Files) -> pd.DataFrame:
    """One row per fine-tuning run, accuracies as fractions."""
    frame = files.csv(_RUNS, encoding="utf-8-sig")
    return frame[frame.Run.str.fullmatch(r"Run \d+")].reset_index(drop=True)


@_MCCOY.on(
    "trn.heuristics.mccoy2019b",
    label="rerun",
    stance="supports",
    note="The same authors' later accuracies of a hundred runs that differ by seed alone: nearly all right where the "
    "heuristic gives the right answer, mostly wrong where it does not. Intervals are over runs.",
)
def hans(files: Files) -> pd.DataFrame:
    """Accuracy where the heuristic is right and where it is wrong, by heuristic; the mean difference over the three."""
    frame, keys = runs(files), {"subject": BASE}
    rows = [estimated("accuracy, in domain", frame["MNLI dev acc."], **keys, condition="MNLI")]
    gaps = []
    for name, column in HEURISTICS.items():
        right, wrong = (frame[f"{column} ({kind})"] for kind in ("entailed", "nonent"))
        gaps.append(right - wrong)
        for values, meaning in ((right, "heuristic right"), (wrong, "heuristic wrong")):
            rows.append(row("accuracy", mean_interval(values), len(frame), **keys, condition=f"{name}, {meaning}"))
    gap = mean_interval(sum(gaps) / len(gaps), signed=True)
    return table([*rows, row("accuracy, consistent - contradicting", gap, len(frame), **keys, condition="HANS")])


@_MCCOY.on(
    "trn.seed_variance.dodge2020",
    label="related",
    stance="supports",
    note="The same hundred runs: almost one figure on MNLI, a wide range on HANS where the heuristic is wrong. "
    "The runs differ in the order of the data and the first weights of the classifier.",
)
def seeds(files: Files) -> pd.DataFrame:
    """Standard deviation, least and greatest over the runs, in and out of domain."""
    frame = runs(files)
    rows = []
    for name, column in (
        ("MNLI", "MNLI dev acc."),
        *((f"HANS {k}, heuristic wrong", f"{c} (nonent)") for k, c in HEURISTICS.items()),
    ):
        values = frame[column].to_numpy(float)
        keys = dict(subject=BASE, condition=name)
        spread = bootstrap(values, lambda v: v.std(ddof=1))
        rows += [
            row("standard deviation", spread, len(values), **keys),
            told("least", values.min(), len(values), **keys),
            told("greatest", values.max(), len(values), **keys),
        ]
    return table(rows)
