"""Numbers read off vectors: ridge regression, straight or with a Gaussian kernel, in closed form.

Both have one optimum, so that their figures are the same everywhere. Penalty, kernel and which of several sets of
vectors (layers, say) is read are chosen on dev by the mean absolute error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import TooFew
from ..scores.choice import choose

PENALTIES = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)  # of the kernel's mean diagonal, per training item
KERNELS = ("linear", "Gaussian")
LEAST_SPREAD = 1e-6


@dataclass(frozen=True, eq=False)
class Read:
    """What the regression chosen on dev says.

    Attributes
    ----------
    predicted : float array (N,)
        For all items, training ones included.
    dev : float
        Mean absolute error on dev.
    which : int
        The set of vectors that was chosen.
    kernel : str
        One of `KERNELS`.
    """

    predicted: np.ndarray
    dev: float
    which: int
    kernel: str


def read_number(x: np.ndarray, y: np.ndarray, split: np.ndarray, *, kernels: tuple[str, ...] = KERNELS) -> Read:
    """Fit on train, choose on dev, predict everywhere.

    Parameters
    ----------
    x : float array (K, N, F)
        K sets of vectors of the same items.
    y : float array (N,)
    split : str array (N,)
        train, dev or test.

    Raises
    ------
    ValueError
        If train or dev is empty, or the shapes do not go together.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((1, 60, 3))
    >>> split = np.repeat(["train", "dev", "test"], 20)
    >>> found = read_number(x, x[0] @ [1.0, 2.0, 0.0], split)
    >>> found.kernel, bool(abs(found.predicted[40:] - x[0, 40:] @ [1, 2, 0]).max() < 0.01)
    ('linear', True)
    """
    y, split = np.asarray(y, float), np.asarray(split)
    train, dev = split == "train", split == "dev"
    if np.ndim(x) != 3 or np.shape(x)[1] != len(y) or len(split) != len(y):
        raise ValueError(f"vectors {np.shape(x)}, {len(y)} values and {len(split)} splits do not go together")
    if not (train.any() and dev.any()):
        raise TooFew(f"needs items to train on and to choose on; train has {train.sum()}, dev {dev.sum()}")
    found = [
        (k, kernel, said)
        for k, vectors in enumerate(x)
        for kernel in kernels
        for said in _ridge(vectors, y, train, kernel)
    ]
    errors = [float(np.abs(said[dev] - y[dev]).mean()) for *_, said in found]
    best = choose(-np.array(errors) / max(float(np.ptp(y[train])), LEAST_SPREAD))
    which, kernel, said = found[best]
    return Read(said, errors[best], which, kernel)


def _ridge(vectors: np.ndarray, y: np.ndarray, train: np.ndarray, kernel: str) -> list[np.ndarray]:
    """Predictions (N,) for each penalty."""
    z = np.asarray(vectors, float)
    spread = z[train].std(0)
    # a feature that hardly varies in training says nothing there; it is not blown up
    z = (z - z[train].mean(0)) / np.maximum(spread, max(1e-3 * float(np.sqrt((spread**2).mean())), LEAST_SPREAD))
    gram = z @ z[train].T  # (N, n)
    if kernel == "Gaussian":
        norms = (z**2).sum(1)
        squared = np.maximum(norms[:, None] + norms[train][None] - 2 * gram, 0)
        off = squared[train][~np.eye(train.sum(), dtype=bool)]
        gram = np.exp(-squared / max(float(np.median(off)) if len(off) else 1.0, LEAST_SPREAD))
    values, basis = np.linalg.eigh(gram[train])
    values, projected, mean = np.maximum(values, 0), basis.T @ (y[train] - y[train].mean()), y[train].mean()
    scale = max(float(values.mean()), LEAST_SPREAD)
    across = gram @ basis  # (N, n)
    return [mean + across @ (projected / (values + penalty * scale)) for penalty in PENALTIES]
