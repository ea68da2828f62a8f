"""Ten probing tasks and eleven transfer tasks by layer: Jawahar's table, and a full independent run of both sizes."""

from __future__ import annotations

import gzip
import re
from typing import Any

import numpy as np
import pandas as pd

from bertology_rescore.counts import DRAWS
from bertology_rescore.curves import released_row
from bertology_rescore.depth import profile_rows
from bertology_rescore.files import Files
from bertology_utils.probes.sentence_tasks import KINDS, PROBING
from bertology_utils.scores.counts import mean_ranks
from bertology_utils.scores.intervals import interval as percentiles
from bertology_utils.scores.intervals import row, table
from bertology_utils.scores.profiles import Profile, lead_rows, middle_rows, storeys

TRANSFER = ("MR", "CR", "SUBJ", "MPQA", "SST-B", "SST-F", "TREC", "MRPC", "SICK-E", "SNLI", "STS-B s")
BASE, LARGE = "bert-base-uncased", "bert-large-uncased"
_SVG = "table_2_jawahar_et_al_2019.svg"


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


TASK_IN_LOG = dict(
    zip(
        ("LENGTH", "WORDCONTENT", "DEPTH", "TOPCONSTITUENTS", "BIGRAMSHIFT", "TENSE", "SUBJNUMBER", "OBJNUMBER",
         "ODDMANOUT", "COORDINATIONINVERSION"),
        ("SentLen", "WC", "TreeDepth", "TopConst", "BShift", "Tense", "SubjNum", "ObjNum", "SOMO", "CoordInv"),
    )
)  # fmt: skip
TESTED = 10_000  # test sentences of a probing task of the suite, give or take four


def dev_scores(files: Files, model: str) -> pd.DataFrame:
    """Layers x probing tasks: accuracy on the dev sentences (mean of the tokens), from the run's log.

    Raises
    ------
    ValueError
        If a layer of the log lacks a task.
    """
    text = gzip.decompress(files.bytes(f"logs/log-mean-{model}.txt.gz")).decode("utf-8", "replace")
    rows = []
    for part in re.split(r"(?m)^.* : layer (?=\d+$)", text)[1:]:
        layer = int(re.findall(r"^\d+", part)[0])
        found = re.findall(r"Dev acc : ([\d.]+) Test acc : [\d.]+ for +([A-Z]+) classification", part)
        if found:  # a layer that was broken off was begun again
            rows.append(
                {"layer": layer} | {TASK_IN_LOG[name]: float(x) / 100 for x, name in found if name in TASK_IN_LOG}
            )
    frame = pd.DataFrame(rows).set_index("layer")
    if frame[list(PROBING)].isna().any().any():
        raise ValueError(f"the log of {model} lacks tasks at some layers: {frame.isna().sum().to_dict()}")
    return frame[list(PROBING)]


def drawn_profile(scores: np.ndarray, seed: int) -> Profile:
    """A task's accuracy by layer with draws of `TESTED` sentences: each layer's by itself, since items are not known."""
    half = np.sqrt(scores * (1 - scores) / TESTED)
    drawn = scores + half * np.random.default_rng(seed).standard_normal((DRAWS, len(scores)))
    return Profile(scores, drawn, TESTED, TESTED)


def storey_rows(scores: pd.DataFrame, dev: pd.DataFrame, subject: str) -> list[dict]:
    """Rows with the best layer of each task, and for each kind its layers against the others, in mean accuracy.

    `scores` and `dev` are layers x tasks; where the embeddings are lacking, the zones go without them.
    """
    rows, first, depth = [], int(scores.index.min()), int(scores.index.max())
    for kind, tasks in KINDS.items():
        parts = {t: drawn_profile(scores[t].to_numpy(), 100 + k) for k, t in enumerate(PROBING) if t in tasks}
        keys = {"subject": subject, "kind": kind}
        for task, p in parts.items():
            rows += [row("accuracy", x, p.n, **keys, task=task, layer=first + k) for k, x in enumerate(p.scores())]
            rows.append(released_row("best layer", first + p.best, p.n, **keys, task=task))
        mean, means = Profile.mean(list(parts.values())), dev[list(tasks)].mean(axis=1).to_numpy()
        rows += [
            row("mean accuracy", x, mean.n, **keys, task="all", layer=first + k) for k, x in enumerate(mean.scores())
        ]
        for name, pair in storeys(depth).get(kind, {}).items():
            inner, others = ([k - first for k in part if k >= first] for part in pair)
            found = lead_rows(mean, means, {f"{kind}: {name}": (inner, others)}, **keys, task="all")
            rows += [r | {"layer": r["layer"] + first} for r in found]
    return rows


def jawahar(files: Files) -> pd.DataFrame:
    """Accuracy by layer, best layers, and the layers of each kind of task against the others."""
    scores = jawahar_table(files.text(_SVG))
    return table(storey_rows(scores, scores, BASE))


def sentence_tasks(files: Files) -> pd.DataFrame:
    """Accuracy by layer, best layers, and the layers of each kind of task against the others."""
    scores = run_scores(files, PROBING)
    return table([r for s in (BASE, LARGE) for r in storey_rows(scores.loc[s, "mean"], dev_scores(files, s), s)])


def transfer(files: Files) -> pd.DataFrame:
    """Mean accuracy of the tasks and mean rank by layer, and the middle against the lower and the last layers.

    Intervals are over the tasks; layers are chosen on the same figures, since dev scores are not kept for all tasks.
    """
    scores = run_scores(files, TRANSFER)
    rows = []
    for subject in (BASE, LARGE):
        values = scores.loc[subject, "mean"].dropna().T.to_numpy()  # tasks x layers
        drawn = np.random.default_rng(0).integers(0, len(values), (DRAWS, len(values)))
        mean = Profile(values.mean(0), values[drawn].mean(1), len(values), len(values))
        ranks = mean_ranks(values), np.stack([mean_ranks(values[d]) for d in drawn])
        keys: dict[str, Any] = {"subject": subject, "task": "all"}
        rows += [row("mean accuracy", x, mean.n, **keys, layer=k) for k, x in enumerate(mean.scores())]
        spans = (percentiles(v, d) for v, d in zip(ranks[0], ranks[1].T))
        rows += [row("mean rank", x, mean.n, **keys, layer=k) for k, x in enumerate(spans)]
        rows += middle_rows(mean, mean.value, **keys)
    return table(rows)


def profiles(files: Files) -> pd.DataFrame:
    """Correlation of base's and large's layer profiles after rescaling depth, by task and on average."""
    scores = run_scores(files, PROBING)
    base, large = ({t: scores.loc[model, "mean"][t].to_numpy() for t in PROBING} for model in (BASE, LARGE))
    return table(profile_rows(base, large))
