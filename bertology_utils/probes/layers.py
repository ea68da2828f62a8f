"""One probe per layer, with every control: the driver behind most probing claims.

The layer is chosen on dev and scored on test; beside it stand the majority label, layer 0 (the embeddings), control
labels, and — where the caller runs it — an untrained network of the same shape. Intervals draw sentences, not words,
since the words of a sentence stand or fall together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..scores import intervals
from ..scores.choice import choose
from ..scores.intervals import Means
from ..settings import Settings
from ..subject.models import Subject
from .control import constant, control_task
from .linear import fit, fit_each
from .targets import Targets, fitting, gather


@dataclass(frozen=True, eq=False)
class LayerScores:
    """What the probes of all layers got right.

    Attributes
    ----------
    right : bool array (L + 1, N)
        For each layer (0 the embeddings) and test target.
    dev : float array (L + 1,)
        Accuracy on dev, by which `best` is chosen.
    majority : bool array (N,)
        Whether the majority label would have been right.
    control : bool array (L + 1, N) or None
        The same on control labels.
    groups : array (N,)
        The sentence of each test target.
    labels, predicted : str arrays (N,) and (L + 1, N)
    note : str
        What was left out.
    """

    right: np.ndarray
    dev: np.ndarray
    majority: np.ndarray
    control: np.ndarray | None
    groups: np.ndarray
    labels: np.ndarray
    predicted: np.ndarray
    note: str = ""

    @property
    def best(self) -> int:
        """The layer with the highest accuracy on dev; the lowest of equals (`choose`)."""
        return choose(self.dev)

    @property
    def best_contextual(self) -> int:
        """The same among the layers above the embeddings."""
        return choose(self.dev[1:]) + 1


def probe_layers(
    subject: Subject,
    targets: Targets,
    settings: Settings,
    *,
    hidden: int | None = None,
    l2: float = 1e-3,
    control: bool = False,
    most: int | None = None,
) -> LayerScores:
    """Fit a probe on each layer's vectors of the train targets and score it on the test targets.

    Parameters
    ----------
    hidden : int, optional
        Units of an MLP probe; None for a linear one.
    control : bool
        Also fit on control labels.
    most : int, optional
        Targets a split at most, drawn before the model runs.

    Raises
    ------
    ValueError
        If one of the splits train, dev and test is empty.
    """
    targets, note = fitting(subject, targets)
    targets = targets if most is None else targets.draw(most, settings.seed)
    x = gather(subject, targets, settings=settings)  # (L + 1, N, F)
    return score_layers(x, targets, settings, hidden=hidden, l2=l2, control=control, note=note)


def score_layers(
    x: np.ndarray,
    targets: Targets,
    settings: Settings,
    *,
    hidden: int | None = None,
    l2: float = 1e-3,
    control: bool = False,
    note: str = "",
) -> LayerScores:
    """As `probe_layers`, from vectors (L + 1, N, F) that are there already."""
    _, dev, test = targets.splits()
    tasks = [targets] + ([control_task(targets, settings.seed)] if control else [])
    predicted = np.array([_told(x, task, hidden, l2, settings) for task in tasks])
    right = np.array([predicted[k] == task.labels for k, task in enumerate(tasks)])  # (tasks, L + 1, N)
    return LayerScores(
        right=right[0][:, test],
        dev=right[0][:, dev].mean(1),
        majority=constant(targets),
        control=right[1][:, test] if control else None,
        groups=targets.sentence[test],
        labels=targets.labels[test],
        predicted=predicted[0][:, test],
        note=note,
    )


def _told(x: np.ndarray, targets: Targets, hidden: int | None, l2: float, settings: Settings) -> np.ndarray:
    """What the probes trained on the train targets' vectors say of all targets, layer by layer."""
    train = targets.split == "train"
    labels, options = targets.labels[train], {"l2": l2, "device": settings.torch_device()}
    if hidden is None:
        probes = fit_each(x[:, train], labels, **options)
    else:
        probes = [fit(layer[train], labels, hidden=hidden, seed=settings.seed, **options) for layer in x]
    return np.array([probe.predict(layer) for probe, layer in zip(probes, x)])


def rows(scores: LayerScores, settings: Settings, *, reference: LayerScores | None = None, **keys) -> pd.DataFrame:
    """Tidy rows: accuracy by layer, its controls, and the gains of the layer chosen on dev.

    Measures: `accuracy`, `control accuracy`, `selectivity` (by `layer`); `majority`; `gain over layer 0`,
    `gain over majority`, and with a `reference` (the scores of an untrained network on the same targets, of some or all
    of its layers: the best on dev counts) `gain over untrained`, all three at the best contextual layer, named in column
    `layer`. `keys` become key columns.
    """
    mean = Means(scores.groups, seed=settings.seed, draws=settings.draws)
    n, best = scores.right.shape[1], scores.best_contextual
    out = []

    def add(measure: str, values: np.ndarray, layer: int | None = None, signed: bool = False) -> None:
        where = keys if layer is None else {**keys, "layer": layer}
        out.append(intervals.row(measure, mean(values, signed=signed), n, **where))

    for layer, right in enumerate(scores.right):
        add("accuracy", right, layer)
        if scores.control is not None:
            add("control accuracy", scores.control[layer], layer)
            add("selectivity", right.astype(float) - scores.control[layer], layer, signed=True)
    add("majority", scores.majority)
    gains: Mapping[str, np.ndarray] = {"layer 0": scores.right[0], "majority": scores.majority}
    if reference is not None:
        gains = {**gains, "untrained": reference.right[reference.best]}
    for name, other in gains.items():
        add(f"gain over {name}", scores.right[best].astype(float) - other, best, signed=True)
    return intervals.table(out, [scores.note])
