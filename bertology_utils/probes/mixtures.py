"""Mixtures of layers: which layers a task uses, and what each added layer brings (tenney2019a).

A linear probe reads a learnt mixture of layers. The weights of the mixture of all layers say where a task lives (centre
of gravity) and how far it is spread (KL from uniform weights); the scores of mixtures of layers 0..l for growing l say
what each layer adds (expected layer).

The weights make the loss a non-convex one, so a fit is a fixed number of steps from even weights, and in double
precision: in single precision the steps would blow up the rounding of every sum by some hundred times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F

from ..scores.choice import choose
from ..scores.counts import centre_of_gravity, kl_from_uniform
from ..scores.profiles import Profile
from ..settings import Settings
from . import Targets, constant, control_task
from .lbfgs import minimise_all
from .linear import tensor

EVEN = (1e-4, 1e-3, 1e-2)  # how strongly mixing weights are held to even ones
STEPS = 30  # of a fit


@dataclass(frozen=True, eq=False)
class Mixture:
    """A linear probe on a learnt mixture of layers.

    Attributes
    ----------
    weights : float array (L,)
        Softmax weights of the layers, summing to one.
    classes : str array (C,)
    """

    weights: np.ndarray
    classes: np.ndarray
    _weight: torch.Tensor
    _bias: torch.Tensor
    _mean: torch.Tensor
    _scale: torch.Tensor

    @property
    def centre_of_gravity(self) -> float:
        """Mean layer under the weights (tenney2019a)."""
        return centre_of_gravity(self.weights)

    @property
    def kl(self) -> float:
        """Divergence of the weights from uniform ones, in bits (tenney2019a)."""
        return kl_from_uniform(self.weights)

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Labels (N,) for vectors (L, N, F)."""
        return self.classes[self._logits(x).argmax(1).cpu().numpy()]

    def log_loss(self, x: np.ndarray, labels: np.ndarray) -> float:
        """Mean negative log-probability of labels, in nats; those the probe never saw are left out."""
        known = np.isin(labels, self.classes)
        logs = self._logits(x[:, known]).log_softmax(1).cpu().numpy()
        return float(-logs[np.arange(len(logs)), np.searchsorted(self.classes, labels[known])].mean())

    def _logits(self, x: np.ndarray) -> torch.Tensor:
        z = (
            torch.as_tensor(np.asarray(x), dtype=self._mean.dtype, device=self._mean.device) - self._mean
        ) / self._scale
        weights = torch.as_tensor(self.weights, dtype=z.dtype, device=z.device)
        return torch.tensordot(weights, z, 1) @ self._weight.T + self._bias


