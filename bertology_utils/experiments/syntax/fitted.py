"""Fitting probes with care: the penalty chosen on dev, and the luck of the training set inside the interval.

A probe of fixed penalty overfits some labels and starves others; here every layer's penalty is the one best on dev. And
another training set would have given another probe: the delete-a-group jackknife (each fifth of the training sentences
left out once) says how far a figure moves with it, and its intervals are widened by that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from ...probes import Means, Targets, constant, control_task
from ...probes.linear import fit_each, fit_grid
from ...scores import intervals
from ...scores.choice import choose
from ...scores.intervals import Interval
from ...settings import Settings

PENALTIES = (1e-1, 1e-2, 1e-3)  # the strongest first: of equals on dev it is taken
FOLDS = 5


@dataclass(frozen=True, eq=False)
class Fitted:
    """What the probes of all layers got right.

    Attributes
    ----------
    right : bool array (L + 1, N)
        For each layer (0 the embeddings) and test target.
    dev : float array (L + 1,)
        Accuracy on dev, by which a layer is chosen.
    majority : bool array (N,)
        Whether the majority label would have been right.
    control : bool array (L + 1, N) or None
        The same on control labels.
    groups : array (N,)
        The sentence of each test target.
    penalty : float array (L + 1,)
        Of each layer's probe.
    """

    right: np.ndarray
    dev: np.ndarray
    majority: np.ndarray
    control: np.ndarray | None
    groups: np.ndarray
    penalty: np.ndarray


def tuned(x: np.ndarray, targets: Targets, settings: Settings, *, control: bool = False) -> Fitted:
    """A linear probe per layer from vectors (L + 1, N, F), its penalty chosen on dev; control labels with the same one.

    Raises
    ------
    ValueError
        If one of the splits train, dev and test is empty.
    """
    train, dev, test = targets.splits()
    told = _predictions(x, train, targets.labels, settings)  # (P, L + 1, N)
    on_dev = (told[..., dev] == targets.labels[dev]).mean(-1)
    which = np.array([choose(layer) for layer in on_dev.T])
    layers = np.arange(len(x))
    predicted, false = told[which, layers], None
    if control:
        task = control_task(targets, settings.seed)
        false = (_predictions(x, train, task.labels, settings)[which, layers] == task.labels)[:, test]
    return Fitted(
        right=predicted[:, test] == targets.labels[test],
        dev=on_dev[which, layers],
        majority=constant(targets),
        control=false,
        groups=targets.sentence[test],
        penalty=np.array(PENALTIES)[which],
    )


def _predictions(x: np.ndarray, train: np.ndarray, labels: np.ndarray, settings: Settings) -> np.ndarray:
    """What the probes of each penalty and layer say of all targets, (P, L + 1, N)."""
    grid = fit_grid(x[:, train], labels[train], PENALTIES, device=settings.torch_device())
    return np.array([[probe.predict(layer) for probe, layer in zip(probes, x)] for probes in grid])


def folds(groups: np.ndarray, settings: Settings) -> np.ndarray:
    """The fold, 0 to `FOLDS` - 1, of each training target; a sentence's targets go together."""
    kinds, member = np.unique(groups, return_inverse=True)
    return np.random.default_rng(settings.seed).permutation(len(kinds))[member] % FOLDS


def refitted(
    x: np.ndarray, targets: Targets, penalty: np.ndarray, settings: Settings, score: Callable | None = None
) -> np.ndarray:
    """Whether the probes of some layers are right on test without one fold of the training set, (folds, layers, N).

    Parameters
    ----------
    x : float array (layers, N, F)
    penalty : float array (layers,)
    score : callable, optional
        (probe, test vectors) -> values (N,), in place of whether it is right.
    """
    train, test = np.flatnonzero(targets.split == "train"), targets.split == "test"
    fold = folds(targets.sentence[train], settings)
    score = score or (lambda probe, vectors: probe.predict(vectors) == targets.labels[test])

    def one(kept: np.ndarray, vectors: np.ndarray, l2: float) -> np.ndarray:
        (probe,) = fit_each(vectors[None, kept], targets.labels[kept], l2=l2, device=settings.torch_device())
        return score(probe, vectors[test])

    return np.array([[one(train[fold != k], v, l2) for v, l2 in zip(x, penalty)] for k in range(FOLDS)])


