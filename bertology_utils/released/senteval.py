"""Ten probing tasks and eleven transfer tasks by layer: Jawahar's table, and a full independent run of both sizes."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from bertology_utils.probes.sentence_tasks import KINDS, PROBING
from bertology_utils.released import released
from bertology_utils.released.depth import profile_rows
from bertology_utils.released.files import Files
from bertology_utils.scores.counts import DRAWS, mean_ranks, only, percentiles
from bertology_utils.scores.intervals import mean_interval, row, table

TRANSFER = ("MR", "CR", "SUBJ", "MPQA", "SST-B", "SST-F", "TREC", "MRPC", "SICK-E", "SNLI", "STS-B s")
BASE, LARGE = "bert-base-uncased", "bert-large-uncased"
_SVG = "table_2_jawahar_et_al_2019.svg"
_RUN = dict(study="jklj077 2019", folder="released/senteval_layers_jklj077", files=("senteval_by_layer.csv",))


def jawahar_table(svg: str) -> pd.DataFrame:
    """Accuracy by layer (1..12) and task, from the texts of the redrawn table.

    The picture gives the best layer's score and, for the others, the loss against it; each text stands in a comment of
    the SVG. The cells come row by row after the axis label, before the colour bar's ticks.

    Raises
    ------
    ValueError
        If there are not twelve rows of ten cells after the label.
    """
    texts = re.findall(r"<!-- *([^>]*?) *-->", svg)
    cells = texts[texts.index("Layers") + 1 :][: 12 * len(PROBING)]
    if len(cells) < 12 * len(PROBING) or not all(re.fullmatch(r"\d+\.\d", c) for c in cells):
        raise ValueError(f"the picture has no {12 * len(PROBING)} cells after its axis label: {cells[:5]} ...")
    grid = np.array(cells, float).reshape(12, len(PROBING))
    best = grid.max(0)
    scores = np.where(grid == best, best, best - grid)
    return pd.DataFrame(scores / 100, columns=PROBING, index=pd.RangeIndex(1, 13, name="layer"))


def run_scores(files: Files, tasks: tuple[str, ...]) -> pd.DataFrame:
    """Model, pooling, layer x tasks (fractions); layers 0 (input embeddings) to 12 or 24."""
    frame = files.csv("senteval_by_layer.csv")
    frame = frame[frame.task.isin(tasks)]
    percent = ~frame.task.str.fullmatch(r"(STS|SICK-R).* [ps]")  # correlations are fractions already
    frame = frame.assign(score=np.where(percent, frame.score / 100, frame.score))
    wide = frame.pivot_table(index=["model", "pooling", "layer"], columns="task", values="score")
    return wide[list(tasks)]


def best_layers(scores: pd.DataFrame, subject: str) -> list[dict]:
    """Rows with the best layer of each task, and the mean best layer of each kind with an interval over its tasks."""
    best = scores.idxmax()
    rows = [
        row("best layer", only(best[t]), 0, subject=subject, kind=kind, task=t)
        for kind, tasks in KINDS.items()
        for t in tasks
    ]
    means = {kind: best[list(tasks)].to_numpy(float) for kind, tasks in KINDS.items()}
    rows += [
        row("mean best layer", mean_interval(v), len(v), subject=subject, kind=k, task="all") for k, v in means.items()
    ]
    rng = np.random.default_rng(0)
    drawn = {k: v[rng.integers(0, len(v), (DRAWS, len(v)))].mean(1) for k, v in means.items()}
    for low, high in (("surface", "syntactic"), ("syntactic", "semantic")):
        rows.append(
            row(
                "difference of mean best layers",
                percentiles(means[high].mean() - means[low].mean(), drawn[high] - drawn[low]),
                len(means[high]) + len(means[low]),
                subject=subject,
                kind=f"{high} - {low}",
                task="all",
            )
        )
    return rows


@released(
    "lay.sentence_tasks.jawahar2019",
    study="jawahar2019",
    label="digitised",
    stance="qualifies",
    folder="released/jawahar2019_via_niu2022",
    files=(_SVG,),
    note="The study's table of ten tasks by layer (1 to 12), read from the texts of a vector picture that "
    "others redrew from it. Surface tasks are best low and syntactic ones in the middle; the semantic "
    "ones scatter: the numbers of subject and object are best no higher than the syntactic tasks, and the "
    "step from syntactic to semantic is within its interval, which is over the few tasks of a kind.",
)
def jawahar(files: Files) -> pd.DataFrame:
    """Accuracy by layer, best layers, and mean best layer by kind of task."""
    scores = jawahar_table(files.text(_SVG))
    rows = [
        row("accuracy", only(v), 0, subject=BASE, kind=kind, task=task, layer=str(layer))
        for kind, tasks in KINDS.items()
        for task in tasks
        for layer, v in scores[task].items()
    ]
    return table(rows + [{**r, "layer": "best"} for r in best_layers(scores, BASE)])


@released(
    "lay.sentence_tasks.jawahar2019",
    label="rerun",
    stance="supports",
    **_RUN,
    note="An independent run of the same ten tasks on every layer (0 = input embeddings) of both sizes, mean "
    "of the tokens. Surface tasks are best at the bottom, syntactic ones in the middle, semantic ones "
    "somewhat higher, the last step only just beyond its interval, which is over the few tasks of a kind.",
)
def sentence_tasks(files: Files) -> pd.DataFrame:
    """Best layers and mean best layer by kind of task, mean pooling."""
    scores = run_scores(files, PROBING)
    return table([r for s in (BASE, LARGE) for r in best_layers(scores.loc[s, "mean"], s)])


@released(
    "lay.transferability.liu2019a",
    **{**_RUN, "label": "related"},
    stance="qualifies",
    note="Eleven sentence-level transfer tasks on every layer of both sizes, mean of the tokens; the study's "
    "own tasks are word by word. The best mean rank lies inside the stack but well above its middle, and "
    "the interval over tasks spans most of the stack.",
)
def transfer(files: Files) -> pd.DataFrame:
    """Mean rank of each layer over tasks, and the layer whose mean rank is best."""
    scores = run_scores(files, TRANSFER)
    rows = []
    for subject in (BASE, LARGE):
        by_task = scores.loc[subject, "mean"].dropna().T  # tasks x layers
        layers, values = by_task.columns.to_numpy(), by_task.to_numpy()
        ranks = mean_ranks(values)
        rng = np.random.default_rng(0)
        draws = np.stack([mean_ranks(values[rng.integers(0, len(values), len(values))]) for _ in range(DRAWS)])
        rows += [
            row("mean rank", percentiles(ranks[i], draws[:, i]), len(values), subject=subject, layer=str(layer))
            for i, layer in enumerate(layers)
        ]
        best = layers[ranks.argmin()], layers[draws.argmin(1)]
        rows.append(row("best layer", percentiles(*best), len(values), subject=subject, layer="best"))
        rows.append(
            row(
                "best layer / depth",
                percentiles(best[0] / layers[-1], best[1] / layers[-1]),
                len(values),
                subject=subject,
                layer="best",
            )
        )
    return table(rows)


@released(
    "lay.base_vs_large.tenney2019a",
    label="related",
    stance="supports",
    **_RUN,
    note="The ten probing tasks by layer of both sizes from one independent run, mean of the tokens: stretched "
    "to the same depth, the profiles of most tasks correlate highly. The mean's interval is over tasks.",
)
def profiles(files: Files) -> pd.DataFrame:
    """Correlation of base's and large's layer profiles after rescaling depth, by task and on average."""
    scores = run_scores(files, PROBING)
    base, large = ({t: scores.loc[model, "mean"][t].to_numpy() for t in PROBING} for model in (BASE, LARGE))
    return table(profile_rows(base, large))
