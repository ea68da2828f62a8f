"""Structural probes: is the tree a linear map away? (hewitt2019)

A matrix B is sought under which squared distances |B(h_i - h_j)|^2 are the tree's path lengths, or squared norms
|B h_i|^2 the words' depths. The minimum spanning tree of the predicted distances is then compared with the gold tree,
edges undirected. Trees are given as heads: the index of each word's head, -1 for the root.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from scipy.sparse.csgraph import minimum_spanning_tree, shortest_path

from ..errors import TooFew
from ..scores.correlations import spearman
from ..scores.trees import without as without

What = Literal["distance", "depth"]
SHORTEST, LONGEST = 5, 50  # words of the sentences that rank correlations speak of, as in the study
ROUND = 0.1  # of a step in the tree: below it the L1 loss is rounded off, so that it has a slope everywhere


def tree_distances(heads: Sequence[int]) -> np.ndarray:
    """Path lengths between all words of a tree, int (W, W)."""
    n = len(heads)
    adjacent = np.zeros((n, n))
    for i, h in enumerate(heads):
        if h >= 0:
            adjacent[i, h] = 1
    lengths = shortest_path(adjacent, directed=False, unweighted=True)
    if not np.isfinite(lengths).all():
        raise ValueError(f"heads {list(heads)} are not one tree")
    return lengths.astype(int)


def tree_depths(heads: Sequence[int]) -> np.ndarray:
    """Steps from the root, int (W,)."""
    return tree_distances(heads)[list(heads).index(-1)]


def fit_structural_each(
    vectors: Sequence[np.ndarray],
    heads: Sequence[Sequence[int]],
    *,
    what: What = "distance",
    rank: int | None = None,
    epochs: int = 15,
    batch: int = 16,
    rate: float = 0.3,
    seed: int = 0,
    device: torch.device | str = "cpu",
) -> np.ndarray:
    """A matrix B for each of K layers, (K, rank, H): Adam on the L1 loss, a sentence's divided by its pairs (or words).

    The layers share no weight; they are fitted side by side because each alone is too small to keep a processor busy.
    The loss is not convex, so a fit is a fixed number of steps from a seeded start. So that rounding does not steer them,
    they are taken in double precision, and the L1 loss is rounded off at its kink (sqrt(d^2 + ROUND^2) for |d|): there
    the last bit would decide the sign of a slope of one. Without it a relative change of 1e-6 in the vectors grew to
    4e-2 of the distances, with it to 2e-5.

    Parameters
    ----------
    vectors : list of float arrays (K, W, H)
    heads : list of the gold trees
    rank : int, optional
        Rows of B; H by default.

    Raises
    ------
    ValueError
        If a sentence has not as many vectors as heads, or none has two words.
    """
    for v, h in zip(vectors, heads, strict=True):
        if v.shape[1] != len(h):
            raise ValueError(f"{v.shape[1]} vectors for a tree of {len(h)} words")
    pairs = [(v, h) for v, h in zip(vectors, heads) if len(h) > 1]
    if not pairs:
        raise TooFew("no sentence has two words")
    layers, _, size = pairs[0][0].shape
    lengths = torch.tensor([len(h) for _, h in pairs])
    device = torch.device("cpu") if torch.device(device).type == "mps" else device  # which has no double precision
    x, gold, weight = (part.to(device) for part in _padded(pairs, what))
    # one scale for all models and layers: at the start, predictions are of the gold values' size
    rank = rank or size
    generator = torch.Generator().manual_seed(seed)
    start = (torch.randn(rank, size, generator=generator).double().to(device) / rank**0.5).repeat(layers, 1, 1)
    guess = torch.stack([(_predict(v[None], p[None], what)[0].abs() * weight).sum() for v, p in zip(x, start)])
    scale = ((gold * weight).sum() / guess.clamp_min(1e-12)).sqrt()[:, None, None]  # (K, 1, 1)
    probe = start.clone().requires_grad_(True)
    order = torch.cat([torch.randperm(len(pairs), generator=generator) for _ in range(epochs)])
    steps = order.split(batch)
    optimiser = torch.optim.Adam(
        [probe], lr=rate / size**0.5
    )  # a step in proportion to the entries, which shrink with H
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.02, total_iters=len(steps))
    for part in steps:
        width = int(lengths[part].max())  # no padding beyond the longest sentence
        cut = (part, *(slice(width),) * (gold.ndim - 1))
        found = _predict(x[:, part, :width], probe * scale, what)
        error = ((found - gold[cut]).square() + ROUND**2).sqrt() - ROUND  # absolute, rounded off at nought
        loss = (error * weight[cut]).sum() / len(part)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return (probe.detach() * scale).cpu().numpy()


def _padded(
    pairs: Sequence[tuple[np.ndarray, Sequence[int]]], what: What
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Vectors (K, n, W, H), gold distances (n, W, W) or depths (n, W), and what each weighs (0: padding), as doubles."""
    layers, _, size = pairs[0][0].shape
    longest = max(len(h) for _, h in pairs)
    x = torch.zeros(layers, len(pairs), longest, size, dtype=torch.float64)
    shape = (len(pairs), longest, longest) if what == "distance" else (len(pairs), longest)
    gold, weight = torch.zeros(shape).double(), torch.zeros(shape).double()
    for k, (v, h) in enumerate(pairs):
        inside = (k,) + (slice(len(h)),) * (len(shape) - 1)
        x[:, k, : len(h)] = torch.as_tensor(v)
        gold[inside] = torch.as_tensor(tree_distances(h) if what == "distance" else tree_depths(h)).double()
        weight[inside] = 1 / len(h) ** (len(shape) - 1)
    return x, gold, weight


