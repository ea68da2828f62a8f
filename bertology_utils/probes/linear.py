"""Linear and one-hidden-layer probes, fitted by full-batch L-BFGS.

Deterministic, without a learning rate to tune, and a fraction of a second for some thousands of words of hidden size
256. Features are standardised on the training data, so that a layer with large values is not regularised less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from .lbfgs import minimise_all


@dataclass(frozen=True, eq=False)
class Probe:
    """A fitted classifier.

    Attributes
    ----------
    classes : str array (C,)
        In the order of the logits.
    net : torch.nn.Module
        On standardised features.
    mean, scale : tensors (F,)
    multi : bool
        Whether a row may have several labels (a sigmoid each) or has one (softmax).
    """

    classes: np.ndarray
    net: nn.Module
    mean: torch.Tensor
    scale: torch.Tensor
    multi: bool = False

    def logits(self, x: np.ndarray) -> torch.Tensor:
        """Logits (N, C) for features (N, F)."""
        with torch.no_grad():
            return self.net((_tensor(x, self.mean.device) - self.mean) / self.scale)

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Labels (N,); with several labels a row, a bool array (N, C)."""
        logits = self.logits(x).cpu().numpy()
        return logits > 0 if self.multi else self.classes[logits.argmax(1)]

    def log_probs(self, x: np.ndarray) -> np.ndarray:
        """Natural-log probabilities (N, C) of a single-label probe."""
        return F.log_softmax(self.logits(x), -1).cpu().numpy()

    @property
    def weight(self) -> np.ndarray:
        """Weights (C, F) of a linear probe in the units of the raw features."""
        if not isinstance(self.net, nn.Linear):
            raise TypeError("only a linear probe has one weight matrix")
        return (self.net.weight / self.scale).detach().cpu().numpy()


def fit(
    x: np.ndarray,
    labels: Sequence[str] | np.ndarray,
    *,
    classes: Sequence[str] | None = None,
    hidden: int | None = None,
    l2: float = 1e-3,
    steps: int = 30,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> Probe:
    """Fit a probe.

    Parameters
    ----------
    x : float array (N, F)
    labels : str array (N,), or bool array (N, C) for several labels a row (then `classes` names the columns)
    classes : sequence of str, optional
        All labels there are, where the training data may lack some; by default those seen.
    hidden : int, optional
        Units of one hidden layer; None for a linear probe.
    l2 : float
        Weight of half the squared weights (biases excepted) beside the mean loss of a row.
    steps : int
        Of L-BFGS at most; few enough that stopping early regularises too.

    Raises
    ------
    ValueError
        If features and labels differ in number, are none, or a label is not among `classes`.
    """
    labels = np.asarray(labels)
    multi = labels.ndim == 2
    if not len(x) or len(x) != len(labels):
        raise ValueError(f"{len(x)} vectors but {len(labels)} labels")
    classes = np.asarray(sorted(set(labels)) if classes is None else classes, str)
    features = _tensor(x, device)
    if multi:
        if labels.shape[1] != len(classes):
            raise ValueError(f"{labels.shape[1]} columns of labels but {len(classes)} classes")
        target = torch.as_tensor(labels, dtype=torch.float32, device=device)
    else:
        target = torch.as_tensor(_codes(labels, classes), device=device)
    mean, scale = features.mean(0), features.std(0, correction=0).clamp_min(1e-6)
    features = (features - mean) / scale
    net = _network(features.shape[1], len(classes), hidden, seed).to(device)
    weights = [p for p in net.parameters() if p.ndim == 2]

    def loss() -> torch.Tensor:
        logits = net(features)
        fit = (
            F.binary_cross_entropy_with_logits(logits, target, reduction="none").sum(1).mean()
            if multi
            else F.cross_entropy(logits, target)
        )
        return fit + l2 / 2 * sum(w.square().sum() for w in weights)

    minimise(loss, net.parameters(), steps)
    return Probe(classes, net.requires_grad_(False), mean, scale, multi)


def fit_each(
    x: np.ndarray,
    labels: np.ndarray,
    *,
    classes: Sequence[str] | None = None,
    l2: float = 1e-3,
    steps: int = 30,
    device: torch.device | str = "cpu",
) -> list[Probe]:
    """As `fit`, a linear probe with one label a row, for each of K sets of vectors (K, N, F) of the same rows at once."""
    labels = np.asarray(labels)
    if np.ndim(x) != 3 or not len(labels) or x.shape[1] != len(labels):
        raise ValueError(f"vectors {np.shape(x)} but {len(labels)} labels: needs (sets, N, F)")
    classes = np.asarray(sorted(set(labels)) if classes is None else classes, str)
    features = _tensor(x, device)
    (k, n, size), many = features.shape, len(classes)
    target = torch.as_tensor(_codes(labels, classes), device=device).repeat(k)
    mean, scale = features.mean(1), features.std(1, correction=0).clamp_min(1e-6)
    features = (features - mean[:, None]) / scale[:, None]

    def loss(weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        logits = torch.baddbmm(bias[:, None], features, weight)
        fit = F.cross_entropy(logits.flatten(0, 1), target, reduction="none").view(k, n).mean(1)
        return fit + l2 / 2 * weight.square().sum((1, 2))

    start = torch.zeros(k, size, many, device=device), torch.zeros(k, many, device=device)
    weight, bias = minimise_all(loss, start, steps)
    nets = [_network(size, many, None, 0).to(device).requires_grad_(False) for _ in range(k)]
    for net, w, b in zip(nets, weight, bias):
        net.weight.copy_(w.T)
        net.bias.copy_(b)
    return [Probe(classes, *parts) for parts in zip(nets, mean, scale)]


def minimise(loss, parameters, steps: int) -> None:
    """Bring a deterministic loss to (near) its minimum by L-BFGS with line search."""
    optimiser = torch.optim.LBFGS(
        list(parameters), max_iter=steps, tolerance_change=1e-7, line_search_fn="strong_wolfe"
    )

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        value = loss()
        value.backward()
        return value

    optimiser.step(closure)


def _network(inputs: int, outputs: int, hidden: int | None, seed: int) -> nn.Module:
    """Zeros for a linear probe, whose loss is convex; seeded random weights for a hidden layer."""
    if hidden is None:
        net = nn.Linear(inputs, outputs)
        nn.init.zeros_(net.weight)
        nn.init.zeros_(net.bias)
        return net
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(inputs, hidden), nn.Tanh(), nn.Linear(hidden, outputs))


def _codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    place = {c: i for i, c in enumerate(classes)}
    unknown = set(labels) - set(place)
    if unknown:
        raise ValueError(f"labels {sorted(unknown)[:5]} are none of the classes {list(classes)[:20]}")
    return np.array([place[label] for label in labels])


def _tensor(x: np.ndarray, device) -> torch.Tensor:
    return torch.as_tensor(np.asarray(x), dtype=torch.float32, device=device)
