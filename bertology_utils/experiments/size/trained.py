"""Models of unlike size that were trained: larger ones, one with shared layers, and large ones in few bits.

The recorded runs of the family are compared seed by seed and item by item, as in the chapter on training.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ...claims.registry import claim
from ...data.items import Data
from ...family import compute
from ...family.reading import from_plain
from ...family.record import PROBES, Record
from ...family.recorded import Recorded
from ...scores import intervals
from ...scores.intervals import Interval
from ...settings import Settings
from ..training import family

SIZES = ("half layers", "narrower", "base", "wider")
WIDTHS = ("narrower", "base", "wider")
PLAIN, SHARED, NARROW = "three layers", "shared and split", "three layers, narrower"
LARGE, SMALL = "large, fewer bits", "small, fewer bits"
HEAVY, LIGHT, FULL = "4", "8", "32"  # bits per weight
LONG, SHORT, DROPPED, ELSEWHERE = (
    "long",
    *(f"long, {x}" for x in ("half the pieces", "attention dropout", "dropout elsewhere")),
)
ALIKE, MISSED = "divergence within a layer", "share missed without half the heads"
DOUBLING = "score per doubling of parameters"


def parameters(record: Record) -> int:
    """Weights of a recorded run's model, shared ones once."""
    return compute.parameters(from_plain(record.config))


def accuracies(record: Record) -> dict[str, np.ndarray]:
    """Everything that a run was scored on, as items whose mean is the accuracy: (N,) each, the same items in every run."""
    told = record.items

    def per_place(right: ArrayLike, n: Sequence[float] | np.ndarray) -> np.ndarray:
        return np.asarray(right, float) * len(n) / np.sum(n)

    held = per_place(family.heldout(record, "right"), family.heldout(record, "n"))
    out = {"held-out pieces": held, "agreement": family.agreeing(record)}
    out["facts"] = family.truths(told["facts"]["right"])
    out |= {f"probe: {name}": per_place(told["probes"][name]["right"], told["probes"][name]["n"]) for name in PROBES}
    return out | {"tuned: sentiment": family.truths(told["tuned"]["right"])}


def slopes(runs: Recorded, groups: Sequence[str]) -> dict[str, np.ndarray]:
    """What a doubling of the parameters adds to each accuracy, by least squares over groups: (seeds, items) each.

    >>> slopes(Recorded.of("builtin"), WIDTHS)["tuned: sentiment"].shape
    (5, 400)
    """
    found = {g: runs.group(g) for g in groups}
    seeds = sorted(set.intersection(*(set(f) for f in found.values())))
    size = np.log2([parameters(next(iter(f.values()))) for f in found.values()])
    weights = (size - size.mean()) / ((size - size.mean()) ** 2).sum()
    told = [[accuracies(f[s]) for f in found.values()] for s in seeds]
    return {name: np.array([weights @ np.stack([a[name] for a in row]) for row in told]) for name in told[0][0]}


def together(scores: dict[str, np.ndarray]) -> np.ndarray:
    """Scores (S, N) of several measures side by side, weighted so that the mean over all is the mean over measures."""
    total = sum(v.shape[1] for v in scores.values())
    return np.concatenate([v * total / (len(scores) * v.shape[1]) for v in scores.values()], 1)


def _slope(measure: str, values: np.ndarray, settings: Settings, **keys: object) -> dict:
    """Mean of slopes (S, N), which may be negative even where none happens to be, as a row."""
    return intervals.mean_row(measure, values, settings, signed=True, **keys)


