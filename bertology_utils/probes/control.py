"""Control tasks: what a probe can memorise is not what the vectors say (hewitt2019control).

Each word type gets one label for good, drawn from the labels' own frequencies. Nothing but memory of the types can
tell it; a probe that does as well on it as on the real labels shows only its own capacity. Selectivity is the
difference.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..scores.choice import commonest
from .targets import Targets


def control_labels(types: Sequence[str] | np.ndarray, labels: Sequence[str] | np.ndarray, seed: int = 0) -> np.ndarray:
    """One random label a word type, drawn with the labels' frequencies; str array (N,).

    The draw depends on seed and the set of types alone, not on the order of the words.
    """
    types, labels = np.asarray(types), np.asarray(labels)
    if len(types) != len(labels):
        raise ValueError(f"{len(types)} word types but {len(labels)} labels")
    classes, counts = np.unique(labels, return_counts=True)
    kinds, member = np.unique(types, return_inverse=True)
    drawn = np.random.default_rng(seed).choice(classes, size=len(kinds), p=counts / counts.sum())
    return drawn[member]


def control_task(targets: Targets, seed: int = 0) -> Targets:
    """The targets with control labels in the place of their own."""
    return targets.relabel(control_labels(targets.types, targets.labels, seed))


def constant(targets: Targets) -> np.ndarray:
    """Whether always giving one label is right, by test target (N,): the best answer of that kind (`commonest`).

    Examples
    --------
    >>> labels, split = np.array(["a", "a", "b", "b", "b", "a"]), np.array(["train"] * 3 + ["test"] * 3)
    >>> none = np.zeros((6, 1, 2), int)
    >>> constant(Targets((), np.arange(6), none, labels, split, labels)).tolist()
    [True, True, False]
    """
    asked, learnt = (targets.labels[targets.split == s].tolist() for s in ("test", "train"))
    label = commonest(asked, learnt)
    return np.array([x == label for x in asked])