def jackknifed(figures: np.ndarray) -> float:
    """Standard error of a figure from its values without each fold, (folds,).

    Examples
    --------
    >>> jackknifed(np.array([0.5, 0.5, 0.5]))
    0.0
    """
    figures = np.asarray(figures, float)
    return float(np.sqrt((len(figures) - 1) / len(figures) * ((figures - figures.mean()) ** 2).sum()))


def with_luck(found: Interval, error: float, key: str, settings: Settings) -> Interval:
    """An interval widened by the standard error of training; `key` (subject and figure) names the luck's own draws."""
    if found.draws is None or not np.isfinite(error):
        return found
    rng = np.random.default_rng([settings.seed, crc32(key.encode())])
    drawn = found.draws + error * rng.standard_normal(len(found.draws))
    value, low, high = intervals.interval(found[0], drawn)
    return Interval(value, low, high, draws=drawn, clusters=found.clusters)


class Rows:
    """Collects tidy rows of means over test targets; sentences are resampled, and training where refits are given."""

    def __init__(self, groups, settings: Settings, name: str, **keys) -> None:
        self.mean = Means(groups, seed=settings.seed, draws=settings.draws)
        self.settings, self.name, self.keys = settings, name, keys
        self.rows: list[dict] = []

    def add(self, measure: str, values: np.ndarray, refits: np.ndarray | None = None, signed: bool = False, **keys):
        """A row; `refits` (folds, N) are the values that the refitted probes give."""
        found = self.mean(values, signed=signed)
        if refits is not None:
            key = f"{self.name} {measure} {sorted({**self.keys, **keys}.items())}"
            found = with_luck(found, jackknifed(np.asarray(refits, float).mean(-1)), key, self.settings)
        self.rows.append(intervals.row(measure, found, len(values), **self.keys, **keys))


def layer_rows(
    fitted: Fitted,
    x: np.ndarray,
    targets: Targets,
    settings: Settings,
    name: str,
    *,
    rivals: Mapping[str, tuple[Fitted, np.ndarray]] | None = None,
    **keys,
) -> list[dict]:
    """Tidy rows of the probes of all layers and of their controls.

    Measures: `accuracy` and, with control labels, `control accuracy` by layer; `majority` (on test); and at the layer above the
    embeddings that is best on dev (column `layer`) `selectivity`, `gain over layer 0`, `gain over majority` and what is gained
    over each of the `rivals` (measure: probes and vectors of other kinds, of which the one best on dev answers).
    """
    best = choose(fitted.dev[1:]) + 1
    rows = Rows(fitted.groups, settings, name, **keys)
    for layer, right in enumerate(fitted.right):
        rows.add("accuracy", right, layer=layer)
        if fitted.control is not None:
            rows.add("control accuracy", fitted.control[layer], layer=layer)
    rows.add("majority", fitted.majority)
    again = refitted(x[[0, best]], targets, fitted.penalty[[0, best]], settings).astype(float)
    others: dict[str, tuple[np.ndarray, np.ndarray]] = {
        "gain over layer 0": (fitted.right[0], again[:, 0]),
        "gain over majority": (fitted.majority, np.broadcast_to(fitted.majority, again[:, 0].shape)),
    }
    for measure, (rival, y) in (rivals or {}).items():
        which = choose(rival.dev)
        theirs = refitted(y[[which]], targets, rival.penalty[[which]], settings)[:, 0]
        others[measure] = rival.right[which], theirs
    if fitted.control is not None:
        others["selectivity"] = fitted.control[best], np.broadcast_to(fitted.control[best], again[:, 0].shape)
    for measure, (other, refits) in others.items():
        rows.add(measure, fitted.right[best] - other.astype(float), again[:, 1] - refits, signed=True, layer=best)
    return rows.rows
