"""Numbers: are they in the vectors, inside and beyond the range that was seen (wallace2019b)?"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from zlib import crc32

import numpy as np

from ...calibration import planted as plants
from ...calibration.nulls import Null
from ...calibration.planted import Part, plant
from ...claims.registry import claim
from ...data.items import NumberItem
from ...errors import TooFew
from ...probes import regression
from ...probes.linear import fit
from ...scores import intervals
from ...scores.choice import choose
from ...scores.profiles import UNDEFINED
from ...subject import encode

CODE = 64  # dimensions of a random vector of a word
TASKS = {"decoding": "number_decoding", "addition": "number_addition"}
NUMBERS = ("integers", "floats", "negatives", "words")
FOLDS = 5  # of the integers whose pieces are compared: each is read by what was learnt from three of the others
WITHIN, BEYOND = "interpolation", "extrapolation"


def number_line(data, base, rng, *, saturates: bool = False, blurs: bool = False, bends: bool = False):
    """Each number as a place on a line."""

    def make(seen) -> np.ndarray:
        out = np.zeros((seen.n_words, 12), np.float32)
        item = seen.first(NumberItem)
        for w, value in enumerate(item.values if item is not None else ()):
            top = 250.0 if item.condition == "negatives" else 500.0
            at = np.clip(value / top, -1, 1) if saturates else value / top
            at = np.sign(at) * np.abs(at) ** 0.5 if bends else at
            pieces = int((seen.words == w).sum())
            blur = 0.06 * (pieces - 1) if blurs else 0.0  # more, and numbers of many pieces are all read as the mean
            blur += 0.25 if blurs and item.condition == "floats" else 0.0
            place = at + blur * np.random.default_rng(crc32(item.words[w].encode())).standard_normal()
            out[w] = place * np.linspace(0.5, 1.5, 12)
        return out

    return plant(base, data, rng, parts=[Part(12, make, noise=0.01)], name="number line")


def blurred_line(data, base, rng):
    """Each number's place on a line that ends where training did, less sure for floats and for every further piece."""
    return number_line(data, base, rng, saturates=True, blurs=True)


def bent_line(data, base, rng):
    """The root of each number's place, without an end: a straight reader falls short beyond the range, but not at its edge."""
    return number_line(data, base, rng, bends=True)


LINE = Null(
    "number line", "each number's place on a line without an end", number_line, ("extrapolation", "bad")
)  # fmt: skip
BENT = Null("bent number line", "the root of each number's place on a line without an end", bent_line, ("bad",))


@claim(
    "sem.numbers.wallace2019b",
    (*TASKS.values(), "number_maximum"),
    n=1600,
    planted=blurred_line,
    nulls=("untrained", "constant", "bag of words", "positions", LINE, BENT),
)
def numbers(subject, data, settings):
    """The value of a number, the sum of two and the largest of five, read off the vectors (wallace2019b).

    Ridge regressions on the layer that is best on dev; errors are shares of the range of the training values. Inside it
    they are straight or have a Gaussian kernel, as dev says. What is said of numbers beyond it is read by straight ones
    alone, there and inside: far from what it saw a Gaussian kernel says the mean, whatever the vectors hold. Beside the
    model: a random vector for each number, its characters and, beyond the range, the nearest value that was seen. A number
    stands alone. Floats and integers are of one range, and none to be tested on has its integer part among those learnt.
    """
    rows = []
    for task, name in TASKS.items():
        for kind in NUMBERS:
            items = [i for i in data[name] if i.condition == kind]
            if items:
                rows += _regressed(subject, items, task, kind, settings)
    rows += _floats(rows, settings)
    rows += _pieces(subject, data[TASKS["decoding"]], settings)
    for kind in NUMBERS:
        items = [i for i in data["number_maximum"] if i.condition == kind]
        if items:
            rows += _maximum(subject, items, kind, settings)
    kernels = [r["kernel"] for r in rows if "kernel" in r]
    note = f"beyond the range all regressions are straight; inside it {kernels.count('Gaussian')} of {len(kernels)} are not"
    return intervals.table([{k: v for k, v in r.items() if k not in ("errors", "kernel")} for r in rows], [note])


