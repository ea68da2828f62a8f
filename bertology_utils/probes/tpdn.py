"""Tensor-product decomposition networks: which roles rebuild a vector best? (jawahar2019)

A sentence is a set of fillers (words) bound to roles (places). The network learns an embedding of each filler and of
each role, binds them by outer products, adds these up, and maps the sum linearly onto the vector to be rebuilt. The
role scheme that rebuilds it best says how the vector is organised: by place from the left, from the right, from both
ends, in a tree, or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import numpy as np
import torch

from ..data.items import Span

Scheme = Literal["left-to-right", "right-to-left", "bag of words", "bidirectional", "tree"]
SCHEMES: tuple[Scheme, ...] = ("left-to-right", "right-to-left", "bag of words", "bidirectional", "tree")


def roles(scheme: Scheme, n: int, brackets: Sequence[Span] = ()) -> list[str]:
    """The role of each of n words.

    The role in a tree is the path from the root: at each constituent the number of the child that is gone to.
    """
    if scheme == "tree":
        return tree_paths(n, brackets)
    named = {
        "left-to-right": [str(i) for i in range(n)],
        "right-to-left": [str(n - 1 - i) for i in range(n)],
        "bag of words": ["word"] * n,
        "bidirectional": [f"{i} {n - 1 - i}" for i in range(n)],
    }
    if scheme not in named:
        raise ValueError(f"role scheme {scheme!r} is none of {SCHEMES}")
    return named[scheme]


def tree_paths(n: int, brackets: Sequence[Span]) -> list[str]:
    """Each word's path from the root of its constituency tree, such as ``0.2.1``.

    Raises
    ------
    ValueError
        If two constituents cross.
    """
    paths = [""] * n

    def walk(start: int, end: int, inner: set[tuple[int, int]], path: tuple[int, ...]) -> None:
        child, i = 0, start
        while i < end:
            stop = max((b for a, b in inner if a == i), default=i + 1)
            if stop > end or any(a < stop < b for a, b in inner if a > i):
                raise ValueError(f"constituents cross within words {start} to {end}: {sorted(inner)}")
            if stop == i + 1:
                paths[i] = ".".join(map(str, (*path, child)))
            else:
                walk(i, stop, {(a, b) for a, b in inner if i <= a and b <= stop} - {(i, stop)}, (*path, child))
            child, i = child + 1, stop

    walk(0, n, {(s.start, s.end) for s in brackets if s.end - s.start > 1} - {(0, n)}, ())
    return paths


def fit_tpdn(
    fillers: Sequence[Sequence[str]],
    roles: Sequence[Sequence[str]],
    vectors: np.ndarray,
    train: np.ndarray,
    dev: np.ndarray,
    *,
    seeds: int = 3,
    seed: int = 0,
    filler_size: int = 16,
    role_size: int = 8,
    epochs: int = 30,
    batch: int = 48,
    rate: float = 0.01,
    decay: float = 1.0,
    device: torch.device | str = "cpu",
) -> np.ndarray:
    """Squared error of rebuilding each vector, after training on some of them.

    Parameters
    ----------
    fillers, roles : sequences (n sentences) of as many words as roles
    vectors : float array (n, H)
        Standardised on the training part, so that an error of 1 is that of predicting its mean.
    train, dev : bool arrays (n,)
        What is trained on, and what says when to stop: of all epochs the one with the least error on dev counts.
    seeds : int
        Networks trained side by side from different starts.

    Returns
    -------
    float array (seeds, n)
        Mean squared error over the H coordinates; the claim is about what is neither trained on nor dev.
    """
    if any(len(f) != len(r) for f, r in zip(fillers, roles, strict=True)) or len(fillers) != len(vectors):
        raise ValueError("every sentence needs as many roles as fillers, and a vector")
    coded = [*_codes(fillers, train), _codes(roles, train)[0]]
    mean, scale = vectors[train].mean(0), vectors[train].std(0)
    target = torch.as_tensor((vectors - mean) / np.maximum(scale, 1e-6), dtype=torch.float32, device=device)
    words, mask, places = (torch.as_tensor(x, device=device) for x in coded)
    generator = torch.Generator().manual_seed(seed)

    def start(*shape: int, size: float) -> torch.Tensor:
        return (torch.randn(seeds, *shape, generator=generator) * size).to(device).requires_grad_(True)

    width = filler_size * role_size
    embed_filler = start(int(words.max()) + 1, filler_size, size=0.5)
    embed_role = start(int(places.max()) + 1, role_size, size=0.5)
    out = start(width, vectors.shape[1], size=0.1 * width**-0.5)
    bias = torch.zeros(seeds, 1, vectors.shape[1], device=device, requires_grad=True)

    def errors(index: torch.Tensor) -> torch.Tensor:
        filled = embed_filler[:, words[index]] * mask[index][None, :, :, None]  # (K, S, T, f)
        bound = torch.einsum("kstf,kstr->ksfr", filled, embed_role[:, places[index]])
        return (bound.flatten(2) @ out + bias - target[index]).square().mean(-1)  # (K, S)

    optimiser = torch.optim.AdamW([embed_filler, embed_role, out, bias], lr=rate, weight_decay=decay)
    pool = torch.as_tensor(np.flatnonzero(train))
    passes = (pool[torch.randperm(len(pool), generator=generator)].to(device).split(batch) for _ in range(epochs))
    steps = epochs * -(-len(pool) // batch)
    return _best_of_passes(errors, optimiser, passes, steps, np.flatnonzero(dev), seeds, len(target))


def _best_of_passes(
    errors: Callable[[torch.Tensor], torch.Tensor],
    optimiser: torch.optim.Optimizer,
    passes: Iterable[Sequence[torch.Tensor]],
    steps: int,
    dev: np.ndarray,
    seeds: int,
    n: int,
) -> np.ndarray:
    """Errors (K, n) after the pass over the training part that has the least error on dev, for each seed its own."""
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.02, total_iters=steps)
    best, least = np.full((seeds, n), np.nan, np.float32), np.full(seeds, np.inf, np.float32)
    for batches in passes:
        for part in batches:
            loss = errors(part).mean(1).sum()  # the seeds' networks share no weight: the sum trains each on its own
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        with torch.no_grad():
            every = torch.arange(n, device=part.device).split(256)
            now = torch.cat([errors(part) for part in every], 1).cpu().numpy()  # (K, n)
        on_dev = now[:, dev].mean(1)
        best = np.where((on_dev < least)[:, None], now, best)
        least = np.minimum(on_dev, least)
    return best


def _codes(symbols: Sequence[Sequence[str]], train: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Padded codes (n, T) and mask; symbols not seen in training share code 0."""
    known = sorted({s for row, seen in zip(symbols, train) if seen for s in row})
    code = {s: i + 1 for i, s in enumerate(known)}
    longest = max(map(len, symbols))
    codes, mask = np.zeros((len(symbols), longest), int), np.zeros((len(symbols), longest), np.float32)
    for k, row in enumerate(symbols):
        codes[k, : len(row)] = [code.get(s, 0) for s in row]
        mask[k, : len(row)] = 1
    return codes, mask
