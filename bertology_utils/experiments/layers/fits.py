"""Linear probes on every layer, fitted on several disjoint parts of the training sentences; shared by the chapter."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

from ...errors import TooFew
from ...probes import Targets, constant, control_task, fitting, gather_all
from ...probes.linear import Probe, fit, fit_each, fit_grid
from ...scores import intervals
from ...scores.choice import choose
from ...scores.profiles import Profile
from ...settings import Settings
from ...subject.models import Subject

T = TypeVar("T")

FOLDS = 6  # of pairs
FITS = 4  # on as many disjoint parts of the training sentences: what training adds to an interval is seen
# Training targets per fit, by spans per target; of a quarter, probes of 768 features were starved.
MOST = {1: 4000, 2: 2000}
TESTED = 2500  # test targets at most
CONTROLLED = 600  # training targets of the probe on control labels
PENALTIES = (0.1, 0.01)  # l2, chosen on dev for every layer by the first fit; of equals the stronger
HIDDEN = 32  # units of the probe with a hidden layer


@dataclass(frozen=True, eq=False)
class Fitted:
    """What the probes of all layers got right.

    Attributes
    ----------
    right : bool array (R, L + 1, N)
        For each fit, layer (0 the embeddings) and test target.
    dev : float array (L + 1,)
        Accuracy on dev, mean of the fits.
    majority, word : bool arrays (N,)
        Whether the label commonest in test, or in train the commonest one of the very word(s), would have been right.
    control : bool array (L + 1, N), or empty
        One fit on control labels (hewitt2019control), of targets of one span.
    groups : array (N,)
        The sentence of each test target.
    """

    right: np.ndarray
    dev: np.ndarray
    majority: np.ndarray
    word: np.ndarray
    control: np.ndarray
    groups: np.ndarray

    def profile(self, settings: Settings) -> Profile:
        """Accuracy by layer."""
        return Profile.of(self.right, self.groups, settings)

    def baselines(self, settings: Settings) -> dict[str, Profile]:
        """What needs no model, as profiles of one score."""
        return {"word alone": Profile.of(self.word[None], self.groups, settings)}

    def control_rows(self, settings: Settings, **keys) -> list[dict]:
        """What the commonest label gets right, the commonest of the word, and by layer a probe of control labels."""
        mean = intervals.Means(self.groups, seed=settings.seed, draws=settings.draws)
        n = len(self.majority)
        rows = [
            intervals.row(m, mean(x), n, **keys) for m, x in (("majority", self.majority), ("word alone", self.word))
        ]
        return rows + [
            intervals.row("control accuracy", mean(c), n, **keys, layer=k) for k, c in enumerate(self.control)
        ]


def parts(targets: Targets, seed: int, fits: int = FITS) -> list[np.ndarray]:
    """Masks (N,) of the training targets of each fit: whole sentences, dealt out at random."""
    train = targets.split == "train"
    kinds, member = np.unique(targets.sentence[train], return_inverse=True)
    dealt = np.full(len(targets), -1)
    dealt[train] = np.random.default_rng(seed).permutation(len(kinds))[member] % fits
    return [dealt == k for k in range(fits)]


def each_fit(x: np.ndarray, targets: Targets, settings: Settings, *, hidden: bool = False) -> Iterator[list[Probe]]:
    """The probes of every layer's vectors (L + 1, N, F), fit by fit; l2 is chosen on dev for every layer by the first.

    Raises
    ------
    ValueError
        If one of the splits train, dev and test is empty.
    """
    _, dev, _ = targets.splits()
    first, *others = parts(targets, settings.seed)
    probes, penalties = first_fit(x[:, first], targets.labels[first], x[:, dev], targets.labels[dev], hidden, settings)
    yield probes
    for part in others:
        yield fit_at(x[:, part], targets.labels[part], penalties, hidden, settings)


def fit_layers(x: np.ndarray, targets: Targets, settings: Settings, *, hidden: bool = False) -> Fitted:
    """Fit a probe on each layer's vectors (L + 1, N, F), several times; l2 is chosen on dev for every layer.

    Raises
    ------
    ValueError
        If one of the splits train, dev and test is empty.
    """
    _, dev, test = targets.splits()
    told = [
        [p.predict(layer) == targets.labels for p, layer in zip(probes, x)]
        for probes in each_fit(x, targets, settings, hidden=hidden)
    ]
    right = np.array(told)  # (R, L + 1, N)
    asked = np.ones(0, bool)
    if targets.spans.shape[1] == 1:  # of two words together hardly any kind comes twice
        labels = control_task(targets, settings.seed).labels
        few = np.flatnonzero(parts(targets, settings.seed)[-1])[:CONTROLLED]
        fitted = fit_each(x[:, few], labels[few], l2=PENALTIES[0], device=settings.torch_device())
        asked = np.array([p.predict(layer[test]) == labels[test] for p, layer in zip(fitted, x)])
    return Fitted(
        right=right[..., test],
        dev=right[..., dev].mean((0, 2)),
        majority=constant(targets),
        word=by_word(targets)[test],
        control=asked,
        groups=targets.sentence[test],
    )


def crossed(x: np.ndarray, targets: Targets, settings: Settings) -> tuple[np.ndarray, np.ndarray]:
    """Probes on vectors (L + 1, N, F) of pairs, in folds of first words; each pair is scored by one that saw neither word.

    While one fold is scored the next is dev, which chooses the l2 of every layer, and of the others those pairs teach that
    share no word with it. The learners of two folds are mostly the same: intervals are of what is scored alone.

    Returns
    -------
    right : bool array (L + 1, N)
    dev : float array (L + 1,)
        Accuracy on dev, mean of the folds.
    """
    pairs = [t.split(" | ") for t in targets.types]
    firsts, first = np.unique([a for a, _ in pairs], return_inverse=True)
    fold = np.random.default_rng(settings.seed).permutation(len(firsts))[first] % FOLDS
    right, dev = np.empty(x.shape[:2], bool), np.empty((FOLDS, len(x)))
    for k in range(FOLDS):
        test, tried = fold == k, fold == (k + 1) % FOLDS
        held = {word for pair, out in zip(pairs, test) if out for word in pair}
        learn = ~test & ~tried & [held.isdisjoint(pair) for pair in pairs]
        if not (test.any() and tried.any() and learn.any()):
            raise TooFew(f"{len(firsts)} first words do not fill {FOLDS} folds")
        grid = fit_grid(x[:, learn], targets.labels[learn], PENALTIES, device=settings.torch_device())
        for layer, vectors in enumerate(x):
            scores = [(p[layer].predict(vectors[tried]) == targets.labels[tried]).mean() for p in grid]
            best = choose(scores)
            dev[k, layer] = scores[best]
            right[layer, test] = grid[best][layer].predict(vectors[test]) == targets.labels[test]
    return right, dev.mean(0)


def first_fit(
    x: np.ndarray, labels: np.ndarray, dev: np.ndarray, dev_labels: np.ndarray, hidden: bool, settings: Settings
) -> tuple[list[Probe], np.ndarray]:
    """The probe of each layer that is right most often on dev, and its l2, (L + 1,); a hidden layer has the last l2."""
    if hidden:  # slow
        penalties = np.full(len(x), PENALTIES[-1])
        return fit_at(x, labels, penalties, hidden, settings), penalties
    grid = fit_grid(x, labels, PENALTIES, device=settings.torch_device())
    scores = [[(p.predict(v) == dev_labels).mean() for p, v in zip(probes, dev)] for probes in grid]
    best = [choose(s) for s in np.transpose(scores)]
    return [grid[k][layer] for layer, k in enumerate(best)], np.array(PENALTIES)[best]


def fit_at(x: np.ndarray, labels: np.ndarray, penalties: np.ndarray, hidden: bool, settings: Settings) -> list[Probe]:
    """A probe for each layer's vectors (L + 1, N, F), with its own l2."""
    device = settings.torch_device()
    if hidden:
        options = {"hidden": HIDDEN, "seed": settings.seed, "device": device}
        return [fit(v, labels, l2=l2, **options) for v, l2 in zip(x, penalties)]
    out: dict[int, Probe] = {}
    for l2 in sorted(set(penalties)):
        layers = np.flatnonzero(penalties == l2)
        out |= zip(layers.tolist(), fit_each(x[layers], labels, l2=l2, device=device))
    return [out[k] for k in range(len(x))]