def vectors(subject, items: list[NumberItem], settings) -> np.ndarray:
    """The words' vectors side by side at five depths, (K, N, words * H); all items have as many words."""
    layers = depths(subject.n_layers)
    out: np.ndarray | None = None
    for i, states in encode.hidden_states(subject, [it.words for it in items], layers=layers, settings=settings):
        flat = states.reshape(len(layers), -1)
        out = np.empty((len(layers), len(items), flat.shape[1]), np.float32) if out is None else out
        out[:, i] = flat
    if out is None:
        raise TooFew("no number is left")
    return out


def depths(n_layers: int) -> list[int]:
    """The embeddings and four layers evenly up to the last."""
    return sorted({round(k * n_layers / 4) for k in range(5)})


def characters(items: list[NumberItem]) -> np.ndarray:
    """What the spelling says, (1, N, F): characters by their place from the right (of the point, where there is one) or
    in words, and how often each pair of characters occurs."""
    spelled = [[_placed(w) for w in item.words] for item in items]
    seen = [Counter((k, *f) for k, word in enumerate(words) for f in word) for words in spelled]
    column = {f: n for n, f in enumerate(sorted({f for counts in seen for f in counts}, key=repr))}
    out = np.zeros((1, len(items), len(column)))
    for i, counts in enumerate(seen):
        for f, n in counts.items():
            out[0, i, column[f]] = n
    return out


def _placed(word: str) -> list[tuple]:
    pairs = [("pair", a + b) for a, b in pairwise(word)]
    if "-" in word[1:]:  # in words: each part of the name, by its place from the end
        parts = [p for p in word.split("-") if p != "and"]
        return pairs + [("part", p) for p in parts] + [("place", k, p) for k, p in enumerate(parts[::-1])]
    point = word.index(".") if "." in word else len(word)
    return pairs + [("digit", k - point, c) for k, c in enumerate(word)]


def _random(items: list[NumberItem]) -> np.ndarray:
    return np.stack([np.concatenate([plants.code(("number", w), CODE) for w in i.words]) for i in items])[None]


def _regressed(subject, items, task: str, kind: str, settings) -> list[dict]:
    y, split = np.array([i.target for i in items]), np.array([i.split for i in items])
    span = float(np.ptp(y[split == "train"]))
    of = {"model": vectors(subject, items, settings), "characters": characters(items), "random vectors": _random(items)}
    kinds = [
        {name: regression.read_number(x, y, split, kernels=(k,)) for name, x in of.items()} for k in regression.KERNELS
    ]
    straight = kinds[0]
    read = {name: kinds[choose([-kind[name].dev / span for kind in kinds])][name] for name in of}
    where = np.array([i.meta["range"] for i in items])
    keys, rows = dict(task=task, numbers=kind), intervals.Rows(settings)
    options = dict(seed=settings.seed, draws=settings.draws)
    for within in (WITHIN, BEYOND):
        at = (split == "test") & (where == within)
        if not at.any():
            continue
        used = read if within == WITHIN else straight
        errors = {name: np.abs(found.predicted - y) / span for name, found in used.items()}
        for name in of:
            extra = {"layer": depths(subject.n_layers)[used[name].which]} if name == "model" else {}
            rows.mean(f"relative error, {name}", errors[name][at], **keys, range=within, **extra)
            if name == "model" and within == WITHIN:
                rows[-1] |= {"errors": errors[name][at], "kernel": used[name].kernel}
        errors["nearest value seen"] = _beyond(y, y[split == "train"]) / span
        pairs = [("random vectors", "model"), ("random vectors", "characters"), ("characters", "model")]
        for one, other in pairs + [("nearest value seen", "model")] * (within == BEYOND):
            gap = errors[one][at] - errors[other][at]
            rows.mean(f"relative error, {one} - {other}", gap, signed=True, **keys, range=within)
    error = np.abs(straight["model"].predicted - y) / span
    near, far = (error[(split == "test") & (where == within)] for within in (WITHIN, BEYOND))
    if len(near) and len(far):
        gap = intervals.difference(far, near, paired=False, **options)
        rows.add(f"relative error, {BEYOND} - {WITHIN}", gap, min(len(near), len(far)), **keys)
    return rows


