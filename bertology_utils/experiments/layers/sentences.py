"""Surface, syntax and meaning of whole sentences by layer: ten SentEval-like tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...probes import Targets, gather_all, sentence_tasks
from ...scores import intervals
from ...scores.choice import choose
from ...scores.profiles import Profile, curve_rows, lead_rows, storeys
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject
from . import plants
from .fits import fit_layers


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
    "treebank",
    n=2000,
    limit=12000,
    planted=plants.storeys,
    nulls=(*VECTORS, "constant"),
)
def sentence_tasks_by_layer(subject, data, settings):
    """Ten SentEval-like tasks made from a treebank, told from the mean of the words' vectors on each layer (jawahar2019).

    Each kind of task is decided by the mean accuracy over its tasks: the layers it is said to be best in against the
    others, each by the layer that is best on dev.
    """
    made, notes = sentence_tasks.build_all(data["treebank"], seed=settings.seed)
    gathered = dict(zip(made, gather_pooled(subject, list(made.values()), settings)))
    rows = intervals.Rows(settings)
    for kind, names in sentence_tasks.KINDS.items():
        profiles, devs, most = [], [], []
        for name in (n for n in names if n in made):
            targets, x, note = gathered[name]
            scores = fit_layers(x, targets, settings)
            profile, keys = scores.profile(settings), {"kind": kind, "task": name}
            rows += curve_rows(profile, **keys) + scores.control_rows(settings, **keys)[:1]
            profiles.append(profile)
            devs.append(scores.dev)
            most.append(Profile.of(scores.majority[None], scores.groups, settings))
            notes.append(note)
        if profiles:
            mean, keys = Profile.mean(profiles), {"kind": kind, "task": "all"}
            rows += curve_rows(mean, measure="mean accuracy", **keys)
            for name, pair in storeys(mean.depth)[kind].items():
                rows += lead_rows(mean, np.mean(devs, 0), {f"{kind}: {name}": pair}, **keys)
            best = choose(np.mean(devs, 0))
            gain = mean.over(best, Profile.mean(most))
            rows.add(f"{kind}: best layer - majority", gain, mean.n, **keys, layer=best)
    return intervals.table(rows, list(dict.fromkeys(notes)))
