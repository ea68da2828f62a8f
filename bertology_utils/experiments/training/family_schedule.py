"""How much is trained and how: batches, stacking, the volume of text."""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...family.record import Record
from ...family.recorded import Recorded
from ...settings import Settings
from . import family

DOUBLINGS = ("half pieces", "base", "twice the pieces")
LAMB, ADAMW = "large batch, LAMB", "AdamW"


@claim("trn.large_batch.liu2019b", family=True)
def large_batch(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss and processor time of batches four times as large at twice the learning rate, equal pieces (liu2019b).

    In a tier that has them, large batches with LAMB against small ones with AdamW beside that (you2019).
    """
    large, small = family.pairs(runs, "large batch", "base")
    saved = [1 - family.seconds(a) / family.seconds(b) for a, b in zip(large, small)]
    rows = [
        family.loss(runs, settings, "loss, large batch - small batch", "large batch", "base"),
        family.loss(runs, settings, "loss, half the pieces - all", "half pieces", "base"),
        family.over_seeds("seconds, small batch - large batch, as a share", saved, settings),
    ]
    groups = ("base", "large batch", "half pieces")
    if not (runs.has(LAMB) and runs.has(ADAMW)):
        return family.table(runs, settings, rows, groups)
    rows.append(family.loss(runs, settings, "loss, large batch with LAMB - small batch with AdamW", LAMB, ADAMW))
    adam, muon = "loss, small batch with AdamW - with Muon", "loss, large batch with LAMB - with Muon"
    rows += [
        family.loss(runs, settings, adam, ADAMW, "base"),
        family.loss(runs, settings, muon, LAMB, "large batch"),
    ]
    beside = family.plateau(runs, settings, groups)
    for row in family.plateau(runs, settings, (LAMB, ADAMW)):  # of another optimiser, with a gate of its own
        own = row["measure"] == family.PLATEAU
        beside.append(row | {"measure": f"{family.PLATEAU}, other optimisers"} if own else row)
    return family.noted(runs, settings, rows, beside, (*groups, LAMB, ADAMW))


@claim("trn.warm_start.gong2019", family=True)
def warm_start(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Processor time that stacking saves to the loss it ends at (gong2019).

    What a run from scratch needs for that loss is read off, seed by seed, between those with half, all and twice the
    pieces, along the logarithm of their pieces; each of them ends its own schedule. Beyond them the nearest two go on.
    """
    curve = [runs.group(name) for name in DOUBLINGS]
    stacked = runs.group("stacked")
    seeds = sorted(set(stacked).intersection(*curve))
    costs = [family.least(list(group.values())) for group in (stacked, curve[1])]
    saved = [_saved(stacked[s], [group[s] for group in curve], costs) for s in seeds]
    rows = [
        family.over_seeds("time saved to equal loss", saved, settings),
        family.loss(runs, settings, "loss, stacked - from scratch", "stacked", "base"),
    ]
    return family.table(runs, settings, rows, ("stacked", *DOUBLINGS))


def _saved(stacked: Record, scratch: list[Record], costs: list[dict[str, float]]) -> float:
    """1 - the stacked run's time over that from scratch to the same loss; pieces from scratch all cost the base's."""
    losses = np.array([_mean_loss(r) for r in scratch])
    at = np.log2([r.config["tokens"] for r in scratch])
    target = _mean_loss(stacked)
    left = 0 if target >= losses[1] else 1
    slope = (losses[left + 1] - losses[left]) / (at[left + 1] - at[left])
    pieces = 2 ** (at[left] + (target - losses[left]) / slope)
    base = scratch[1]
    return 1 - family.seconds(stacked, costs[0]) / (family.seconds(base, costs[1]) * pieces / base.config["tokens"])


def _mean_loss(record: Record) -> float:
    return float(family.heldout(record, "loss").sum() / family.heldout(record, "n").sum())


@claim("trn.data_volume.liu2019b", family=True)
def data_volume(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """What a doubling of the pieces does to held-out loss and to agreement (liu2019b, vanschijndel2019)."""
    a, b, c = DOUBLINGS
    told = [{s: family.agreeing(r) for s, r in runs.group(name).items()} for name in DOUBLINGS]
    seeds = sorted(set.intersection(*map(set, told)))  # what shrinks is a seed's own gain
    if not seeds:
        raise ValueError(f"no seed has been run of all of {', '.join(DOUBLINGS)}")
    half, whole, twice = (np.array([of_seed[s] for s in seeds]) for of_seed in told)
    of = "agreement gain per doubling, first half - second half"
    rows = [
        *(
            family.loss(runs, settings, "loss per doubling of pieces", y, x, step=f"{x} to {y}")
            for x, y in ((a, b), (b, c))
        ),
        family.apart_by(of, (whole - half) - (twice - whole), settings),
        family.score(runs, settings, "agreement, adjacent", c, lambda r: family.agreeing(r, "simple")),
        *(family.score(runs, settings, "agreement", g, family.agreeing, group=g) for g in DOUBLINGS),
    ]
    return family.table(runs, settings, rows, DOUBLINGS)