def _beyond(values: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """How far values lie outside the range of those seen.

    >>> _beyond(np.array([-7.0, 3.0, 12.0]), np.array([-5.0, 10.0])).tolist()
    [2.0, 0.0, 2.0]
    """
    return np.maximum(seen.min() - values, 0) + np.maximum(values - seen.max(), 0)


def _of(rows: list[dict], measure: str, **keys) -> dict | None:
    return next((r for r in rows if r["measure"] == measure and keys.items() <= r.items()), None)


def _floats(rows: list[dict], settings) -> list[dict]:
    """How much worse floats are decoded than integers, inside the range."""
    found = [
        _of(rows, "relative error, model", task="decoding", numbers=k, range=WITHIN) for k in ("floats", "integers")
    ]
    both = [f for f in found if f is not None]
    if len(both) < 2:
        return []
    options = dict(seed=settings.seed, draws=settings.draws, paired=False)
    gap = intervals.difference(both[0]["errors"], both[1]["errors"], **options)
    return [intervals.row("relative error, floats - integers", gap, min(b["n"] for b in both), task="decoding")]


def _pieces(subject, items: list[NumberItem], settings) -> list[dict]:
    """How much the error of decoding grows by each further piece, among integers of one hundred.

    Which integers are one piece depends on how large they are; a sign or a name is more pieces, and another number. So
    all integers inside the range are read once, in folds, and compared within their hundred alone.
    """
    items = [i for i in items if i.condition == "integers" and i.meta["range"] == WITHIN]
    pieces = np.array([sum(w >= 0 for w in r.words) for r in encode.tokenize(subject, [i.words for i in items])])
    strata = np.array([f"{len(i.words[0])} {i.words[0][0]}" for i in items])
    fewest = np.array([pieces[strata == s].min() for s in strata])
    mixed = np.array([np.ptp(pieces[strata == s]) > 0 for s in strata])
    more = int((mixed & (pieces > fewest)).sum())
    rarer = min(more, int(mixed.sum()) - more)
    count = intervals.row("integers of the rarer cut", (float(rarer),) * 3, len(items), task="decoding")
    if not rarer:
        return [count, intervals.row("error per further piece", UNDEFINED, 0, task="decoding")]
    y, x, fold = np.array([i.target for i in items]), vectors(subject, items, settings), np.arange(len(items)) % FOLDS
    error = np.zeros(len(items))
    for k in range(FOLDS):
        split = np.where(fold == k, "test", np.where(fold == (k + 1) % FOLDS, "dev", "train"))
        error[fold == k] = (np.abs(regression.read_number(x, y, split).predicted - y) / np.ptp(y))[fold == k]
    error, further = (_centred(v.astype(float), strata) for v in (error, pieces))
    slope = intervals.ratio(further * error, further**2, seed=settings.seed, draws=settings.draws, signed=True)
    return [count, intervals.row("error per further piece", slope, int(mixed.sum()), task="decoding")]


def _centred(values: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Less the mean of each stratum."""
    _, member = np.unique(strata, return_inverse=True)
    return values - (np.bincount(member, values) / np.bincount(member))[member]


def _maximum(subject, items: list[NumberItem], kind: str, settings) -> list[dict]:
    """Which of five numbers is the largest: a probe says of each whether it is, and the surest counts."""
    split, target = np.array([i.split for i in items]), np.array([int(i.target) for i in items])
    count = len(items[0].words)
    x = vectors(subject, items, settings)
    x = x.reshape(len(x), len(items) * count, -1)  # (K, N * 5, H)
    labels = np.where((np.arange(count)[None] == target[:, None]).ravel(), "largest", "other")
    train, dev = np.repeat(split == "train", count), split == "dev"
    right = []
    for features in x:
        probe = fit(features[train], labels[train], l2=0.01, device=settings.torch_device())
        surest = probe.log_probs(features)[:, list(probe.classes).index("largest")].reshape(-1, count).argmax(1)
        right.append(surest == target)
    best = choose([r[dev].mean() for r in right])
    where, rows = np.array([i.meta["range"] for i in items]), intervals.Rows(settings)
    for within in (WITHIN, BEYOND):
        at = (split == "test") & (where == within)
        keys = dict(task="maximum", numbers=kind, range=within, layer=depths(subject.n_layers)[best])
        rows.mean("accuracy", right[best][at], **keys)
    return rows
