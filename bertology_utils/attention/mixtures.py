"""Heads mixed: non-negative weights under which the attention of many heads together picks a word (hoover2019)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from ..settings import Settings
from ..subject.models import Subject
from .maps import maps
from .relations import gathered


@dataclass(frozen=True)
class Tally:
    """What heads say of queries, read along the arrow and (behind, from H = L * A on) against it.

    Attributes
    ----------
    right, total : array (N, 2H)
        Attention of each head to the target, and to all words in question.
    words : array (N,)
        How many words are in question.
    hits : array (N, 2H), bool
        Whether the head's most attended word is the target.
    """

    right: np.ndarray
    total: np.ndarray
    words: np.ndarray
    hits: np.ndarray

    def of(self, which: np.ndarray) -> Tally:
        """Some of the queries."""
        return Tally(self.right[which], self.total[which], self.words[which], self.hits[which])


def tally(
    subject: Subject, sentences: Sequence[Sequence[str]], queries: pd.DataFrame, settings: Settings | None = None
) -> Tally:
    """All that a mixture of heads can be learnt from, in one pass."""
    heads = 2 * subject.n_layers * subject.n_heads
    right, total = (np.zeros((len(queries), heads), np.float32) for _ in range(2))
    words, right_word = np.zeros(len(queries), int), np.zeros((len(queries), heads), bool)
    for which, scores, target in _both_ways(subject, sentences, queries, settings):
        given = scores.clamp(min=0)
        right[which] = given[torch.arange(len(which)), :, target].cpu().numpy()
        total[which] = given.sum(-1).cpu().numpy()
        words[which] = (scores[:, 0] >= 0).sum(-1).cpu().numpy()
        right_word[which] = (scores.argmax(-1) == target.to(scores.device)[:, None]).cpu().numpy()
    return Tally(right, total, words, right_word)


def _both_ways(
    subject: Subject, sentences: Sequence[Sequence[str]], queries: pd.DataFrame, settings: Settings | None
) -> Iterator[tuple[np.ndarray, torch.Tensor, torch.Tensor]]:
    """By batch: positions of queries (N,), scores (N, 2H, U) with -1 for what is out of the question, target units (N,)."""
    for batch in maps(subject, sentences, settings=settings):
        which, along, place = gathered(batch, queries)
        if not len(which):
            continue
        _, against, _ = gathered(batch, queries, transposed=True)
        target = [p[t] for p, t in zip(place, queries["target"].to_numpy()[which])]
        yield which, torch.cat([along.flatten(1, 2), against.flatten(1, 2)], 1), torch.tensor(target)


def mixture(
    found: Tally, *, weights: np.ndarray | None = None, steps: int = 120, rate: float = 0.1, l1: float = 1e-3
) -> np.ndarray:
    """Non-negative weights of the heads, (2H,), learnt so that the weighted attention picks the target (hoover2019).

    Minimises the cross-entropy of the mixed attention, normalised over the words in question, plus a little L1 that
    lets useless heads go to zero. `weights` (N,) says how often each query counts (a resample's counts). Nothing is
    drawn: the same tally gives the same weights.
    """
    right, total, words = (torch.from_numpy(np.asarray(x, np.float64)) for x in (found.right, found.total, found.words))
    count = torch.ones(len(right)) if weights is None else torch.as_tensor(np.asarray(weights, np.float64))
    raw = torch.full((right.shape[1],), -2.0, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.Adam([raw], lr=rate)
    for _ in range(steps):
        mix = torch.nn.functional.softplus(raw)
        odds = (right @ mix + 1e-6) / (total @ mix + 1e-6 * words)
        loss = -(count * odds.log()).sum() / count.sum() + l1 * mix.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return torch.nn.functional.softplus(raw).detach().numpy()


def mixed_hits(
    subject: Subject,
    sentences: Sequence[Sequence[str]],
    queries: pd.DataFrame,
    of: np.ndarray,
    weights: np.ndarray,
    settings: Settings | None = None,
) -> np.ndarray:
    """Whether the most attended word under mixtures is the target; (R, N) bool.

    Parameters
    ----------
    of : int array (N,)
        Which of the K sets of mixtures a query is put to.
    weights : array (K, R, 2H)
    """
    out = np.zeros((weights.shape[1], len(queries)), bool)
    table = torch.as_tensor(np.asarray(weights, np.float32))
    for which, scores, target in _both_ways(subject, sentences, queries, settings):
        mine = table[torch.as_tensor(of[which])].to(scores.device)  # (N, R, 2H)
        mixed = torch.einsum("nrh,nhu->rnu", mine, scores.clamp(min=0))
        mixed = mixed.masked_fill((scores[:, 0] < 0)[None], -1.0)
        out[:, which] = (mixed.argmax(-1) == target.to(scores.device)).cpu().numpy()
    return out
