"""Mixtures of layers: which layers a task uses, and what each added layer brings (tenney2019a).

A linear probe reads a learnt mixture of layers. The weights of the mixture of all layers say where a task lives (centre
of gravity) and how far it is spread (KL from uniform weights); the scores of mixtures of layers 0..l for growing l say
what each layer adds (expected layer).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F

from .data.released.metrics import centre_of_gravity, kl_from_uniform
from .layers import Profile
from .probes import Targets
from .probes.linear import minimise
from .settings import Settings

EVEN = (1e-4, 1e-3, 1e-2)  # how strongly mixing weights are held to even ones


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
        z = (torch.as_tensor(x, device=self._mean.device) - self._mean) / self._scale
        weights = torch.as_tensor(self.weights, dtype=z.dtype, device=z.device)
        return torch.tensordot(weights, z, 1) @ self._weight.T + self._bias


def fit_mixture(
    x: np.ndarray,
    labels: np.ndarray,
    *,
    counts: np.ndarray | None = None,
    l2: float = 1e-2,
    even: float = 1e-3,
    steps: int = 30,
    device: torch.device | str = "cpu",
) -> Mixture:
    """Fit scalar mixing weights and a linear classifier together, by full-batch L-BFGS.

    Each layer is standardised first: a weight is a layer's share only if the layers have one scale.

    Parameters
    ----------
    x : float array (L, N, F)
    labels : str array (N,)
    counts : array (N,), optional
        How often each row counts (a bootstrap resample).
    even : float
        Weight of half the squared scores under the softmax, which holds the weights to even ones where the data do not
        speak: without it, a few hundred examples that can be told apart drive them into a corner. `cumulative`
        chooses it on dev.
    """
    x = torch.as_tensor(np.asarray(x, np.float32), device=device)
    if x.ndim != 3 or x.shape[1] != len(labels) or not len(labels):
        raise ValueError(f"vectors {tuple(x.shape)} and {len(labels)} labels do not go together: needs (layers, N, F)")
    classes, codes = np.unique(labels, return_inverse=True)
    target = torch.as_tensor(codes, device=device)
    share = torch.ones(len(labels), device=device) if counts is None else torch.as_tensor(counts, device=device).float()
    mean, scale = x.mean(1, keepdim=True), x.std(1, keepdim=True, correction=0).clamp_min(1e-6)
    z = (x - mean) / scale
    scores = torch.zeros(len(x), device=device, requires_grad=True)
    weight = torch.zeros(len(classes), x.shape[2], device=device, requires_grad=True)
    bias = torch.zeros(len(classes), device=device, requires_grad=True)

    def loss() -> torch.Tensor:
        mixed = torch.tensordot(scores.softmax(0), z, 1)
        # to unit size: layers average out, so a single one is larger, and the penalty on `weight` would favour it
        logits = mixed / mixed.square().mean().sqrt() @ weight.T + bias
        fit = (F.cross_entropy(logits, target, reduction="none") * share).sum() / share.sum()
        return fit + l2 / 2 * weight.square().sum() + even / 2 * scores.square().sum()

    minimise(loss, [scores, weight, bias], steps)
    weights = scores.detach().softmax(0)
    size = torch.tensordot(weights, z, 1).square().mean().sqrt()
    weights = weights.cpu().numpy().astype(float)
    return Mixture(weights / weights.sum(), classes, weight.detach() / size, bias.detach(), mean, scale)


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
    resampled : list of Mixture
        The same fitted on resampled training sentences.
    note : str
        What was left out.
    """

    profile: Profile
    predicted: np.ndarray
    right: np.ndarray
    mixture: Mixture
    resampled: list[Mixture]
    note: str

    @property
    def settled(self) -> np.ndarray:
        """For each test target the lowest layer from which on the prediction no longer changes; int (N,)."""
        return settled(self.predicted)


def settled(predicted: np.ndarray) -> np.ndarray:
    """The lowest layer from which on predictions (L + 1, N) stay what they are at the end; int (N,)."""
    differs = predicted != predicted[-1]
    return np.where(differs.any(0), len(differs) - differs[::-1].argmax(0), 0)


def cumulative(
    x: np.ndarray, targets: Targets, settings: Settings, *, refits: int = 0, curve: bool = True, note: str = ""
) -> Cumulative:
    """Probe the mixtures of layers 0..l for every l, and the mixture of all layers with `refits` resampled fits.

    How strongly the weights are held to even ones is chosen by the log-loss of the whole mixture on dev.

    Parameters
    ----------
    x : float array (L + 1, N, F)
        The targets' vectors at every layer.
    curve : bool
        False: only the mixture of all layers (and its refits), for the weights.
    """
    train, dev, test = (targets.split == s for s in ("train", "dev", "test"))
    if not (train.any() and dev.any() and test.any()):
        raise ValueError(f"train, dev, test have {train.sum()}, {dev.sum()}, {test.sum()} targets; each needs some")
    device = settings.torch_device()
    labels, known = targets.labels[train], x[:, train]
    options = [{"even": even, "device": device} for even in EVEN]
    tried = [fit_mixture(known, labels, **o).log_loss(x[:, dev], targets.labels[dev]) for o in options]
    option = options[int(np.argmin(tried))]
    fits = [fit_mixture(known[: k + 1], labels, **option) for k in range(0 if curve else len(x) - 1, len(x))]
    predicted = np.array([m.predict(x[: len(m.weights), test]) for m in fits])
    right = predicted == targets.labels[test]
    rng = np.random.default_rng(settings.seed)
    kinds, member = np.unique(targets.sentence[train], return_inverse=True)
    drawn = rng.multinomial(len(kinds), np.full(len(kinds), 1 / len(kinds)), size=refits)[:, member]
    return Cumulative(
        Profile.of(right, targets.sentence[test], settings),
        predicted,
        right,
        fits[-1],
        [fit_mixture(known, labels, counts=c, **option) for c in drawn],
        note,
    )
