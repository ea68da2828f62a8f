"""Minimum description length of labels given vectors, by online coding (voita2020).

The labels are sent in blocks: the first with a uniform code, each later one with the code of a probe trained on all
blocks before. Labels that are easy to extract are cheap early; labels that a probe can only memorise stay dear,
whatever accuracy it reaches in the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import torch

from .linear import fit_grid

# shares of the data at which the probe is trained anew, as in the study
BLOCKS = (0.001, 0.002, 0.004, 0.008, 0.016, 0.032, 0.0625, 0.125, 0.25, 0.5, 1.0)


def online_codes(
    x: np.ndarray,
    labels: Sequence[str] | np.ndarray,
    penalties: Sequence[float],
    *,
    groups: Sequence | None = None,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> np.ndarray:
    """Bits it takes to send each label with each of K sets of vectors, float (penalties, K, N).

    A row's sum is the length of a code with one penalty; the penalties share their fits' cost (`linear.fit_grid`).

    Parameters
    ----------
    x : float array (K, N, F)
        Such as the vectors of K layers: their probes are fitted together.
    labels : str array (N,)
    penalties : sequence of float
        l2 of the probes.
    groups : sequence, optional
        Sentences: shuffled whole, so that a sentence's words follow one another.

    Raises
    ------
    ValueError
        If there are not two classes.
    """
    labels = np.asarray(labels)
    classes = np.unique(labels)
    if len(classes) < 2:
        raise ValueError(f"a code needs two classes; there is {classes.tolist()}")
    order = _order(len(labels), groups, seed)
    ends = np.unique([max(1, round(share * len(labels))) for share in BLOCKS])
    bits = np.empty((len(penalties), len(x), len(labels)))
    bits[..., order[: ends[0]]] = np.log2(len(classes))
    place = np.searchsorted(classes, labels)
    for start, end in pairwise(ends):
        sent, block = order[:start], order[start:end]
        for p, probes in enumerate(fit_grid(x[:, sent], labels[sent], penalties, classes=classes, device=device)):
            for k, probe in enumerate(probes):
                bits[p, k, block] = -probe.log_probs(x[k, block])[np.arange(len(block)), place[block]] / np.log(2)
    return bits


def _order(n: int, groups: Sequence | None, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if groups is None:
        return rng.permutation(n)
    kinds, member = np.unique(np.asarray(groups), return_inverse=True)
    return np.argsort(rng.permutation(len(kinds))[member], kind="stable")


def uniform_bits(labels: Sequence[str] | np.ndarray) -> float:
    """Bits a label under the uniform code over the classes."""
    return float(np.log2(len(np.unique(labels))))
