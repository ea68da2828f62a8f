"""Linear and one-hidden-layer probes.

Deterministic, without a learning rate to tune. A linear probe is a penalised logistic regression and ends at its one
optimum (`logistic`), so that its figures are the same on every machine. Features are standardised on the training
data, so that a layer with large values is not regularised less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from . import logistic

CELLS = 30_000_000  # numbers of features that an accelerator is given at once; a processor's cache has room for one set
LEAST_SPREAD = 1e-3  # of the features' mean spread: what varies less is rounding, not to be blown up to unit spread


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
            return self.net((tensor(x, self.mean.device) - self.mean) / self.scale)

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Labels (N,); with several labels per row, a bool array (N, C)."""
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
    classes: Sequence[str] | np.ndarray | None = None,
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
    labels : str array (N,), or bool array (N, C) for several labels per row (then `classes` names the columns)
    classes : sequence of str, optional
        All labels there are, where the training data may lack some; by default those seen.
    hidden : int, optional
        Units of one hidden layer; None for a linear probe.
    l2 : float
        Weight of half the squared weights (biases excepted) beside the mean loss of a row.
    steps : int
        Of L-BFGS at most, with a hidden layer; few enough that stopping early regularises too.

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
    if multi and labels.shape[1] != len(classes):
        raise ValueError(f"{labels.shape[1]} columns of labels but {len(classes)} classes")
    codes = labels.astype(bool) if multi else _codes(labels, classes)
    if hidden is None:
        ((probe,),) = _fit_linear(np.asarray(x)[None], codes, classes, [l2], device)
        return probe
    features = tensor(x, device)
    target = torch.as_tensor(codes, device=features.device)
    mean, scale = (part[0] for part in _standard(features[None]))
    features = (features - mean) / scale
    net = _hidden(features.shape[1], len(classes), hidden, seed).to(features)
    weights = [p for p in net.parameters() if p.ndim == 2]

    def loss() -> torch.Tensor:
        logits = net(features)
        fit = (
            F.binary_cross_entropy_with_logits(logits, target.to(logits), reduction="none").sum(1).mean()
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
    classes: Sequence[str] | np.ndarray | None = None,
    l2: float = 1e-3,
    device: torch.device | str = "cpu",
) -> list[Probe]:
    """As `fit`, a linear probe with one label per row, for each of K sets of vectors (K, N, F) of the same rows at once."""
    (probes,) = fit_grid(x, labels, [l2], classes=classes, device=device)
    return probes


def fit_grid(
    x: np.ndarray,
    labels: np.ndarray,
    penalties: Sequence[float],
    *,
    classes: Sequence[str] | np.ndarray | None = None,
    device: torch.device | str = "cpu",
) -> list[list[Probe]]:
    """As `fit_each` for each penalty (in the order given): a list of K probes each.

    A grid costs far less than as many calls: the penalties share the rotation of the features, and each fit starts
    where that of the next stronger penalty ended.
    """
    labels = np.asarray(labels)
    if np.ndim(x) != 3 or not len(labels) or x.shape[1] != len(labels):
        raise ValueError(f"vectors {np.shape(x)} but {len(labels)} labels: needs (sets, N, F)")
    classes = np.asarray(sorted(set(labels)) if classes is None else classes, str)
    return _fit_linear(x, _codes(labels, classes), classes, penalties, device)


def _fit_linear(x, codes: np.ndarray, classes: np.ndarray, penalties: Sequence[float], device) -> list[list[Probe]]:
    falling, multi = sorted(set(penalties), reverse=True), codes.ndim == 2
    probes: list[list[Probe]] = [[] for _ in penalties]
    on_processor = tensor(x[:0], device).device.type == "cpu"
    group = 1 if on_processor else max(1, CELLS // max(1, x[0].size))
    for start in range(0, len(x), group):
        features = tensor(x[start : start + group], device)  # (k, N, F)
        mean, scale = _standard(features)
        features = (features - mean[:, None]) / scale[:, None]
        target = torch.as_tensor(codes, device=features.device)
        solved = dict(zip(falling, logistic.solve(features, target, len(classes), falling)))
        for of, l2 in zip(probes, penalties):
            of += [Probe(classes, _linear(*w), mean[k], scale[k], multi) for k, w in enumerate(zip(*solved[l2]))]
    return probes


def _standard(features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Mean and scale (K, F) of features (K, N, F)."""
    spread = features.std(1, correction=0)
    floor = (LEAST_SPREAD * spread.square().mean(1, keepdim=True).sqrt()).clamp_min(1e-6)
    return features.mean(1), torch.maximum(spread, floor)


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


def _linear(weight: torch.Tensor, bias: torch.Tensor) -> nn.Linear:
    """The layer with these weights (C, F) and biases (C,)."""
    net = nn.Linear(weight.shape[1], len(weight), device="meta")
    net.weight, net.bias = (nn.Parameter(part.clone(), requires_grad=False) for part in (weight, bias))
    return net


def _hidden(inputs: int, outputs: int, units: int, seed: int) -> nn.Module:
    """A network of one hidden layer with seeded random weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(nn.Linear(inputs, units), nn.Tanh(), nn.Linear(units, outputs))


def _codes(labels: np.ndarray, classes: np.ndarray) -> np.ndarray:
    place = {c: i for i, c in enumerate(classes)}
    unknown = set(labels) - set(place)
    if unknown:
        raise ValueError(f"labels {sorted(unknown)[:5]} are none of the classes {list(classes)[:20]}")
    return np.array([place[label] for label in labels])


def tensor(x: np.ndarray, device: torch.device | str = "cpu") -> torch.Tensor:
    """In double precision; on the processor where the accelerator has none (mps)."""
    device = torch.device("cpu") if torch.device(device).type == "mps" else device
    return torch.as_tensor(np.asarray(x), dtype=torch.float64, device=device)
