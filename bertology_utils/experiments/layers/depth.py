"""Two models of different depth: the same profile, stretched? (tenney2019a)"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...scores import intervals
from ...scores.counts import profile_correlation
from ...scores.profiles import UNDEFINED, by_refits, correlate, interval
from ...settings import Settings
from ...subject.companions import companion, how_to_name
from ...subject.models import Subject
from . import tasks
from .pipeline import MOST, mixed, plain_rows

SHALLOW = "shallow"  # the companion: a model of the same family with fewer layers
TASKS = ("POS", "chunks", "dependencies", "entities")


@claim(
    "lay.base_vs_large.tenney2019a",
    tasks="treebank",
    n=800,
    limit=300,
)
def base_against_large(subject, data, settings):
    """Cumulative scores of the model and a shallower one, stretched to depth 0 to 1: their correlation (tenney2019a).

    A task's profile is the accuracy of a linear probe on the mixture of layers 0..l, for each l; two profiles are
    compared point by point after interpolation; a flat one correlates with nothing and is left out of the
    mean. Intervals are over test sentences. Cumulative curves rise in any model, which helps the figure: the twins
    beside it and the mixing weights, correlated in the same way, show how much.
    """
    other = companion(SHALLOW, settings, twin=subject.is_twin)
    missing = ""
    if other is None:
        missing = f"needs a second model of another depth, and there is none; {how_to_name(SHALLOW, settings)}"
    elif other.n_layers == subject.n_layers:
        missing = f"{other.name} has {other.n_layers} layers like {subject.name}: there is nothing to stretch"
    if missing:
        return intervals.table([intervals.row("mean profile correlation", UNDEFINED, 0, task="all")], [missing])
    return compare(other, subject, data, settings)


def compare(shallow: Subject, deep: Subject, data: Data, settings: Settings) -> pd.DataFrame:
    """Correlation of two models' cumulative profiles and mixing weights by task after rescaling depth, and the mean.

    A task that one of the models has too few targets for is left out.
    """
    found = tasks.available(data, only=TASKS)
    both = [tasks.measured(subject, found, settings, mixed, most=MOST) for subject in (shallow, deep)]
    rows, drawn = [], []
    for task in found:
        a, b = (side[task][0] for side in both)
        value, draws = correlate(a.profile, b.profile)
        drawn.append((value, draws))
        n = min(a.profile.n, b.profile.n)
        rows.append(intervals.row("profile correlation", interval(value, draws), n, task=task))
        refits = [profile_correlation(x.weights, y.weights) for x, y in zip(a.resampled, b.resampled)]
        weights = by_refits(profile_correlation(a.mixture.weights, b.mixture.weights), refits)
        rows.append(intervals.row("mixing weight correlation", weights, n, task=task))
        for subject, f in ((shallow, a), (deep, b)):
            name = subject.name
            scores = enumerate(f.profile.scores())
            rows += [intervals.row("cumulative accuracy", s, n, task=task, model=name, layer=k) for k, s in scores]
            rows += [r | {"model": name} for r in plain_rows(task, f)]
    known = [pair for pair in drawn if not np.isnan(pair[0])]
    mean = UNDEFINED
    if known:
        mean = interval(np.mean([v for v, _ in known]), np.mean([d for _, d in known], 0))
    rows.append(intervals.row("mean profile correlation", mean, len(known), task="all"))
    flat = f"flat profiles, which correlate with nothing: {len(drawn) - len(known)}" if len(known) < len(drawn) else ""
    depths = f"{shallow.name} has {shallow.n_layers} layers, {deep.name} {deep.n_layers}"
    return intervals.table(
        rows, [depths, flat, tasks.note(data, found), *(said for side in both for _, said in side.values())]
    )
