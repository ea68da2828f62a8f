"""Two models of different depth: the same profile, stretched? (tenney2019a)

Not a registered experiment: it needs two models that differ in depth and in nothing else, which one subject and its
twin are not. `compare` runs as it is on any two subjects.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ... import stats
from ...data.items import Data
from ...layers import Profile, correlate, interval
from ...models import Subject
from ...settings import Settings
from .transfer import task_scores

TASKS = ("POS", "chunks", "dependencies", "entities")


def compare(shallow: Subject, deep: Subject, data: Data, settings: Settings) -> pd.DataFrame:
    """Correlation of two models' probe profiles by task after rescaling depth to 0..1, and its mean.

    Measures: `profile correlation` by task, `mean profile correlation`, `best layer / depth` by model and task.
    """
    profiles = []
    for subject in (shallow, deep):
        scores = task_scores(subject, data, settings, only=TASKS)
        profiles.append({task: Profile.of(s.right, s.groups, settings) for task, s in scores.items()})
    rows, draws = [], []
    for task, (a, b) in {t: (profiles[0][t], profiles[1][t]) for t in profiles[0] if t in profiles[1]}.items():
        found, drawn = correlate(a, b)
        draws.append((found, drawn))
        rows.append(stats.row("profile correlation", interval(found, drawn), min(a.n, b.n), task=task))
        for subject, p in ((shallow, a), (deep, b)):
            share = tuple(x / p.depth for x in p.peak())
            rows.append(stats.row("best layer / depth", share, p.n, task=task, model=subject.name))
    mean = interval(np.mean([v for v, _ in draws]), np.mean([d for _, d in draws], 0))
    return stats.table([*rows, stats.row("mean profile correlation", mean, len(draws), task="all")])
