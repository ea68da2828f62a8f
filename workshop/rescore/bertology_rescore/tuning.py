"""Ways to tune: an intermediate task (phang2019) and adapters (houlsby2019), from tables of READMEs."""

from __future__ import annotations

import pandas as pd

from bertology_rescore.cells import by_task, readme
from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import row, table

TABLE = "README_md_01.csv"
BOTTLENECK, WIDTH, LAYERS, PER_LAYER = 32, 768, 12, 2  # of the adapters, as houlsby2019 places them in BERT base
BERT_BASE = 109_482_240  # parameters of bert-base-uncased with its pooler


def two_stages(files: Files) -> pd.DataFrame:
    """Scores by target and intermediate task, and the share of targets with one."""
    frame, rows = readme(files, TABLE), []
    frame["target"] = frame["Target Task"].str.rstrip("*")
    for split, column in (("dev", "Val Score"), ("test", "Test Score")):
        for r in frame.itertuples():
            keys = dict(subject="bert-large-uncased", split=split, intermediate=r[2].replace("-", "none"))
            rows += by_task("task score", {r.target: float(frame[column][r.Index]) / 100}, **keys)
    share = (frame["Intermediate Task"] != "-").mean()
    return table(
        [*rows, row("share of released models with two stages", only(share), len(frame), subject="bert-large-uncased")]
    )


def adapter_share(bottleneck: int = BOTTLENECK) -> float:
    """Parameters of the adapters of BERT base as a share of the model's own (houlsby2019).

    Two adapters per layer, each a projection down and one up with their biases; layer norms and the classifier are not
    counted.

    Examples
    --------
    >>> round(adapter_share(64), 3)
    0.022
    """
    one = 2 * WIDTH * bottleneck + bottleneck + WIDTH
    return LAYERS * PER_LAYER * one / BERT_BASE


def adapters(files: Files) -> pd.DataFrame:
    """Scores by task as given, their mean as given, and the share of parameters that the bottleneck makes."""
    (cells,) = files.csv("glue_test.csv").to_dict("records")
    keys = dict(subject="bert-base-uncased", tuned="adapters")
    scores = {task: value / 100 for task, value in cells.items() if task not in ("model", "Total")}
    rows = by_task("task score", scores, **keys)
    rows.append(row("mean score as given, MNLI twice", only(cells["Total"] / 100), 0, **keys, task="all"))
    share = row("share of parameters in adapters, counted", only(adapter_share()), 0, **keys, task="all")
    return table([*rows, share])
