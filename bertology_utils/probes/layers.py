"""One probe per layer: what each gets right, with the majority label.

The layer is chosen on dev and scored on test. Claims fit with more care (`experiments.syntax.fitted`,
`experiments.layers.fits`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..scores.choice import choose
from ..settings import Settings
from ..subject.models import Subject
from .control import constant
from .linear import fit_each
from .targets import Targets, fitting, gather

L2 = 1e-3  # half the squared weights count so much in a probe's loss


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


def probe_layers(subject: Subject, targets: Targets, settings: Settings, *, most: int | None = None) -> LayerScores:
    """Fit a linear probe on each layer's vectors of the train targets and score it on the test targets.

    Parameters
    ----------
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
    train, dev, test = targets.splits()
    fitted = fit_each(x[:, train], targets.labels[train], l2=L2, device=settings.torch_device())
    predicted = np.array([probe.predict(layer) for probe, layer in zip(fitted, x)])
    right = predicted == targets.labels
    return LayerScores(
        right=right[:, test],
        dev=right[:, dev].mean(1),
        majority=constant(targets),
        control=None,
        groups=targets.sentence[test],
        labels=targets.labels[test],
        predicted=predicted[:, test],
        note=note,
    )
