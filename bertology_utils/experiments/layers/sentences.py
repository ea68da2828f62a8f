"""Surface, syntax and meaning of whole sentences by layer: ten SentEval-like tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...claims.registry import claim
from ...data.items import ItemError
from ...probes import Targets, gather_all, score_layers, sentence_tasks
from ...scores import intervals
from ...scores.choice import choose_each
from ...scores.profiles import Profile
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject

MOST = {"train": 200, "dev": 20, "test": 200}  # sentences a split; dev chooses nothing here


def first(targets: Targets) -> Targets:
    """The first targets of each split: tasks that leave their sentences as they are then share most of them."""
    return targets.take(np.sort(np.concatenate([np.flatnonzero(targets.split == s)[:n] for s, n in MOST.items()])))


def gather_pooled(subject: Subject, tasks: list[Targets], settings: Settings) -> list[tuple[Targets, np.ndarray, str]]:
    """Targets that fit, their vectors and a note, for each task; every sentence is run once."""
    place: dict[tuple[str, ...], int] = {}
    for t in tasks:
        for i in t.sentence:
            place.setdefault(t.sentences[i], len(place))
    fit = encode.fits(subject, list(place))
    out = []
    for t in tasks:
        where = np.array([place[t.sentences[i]] for i in t.sentence])
        note = f"{(~fit[where]).sum()} sentences too long for {subject.name}" if not fit[where].all() else ""
        out.append((replace(t, sentences=tuple(place), sentence=where).take(fit[where]), note))
    vectors = gather_all(subject, [t for t, _ in out], settings=settings)
    return [(t, x, note) for (t, note), x in zip(out, vectors)]


@claim(
    "lay.sentence_tasks.jawahar2019",
    tasks="treebank",
    n=2500,
    limit=2500,
    # half a layer between the two means is the least order worth the name; the semantic part is reported as found
)
def sentence_tasks_by_layer(subject, data, settings):
    """Ten SentEval-like tasks made from a treebank, told from the mean of the words' vectors on each layer (jawahar2019).

    The best layers of a kind's tasks are averaged; the interval resamples the sentences of every task.
    """
    rows, notes, best, made = [], [], {}, {}
    for name in sentence_tasks.PROBING:
        try:
            made[name] = first(sentence_tasks.build(name, data["treebank"], seed=settings.seed))
        except ItemError as error:  # too few sentences of the kind asked for
            notes.append(f"{name} left out: {error}")
    vectors = dict(zip(made, gather_pooled(subject, list(made.values()), settings)))
    for kind, names in sentence_tasks.KINDS.items():
        for name in (n for n in names if n in made):
            targets, x, note = vectors[name]
            scores = score_layers(x, targets, settings, note=note)
            profile, keys = Profile.of(scores.right, scores.groups, settings), {"kind": kind, "task": name}
            rows += [intervals.row("accuracy", s, profile.n, **keys, layer=k) for k, s in enumerate(profile.scores())]
            most = intervals.mean_interval(scores.majority, seed=settings.seed, draws=settings.draws)
            rows.append(intervals.row("majority", most, profile.n, **keys))
            rows.append(intervals.row("best layer", profile.peak(), profile.n, **keys))
            best.setdefault(kind, []).append((profile.best, choose_each(profile.draws)))
            notes.append(scores.note)
    means = {kind: (np.mean([b for b, _ in x]), np.mean([d for _, d in x], 0)) for kind, x in best.items()}
    for kind, (value, drawn) in means.items():
        rows.append(
            intervals.row("mean best layer", intervals.interval(value, drawn), len(best[kind]), kind=kind, task="all")
        )
    for low, high in (("surface", "syntactic"), ("syntactic", "semantic")):
        gap = intervals.interval(means[high][0] - means[low][0], means[high][1] - means[low][1])
        n = len(best[low]) + len(best[high])
        rows.append(intervals.row("difference of mean best layers", gap, n, kind=f"{high} - {low}", task="all"))
    return intervals.table(rows, list(dict.fromkeys(notes)))
