"""Recipes of pretraining: width, batches and objectives of released models (turc2019, liu2019b, clark2020)."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from bertology_rescore.cells import by_task, gains, readme, score
from bertology_rescore.counts import only
from bertology_rescore.files import Files
from bertology_utils.scores.intervals import row, table

GLUE = ("CoLA", "SST-2", "MRPC", "STS-B", "QQP", "MNLI-m", "MNLI-mm", "QNLI(v2)", "RTE", "WNLI")
SMALL = {"BERT-Tiny": (2, 128), "BERT-Mini": (4, 256), "BERT-Small": (4, 512), "BERT-Medium": (8, 512)}  # layers, width
RUNS = "miniberta_ppl.csv"


def glue_scores(files: Files, path: str) -> dict[str, dict[str, float]]:
    """Model -> GLUE task -> score, a fraction; the two sets of MNLI count as one task, as in GLUE's own mean."""
    out = {}
    for model, cells in readme(files, path, index="Model").iterrows():
        tasks = {task: score(cells[task]) for task in GLUE}
        both = np.mean([tasks.pop("MNLI-m"), tasks.pop("MNLI-mm")])
        out[model] = {**tasks, "MNLI": float(both)}
    return out


def widths(files: Files) -> pd.DataFrame:
    """GLUE scores by model and task; of the two with four layers, wider - narrower by task and on average."""
    scores, rows = glue_scores(files, "README_md_01.csv"), []
    for model, tasks in scores.items():
        layers, width = SMALL[model]
        rows += by_task("GLUE score", tasks, subject=model.lower(), layers=layers, width=width)
    wide, narrow = scores["BERT-Small"], scores["BERT-Mini"]
    return table(rows + gains("GLUE score, wider - narrower", wide, narrow, subject="bert-mini and bert-small"))


def minibertas(files: Files) -> pd.DataFrame:
    """One row per run: tokens of text, steps, batch, sequences seen, loss (nats per token on held-out text).

    The loss is the logarithm of the perplexity.
    """
    frame = files.csv(RUNS)
    text = frame.data_tokens.map({"1M": 1e6, "10M": 1e7, "100M": 1e8, "1B": 1e9})
    steps = frame.max_steps.str.removesuffix("K").astype(float) * 1000
    return pd.DataFrame(
        {
            "model": frame.model,
            "size": frame["size"],
            "tokens": text,
            "steps": steps,
            "batch": frame.batch_size,
            "sequences": steps * frame.batch_size,
            "loss": np.log(frame.val_ppl),
        }
    )


def batches(files: Files) -> pd.DataFrame:
    """Loss of every run; for pairs with the same text and steps, larger - smaller batch, and what each saw."""
    rows = []
    for r in minibertas(files).itertuples():
        keys = dict(text=f"{r.tokens:.0e}", steps=int(r.steps), batch=int(r.batch))
        rows.append(row("loss", only(r.loss), 1, subject="roberta (miniBERTas)", run=r.model, **keys))
    for (text, steps), part in minibertas(files).groupby(["tokens", "steps"]):
        for a, b in combinations(part.sort_values("batch").itertuples(), 2):
            keys = dict(subject="roberta (miniBERTas)", text=f"{text:.0e}", steps=int(steps), batch=int(b.batch))
            if a.batch == b.batch:
                continue
            rows.append(row("loss, large batch - small batch, equal steps", only(b.loss - a.loss), 2, **keys))
            rows.append(row("sequences seen, large batch / small batch", only(b.sequences / a.sequences), 2, **keys))
    return table(rows)


def electra(files: Files) -> pd.DataFrame:
    """Scores by model and task, where given."""
    frame = readme(files, "README_md_02.csv")
    frame = frame.set_index(frame.columns[0]).drop(index="Metrics")
    rows = []
    for model, cells in frame.iterrows():
        rows += by_task("task score", {t: score(c) for t, c in cells.items() if c != "--"}, subject=model.lower())
    return table(rows)
