"""Profiles over the layers: where a score peaks, which layer each example needs, how layers are mixed.

Layer 0 is the embeddings, layer L the last. A peak is a noisy thing: the best of several nearly equal layers is decided
by chance. So the layer with the highest score is bootstrapped over sentences like any other figure, and "inside the
stack" is decided by differences of scores: an inner layer, *chosen on dev*, against either end on test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional as F

from . import stats
from .data.released.metrics import centre_of_gravity, expected_layer, kl_from_uniform, profile_correlation
from .probes import Means, Targets
from .probes.linear import minimise
from .settings import Settings

MOST_DRAWS = 500  # of a profile: (draws, layers) scores are kept

Interval = tuple[float, float, float]
UNDEFINED: Interval = (float("nan"),) * 3


def interval(value: float, draws: np.ndarray) -> Interval:
    """As `stats.interval`; undefined where the value is, or where most draws are."""
    return UNDEFINED if np.isnan(value) or np.isnan(draws).mean() > 0.5 else stats.interval(value, draws)


@dataclass(frozen=True, eq=False)
class Profile:
    """A score at every layer, with its bootstrap.

    Attributes
    ----------
    value : float array (L + 1,)
    draws : float array (D, L + 1)
        The scores of resampled sentences; all layers from the same resample, so that their differences are paired.
    n : int
        Items scored.
    """

    value: np.ndarray
    draws: np.ndarray
    n: int

    @classmethod
    def of(cls, right: np.ndarray, groups: Sequence, settings: Settings) -> Profile:
        """The profile of item scores (L + 1, N); items of equal `groups` are drawn together."""
        right = np.asarray(right, float)
        mean = Means(np.asarray(groups), seed=settings.seed, draws=min(settings.draws, MOST_DRAWS))
        return cls(right.mean(1), np.stack([mean.draws(r) for r in right], 1), right.shape[1])

    @property
    def depth(self) -> int:
        """Index of the last layer."""
        return len(self.value) - 1

    @property
    def best(self) -> int:
        """The layer with the highest score; the lowest of equals."""
        return int(self.value.argmax())

    def scores(self) -> list[Interval]:
        """Each layer's score."""
        return [stats.interval(v, d) for v, d in zip(self.value, self.draws.T)]

    def peak(self) -> Interval:
        """The best layer: the interval says where it lies in resampled sentences."""
        return stats.interval(self.best, self.draws.argmax(1))

    def lead(self, layer: int, other: int) -> Interval:
        """Score of one layer less that of another."""
        return stats.interval(self.value[layer] - self.value[other], self.draws[:, layer] - self.draws[:, other])

    def expected(self) -> tuple[float, np.ndarray]:
        """Expected layer of a cumulative profile (tenney2019a) and its draws (D,).

        Both are nan where the layers together do not beat the embeddings by an interval: a mean weighted by gains
        is without meaning where there is no gain.
        """
        if not self.lead(self.depth, 0)[1] > 0:
            return float("nan"), np.full(len(self.draws), np.nan)
        gained = self.draws[:, -1] > self.draws[:, 0]
        drawn = np.full(len(self.draws), np.nan)
        drawn[gained] = expected_layer(self.draws[gained])
        return float(expected_layer(self.value)), drawn


def inner(dev: Sequence[float]) -> int:
    """The best layer by dev scores (L + 1,) among those strictly inside the stack.

    Raises
    ------
    ValueError
        If the model has a single layer: nothing lies inside.
    """
    if len(dev) < 3:
        raise ValueError(f"{len(dev) - 1} layer(s): none lies strictly inside the stack")
    return 1 + int(np.argmax(dev[1:-1]))


