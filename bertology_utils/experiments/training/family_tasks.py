"""What is learnt beside the masked pieces: next sentences, the order of sentences, or nothing."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...family.record import Record
from ...family.recorded import Recorded
from ...settings import Settings
from . import family


def tuned(record: Record) -> np.ndarray:
    """Whether the tuned copy was right, item by item, (N,)."""
    return family.truths(record.items["tuned"]["right"])


def over_chance(record: Record, task: str) -> np.ndarray:
    """Whether the second head was right, less a half, (N,); `task` is nsp or sop."""
    return family.truths(record.items["relations"][task]) - 0.5


@claim("trn.nsp.liu2019b", family=True)
def nsp(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Accuracy of tuned copies and held-out loss without and with next-sentence prediction (liu2019b)."""
    both = with_, without = family.with_task(runs, "nsp"), family.with_task(runs, "none")
    rows = [
        family.difference(runs, settings, "downstream accuracy, without - with NSP", without, with_, tuned),
        family.loss(runs, settings, "loss, with - without NSP", with_, without),
        *(
            family.score(
                runs,
                settings,
                "accuracy over majority",
                group,
                lambda r: tuned(r) - r.items["tuned"]["majority"],
                group=group,
                task=task,
            )
            for group, task in zip(both, ("nsp", "none"))
        ),
    ]
    return family.table(runs, settings, rows, both)


@claim("trn.sentence_order.lan2020", family=True)
def sentence_order(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Accuracy of the head for sentence order on random next sentences, less that the other way round (lan2020).

    Neither head is trained on the other's task: what says "changed places" says "from another document", and back.
    """
    order, nsp_ = family.with_task(runs, "sop"), family.with_task(runs, "nsp")
    rows = [
        family.difference(
            runs,
            settings,
            "accuracy over chance, order on NSP - NSP on order",
            order,
            nsp_,
            lambda r: over_chance(r, "nsp"),
            lambda r: over_chance(r, "sop"),
        )
    ]
    for group, own, other in ((order, "sop", "nsp"), (nsp_, "nsp", "sop")):
        for task, measure in (
            (own, "accuracy over chance on its own task"),
            (other, "accuracy over chance on the other's task"),
        ):
            read = partial(over_chance, task=task)
            rows.append(family.score(runs, settings, measure, group, read, group=group))
    return family.table(runs, settings, rows, (order, nsp_))