def by_word(targets: Targets) -> np.ndarray:
    """Whether the commonest training label of a target's word(s) is its label; the commonest of all for new words."""
    seen: dict[str | None, Counter] = defaultdict(Counter)
    train = targets.split == "train"
    seen[None].update(targets.labels[train])
    for kind, label in zip(targets.types[train], targets.labels[train]):
        seen[kind][label] += 1
    known = {k: min(c, key=lambda y: (-c[y], y)) for k, c in seen.items()}
    return np.array([known.get(k, known[None]) for k in targets.types]) == targets.labels


def draw(targets: Targets, seed: int, most: int | None = None, tested: int = TESTED) -> Targets:
    """At most `most` train targets per fit (by default as `MOST`), `tested` test and half as many dev targets."""
    most = MOST[targets.spans.shape[1]] if most is None else most
    return targets.at_most({"train": most * FITS, "dev": tested // 2, "test": tested}, seed)


def gathered(
    subject: Subject, found: dict[str, Targets], settings: Settings, *, most: int | None = None
) -> Iterator[tuple[str, Targets, np.ndarray, str]]:
    """Task, its targets (those that fit the model), their vectors (L + 1, N, F), what was left out.

    At most `most` train targets (by default as `MOST`) for each of `FITS` fits. Tasks on the same sentences share one
    run of the model.
    """
    for _, group in groupby(found.items(), key=lambda pair: pair[1].sentences):
        names, every = zip(*group)
        kept, notes = zip(*(fitting(subject, t) for t in every))
        targets = [draw(t, settings.seed, most) for t in kept]
        yield from zip(names, targets, gather_all(subject, targets, settings=settings), notes)


_SEEN: WeakKeyDictionary[Subject, dict[tuple, Any]] = WeakKeyDictionary()


def measured(
    subject: Subject,
    found: dict[str, Targets],
    settings: Settings,
    measure: Callable[[np.ndarray, Targets, Settings], T],
    *,
    most: int | None = None,
) -> dict[str, tuple[T, str]]:
    """Task -> what `measure` (a function of vectors, targets and settings) makes of it, and what was left out.

    Several claims of the chapter ask the same of the same words: what was measured once on a subject is handed on. The
    figures do not depend on it; a record's seconds do, and the note says so.
    """
    kept = _SEEN.setdefault(subject, {})
    keys = {task: (measure, most, settings, *_content(targets)) for task, targets in found.items()}
    new = {task: targets for task, targets in found.items() if keys[task] not in kept}
    for task, targets, x, said in gathered(subject, new, settings, most=most):
        kept[keys[task]] = measure(x, targets, settings), said
    return {task: kept[key] for task, key in keys.items()}


SHARED = "the fits are shared by the claims of this chapter that are run together: the seconds count them once"


def _content(targets: Targets) -> tuple:
    """All that is in targets, as a key."""
    arrays = (targets.sentence, targets.spans, targets.labels, targets.split)
    return targets.sentences, *(a.tobytes() for a in arrays)
