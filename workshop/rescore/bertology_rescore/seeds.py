"""Seeds alone: how far fine-tuning runs that differ in nothing else lie apart (dodge2020), in others' runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.stats import chi2

from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_rescore.glue import over_runs
from bertology_utils.scores.intervals import Interval, bootstrap, mean_interval, row, table

BASE = "bert-base-uncased"
HUNDRED = "berts_of_a_feather/berts_of_a_feather_accuracies_by_run.csv"
HEURISTICS = {"lexical overlap": "Lexical", "subsequence": "Subseq", "constituent": "Constituent"}
SPREAD = "HANS lexical overlap, heuristic wrong"  # where the hundred runs lie farthest apart
METRICS = {"CoLA": "mcc", "MRPC": "acc", "RTE": "acc", "SST-2": "acc", "MNLI": "mnli_acc", "QNLI": "acc", "QQP": "acc"}
SEEDS = 5


def runs(files: Files) -> pd.DataFrame:
    """One row per fine-tuning run, accuracies as fractions."""
    frame = files.csv(HUNDRED, encoding="utf-8-sig")
    return frame[frame.Run.str.fullmatch(r"Run \d+")].reset_index(drop=True)


def deviation_of_seeds(deviation: float, n: int = SEEDS) -> Interval:
    """The standard deviation over n seeds, from that divided by n, with the chi-square interval of normal scores.

    Examples
    --------
    >>> [round(x, 4) for x in deviation_of_seeds(0.02)]
    [0.0224, 0.0134, 0.0643]
    """
    value = deviation * np.sqrt(n / (n - 1))
    low, high = (value * np.sqrt((n - 1) / chi2.ppf(p, n - 1)) for p in (0.975, 0.025))
    return Interval(float(value), float(low), float(high), clusters=n)


def spread_rows(values: Sequence[float], **keys) -> list[dict]:
    """Standard deviation of the runs with its bootstrap interval, and the least and the greatest."""
    scores = np.asarray(values, float)
    return [
        row("standard deviation", bootstrap(scores, lambda v: v.std(ddof=1)), len(scores), **keys),
        row("least", only(scores.min()), len(scores), **keys),
        row("greatest", only(scores.max()), len(scores), **keys),
    ]


def five_seeds(files: Files) -> pd.DataFrame:
    """Standard deviation over five seeds by task, and the mean score."""
    frame = files.csv("scores.csv")
    frame = frame[frame.file == "baseline/results.json"].set_index(["task", "metric"])
    rows = []
    for task, metric in METRICS.items():
        mean, deviation = frame.loc[(task, metric), ["mean", "std_over_5_seeds"]]
        keys = dict(subject=BASE, condition=task)
        rows.append(row("standard deviation over seeds", deviation_of_seeds(deviation), SEEDS, **keys))
        rows.append(row("score", over_runs(mean, deviation, SEEDS), SEEDS, **keys))
    return table(rows)


def hundred_seeds(files: Files) -> pd.DataFrame:
    """Standard deviation, least and greatest over the runs, in and out of domain."""
    frame, rows = runs(files), []
    for name, column in (
        ("MNLI", "MNLI dev acc."),
        *((f"HANS {k}, heuristic wrong", f"{c} (nonent)") for k, c in HEURISTICS.items()),
    ):
        scores = frame[column].to_numpy(float)
        rows += spread_rows(scores, subject=BASE, condition=name)
        if name in ("MNLI", SPREAD):  # each run, for the picture
            each = (
                row("accuracy of a run", only(v), 1, subject=BASE, condition=name, run=k) for k, v in enumerate(scores)
            )
            rows += each
    return table(rows)


def arguments(files: Files) -> pd.DataFrame:
    """Spread of the test accuracy over runs, and the share of runs under three quarters right in training."""
    rows = []
    for size in ("base", "large"):
        frame = files.csv(f"bert_{size}/accs.csv")
        keys = dict(subject=f"bert-{size}-uncased", condition="ARCT")
        failed = mean_interval((frame.train < 0.75).to_numpy(float))
        rows += [*spread_rows(frame.test, **keys), row("share of runs that fail to learn", failed, len(frame), **keys)]
    return table(rows)


def pretraining_seeds(files: Files) -> pd.DataFrame:
    """Standard deviations over all runs as released, and the difference of two pretraining seeds."""
    keys = dict(subject="multiberts (25 seeds)", condition="Winogender")
    base = files.csv("run_level.csv").set_index("group").loc["base"]
    n = int(base.runs)
    frame = files.csv("multibootstrap_results.csv")
    (pair,) = frame[frame.comparison.str.startswith("pretraining seed 0 vs seed 1")].itertuples()
    gap = Interval(pair.delta, pair.delta_low, pair.delta_high)
    return table(
        [
            row("standard deviation, pretraining and tuning, accuracy", only(base.accuracy_sd), n, **keys),
            row("standard deviation, pretraining and tuning, bias correlation", only(base.bias_r_sd), n, **keys),
            row("bias correlation, one pretraining seed - another", gap, 60, **keys),
        ]
    )
