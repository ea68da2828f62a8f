"""One pass over a corpus, all statistics of all heads.

Maps are looked at batch by batch and let go; what stays is a few numbers a sentence and head, which intervals need.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..settings import Settings
from ..subject.models import Subject
from .maps import KINDS, Maps, maps

OFFSETS = {"previous": -1, "self": 0, "next": 1}
STATISTICS = (*KINDS, *OFFSETS, "entropy", "distance")


@dataclass(frozen=True)
class Heads:
    """Statistics of every head.

    Attributes
    ----------
    values : dict of str to array (n, L, A)
        By sentence, means over its units (special tokens included): the attention to each of `KINDS`; to the previous,
        the same and the next unit (over the units that have one); the entropy of the distribution, in nats; the mean
        distance attended over, in units.
    norms : dict of str to array (n, L, A)
        With norms: `share KIND`, the part of ``||alpha f(x)||`` that comes from the kind, and `size KIND`, the mean
        ``||f(x)||`` of its tokens (nan where a sentence has none).
    distances : array (n, 2) or None
        By sentence, mean Jensen-Shannon divergence (nats) between the heads of one layer and between those of different
        layers.
    matrix : array (L * A, L * A) or None
        Divergences, mean over all sentences.
    """

    values: dict[str, np.ndarray]
    norms: dict[str, np.ndarray]
    distances: np.ndarray | None = None
    matrix: np.ndarray | None = None


def collect(
    subject: Subject,
    sentences: Iterable[Sequence[str]],
    *,
    norms: bool = False,
    distances: bool = False,
    settings: Settings | None = None,
) -> Heads:
    """All statistics of all heads over a corpus, in one pass.

    Parameters
    ----------
    norms : bool
        Also the norms of the weighted value vectors (kobayashi2020).
    distances : bool
        Also Jensen-Shannon divergences between all pairs of heads (clark2019); quadratic in the number of heads.
    """
    index: list[int] = []
    blocks: list[dict[str, np.ndarray]] = []  # of a batch each
    pairs: list[np.ndarray] = []
    total, count = np.zeros((subject.n_layers * subject.n_heads,) * 2), 0
    for batch in maps(subject, sentences, norms=norms, settings=settings):
        tensors = statistics(batch) | (norm_statistics(batch) if norms else {})
        blocks.append({name: tensor.cpu().numpy() for name, tensor in tensors.items()})
        index += batch.index
        if distances:
            js = divergences(batch)  # (B, H, H)
            total, count = total + js.sum(0).double().cpu().numpy(), count + len(js)
            pairs.append(_by_layer(js.cpu().numpy(), subject.n_heads))
    if not index:
        raise ValueError("no sentence to collect statistics from")
    order = np.argsort(index)
    values = {name: np.concatenate([block.pop(name) for block in blocks])[order] for name in list(blocks[0])}
    return Heads(
        values={name: values[name] for name in STATISTICS},
        norms={name: array for name, array in values.items() if name not in STATISTICS},
        distances=np.concatenate(pairs)[order] if distances else None,
        matrix=total / count if distances else None,
    )


def statistics(batch: Maps) -> dict[str, torch.Tensor]:
    """`STATISTICS` of a batch, each (B, L, A)."""
    weights, real = batch.weights, batch.real
    queries = real.sum(1)[:, None, None]  # (B, 1, 1)
    out = {}
    received = weights.sum(-2)  # (B, L, A, U): to each unit, from all
    for k, kind in enumerate(KINDS):
        out[kind] = (received * (batch.kinds == k)[:, None, None]).sum(-1) / queries
    for name, offset in OFFSETS.items():  # a diagonal's padded entries are zero already
        along = torch.diagonal(weights, offset, -2, -1).sum(-1)
        out[name] = along / (queries - abs(offset))
    out["entropy"] = _entropy(weights).sum(-1) / queries
    place = torch.arange(weights.shape[-1], device=weights.device)
    apart = (place[:, None] - place[None]).abs().to(weights.dtype)
    out["distance"] = (weights * apart).sum((-2, -1)) / queries
    return out


def norm_statistics(batch: Maps) -> dict[str, torch.Tensor]:
    """`share KIND` and `size KIND` of a batch with norms, each (B, L, A)."""
    if batch.norms is None or batch.values is None:
        raise ValueError("the maps of this batch were made without norms")
    norms, queries = batch.norms, batch.real.sum(1)[:, None, None]
    total = norms.sum(-1, keepdim=True)  # (B, L, A, U, 1)
    shares = norms / torch.where(total > 0, total, torch.inf)  # (B, L, A, U, U)
    shares = shares.masked_fill((total.sum((-2, -1), keepdim=True) == 0), torch.nan)  # a head that moves nothing
    received = shares.sum(-2)
    out = {}
    for k, kind in enumerate(KINDS):
        member = (batch.kinds == k)[:, None, None].to(norms.dtype)
        out[f"share {kind}"] = (received * member).sum(-1) / queries
        out[f"size {kind}"] = (batch.values * member).sum(-1) / member.sum(-1)  # 0 / 0 where there is none: nan
    return out


def divergences(batch: Maps) -> torch.Tensor:
    """Jensen-Shannon divergence of every pair of heads, mean over the units; (B, H, H) with H = L * A, in nats."""
    p = batch.weights.flatten(1, 2)  # (B, H, U, U)
    own = _entropy(p).sum(-1)  # (B, H)
    queries = batch.real.sum(1)[:, None]
    out = p.new_zeros(len(p), p.shape[1], p.shape[1])
    for h in range(p.shape[1] - 1):  # one head against all later ones: memory stays that of one batch
        mixed = _entropy((p[:, h : h + 1] + p[:, h + 1 :]) / 2).sum(-1)
        js = (mixed - (own[:, h : h + 1] + own[:, h + 1 :]) / 2) / queries
        out[:, h, h + 1 :] = out[:, h + 1 :, h] = js.clamp(min=0)
    return out


def _entropy(p: torch.Tensor) -> torch.Tensor:
    """Entropy over the last axis, in nats; 0 for a row of zeros."""
    return -torch.xlogy(p, p).sum(-1)


def _by_layer(js: np.ndarray, n_heads: int) -> np.ndarray:
    """(B, 2): mean over pairs of heads in one layer, and in two; nan where there is no such pair."""
    layer = np.arange(js.shape[1]) // n_heads
    upper = np.triu(np.ones(js.shape[1:], bool), 1)
    same = layer[:, None] == layer[None]
    sides = [js[:, upper & side] for side in (same, ~same)]
    return np.stack([s.mean(1) if s.shape[1] else np.full(len(js), np.nan) for s in sides], 1)


def permutation_test(matrix: np.ndarray, n_heads: int, *, draws: int = 2000, seed: int = 0) -> tuple[float, np.ndarray]:
    """The difference between - within layers, and those of `draws` shufflings of the heads over the layers.

    Returns
    -------
    observed : float
    drawn : array (draws,)
        The p-value is (number of `drawn` at least as large + 1) / (draws + 1).
    """
    rng = np.random.default_rng(seed)

    def difference(order: np.ndarray) -> float:
        within, between = _by_layer(matrix[None][:, order][:, :, order], n_heads)[0]
        return between - within

    observed = difference(np.arange(len(matrix)))
    return observed, np.array([difference(rng.permutation(len(matrix))) for _ in range(draws)])
