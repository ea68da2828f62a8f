"""Which layers serve which tasks: the task x layer table, the quarrel over chunks, commonsense relations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...claims.registry import claim
from ...data.items import Data
from ...probes import LayerScores, Targets, fitting, from_edges, probe_layers, score_layers
from ...probes.mixtures import Cumulative
from ...scores import intervals
from ...scores.counts import mean_ranks
from ...scores.profiles import Profile, by_refits, inner, interval, peak_rows
from ...settings import Settings
from ...subject.models import Subject
from . import tasks
from .pipeline import MOST as MIXED
from .pipeline import mixed

MOST = 300  # targets a split


def task_scores(
    subject: Subject, data: Data, settings: Settings, *, only: tuple[str, ...] = tasks.PIPELINE
) -> dict[str, LayerScores]:
    """A linear probe for each task of a source, on every layer, with its control."""
    found = tasks.measured(subject, tasks.available(data, only=only), settings, tasks.scored, most=MOST)
    return {task: replace(scores, note=said) for task, (scores, said) in found.items()}


@claim(
    "lay.transferability.liu2019a",
    tasks=("treebank", "chunks", "semantic_roles", "relations"),
    n=800,
    limit=300,
    # half a rank, on average over tasks, is the least lead worth the name
)
def transferability(subject, data, settings):
    """Linear probes for every task the source has, on every layer; the mean rank of each layer over tasks (liu2019a).

    Rank 1 is the highest accuracy. The inner layer has the best mean rank on dev; its leads over both ends are scored
    on test, by resampled sentences of the tasks at hand.
    """
    scores = task_scores(subject, data, settings)
    profiles = {t: Profile.of(s.right, s.groups, settings) for t, s in scores.items()}
    rows = []
    for task, p in profiles.items():
        rows += [intervals.row("accuracy", s, p.n, task=task, layer=k) for k, s in enumerate(p.scores())]
        rows += [
            *tasks.baseline_rows(scores[task], settings, task=task),
            intervals.row("best layer", p.peak(), p.n, task=task),
        ]
    ranks = mean_ranks(np.array([p.value for p in profiles.values()]))
    drawn = np.array([mean_ranks(table) for table in np.stack([p.draws for p in profiles.values()], 1)])
    mean = Profile(-ranks, -drawn, len(profiles))  # a high score is a low rank
    inside = inner(-mean_ranks(np.array([s.dev for s in scores.values()])))
    rows += [
        intervals.row("mean rank", intervals.interval(ranks[k], drawn[:, k]), mean.n, task="all", layer=k)
        for k in range(len(ranks))
    ]
    peak = mean.peak()
    rows.append(intervals.row("best layer", peak, mean.n, task="all"))
    rows.append(intervals.row("best layer / depth", tuple(x / mean.depth for x in peak), mean.n, task="all"))
    for name, end in (("layer 0", 0), ("last layer", mean.depth)):
        rows.append(intervals.row(f"rank lead over {name}", mean.lead(inside, end), mean.n, task="all", layer=inside))
    return intervals.table(rows, [tasks.note(data, scores), *(s.note for s in scores.values())])


@claim(
    "lay.chunks_conflict.liu2019a",
    tasks=("treebank", "chunks"),
    n=800,
    limit=300,
    # "middle" (liu2019a) is above the lowest third, "low" (jawahar2019, tenney2019a) inside it
)
def chunks_conflict(subject, data, settings):
    """Where chunk tags and parts of speech are best told, by two probe families (liu2019a, jawahar2019, tenney2019a).

    Linear and one-hidden-layer probes on every layer; and for chunks the expected layer by cumulative scoring and the
    centre of gravity of the mixing weights. Replicated: our data side with the middle; not replicated: with the low
    layers; partly: the probes disagree, as the studies do.
    """
    found = tasks.available(data, only=("POS", "chunks"))
    families = {"linear": tasks.scored, "one hidden layer": hidden_layer}
    rows, notes = [], [tasks.note(data, found)]
    for family, measure in families.items():
        for task, (scores, said) in tasks.measured(subject, found, settings, measure, most=MOST).items():
            profile, keys = Profile.of(scores.right, scores.groups, settings), {"task": task, "probe": family}
            rows += peak_rows(profile, scores.dev, **keys)
            rows += tasks.baseline_rows(scores, settings, **keys) if family == "linear" else []
            notes.append(said)
    for task, (mixture, _) in tasks.measured(
        subject, {t: x for t, x in found.items() if t == "chunks"}, settings, mixed, most=MIXED
    ).items():
        rows += _depths(mixture, task)
    return intervals.table(rows, notes)


def hidden_layer(x: np.ndarray, targets: Targets, settings: Settings) -> LayerScores:
    """A probe of one hidden layer on every layer, for `tasks.measured`."""
    return score_layers(x, targets, settings, hidden=32)


def _depths(found: Cumulative, task: str) -> list[dict]:
    """Expected layer (where there is one) and centre of gravity, as shares of depth."""
    p, rows = found.profile, []
    value, drawn = p.expected()
    if not np.isnan(value):
        share = tuple(x / p.depth for x in interval(value, drawn))
        rows.append(intervals.row("expected layer / depth", share, p.n, task=task, probe="cumulative"))
    centre = by_refits(found.mixture.centre_of_gravity, [m.centre_of_gravity for m in found.resampled])
    share = tuple(x / p.depth for x in centre)
    return [*rows, intervals.row("centre of gravity / depth", share, p.n, task=task, probe="mixture")]


@claim(
    "lay.conceptnet.cui2020",
    tasks="concept_pairs",
    n=1000,
    limit=400,
    # a weaker rank correlation is no growth
)
def conceptnet(subject, data, settings):
    """A linear probe for the relation of two concepts named in a sentence, on every layer (cui2020).

    The study fine-tunes and looks at attention; here the relation is told from the two concepts' vectors and their
    product.
    """
    targets, note = fitting(subject, from_edges(data["concept_pairs"]))
    scores = probe_layers(subject, targets, settings, control=True, most=MOST)
    profile = Profile.of(scores.right, scores.groups, settings)
    rows = peak_rows(profile, scores.dev)
    options = {"seed": settings.seed, "draws": min(settings.draws, 500)}
    rows += tasks.baseline_rows(scores, settings)
    trend = intervals.trend(scores.right.T.astype(float), **options)
    return intervals.table([*rows, intervals.row("Spearman of layer and accuracy", trend, profile.n)], [note])
