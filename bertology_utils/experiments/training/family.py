"""Differences between groups of recorded runs: seeds x items intervals, paired by seed and by item.

Runs of two groups with the same seed saw the same text in the same order, and every run of a tier was asked the same
items. So a difference is taken seed by seed and item by item; seeds and items (documents, sentences) are then resampled as
two factors that cross. `n` is the number of places or items that one run was scored on, `clusters` the number of seeds.
Where two groups have but one seed in common their difference has no interval, and decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...family.reading import from_plain
from ...family.record import Record
from ...family.recorded import Recorded
from ...scores import intervals
from ...scores.power import smallest_detectable
from ...scores.rows import Interval
from ...settings import Settings

PLATEAU = "loss below the unigram plateau"
FALL = "loss fallen over the last doubling of pieces"
HALF = "half pieces"
Read = Callable[[Record], np.ndarray]


def pairs(runs: Recorded, a: str, b: str) -> tuple[list[Record], list[Record]]:
    """The records of two groups for the seeds that both have.

    Raises
    ------
    ValueError
        They have no seed in common.
    """
    first, second = runs.group(a), runs.group(b)
    seeds = sorted(first.keys() & second.keys())
    if not seeds:
        raise ValueError(f"no seed has been run of both {a} and {b}")
    return [first[s] for s in seeds], [second[s] for s in seeds]


TASKS = {"nsp": "next sentence", "sop": "sentence order", "none": "no second task"}


def with_task(runs: Recorded, task: str) -> str:
    """The group whose second task is `task` (a key of `TASKS`): the base, where that is its own."""
    base = from_plain(next(iter(runs.group("base").values())).config)
    return "base" if base.pair == task else TASKS[task]


def per_place(top: np.ndarray, n: np.ndarray, settings: Settings) -> Interval:
    """Mean over places of sums (S, D) per seed and document of n (D,) places each."""
    of: dict[str, Any] = {"seed": settings.seed, "draws": settings.draws, "signed": True}
    return intervals.ratio(top.ravel(), np.tile(n, len(top)), groups=intervals.crossed(*top.shape), **of)


def heldout(record: Record, name: str) -> np.ndarray:
    """Sums per held-out document, (D,): ``loss`` and ``unigram`` in nats, ``right`` and ``n`` counts."""
    return np.array(record.items["heldout"][name], float)


def loss(runs: Recorded, settings: Settings, measure: str, a: str, b: str, /, **keys: object) -> dict:
    """Held-out loss of group `a` less that of group `b`, in nats per masked piece, as a row."""
    first, second = pairs(runs, a, b)
    top = np.array([heldout(x, "loss") - heldout(y, "loss") for x, y in zip(first, second)])
    return differing(measure, top, heldout(first[0], "n"), settings, **keys)


def differing(measure: str, top: np.ndarray, n: np.ndarray, settings: Settings, /, **keys: object) -> dict:
    """Differences of losses, sums (S, D) per seed and document of n (D,) places each, as a row."""
    return intervals.row(measure, _of_seeds(per_place(top, n, settings), len(top)), int(n.sum()), **keys)


def _of_seeds(found: Interval, seeds: int) -> Interval:
    """A difference as it is; of one seed without its interval, which would leave out what seeds differ by."""
    return found if seeds > 1 else Interval(found[0], float("nan"), float("nan"), clusters=1)


def plateau(runs: Recorded, settings: Settings, groups: Sequence[str]) -> list[dict]:
    """How far each group's loss lies below that of the pieces' frequencies, and the loss itself: rows by group."""
    out = intervals.Rows(settings)
    for name in dict.fromkeys(groups):
        found = list(runs.group(name).values())
        n = heldout(found[0], "n")
        below = np.array([heldout(r, "unigram") - heldout(r, "loss") for r in found])
        out.add(PLATEAU, per_place(below, n, settings), int(n.sum()), group=name)
        level = per_place(np.array([heldout(r, "loss") for r in found]), n, settings)
        out.add("loss", level, int(n.sum()), group=name)
    return out


def fall(runs: Recorded, settings: Settings, group: str = "") -> dict:
    """How far the held-out loss of a group (the tier's first) fell while its pieces doubled for the last time, over seeds.

    It is less than what is left to fall: a loss that nears its plateau by a power of the pieces, at most the first, has as far
    again to go at least. So a tier whose loss fell by more than a tenth of a nat is not within a tenth of its plateau, and what
    its groups differ by may be how soon they learn. Both ends are ends where the tier has runs of half the pieces; else the
    first end is the middle of the same run, whose rate has not come down yet: the fall looks larger then.
    """
    first = next(name for name in runs.tier.groups if runs.has(name))
    name = group or first
    half = HALF if name == first else f"{HALF}, {name}"
    if half in runs.tier.groups and runs.has(half):
        ends = zip(*pairs(runs, half, name), strict=True)
        falls = [one.curve[-1]["heldout_mlm"] - whole.curve[-1]["heldout_mlm"] for one, whole in ends]
        row = over_seeds(FALL, falls, settings, group=name)
        return row | {"n": next(iter(runs.group(name).values())).config["final_predictions"]}
    found = list(runs.group(name).values())
    row = over_seeds(FALL, [_fallen(r) for r in found], settings, group=name)
    return row | {"n": found[0].config["eval_predictions"]}  # places that each evaluation asks


def _fallen(record: Record) -> float:
    """Loss at half of a run's pieces, between the evaluations beside it, less that at the end."""
    pieces, losses = np.array([(p["tokens"], p["heldout_mlm"]) for p in record.curve], float).T
    return float(np.interp(pieces[-1] / 2, pieces, losses) - losses[-1])


def truths(text: str) -> np.ndarray:
    """A string of 0 and 1 as numbers."""
    return np.array([c == "1" for c in text], float)


def agreeing(record: Record, only: str = "") -> np.ndarray:
    """Whether each agreement item was right, (N,), of all constructions or of those whose name begins so."""
    told = record.items["agreement"]
    return np.concatenate([truths(told[name]) for name in sorted(told) if name.startswith(only)])


def score(
    runs: Recorded, settings: Settings, measure: str, group: str, read: Read, /, *, signed: bool = False, **keys: object
) -> dict:
    """Mean of a group's item scores as a row; `signed` as of `scored`."""
    values = np.array([read(r) for r in runs.group(group).values()])
    return scored(measure, values, settings, signed=signed, **keys)


def difference(
    runs: Recorded,
    settings: Settings,
    measure: str,
    a: str,
    b: str,
    read: Read,
    other: Read | None = None,
    /,
    **keys: object,
) -> dict:
    """Mean of group `a`'s item scores less group `b`'s (read by `other` where that is another figure), as a row."""
    first, second = pairs(runs, a, b)
    apart = np.array([read(x) - (other or read)(y) for x, y in zip(first, second)])
    return apart_by(measure, apart, settings, **keys)


def apart_by(measure: str, scores: np.ndarray, settings: Settings, /, **keys: object) -> dict:
    """Mean of differences (S, N) by seed and item as a row."""
    row = scored(measure, scores, settings, signed=True, **keys)
    return row if len(scores) > 1 else row | {"low": float("nan"), "high": float("nan"), "clusters": 1, "draws": None}


def scored(measure: str, scores: np.ndarray, settings: Settings, /, *, signed: bool = False, **keys: object) -> dict:
    """Mean of scores (S, N) by seed and item as a row; `signed` where they may be negative though none is."""
    signed = signed or bool((scores < 0).any())
    return intervals.mean_row(measure, scores, settings, signed=signed, **keys)


def probes(runs: Recorded, settings: Settings, measure: str, a: str, b: str, name: str, /, **keys: object) -> dict:
    """Accuracy of a probe on group `a` less that on group `b`, over seeds and sentences, as a row."""
    first, second = pairs(runs, a, b)
    n = np.array(first[0].items["probes"][name]["n"], float)
    right = [[np.array(r.items["probes"][name]["right"], float) for r in group] for group in (first, second)]
    apart = per_place(np.array(right[0]) - np.array(right[1]), n, settings)
    return intervals.row(measure, _of_seeds(apart, len(first)), int(n.sum()), **keys)


def least(records: Sequence[Record]) -> dict[str, float]:
    """What 1,000 pieces cost at each depth, the least of several runs of one configuration: no seed changes it."""
    return {depth: min(r.cost[depth] for r in records) for depth in records[0].cost}


def seconds(record: Record, cost: Mapping[str, float] | None = None) -> float:
    """Processor seconds of a run: its pieces times what they cost at the depth of their phase, in it or as given."""
    cost = record.cost if cost is None else cost
    phases, layers = record.config["phases"], record.config["layers"]
    each = [p["share"] * cost[str(p.get("layers") or layers)] for p in phases]
    return record.config["tokens"] / 1000 * sum(each)


def over_seeds(measure: str, values: Sequence[float], settings: Settings, /, **keys: object) -> dict:
    """Mean over seeds of one figure each, as a row."""
    found = intervals.mean_interval(values, seed=settings.seed, draws=settings.draws, signed=True)
    return intervals.row(measure, _of_seeds(found, len(values)), len(values), **keys)


def table(runs: Recorded, settings: Settings, rows: Sequence[dict], groups: Sequence[str]) -> pd.DataFrame:
    """Rows with the plateau of the groups that they compare, and notes (`noted`)."""
    return noted(runs, settings, rows, plateau(runs, settings, groups), groups)


def noted(
    runs: Recorded, settings: Settings, rows: Sequence[dict], beside: Sequence[dict], groups: Sequence[str]
) -> pd.DataFrame:
    """Rows and those beside them, with the tier's `fall`, and notes on tier, budget, seeds and the former's smallest effects."""
    seeds = [f"{g} {len(runs.group(g))}" for g in dict.fromkeys(groups)]
    found = [
        f"{r['measure']}{_keys(r)}: {smallest_detectable(Interval(r['value'], r['low'], r['high'], clusters=r['clusters'])):.2g}"
        for r in rows
        if np.isfinite([r["low"], r["high"]]).all() and r["high"] > r["low"] and (r["clusters"] or 0) > 1
    ]
    notes = [
        runs.tier.says,
        f"seeds per group: {', '.join(seeds)}",
        _precisions(runs, groups),
        f"smallest effects that intervals so wide find with a power of 0.8: {'; '.join(found)}" if found else "",
    ]
    return intervals.table([*rows, *beside, fall(runs, settings)], notes)


def _precisions(runs: Recorded, groups: Sequence[str]) -> str:
    """Which groups multiplied in which numbers, where they differ in it: some processors have no bfloat16."""
    by: dict[str, list[str]] = {}
    for group in dict.fromkeys(groups):
        for precision in sorted({r.precision for r in runs.group(group).values()}):
            by.setdefault(precision, []).append(group)
    return "; ".join(f"multiplied in {p}: {', '.join(found)}" for p, found in sorted(by.items())) if len(by) > 1 else ""


def _keys(row: dict) -> str:
    keys = [f"{k} {v}" for k, v in row.items() if k not in intervals.COLUMNS]
    return f" ({', '.join(keys)})" if keys else ""
