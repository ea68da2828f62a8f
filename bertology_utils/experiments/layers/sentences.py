"""Surface, syntax and meaning of whole sentences by layer: ten SentEval-like tasks."""

from __future__ import annotations

import numpy as np

from ... import sentence_tasks, stats
from ...claims import claim
from ...data.items import ItemError
from ...layers import Profile
from ...probes import probe_layers
from ...rules import above

MOST = 250  # sentences a split


@claim(
    "lay.sentence_tasks.jawahar2019",
    tasks="treebank",
    n=2500,
    limit=2500,
    # half a layer between the two means is the least order worth the name; the semantic part is reported as found
    predict=above("difference of mean best layers", 0.0, margin=0.5, where={"kind": "syntactic - surface"}),
)
def sentence_tasks_by_layer(subject, data, settings):
    """Ten SentEval-like tasks made from a treebank, told from the mean of the words' vectors on each layer (jawahar2019).

    The best layers of a kind's tasks are averaged; the interval resamples the sentences of every task.
    """
    rows, notes, best = [], [], {}
    for kind, names in sentence_tasks.KINDS.items():
        for name in names:
            try:
                targets = sentence_tasks.build(name, data["treebank"], seed=settings.seed)
                scores = probe_layers(subject, targets, settings, most=MOST)
            except (ItemError, ValueError) as error:  # too few sentences of the kind asked for
                notes.append(f"{name} left out: {error}")
                continue
            profile, keys = Profile.of(scores.right, scores.groups, settings), {"kind": kind, "task": name}
            rows += [stats.row("accuracy", s, profile.n, **keys, layer=k) for k, s in enumerate(profile.scores())]
            most = stats.mean_interval(scores.majority, seed=settings.seed, draws=settings.draws)
            rows.append(stats.row("majority", most, profile.n, **keys))
            rows.append(stats.row("best layer", profile.peak(), profile.n, **keys))
            best.setdefault(kind, []).append((profile.best, profile.draws.argmax(1)))
            notes.append(scores.note)
    means = {kind: (np.mean([b for b, _ in x]), np.mean([d for _, d in x], 0)) for kind, x in best.items()}
    for kind, (value, drawn) in means.items():
        rows.append(stats.row("mean best layer", stats.interval(value, drawn), len(best[kind]), kind=kind, task="all"))
    for low, high in (("surface", "syntactic"), ("syntactic", "semantic")):
        gap = stats.interval(means[high][0] - means[low][0], means[high][1] - means[low][1])
        n = len(best[low]) + len(best[high])
        rows.append(stats.row("difference of mean best layers", gap, n, kind=f"{high} - {low}", task="all"))
    return stats.table(rows, list(dict.fromkeys(notes)))
