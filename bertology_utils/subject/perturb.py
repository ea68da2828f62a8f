"""Perturbed masking: how much hiding one word changes what the model makes of another (wu2020).

No parameter is fitted. Word i is masked, and its vector taken; word j is masked as well, and the vector taken again;
the distance between the two is the impact of j on i. Both maskings of a pair of words share one input, so a sentence
of W words costs W (W + 1) / 2 of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from ..settings import Settings
from .encode import Row, batches, forward, tokenize
from .models import Subject


def impact(subject: Subject, words: Sequence[str], settings: Settings | None = None) -> np.ndarray:
    """Impact matrix (W, W) of a sentence: ``[i, j]`` is the Euclidean impact of word j on word i; the diagonal is 0.

    A word is masked with all its pieces, and its vector is the mean of theirs in the last layer.
    """
    ((_, matrix),) = impacts(subject, [words], settings)
    return matrix


def impacts(
    subject: Subject, sentences: Sequence[Sequence[str]], settings: Settings | None = None
) -> Iterator[tuple[int, np.ndarray]]:
    """Impact matrices, streamed in order as (i, float32 array (W, W))."""
    budget = (settings or Settings.of()).budget
    for i, sentence in enumerate(sentences):  # each is expanded to hundreds of inputs: one at a time bounds memory
        (row,) = tokenize(subject, [sentence])
        yield i, _impact(subject, row, budget)


def _impact(subject: Subject, row: Row, budget: int) -> np.ndarray:
    n = row.n_words
    pairs = [(i, j) for i in range(n) for j in range(i, n)]  # (i, i): only word i is hidden
    mask = subject.tokenizer.mask_token_id
    hidden = [row.masked([t for t, w in enumerate(row.words) if w in pair], mask) for pair in pairs]
    of = torch.tensor(row.words, device=subject.device)
    member = torch.stack([of == w for w in range(n)]).float()  # (W, T)
    member = member / member.sum(1, keepdim=True)
    both = torch.zeros(n, n, subject.hidden_size, device=subject.device)  # [i, j]: of word i, when j is hidden too
    for batch in batches(subject, hidden, budget):
        vectors = forward(subject, batch).last_hidden_state.float()  # (B, T, H)
        first, second = torch.tensor([pairs[k] for k in batch.index], device=subject.device).T
        both[first, second] = torch.einsum("bt,bth->bh", member[first], vectors)
        both[second, first] = torch.einsum("bt,bth->bh", member[second], vectors)
    alone = both.diagonal(dim1=0, dim2=1).T  # (W, H)
    return (both - alone[:, None]).norm(dim=-1).cpu().numpy()


def matched(scores: np.ndarray, heads: np.ndarray, rarity: np.ndarray | None = None) -> tuple[float, int]:
    """How often a gold arc scores above pairs of the same offset that have none, and how many arcs have such a pair.

    Heads are rare words, and to hide a rare word may change much, whatever the syntax: with `rarity` only such pairs count
    whose head's place is held by a word at least as rare as the arc's.

    Parameters
    ----------
    scores : float array (W, W)
        ``scores[h, d]`` for the arc from head h to dependent d.
    heads : int array (W,)
        Gold heads, -1 for the root.
    rarity : float array (W,), optional
        The rarer a word, the higher.

    Returns
    -------
    won, of : float, int
        Each arc counts once: the share of its pairs that it beats, a tie as one half. Scores that depend on distance
        and direction alone win one half.

    Examples
    --------
    >>> scores = np.zeros((4, 4))
    >>> scores[1, 0] = scores[1, 2] = 1  # two of the three arcs from word 1
    >>> matched(scores, np.array([1, -1, 1, 1]))
    (2.5, 3)
    >>> matched(scores, np.array([1, -1, 1, 1]), rarity=np.array([0, 1, 0, 0]))  # no word is as rare as the head
    (0.0, 0)
    """
    scores, heads = np.asarray(scores, float), np.asarray(heads)
    n, won, of = len(heads), 0.0, 0
    for d in np.flatnonzero(heads >= 0):
        offset = heads[d] - d
        others = [w for w in range(n) if 0 <= w + offset < n and heads[w] != w + offset and heads[w + offset] != w]
        if rarity is not None:
            others = [w for w in others if rarity[w + offset] >= rarity[heads[d]]]
        if others:
            mine, theirs = scores[heads[d], d], np.array([scores[w + offset, w] for w in others])
            won += float((mine > theirs).mean() + (mine == theirs).mean() / 2)
            of += 1
    return won, of
