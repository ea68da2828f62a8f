"""Edge probing: span pooling and a learnt mixture of layers under a small classifier (tenney2019b, tenney2019a).

The vectors of several layers are mixed by softmax weights and one scale (the scalar mix), projected, pooled over each
span — by their mean, or by self-attention learnt with the rest —, and classified. The weights of the mixture say where
in the model the label is found; a mixture of layers 0..l scored for growing l says what each layer adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from ..settings import Settings
from ..subject import encode
from ..subject.models import Subject
from .targets import Targets


class ScalarMix(nn.Module):
    """gamma * sum_l softmax(s)_l h_l over the first axis of (L, ...)."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(layers))
        self.gamma = nn.Parameter(torch.ones(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.gamma * torch.tensordot(self.scores.softmax(0), x, 1)


class EdgeNet(nn.Module):
    """Mixture, projection, span pooling, classifier; see `fit_edge`."""

    def __init__(self, layers: int, size: int, spans: int, classes: int, width: int, attention: bool) -> None:
        super().__init__()
        self.mix = ScalarMix(layers)
        self.project = nn.ModuleList(nn.Linear(size, width) for _ in range(spans))
        self.attend = nn.ModuleList(nn.Linear(width, 1) for _ in range(spans)) if attention else None
        self.classify = nn.Sequential(nn.Linear(spans * width, width), nn.Tanh(), nn.Linear(width, classes))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Logits (N, C) of padded spans (L, N, k, S, H) with their mask (N, k, S)."""
        mixed = self.mix(x)  # (N, k, S, H)
        pooled = []
        for k, project in enumerate(self.project):
            inside = mask[:, k]  # (N, S)
            words = project(mixed[:, k])  # (N, S, width)
            scores = self.attend[k](words).squeeze(-1) if self.attend is not None else torch.zeros_like(inside)
            weights = scores.masked_fill(inside == 0, -torch.inf).softmax(-1)  # equal scores: the mean
            pooled.append(torch.einsum("ns,nsh->nh", weights, words))
        return self.classify(torch.cat(pooled, -1))


@dataclass(frozen=True, eq=False)
class EdgeProbe:
    """A fitted edge probe; `multi` as of `linear.Probe`."""

    classes: np.ndarray
    net: EdgeNet
    multi: bool

    @property
    def weights(self) -> np.ndarray:
        """The mixture's weight of each layer, (L,), summing to one."""
        return self.net.mix.scores.detach().softmax(0).cpu().numpy()

    @property
    def centre_of_gravity(self) -> float:
        """Expected layer under the mixture's weights (tenney2019a)."""
        return float(self.weights @ np.arange(len(self.weights)))

    def logits(self, x: np.ndarray, mask: np.ndarray) -> np.ndarray:
        device = self.net.mix.scores.device
        with torch.no_grad():
            parts = [
                self.net(
                    torch.as_tensor(x[:, i : i + 512], device=device), torch.as_tensor(mask[i : i + 512], device=device)
                )
                for i in range(0, x.shape[1], 512)
            ]
        return torch.cat(parts).cpu().numpy()

    def predict(self, x: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """Labels (N,), or a bool array (N, C) where rows may have several."""
        logits = self.logits(x, mask)
        return logits > 0 if self.multi else self.classes[logits.argmax(1)]


def fit_edge(
    x: np.ndarray,
    mask: np.ndarray,
    labels: Sequence[str] | np.ndarray,
    *,
    classes: Sequence[str] | np.ndarray | None = None,
    pool: Literal["attention", "mean"] = "attention",
    width: int = 64,
    epochs: int = 20,
    batch: int = 64,
    rate: float = 3e-3,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> EdgeProbe:
    """Fit an edge probe by AdamW with a linearly falling rate.

    Parameters
    ----------
    x : float array (L, N, k, S, H)
        The layers to be mixed (one for a probe of a single layer), from `gather_spans`.
    mask : float array (N, k, S)
        1 for a word of the span.
    labels : str array (N,), or bool array (N, C) with `classes` naming the columns
    width : int
        Of the projection and of the classifier's hidden layer.
    """
    labels = np.asarray(labels)
    multi = labels.ndim == 2
    classes = np.asarray(sorted(set(labels)) if classes is None else classes, str)
    if x.shape[1] != len(labels) or mask.shape != x.shape[1:4]:
        raise ValueError(f"vectors {x.shape}, mask {mask.shape} and {len(labels)} labels do not go together")
    target = (
        torch.as_tensor(labels, dtype=torch.float32) if multi else torch.as_tensor(np.searchsorted(classes, labels))
    ).to(device)
    features, inside = torch.as_tensor(x, device=device), torch.as_tensor(mask, device=device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        net = EdgeNet(len(x), x.shape[-1], x.shape[2], len(classes), width, pool == "attention").to(device)
        order = [torch.randperm(len(labels)) for _ in range(epochs)]
    steps = [part for permutation in order for part in permutation.split(batch)]
    optimiser = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.05, total_iters=len(steps))
    for part in steps:
        part = part.to(device)
        logits = net(features[:, part], inside[part])
        loss = (
            F.binary_cross_entropy_with_logits(logits, target[part], reduction="none").sum(1).mean()
            if multi
            else F.cross_entropy(logits, target[part])
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return EdgeProbe(classes, net.requires_grad_(False), multi)


def gather_spans(
    subject: Subject,
    targets: Targets,
    *,
    layers: Sequence[int] | None = None,
    longest: int = 12,
    settings: Settings | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """The word vectors of each target's spans, padded: (layers, N, k, S, H) float32 and the mask (N, k, S).

    Of a span longer than `longest` words the last ones are kept: English phrases end in their head more often than
    they begin with it, and memory is bounded.
    """
    spans = targets.spans.copy()
    spans[..., 0] = np.maximum(spans[..., 0], spans[..., 1] - longest)
    size = int((spans[..., 1] - spans[..., 0]).max())
    used = np.unique(targets.sentence)
    members = {int(i): np.flatnonzero(targets.sentence == i) for i in used}
    mask = np.zeros((len(targets), spans.shape[1], size), np.float32)
    out: np.ndarray | None = None
    for i, states in encode.hidden_states(
        subject, [targets.sentences[s] for s in used], layers=layers, settings=settings
    ):  # states: (L, W, H)
        if out is None:
            out = np.zeros((len(states), *mask.shape, states.shape[-1]), np.float32)
        for n in members[int(used[i])]:
            for k, (a, b) in enumerate(spans[n]):
                out[:, n, k, : b - a] = states[:, a:b]
                mask[n, k, : b - a] = 1
    assert out is not None  # targets are never empty
    return out, mask
