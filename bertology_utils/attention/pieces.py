"""Attention between the pieces of one word, against neighbouring pieces of two words (correia2019)."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from ..settings import Settings
from ..subject.models import Subject
from .maps import maps


def neighbours(
    subject: Subject, sentences: Sequence[Sequence[str]], settings: Settings | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Summed attention between adjacent pieces, both ways, and how many pairs there are.

    Returns
    -------
    mass : array (n, 2, L * A)
        Over the pairs within a word (0) and over those of two words (1).
    count : array (n, 2)
    """
    mass = np.zeros((len(sentences), 2, subject.n_layers * subject.n_heads))
    count = np.zeros((len(sentences), 2), int)
    for batch in maps(subject, sentences, word_level=False, settings=settings):
        forth = batch.weights.diagonal(1, -2, -1)  # (B, L, A, T - 1): piece t to t + 1
        back = batch.weights.diagonal(-1, -2, -1)
        pair = ((forth + back) / 2).flatten(1, 2)  # (B, L * A, T - 1)
        left, right = batch.words[:, :-1], batch.words[:, 1:]
        inside = (left >= 0) & (left == right)
        across = (left >= 0) & (right >= 0) & (left != right)
        for side, which in enumerate((inside, across)):
            mass[batch.index, side] = (pair * which[:, None]).sum(-1).double().cpu().numpy()
            count[batch.index, side] = which.sum(1).cpu().numpy()
    return mass, count


def ratio(mass: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Mean attention within a word by that across words; shape (heads,) of mass (n, 2, heads) and count (n, 2)."""
    means = mass.sum(0) / count.sum(0)[:, None]
    return means[0] / means[1]


def with_compounds(
    subject: Subject, sentences: Sequence[Sequence[str]], nouns: Sequence[Sequence[int]], seed: int = 0
) -> list[list[str]]:
    """The sentences with one noun each made a compound of several pieces: two of the corpus' nouns written as one.

    `nouns` are the places of nouns in each sentence; a sentence without any stays as it is.
    """
    rng = random.Random(seed)
    known = sorted({s[i].lower() for s, places in zip(sentences, nouns) for i in places})
    out = []
    for sentence, places in zip(sentences, nouns):
        words = list(sentence)
        if places:
            at = rng.choice(list(places))
            for _ in range(20):  # a compound may be a word the model knows: try others
                joined = rng.choice(known) + words[at].lower()
                if len(subject.tokenizer.tokenize(joined)) > 1:
                    words[at] = joined
                    break
        out.append(words)
    return out
