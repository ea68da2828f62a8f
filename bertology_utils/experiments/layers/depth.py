"""Two models of different depth: the same profile, stretched? (tenney2019a)"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...scores import intervals
from ...scores.counts import profile_correlation
from ...scores.cumulative import expected, mean_of
from ...scores.profiles import UNDEFINED, interval, over_fits
from ...settings import Settings
from ...subject.companions import companion, how_to_name
from ...subject.models import Subject
from . import tasks
from .fits import SHARED, measured
from .mixing import MIXED, Mixed, depth_rows, mixed, task_rows

SHALLOW = "shallow"  # the companion: a model of the same family with fewer layers
TASKS = ("POS", "chunks", "dependencies", "entities")
SUMMARY = ("least gain over embeddings", "expected layer, deep - shallow")


@claim("lay.base_vs_large.tenney2019a", "treebank", n=1600, limit=2400)
def base_against_large(subject, data, settings):
    """Expected layers of the model and of a shallower one, in layers and as shares of depth (tenney2019a).

    If the profile is stretched, the expected layer moves up with the number of layers and its share of the depth stays.
    """
    other = companion(SHALLOW, settings, twin=subject.is_twin)
    missing = ""
    if other is None:
        missing = f"needs a second model of another depth, and there is none; {how_to_name(SHALLOW, settings)}"
    elif other.n_layers == subject.n_layers:
        missing = f"{other.name} has {other.n_layers} layers like {subject.name}: there is nothing to stretch"
    if missing or other is None:
        nothing = [intervals.row(m, UNDEFINED, 0, task="all") for m in SUMMARY]
        return intervals.table([*nothing, intervals.row(STRETCHED, UNDEFINED, 0, task="none")], [missing])
    return compare(other, subject, data, settings)


STRETCHED = "expected depth, deep - shallow"


def compare(shallow: Subject, deep: Subject, data: Data, settings: Settings) -> pd.DataFrame:
    """Differences of two models' expected layers by task, in layers and in shares of depth, and profile correlations.

    A task that one of the models has too few targets for is left out.
    """
    found = tasks.available(data, only=TASKS)
    sides = [measured(subject, found, settings, mixed, most=MIXED) for subject in (shallow, deep)]
    rows, moved = intervals.Rows(settings), []
    for task in found:
        a, b = (side[task][0] for side in sides)
        rows += task_difference(task, a, b, settings)
        (shallower, drawn_a), (deeper, drawn_b) = (expected(f.profile) for f in (a, b))
        moved.append((deeper - shallower, drawn_b - drawn_a))
        for subject, f in ((shallow, a), (deep, b)):
            own = task_rows(task, f, settings) + depth_rows(task, f, settings)
            rows += [r | {"model": subject.name} for r in own]
    mean = mean_of(moved)
    n = sum(sides[1][t][0].profile.n for t in found)
    rows.add(SUMMARY[1], UNDEFINED if mean is None else interval(*mean), n, task="all")
    gains = [side[t][0].profile.lead(side[t][0].profile.depth, 0) for side in sides for t in found]
    rows.add(SUMMARY[0], min(gains, key=lambda g: g[1]), n, task="all")
    depths = f"{shallow.name} has {shallow.n_layers} layers, {deep.name} {deep.n_layers}"
    notes = (said for side in sides for _, said in side.values())
    return intervals.table(rows, [depths, tasks.note(data, found), SHARED, *notes])


def task_difference(task: str, shallow: Mixed, deep: Mixed, settings: Settings) -> list[dict]:
    """Rows of one task: the expected layer's difference as a share of depth, and the correlations of the profiles.

    Cumulative curves rise in any model, so they correlate in any case; mixing weights need not.
    """
    (a, drawn_a), (b, drawn_b) = (expected(f.profile) for f in (shallow, deep))
    share = interval(b / deep.profile.depth - a / shallow.profile.depth,
                     drawn_b / deep.profile.depth - drawn_a / shallow.profile.depth)  # fmt: skip
    n = min(shallow.profile.n, deep.profile.n)
    with np.errstate(invalid="ignore", divide="ignore"):  # a flat profile correlates with nothing
        drawn = [profile_correlation(x, y) for x, y in zip(shallow.profile.draws, deep.profile.draws)]
        curves = profile_correlation(shallow.profile.value, deep.profile.value), np.array(drawn)
    weights = [profile_correlation(x.mixture.weights, y.mixture.weights) for x, y in zip(shallow.fits, deep.fits)]
    return [
        intervals.row(STRETCHED, share, n, task=task),
        intervals.row("profile correlation", interval(*curves), n, task=task),
        intervals.row("mixing weight correlation", over_fits(weights, settings), n, task=task),
    ]