@claim("siz.bigger_is_better.liu2019a", family=True)
def bigger_is_better(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """What a doubling of the parameters adds to the accuracy, mean over everything that runs are scored on (liu2019a).

    Half the depth, half and one and a half times the width, equal pieces. Least squares over the sizes along the
    logarithm of all parameters. Agreement and facts are at chance in all of them, and count.
    """
    every, wide = slopes(runs, SIZES), slopes(runs, WIDTHS)
    rows = [_slope(DOUBLING, together(every), settings)]
    rows += [_slope(f"{DOUBLING}, by task", v, settings, task=name) for name, v in every.items()]
    rows.append(_slope(f"{DOUBLING}, width alone", together(wide), settings))
    rows.append(family.loss(runs, settings, "loss, narrowest - widest", WIDTHS[0], WIDTHS[-1]))
    frame = family.table(runs, settings, rows, SIZES)
    told = [f"{g} {parameters(next(iter(runs.group(g).values()))):,}" for g in SIZES]
    frame.attrs["notes"].append(f"parameters: {', '.join(told)}")
    return frame


@claim("siz.albert.lan2020", family=True)
def albert(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Parameters and held-out loss with one layer applied three times and narrow embeddings, by three of its own (lan2020).

    The null is a plain model, as deep, that is made as small by its width.
    """
    size = {g: parameters(next(iter(runs.group(g).values()))) for g in (PLAIN, SHARED, NARROW)}
    rows = [
        _exact("parameters, shared / plain", size[SHARED] / size[PLAIN]),
        _exact("parameters, narrower of that size / plain", size[NARROW] / size[PLAIN]),
        family.loss(runs, settings, "loss, shared - plain", SHARED, PLAIN),
        family.loss(runs, settings, "loss, narrower of that size - plain", NARROW, PLAIN),
        family.loss(runs, settings, "loss, shared - narrower of that size", SHARED, NARROW),
    ]
    return family.table(runs, settings, rows, (PLAIN, SHARED, NARROW))


@claim("siz.attention_dropout.clark2019", family=True)
def attention_dropout(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """How alike heads attend and what half of them are missed after attention dropout, less after none or elsewhere (clark2019).

    Divergences are of the heads of a layer, in nats, per sentence. What half of the heads are missed is the rise of the loss
    without them, mean over all such halves, as a share of what the run has learnt: by how much its loss is below that of the
    pieces' frequencies. So a run that has learnt less does not look redundant. Dropout elsewhere is the rival: any noise
    while training may do as much. So are runs of half the pieces: what learns more slowly is behind.
    """
    found = {group: [*runs.group(group).values()] for group in (LONG, SHORT, DROPPED, ELSEWHERE)}
    places = family.heldout(found[LONG][0], "n")
    rows = []
    for a, b, said in (
        (DROPPED, LONG, "attention dropout - none"),
        (DROPPED, ELSEWHERE, "attention dropout - dropout elsewhere"),
        (DROPPED, SHORT, "attention dropout - half the pieces"),
        (LONG, SHORT, "none - half the pieces"),
    ):
        rows.append(family.difference(runs, settings, f"{ALIKE}, {said}", a, b, divergence))
        apart = np.array([missed(x) - missed(y) for x, y in zip(*family.pairs(runs, a, b))])
        rows.append(family.differing(f"{MISSED}, {said}", apart, places, settings))
    for group, records in found.items():
        rows.append(family.score(runs, settings, ALIKE, group, divergence, group=group))
        rows.append(family.differing(MISSED, np.array([missed(r) for r in records]), places, settings, group=group))
    frame = family.table(runs, settings, rows, tuple(found))
    pieces = found[LONG][0].config["tokens"]
    frame.attrs["notes"].append(f"longer than the tier: {pieces:,} pieces, no second task, 30 % of them masked")
    return frame


def divergence(record: Record) -> np.ndarray:
    """Mean divergence of the heads of a layer per sentence, (N,), in nats."""
    return np.array(record.items["heads"]["divergence"])


def missed(record: Record) -> np.ndarray:
    """Rise of the loss without half of the heads per document, (D,), in units of what the run has learnt per place."""
    loss, unigram, n = (family.heldout(record, name) for name in ("loss", "unigram", "n"))
    learnt = (unigram - loss).sum() / n.sum()
    return (np.array(record.items["heads"]["loss"]) - loss) / learnt


def fewer(bits: str):
    """Reader of the tuned copy with its weights in so many bits: whether each test item was right."""
    return lambda record: family.truths(record.items["bits"][bits]["right"])


@claim("siz.train_large.li2020", family=True)
def train_large(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """A wider model trained with as much compute, tuned and held in 4 bits, against a small one in 8 (li2020).

    Both files take equally many bytes, or the large one fewer. Its runs see half of the pieces.
    """
    lead = [fewer(FULL)(r) - r.items["bits"]["majority"] for r in runs.group(SMALL).values()]
    lost = {g: np.array([fewer(FULL)(r) - fewer(HEAVY)(r) for r in runs.group(g).values()]) for g in (LARGE, SMALL)}
    pair = LARGE, SMALL
    rows = [
        family.difference(runs, settings, "accuracy, large compressed - small", *pair, fewer(HEAVY), fewer(LIGHT)),
        family.scored("accuracy over majority", np.array(lead), settings),
        family.difference(runs, settings, "accuracy, large - small, as trained", *pair, fewer(FULL)),
        family.difference(runs, settings, "accuracy, large with 3 bits - small", *pair, fewer("3"), fewer(LIGHT)),
        family.loss(runs, settings, "loss, large - small", *pair),
        *(family.scored("accuracy lost, 4 bits", v, settings, group=g) for g, v in lost.items()),
        _exact("bytes, large compressed / small", _bytes(runs, LARGE, HEAVY) / _bytes(runs, SMALL, LIGHT)),
        _exact("bytes, large / large compressed", _bytes(runs, LARGE, FULL) / _bytes(runs, LARGE, HEAVY)),
    ]
    rows += [
        family.score(runs, settings, "accuracy", g, fewer(b), group=g, bits=b)
        for g in pair
        for b in (FULL, "8", "4", "3", "2")
    ]
    frame = family.table(runs, settings, rows, pair)
    large, small = (from_plain(next(iter(runs.group(g).values())).config) for g in pair)
    ratio = compute.total(large) / compute.total(small)
    frame.attrs["notes"].append(f"compute, large over small: {ratio:.3f} (multiplications, counted from the shapes)")
    return frame


def _exact(measure: str, value: float) -> dict:
    return intervals.row(measure, Interval(value, value, value), 1)


def _bytes(runs: Recorded, group: str, bits: str) -> int:
    """Bytes of a file with the encoder of a group's first run."""
    return next(iter(runs.group(group).values())).items["bits"][bits]["bytes"]
