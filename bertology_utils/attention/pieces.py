"""Attention between the pieces of one word, against pieces of two words (correia2019)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..scores import intervals
from ..settings import Settings
from ..subject.models import Subject
from .maps import maps

# as near, but of another word; the same kind of piece, but of another word
CONTROLS = ("neighbours of two words", "pieces that continue another word")


@dataclass(frozen=True)
class Neighbours:
    """Attention between pieces, summed by sentence.

    Attributes
    ----------
    mass : array (n, 3, L * A)
        Of neighbouring pieces of one word, both ways (0); of the `CONTROLS` (1, 2).
    count : array (n, 3)
        How many pairs these are.
    """

    mass: np.ndarray
    count: np.ndarray

    def ratio(self) -> np.ndarray:
        """Mean attention within a word by that of each control, (2, L * A)."""
        means = self.mass.sum(0) / np.maximum(self.count.sum(0), 1)[:, None]
        return means[0] / np.maximum(means[1:], 1e-12)

    def interval(self, control: int, head: int, **options) -> intervals.Interval:
        """The ratio of one head to one control, drawn by sentence; `options` as of `intervals.bootstrap`."""

        def ratio(mass, count):
            means = mass.sum(0) / np.maximum(count.sum(0), 1)
            return means[0] / max(means[1], 1e-12)

        sides = [0, control + 1]
        arrays = [self.mass[:, sides, head], self.count[:, sides]]
        return intervals.bootstrap(arrays, ratio, bounds=(0.0, np.inf), **options)


def neighbours(subject: Subject, sentences: Sequence[Sequence[str]], settings: Settings | None = None) -> Neighbours:
    """Attention between pieces of the sentences, by whether they are of one word."""
    mass = np.zeros((len(sentences), 3, subject.n_layers * subject.n_heads))
    count = np.zeros((len(sentences), 3))
    for batch in maps(subject, sentences, word_level=False, settings=settings):
        weights = batch.weights.flatten(1, 2)  # (B, L * A, T, T)
        words = batch.words
        pair = (weights.diagonal(1, -2, -1) + weights.diagonal(-1, -2, -1)) / 2  # (B, L * A, T - 1)
        left, right = words[:, :-1], words[:, 1:]
        one = (left >= 0) & (left == right)
        two = (left >= 0) & (right >= 0) & (left != right)
        for side, which in enumerate((one, two)):
            mass[batch.index, side] = (pair * which[:, None]).sum(-1).double().cpu().numpy()
            count[batch.index, side] = which.sum(1).cpu().numpy()
        continues = words.new_zeros(words.shape, dtype=torch.bool)
        continues[:, 1:] = one
        several = continues.clone()
        several[:, :-1] |= one  # pieces of words that have several
        other = several[:, :, None] & continues[:, None] & (words[:, :, None] != words[:, None])
        mass[batch.index, 2] = (weights * other[:, None]).sum((-2, -1)).double().cpu().numpy()
        count[batch.index, 2] = other.sum((1, 2)).cpu().numpy()
    return Neighbours(mass, count)


def with_compounds(
    subject: Subject, sentences: Sequence[Sequence[str]], nouns: Sequence[Sequence[int]], seed: int = 0
) -> list[list[str]]:
    """The sentences with up to two nouns each made compounds of several pieces: two of the corpus' nouns written as one.

    `nouns` are the places of nouns in each sentence; a sentence without any stays as it is.
    """
    rng = random.Random(seed)
    known = sorted({s[i].lower() for s, places in zip(sentences, nouns) for i in places})
    out = []
    for sentence, places in zip(sentences, nouns):
        words = list(sentence)
        for at in rng.sample(list(places), min(2, len(places))):
            for _ in range(20):  # a compound may be a word the model knows: try others
                joined = rng.choice(known) + words[at].lower()
                if len(subject.tokenizer.tokenize(joined)) > 1:
                    words[at] = joined
                    break
        out.append(words)
    return out