def peak_rows(profile: Profile, dev: Sequence[float], *, measure: str = "accuracy", **keys) -> list[dict]:
    """Tidy rows of a profile.

    `measure` at each `layer`; `best layer` and `best layer / depth` (0 the embeddings, 1 the last layer); and
    `inner - layer 0`, `inner - last layer` for the inner layer chosen on dev, which is named in column `layer`.
    """
    n, inside = profile.n, inner(dev)
    rows = [stats.row(measure, s, n, **keys, layer=k) for k, s in enumerate(profile.scores())]
    peak = profile.peak()
    rows.append(stats.row("best layer", peak, n, **keys))
    rows.append(stats.row("best layer / depth", tuple(x / profile.depth for x in peak), n, **keys))
    rows.append(stats.row("inner - layer 0", profile.lead(inside, 0), n, **keys, layer=inside))
    return [*rows, stats.row("inner - last layer", profile.lead(inside, profile.depth), n, **keys, layer=inside)]


def correlate(a: Profile, b: Profile) -> tuple[float, np.ndarray]:
    """Pearson r of two models' profiles after stretching both to depth 0..1 (tenney2019a), and its draws (D,).

    nan where a profile is flat.
    """
    with np.errstate(invalid="ignore", divide="ignore"):  # of a flat profile
        drawn = [profile_correlation(x, y) for x, y in zip(a.draws, b.draws)]
        return profile_correlation(a.value, b.value), np.array(drawn)


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
        z = (torch.as_tensor(x, device=self._mean.device) - self._mean) / self._scale
        weights = torch.as_tensor(self.weights, dtype=z.dtype, device=z.device)
        logits = torch.tensordot(weights, z, 1) @ self._weight.T + self._bias
        return self.classes[logits.argmax(1).cpu().numpy()]


def fit_mixture(
    x: np.ndarray,
    labels: np.ndarray,
    *,
    counts: np.ndarray | None = None,
    start: Mixture | None = None,
    l2: float = 1e-3,
    steps: int = 40,
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
    start : Mixture, optional
        Of the same layers and classes, to start from in place of equal weights: a resample's is near.
    """
    x = torch.as_tensor(np.asarray(x, np.float32), device=device)
    if x.ndim != 3 or x.shape[1] != len(labels) or not len(labels):
        raise ValueError(f"vectors {tuple(x.shape)} and {len(labels)} labels do not go together: needs (layers, N, F)")
    classes, codes = np.unique(labels, return_inverse=True)
    target = torch.as_tensor(codes, device=device)
    share = torch.ones(len(labels), device=device) if counts is None else torch.as_tensor(counts, device=device).float()
    mean, scale = x.mean(1, keepdim=True), x.std(1, keepdim=True, correction=0).clamp_min(1e-6)
    z = (x - mean) / scale
    if start is None:
        scores, bias = torch.zeros(len(x), device=device), torch.zeros(len(classes), device=device)
        weight = torch.zeros(len(classes), x.shape[2], device=device)
    else:
        scores = torch.as_tensor(start.weights, device=device).clamp_min(1e-9).log().float()
        weight, bias = start._weight.clone(), start._bias.clone()
    for parameter in (scores, weight, bias):
        parameter.requires_grad_()

    def loss() -> torch.Tensor:
        logits = torch.tensordot(scores.softmax(0), z, 1) @ weight.T + bias
        return (F.cross_entropy(logits, target, reduction="none") * share).sum() / share.sum() + l2 / 2 * (
            weight.square().sum()
        )

    minimise(loss, [scores, weight, bias], steps)
    weights = scores.detach().softmax(0).cpu().numpy().astype(float)
    return Mixture(weights / weights.sum(), classes, weight.detach(), bias.detach(), mean, scale)


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

    Parameters
    ----------
    x : float array (L + 1, N, F)
        The targets' vectors at every layer.
    curve : bool
        False: only the mixture of all layers (and its refits), for the weights.
    """
    train, test = targets.split == "train", targets.split == "test"
    if not (train.any() and test.any()):
        raise ValueError(f"train and test have {train.sum()} and {test.sum()} targets; both need some")
    device = settings.torch_device()
    labels, known = targets.labels[train], x[:, train]
    fits = [fit_mixture(known[: k + 1], labels, device=device) for k in range(0 if curve else len(x) - 1, len(x))]
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
        [fit_mixture(known, labels, counts=c, start=fits[-1], steps=20, device=device) for c in drawn],
        note,
    )