def fit_mixtures(
    x: np.ndarray,
    labels: np.ndarray,
    layers: Sequence[int],
    even: Sequence[float],
    *,
    l2: float = 1e-2,
    device: torch.device | str = "cpu",
) -> list[Mixture]:
    """Fit scalar mixing weights and a linear classifier together, by full-batch L-BFGS; K fits at once on the same vectors.

    Each layer is standardised first: a weight is a layer's share only if the layers have one scale.

    Parameters
    ----------
    x : float array (L, N, F)
    labels : str array (N,)
    layers : sequence of int (K,)
        How many of the lowest layers each fit mixes.
    even : sequence of float (K,)
        Weight of half the squared scores under the softmax, which holds the weights to even ones where the data do not
        speak: without it, a few hundred examples that can be told apart drive them into a corner. `cumulative`
        chooses it on dev. (The penalty and the unit size of mixtures came in after figures of unfinished models had
        been seen.)
    """
    known = tensor(x, device)
    device = known.device
    if known.ndim != 3 or known.shape[1] != len(labels) or not len(labels):
        raise ValueError(
            f"vectors {tuple(known.shape)} and {len(labels)} labels do not go together: needs (layers, N, F)"
        )
    classes, codes = np.unique(labels, return_inverse=True)
    k, (depth, n, size) = len(layers), known.shape
    target = torch.as_tensor(codes, device=device).repeat(k)
    mean, scale = known.mean(1, keepdim=True), known.std(1, keepdim=True, correction=0).clamp_min(1e-6)
    z = ((known - mean) / scale).flatten(1)  # (L, N * F)
    used = torch.arange(depth, device=device) < torch.as_tensor(layers, device=device)[:, None]  # (K, L)
    held = torch.as_tensor(even, device=device).to(known)

    gram = z @ z.T / z.shape[1]  # (L, L): a mixture's mean square without the mixture

    def mixing(scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights (K, L) and the root mean square of the mixtures, (K,)."""
        weights = scores.masked_fill(~used, -torch.inf).softmax(1)
        return weights, torch.einsum("kl,lm,km->k", weights, gram, weights).clamp_min(1e-12).sqrt()  # all alike: 0

    def loss(scores: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        weights, length = mixing(scores)
        # to unit size: layers average out, so a single one is larger, and the penalty on `weight` would favour it
        logits = (weights @ z).view(k, n, size) @ weight / length[:, None, None] + bias[:, None]
        fit = F.cross_entropy(logits.flatten(0, 1), target, reduction="none").view(k, n)
        return (fit * (1 / n)).sum(1) + l2 / 2 * weight.square().sum((1, 2)) + held / 2 * scores.square().sum(1)

    start = [known.new_zeros(k, *shape) for shape in ((depth,), (size, len(classes)), (len(classes),))]
    scores, weight, bias = minimise_all(loss, start, STEPS)
    weights, length = mixing(scores)
    weight = (weight / length[:, None, None]).transpose(1, 2).contiguous()  # (K, C, F)
    return [
        Mixture(w[:of] / w[:of].sum(), classes, weight[i].clone(), bias[i], mean[:of], scale[:of])
        for i, (w, of) in enumerate(zip(weights.cpu().numpy().astype(float), layers))
    ]


@dataclass(frozen=True, eq=False)
class Cumulative:
    """Cumulative scoring of one task (tenney2019a): what each added layer brings.

    Attributes
    ----------
    profile : Profile
        Test accuracy of a probe on the mixture of layers 0..l, for each l.
    predicted : str array (L + 1, N)
        Of the test targets.
    right : bool array (L + 1, N)
    mixture : Mixture
        Of all layers.
    majority, control : bool arrays (N,)
        Whether always giving one label would have been right, the best there is; the mixture of all layers on control labels.
    """

    profile: Profile
    predicted: np.ndarray
    right: np.ndarray
    mixture: Mixture
    majority: np.ndarray
    control: np.ndarray

    @property
    def settled(self) -> np.ndarray:
        """For each test target the lowest layer from which on the prediction no longer changes; int (N,)."""
        return settled(self.predicted)


def settled(predicted: np.ndarray) -> np.ndarray:
    """The lowest layer from which on predictions (L + 1, N) stay what they are at the end; int (N,)."""
    differs = predicted != predicted[-1]
    return np.where(differs.any(0), len(differs) - differs[::-1].argmax(0), 0)


def cumulative(x: np.ndarray, targets: Targets, settings: Settings) -> Cumulative:
    """Probe the mixtures of layers 0..l for every l.

    How strongly the weights are held to even ones is chosen by the log-loss of the whole mixture on dev.

    Parameters
    ----------
    x : float array (L + 1, N, F)
        The targets' vectors at every layer.
    """
    train, dev, test = targets.splits()
    device = settings.torch_device()
    labels, known, depth = targets.labels[train], x[:, train], len(x)
    tried = fit_mixtures(known, labels, [depth] * len(EVEN), EVEN, device=device)
    k = choose([-m.log_loss(x[:, dev], targets.labels[dev]) for m in tried])
    lower = range(1, depth)
    fits = [*fit_mixtures(known, labels, lower, [EVEN[k]] * len(lower), device=device), tried[k]]
    predicted = np.array([m.predict(x[: len(m.weights), test]) for m in fits])
    right = predicted == targets.labels[test]
    unrelated = control_task(targets, settings.seed).labels
    (drawn,) = fit_mixtures(known, unrelated[train], [depth], [EVEN[k]], device=device)
    return Cumulative(
        Profile.of(right, targets.sentence[test], settings),
        predicted,
        right,
        fits[-1],
        constant(targets),
        drawn.predict(x[:, test]) == unrelated[test],
    )
