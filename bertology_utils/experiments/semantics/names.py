"""Does a decision of coreference depend on what somebody is called (balasubramanian2020)?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from zlib import crc32

import numpy as np

from ...calibration import planted as plants
from ...calibration.nulls import VECTORS
from ...calibration.planted import Part, plant
from ...claims.registry import claim
from ...data.items import Coreference
from ...errors import TooFew
from ...probes import Targets, gather
from ...probes.linear import Probe, fit_each
from ...probes.targets import build
from ...scores import intervals
from ...scores.choice import choose
from ...scores.profiles import UNDEFINED
from ...subject import encode
from . import swaps
from .numbers import depths

MOST = {"train": 2500, "dev": 500}  # items at most: a fit's time grows with them
FOLDS = 3  # of frames; each is tested once, with all its versions
DEV = 0.15  # share of items (or of their frames) that choose the layer
L2 = 0.03
ANSWERS = ("no", "yes")


def by_name(data, base, rng):
    """The antecedent is marked in four of five sentences; in the fifth the other one is, and which these are goes by the name."""
    size = 16
    mark = plants.code("antecedent", size)

    def make(seen) -> np.ndarray:
        out = np.zeros((seen.n_words, size), np.float32)
        item = seen.first(Coreference)
        if item is None or item.answer is None:
            return out
        called = " ".join(" ".join(item.words[slice(*c)]) for c in item.candidates)
        lucky = crc32(f"{called} {item.pronoun}".encode()) % 5 > 0
        for k, (start, end) in enumerate(item.candidates):
            out[start:end] = mark if (k == item.answer) is lucky else 0
        return out

    more = list(swaps.texts(swaps.versions(data)[0]))
    return plant(base, data, rng, parts=[Part(size, make, plants.above_embeddings(base.n_layers))], more=more)


@claim(
    "sem.name_brittleness.balasubramanian2020",
    ("coreference", "name_swaps"),
    n=900,
    limit=6000,  # all that any source has: a draw of versions would part them from their base
    planted=by_name,
    nulls=(*VECTORS, "coin"),
)
def name_brittleness(subject, data, settings):
    """A probe on the vectors of pronoun and candidate decides who is meant; how often does another name change it?

    After balasubramanian2020.

    The probe learns on items of a train split, or on other sentences, or on those of other frames (then in folds), and reads
    the layer that is best on dev. Beside names, a word that names nobody is exchanged as often. With places evenly, items
    whose first candidate is meant and the others count alike: a rule of place has one half.
    """
    found, note = swaps.versions(data, settings.seed)
    layers = depths(subject.n_layers)
    tested: list[swaps.Versions] = []
    parts: list[np.ndarray] = []
    chosen: list[int] = []
    for train, dev, test in _sides(subject, data, found, settings.seed):
        probe, best = _fitted(subject, train, dev, layers, settings)
        every = [item for v in test for item in v.every()]
        said = decided(probe, *vectors(subject, every, [layers[best]], settings))[0]
        kept = np.cumsum([0, *(len(v.every()) for v in test)])
        parts += [said[a:b] for a, b in pairwise(kept)]
        tested += test
        chosen.append(layers[best])
    changed: dict[str, list[np.ndarray]] = {"name": [], "placebo": []}
    for v, answers in zip(tested, parts):
        differs = answers[1:] != answers[0]
        changed["name"].append(differs[: len(v.names)])
        changed["placebo"].append(differs[len(v.names) :])
    right = np.array([p[0] == v.base.answer for p, v in zip(parts, tested)], float)
    first = np.array([v.base.answer == int(np.argmin([c[0] for c in v.base.candidates])) for v in tested])
    middle = sorted(chosen)[len(chosen) // 2]
    rows = _rows(right, first, changed, [_frame(v.base) for v in tested], middle, settings)
    folds = [f"layers of {len(chosen)} folds: {', '.join(map(str, chosen))}"] if len(chosen) > 1 else []
    return intervals.table(rows, [note, *folds])


def _rows(right, first, changed: dict[str, list[np.ndarray]], groups: list[str], layer: int, settings) -> list[dict]:
    """Shares right and changed; `first` says where the one meant is the first of the two."""
    means = {kind: np.array([c.mean() for c in found]) for kind, found in changed.items()}
    ever = {kind: np.array([c.any() for c in found], float) for kind, found in changed.items()}
    columns = {
        "accuracy": right,
        "share of items ever changed": ever["name"],
        "share of items ever changed, other words": ever["placebo"],
        "share changed, name": means["name"],
        "share changed, placebo": means["placebo"],
        "share changed, name - placebo": means["name"] - means["placebo"],
    }
    options, rows = dict(seed=settings.seed, draws=settings.draws, groups=groups), intervals.Rows(settings)
    for measure, values in columns.items():
        rows.mean(measure, values, groups=groups, signed=" - " in measure, layer=layer)
    sides = [intervals.ratio(right * side, side, **options) for side in (first.astype(float), 1.0 - first)]
    rows.add("accuracy, places evenly", _evenly(*sides), len(right), layer=layer)
    return rows


def _evenly(a: intervals.Interval, b: intervals.Interval) -> intervals.Interval:
    """Mean of two shares of the same resamples; undefined where one of them is, or has one cluster only."""
    if a.draws is None or b.draws is None or np.isnan([a[0], b[0]]).any():
        return UNDEFINED
    value, drawn = (a[0] + b[0]) / 2, (a.draws + b.draws) / 2
    low, high = np.clip(np.nanpercentile(drawn, [2.5, 97.5]), 0, 1)
    return intervals.Interval(value, min(low, value), max(high, value), draws=drawn, clusters=a.clusters)


def _sides(subject, data, found: list[swaps.Versions], seed: int) -> list[tuple[list, list, list]]:
    """Items to train on and to choose on, and versions to test; several times over, each version being tested once.

    By the source's own splits; else all versions are tested and other sentences train, which may share their frames; else
    the frames that have versions are dealt out into folds, and those of other folds train, with the frames that have none.
    """
    items = [i for i in data.items.get("coreference", []) if i.answer is not None and len(i.candidates) == 2]
    rng = np.random.default_rng(seed)
    sides: list[tuple[list, list, list]] = []
    if {"train", "dev"} <= {i.split for i in items}:
        train, dev = ([i for i in items if i.split == s] for s in ("train", "dev"))
        sides.append((train, dev, found))
    elif data.items.get("name_swaps"):
        train, dev = _parted(items, [str(k) for k in range(len(items))], seed)
        sides.append((train, dev, found))
    else:
        known = [*(v.base for v in found), *items]
        frames = sorted({_frame(v.base) for v in found})
        fold = dict(zip(frames, (rng.permutation(len(frames)) % FOLDS).tolist()))
        for k in sorted(set(fold.values())):
            others = [i for i in known if fold.get(_frame(i)) != k]
            train, dev = _parted(others, [_frame(i) for i in others], seed)
            sides.append((train, dev, [v for v in found if fold[_frame(v.base)] == k]))
    return [_fitting(subject, train, dev, test, data.name, rng) for train, dev, test in sides]


def _parted(items: list, groups: list[str], seed: int) -> tuple[list, list]:
    """Items to train on and to choose on; those of a group go together."""
    names = list(dict.fromkeys(groups))
    place = dict(zip(names, np.random.default_rng(seed).permutation(len(names)) / max(len(names), 1)))
    learns = [bool(place[g] < 1 - DEV) for g in groups]
    return [i for i, yes in zip(items, learns) if yes], [i for i, yes in zip(items, learns) if not yes]


def _fitting(subject, train: list, dev: list, test: list, name: str, rng) -> tuple[list, list, list]:
    """What the subject takes whole of these; to learn and to choose `MOST` at most."""
    train, dev = (encode.fitting(subject, _some(rng, i, MOST[s]))[0] for i, s in ((train, "train"), (dev, "dev")))
    test = [v for v in test if encode.fits(subject, [i.words for i in v.every()]).all()]
    if min(len(train), len(dev), len(test)) == 0:
        raise TooFew(f"{name}: {len(train)} items to train on, {len(dev)} to choose on, {len(test)} to test")
    return train, dev, test


def _some(rng, items: list, most: int) -> list:
    return [items[k] for k in np.sort(rng.permutation(len(items))[:most])]


def _frame(item: Coreference) -> str:
    """What items have in common that are not independent: an occupation or two, a document, or the words but names and nouns."""
    if "occupation" in item.meta:  # a template, with either answer
        return str(item.meta["occupation"])
    if "pair" in item.meta:  # of two people, who stand in sentences with either answer
        return item.meta.get("people") or swaps.people(item)
    if "a" in item.meta:  # a paragraph of its own
        return item.meta.get("base", item.id)
    people = {w for c in (*item.candidates, item.pronoun) for w in range(*c)}
    return re.sub(
        "_( _)+", "_", " ".join("_" if k in people or w in swaps.classes() else w for k, w in enumerate(item.words))
    )


def _fitted(subject, train, dev, layers: list[int], settings) -> tuple[Probe, int]:
    """The probe of the layer (place in `layers`) whose decisions on dev are best."""
    x, targets = vectors(subject, train, layers, settings)
    probes = fit_each(x, targets.labels, classes=ANSWERS, l2=L2, device=settings.torch_device())
    seen, asked = vectors(subject, dev, layers, settings)
    answers = np.array([i.answer for i in dev])
    scores = [(decided(p, v[None], asked)[0] == answers).mean() for p, v in zip(probes, seen)]
    best = choose(scores)
    return probes[best], best


def vectors(subject, items: Sequence[Coreference], layers: list[int], settings) -> tuple[np.ndarray, Targets]:
    """Vectors of pronoun and candidate with their product, (K, 2 n, 3 H), candidate by candidate."""
    found = [
        (n, ANSWERS[k == item.answer], item.pronoun, span)
        for n, item in enumerate(items)
        for k, span in enumerate(item.candidates)
    ]
    targets = build([i.words for i in items], ["test"] * len(items), found)
    return gather(subject, targets, layers=layers, settings=settings), targets


def decided(probe: Probe, x: np.ndarray, targets: Targets) -> np.ndarray:
    """Which of two candidates the probe is surer of, (K, n)."""
    yes = ANSWERS.index("yes")
    return np.array([probe.log_probs(v)[:, yes].reshape(-1, 2).argmax(1) for v in x])
