"""Which layers serve which tasks: the task x layer table, and commonsense relations."""

from __future__ import annotations

import numpy as np

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data.items import Data
from ...probes import fitting, from_edges, gather
from ...scores import intervals
from ...scores.choice import commonest
from ...scores.counts import mean_ranks
from ...scores.profiles import THIRD, Profile, best_in, curve_rows, layers_at, middle_rows
from ...settings import Settings
from ...subject.models import Subject
from . import plants, tasks
from .fits import SHARED, Fitted, crossed, fit_layers, measured


def task_scores(
    subject: Subject, data: Data, settings: Settings, *, only: tuple[str, ...] = tasks.PIPELINE
) -> dict[str, tuple[Fitted, str]]:
    """Task -> linear probes on every layer, and what was left out, for each task of a source."""
    return measured(subject, tasks.available(data, only=only), settings, fit_layers)


@claim(
    "lay.transferability.liu2019a",
    ("treebank", "chunks", "relations"),
    n=1600,
    limit=8000,
    planted=plants.labels_in_the_middle,
    nulls=(*VECTORS, "constant"),
)
def transferability(subject, data, settings):
    """Linear probes for every task the source has, on every layer (liu2019a).

    The effect is in accuracy, averaged over the tasks: the dev-best layer of the middle against that of the lower
    layers, of the last layers, and against the commonest label of the very word. `mean rank` is the study's own table
    in one line: rank 1 is the highest accuracy.
    """
    found = task_scores(subject, data, settings)
    profiles = {task: s.profile(settings) for task, (s, _) in found.items()}
    rows = intervals.Rows(settings)
    for task, profile in profiles.items():
        rows += curve_rows(profile, task=task) + found[task][0].control_rows(settings, task=task)
        rows += middle_rows(profile, found[task][0].dev, found[task][0].baselines(settings), task=task)
    mean, dev = Profile.mean(list(profiles.values())), np.mean([s.dev for s, _ in found.values()], 0)
    word = Profile.mean([s.baselines(settings)["word alone"] for s, _ in found.values()])
    rows += curve_rows(mean, measure="mean accuracy", task="all")
    rows += middle_rows(mean, dev, {"word alone": word}, task="all")
    ranks = mean_ranks(np.array([p.value for p in profiles.values()]))
    drawn = np.array([mean_ranks(table) for table in np.stack([p.draws for p in profiles.values()], 1)])
    for k, rank in enumerate(ranks):
        rows.add("mean rank", mean.interval(rank, drawn[:, k]), mean.n, task="all", layer=k)
    return intervals.table(rows, [tasks.note(data, found), SHARED, *(said for _, said in found.values())])


@claim(
    "lay.conceptnet.cui2020",
    "concept_pairs",
    n=2000,
    limit=2000,
    planted=plants.relations_grow,
    nulls=(*VECTORS, "constant"),
)
def conceptnet(subject, data, settings):
    """A linear probe for the relation of two concepts named in a sentence, on every layer (cui2020).

    The study fine-tunes and looks at attention; here the relation is told from the two concepts' vectors and their
    product, each of all pairs by a probe that saw neither concept. The stack is taken in thirds, each with the mean of
    its layers, so that nothing is chosen. Intervals draw first and second concepts, which occur in several pairs.
    """
    targets, note = fitting(subject, from_edges(data["concept_pairs"]))
    right, dev = crossed(gather(subject, targets, settings=settings), targets, settings)
    names = [t.split(" | ") for t in targets.types]
    groups = {"first": [a for a, _ in names], "second": [b for _, b in names]}
    profile = Profile.of(right, groups, settings)
    most = Profile.of((targets.labels == commonest(targets.labels))[None], groups, settings)
    of = {
        "lower": layers_at(profile.depth, 0.01, THIRD),  # without the embeddings
        "middle": layers_at(profile.depth, THIRD + 0.01, 2 * THIRD),
        "upper": layers_at(profile.depth, 2 * THIRD + 0.01),
    }
    rows = [*curve_rows(profile), intervals.row("majority", most.scores()[0], most.n)]
    means = {name: (profile.value[k].mean(), profile.draws[:, k].mean(1)) for name, k in of.items()}
    for a, b in (("upper", "lower"), ("upper", "middle"), ("middle", "lower")):
        gap = profile.interval(means[a][0] - means[b][0], means[a][1] - means[b][1])
        rows.append(intervals.row(f"{a} third - {b} third", gap, profile.n))
    best = best_in(dev, range(profile.depth + 1))
    rows.append(intervals.row("best layer - majority", profile.over(best, most), profile.n, layer=best))
    return intervals.table(rows, [note])
