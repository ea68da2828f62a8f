"""Recipes of pretraining compared at equal compute, from the English tier's records: what a small BERT is best trained by.

Runs of the tier have equal pieces, not equal compute. What the base reaches in another run's processor time is read off
between runs of the base with half, all and twice the pieces, along the logarithm of their pieces; each ends its schedule.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from ..experiments.training import family as differences
from ..experiments.training.family_claims import DOUBLINGS
from ..family import compute
from ..family.grid import tiers
from ..family.reading import from_plain
from ..family.record import SHIPPED, Record
from ..family.recorded import Recorded
from ..settings import Settings
from . import family
from .tables import NONE, Table

TIER = "english"
SAID = {  # recipe -> group of the tier
    "base: Muon, 30 % masked, stable rate, 4 layers of 128": "base",
    "AdamW": "AdamW",
    "masking 15 %": "rate 0.15",
    "masking 40 %": "rate 0.4",
    "late stacking: 2 layers, then 4": "stacked",
    "2 layers": "half layers",
    "width 96": "narrower",
    "width 192": "wider",
    "with next-sentence pairs": "next sentence",
    "linear schedule": "linear schedule",
    "batches of 8,192 positions, not 2,048": "large batch",
    "the same with LAMB": "large batch, LAMB",
}
HEAD = (
    "recipe",
    "seeds",
    "time",
    "loss",
    "top-1",
    "agreement, adjacent",
    "one attractor",
    "loss less the base's",
    "interval",
)
OWN = {  # what pieces, and in which order the text is read -> group; the first is what the others are compared with
    "8,192 pieces, learnt from the text": "own pieces",
    "12,288 pieces": "own pieces, 12,288",
    "8,192 pieces, rows of frequent ones first": "own pieces, rare last",
    "8,192 pieces, so for half of the rows, then mixed": "own pieces, then mixed",
}
OWN_HEAD = (
    "recipe",
    "seeds",
    "time",
    "pieces per word",
    "loss per piece",
    "loss per word",
    "agreement, adjacent",
    "one attractor",
    "loss per word less the first's",
    "interval",
)
OWN_FIGURES = {name: "{:.2f}" for name in OWN_HEAD[2:8]} | {OWN_HEAD[8]: "{:+.3f}"}
FIGURES = {name: "{:.2f}" for name in HEAD[2:7]} | {HEAD[7]: "{:+.3f}"}


def table(settings: Settings | None = None, root: Path = SHIPPED) -> Table:
    """The recipes that have records, a line per recipe, means over seeds.

    Columns: processor time per run, that of the base being 1; held-out loss in nats per masked piece and the share guessed,
    at the same places for all; agreement next to the subject and across one attractor, on generated items; loss less that
    of the base in the same time, and its 95 % interval over seeds and documents; none for the base and for a run that takes
    less than half its time or more than twice. `root` is the folder of the records.
    """
    runs, settings = Recorded(tiers()[TIER], root), settings or Settings.of()
    rows = [_row(runs, said, group, settings) for said, group in SAID.items() if runs.has(group)]
    return Table(pd.DataFrame(rows, columns=list(HEAD)), FIGURES, "recipes of pretraining")


def _row(runs: Recorded, said: str, group: str, settings: Settings) -> tuple:
    found = list(runs.group(group).values())
    loss, agree = family.loss, family.agreement
    means = [np.mean([f(r) for r in found]) for f in (loss, family.top1)]
    means += [np.mean([agree(r, k) for r in found]) for k in (0, 1)]
    time = times(runs, group) if all(map(runs.has, DOUBLINGS)) else float("nan")
    # itself, without runs that the base is read off between, or beyond them
    if group == "base" or not abs(np.log2(time)) <= 1:
        return said, len(found), time, *means, float("nan"), NONE
    row = less_base(runs, group, time, settings)
    return said, len(found), time, *means, row["value"], _interval(row)


def _interval(row: dict) -> str:
    return NONE if np.isnan(row["low"]) else f"{row['low']:+.3f} to {row['high']:+.3f}"


def own_pieces(settings: Settings | None = None, root: Path = SHIPPED) -> Table:
    """What the word pieces and the order of the text do, a line per recipe, means over seeds; equal pieces.

    A loss per piece says nothing where pieces differ: of as many nats per piece, larger ones leave fewer to a word. Nats per
    word are those of the hidden pieces over how many of them begin a word. Processor time is in that of the first, whose
    loss the last columns compare with.
    """
    runs, settings = Recorded(tiers()[TIER], root), settings or Settings.of()
    first = next(iter(OWN.values()))
    there = [(said, group) for said, group in OWN.items() if runs.has(group) and runs.has(first)]
    rows = [_own_row(runs, said, group, first, settings) for said, group in there]
    return Table(pd.DataFrame(rows, columns=list(OWN_HEAD)), OWN_FIGURES, "pieces and order of the text")


def _own_row(runs: Recorded, said: str, group: str, first: str, settings: Settings) -> tuple:
    found = list(runs.group(group).values())
    loss, n, words = (np.sum([differences.heldout(r, x) for r in found]) for x in ("loss", "n", "words"))
    agree = [np.mean([family.agreement(r, k) for r in found]) for k in (0, 1)]
    told = said, len(found), times(runs, group, first), n / words, loss / n, loss / words, *agree
    if group == first:
        return *told, float("nan"), NONE
    row = per_word(*differences.pairs(runs, group, first), settings)
    return *told, row["value"], _interval(row)


def per_word(runs: list[Record], others: list[Record], settings: Settings) -> dict:
    """Loss per word of some runs less that of others, whose pieces may differ, by seed and document, as a row.

    A document whose first sentence fills a row in smaller pieces gives none: those that both have are compared.
    """
    told = [[_shared(a, b, name) for name in ("loss", "words")] for a, b in zip(runs, others)]
    words = np.mean([by_word for _, by_word in told], 0)  # (2, D)
    ratio = words[1].sum() / words[0].sum()
    top = np.array([loss[0] * ratio - loss[1] for loss, _ in told])
    return differences.differing("loss per word", top, words[1], settings)


def _shared(a: Record, b: Record, name: str) -> np.ndarray:
    """A held-out figure of two runs on the documents of both, (2, D)."""
    first, second = (differences.heldout(r, "document") for r in (a, b))
    _, *at = np.intersect1d(first, second, return_indices=True)
    return np.array([differences.heldout(r, name)[k] for r, k in zip((a, b), at)])


def times(runs: Recorded, group: str, other: str = "base") -> float:
    """Processor time of a run over that of another: pieces times the least that one was timed to cost over seeds.

    Of runs that multiplied in numbers of other kinds, on other processors, the ratio of their multiplications.
    """
    told = [list(runs.group(name).values()) for name in (group, other)]
    if len({record.precision for found in told for record in found}) > 1:
        own, base = (compute.total(from_plain(found[0].config)) for found in told)
        return own / base
    first, second = (differences.seconds(found[0], differences.least(found)) for found in told)
    return first / second


def weights(time: float) -> np.ndarray:
    """Weights of the runs with half, all and twice the pieces, whose sum is what the base reaches in `time` of its own.

    `time` is between a half and two; there is no run to go by outside.

    >>> weights(1.0), weights(2**-0.5)
    (array([0., 1., 0.]), array([0.5, 0.5, 0. ]))
    """
    at = float(np.log2(time))
    if at < 0:
        return np.array([-at, 1 + at, 0.0])
    return np.array([0.0, 1 - at, at])


def less_base(runs: Recorded, group: str, time: float, settings: Settings) -> dict:
    """Held-out loss of a group less that of the base in the same time, seed by seed and document by document, as a row."""
    told = [runs.group(name) for name in (group, *DOUBLINGS)]
    seeds = sorted(set.intersection(*(set(t) for t in told)))
    n = differences.heldout(told[0][seeds[0]], "n")

    def apart(records: list[Record]) -> np.ndarray:
        own, *base = (differences.heldout(r, "loss") for r in records)
        return own - weights(time) @ np.array(base)

    top = np.array([apart([t[s] for t in told]) for s in seeds])
    return differences.differing("loss less the base's", top, n, settings)


def markdown(of: Table) -> str:
    """A table for the page of models; a sentence where nothing is recorded."""
    told = of.as_text()
    if told.empty:
        return "None of these runs is recorded: `bertology family run --tier english --corpus FOLDER`."
    rows = [list(told.columns), ["---"] * len(told.columns), *told.astype(str).to_numpy().tolist()]
    lines = [" | ".join(row) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)