def _predict(x: torch.Tensor, probe: torch.Tensor, what: str) -> torch.Tensor:
    """Squared distances (K, S, W, W) or norms (K, S, W) of x (K, S, W, H) under the probes (K, r, H)."""
    mapped = (x.flatten(1, 2) @ probe.mT).unflatten(1, x.shape[1:3])  # (K, S, W, r)
    norms = mapped.square().sum(-1)
    if what == "depth":
        return norms
    return norms[..., :, None] + norms[..., None, :] - 2 * mapped @ mapped.mT


def distances(probe: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Predicted squared distances (W, W) of one sentence's vectors (W, H)."""
    mapped = vectors @ probe.T
    norms = (mapped**2).sum(-1)
    return np.maximum(norms[:, None] + norms[None] - 2 * mapped @ mapped.T, 0)


def depths(probe: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Predicted squared norms (W,)."""
    return ((vectors @ probe.T) ** 2).sum(-1)


def spanning_tree(lengths: np.ndarray) -> set[tuple[int, int]]:
    """Edges (i, j), i < j, of the minimum spanning tree of symmetric lengths (W, W)."""
    # scipy takes a zero for no edge; a constant added to every edge does not change which tree is the least
    found = minimum_spanning_tree(np.triu(lengths - lengths.min() + 1, 1)).tocoo()
    return {(min(i, j), max(i, j)) for i, j in zip(found.row.tolist(), found.col.tolist())}


def tree_edges(heads: Sequence[int] | np.ndarray) -> set[tuple[int, int]]:
    """A tree's edges without direction."""
    return {(min(i, h), max(i, h)) for i, h in enumerate(heads) if h >= 0}


def uuas(edges: set[tuple[int, int]], heads: Sequence[int]) -> float:
    """Share of the gold tree's edges found, directions and labels apart; nan for one word."""
    gold = tree_edges(heads)
    return len(edges & gold) / len(gold) if gold else float("nan")


def distance_spearman(predicted: np.ndarray, heads: Sequence[int]) -> float:
    """Rank correlation of predicted and gold distances from each word, averaged over the words of a sentence.

    nan for a sentence of fewer than 5 or more than 50 words. (The study then averages by length; the mean over
    sentences has an interval over sentences.)
    """
    if not SHORTEST <= len(heads) <= LONGEST:
        return float("nan")
    gold = tree_distances(heads)
    return float(np.nanmean([spearman(p, g) for p, g in zip(predicted, gold)]))


def depth_spearman(predicted: np.ndarray, heads: Sequence[int]) -> float:
    """Rank correlation of predicted and gold depths of a sentence of 5 to 50 words, else nan."""
    return spearman(predicted, tree_depths(heads)) if SHORTEST <= len(heads) <= LONGEST else float("nan")


def root_found(predicted: np.ndarray, heads: Sequence[int]) -> bool:
    """Whether the word of least predicted depth is the root."""
    return int(np.argmin(predicted)) == list(heads).index(-1)
