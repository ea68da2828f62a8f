"""Scope of a cue word read off attention: which words does a head join to the cue? (zhao2020)

A head's score of a word is the attention from the cue to it (or from it to the cue), as a share of what the words other
than the cue get. Words above a threshold are in scope. The baseline sees positions alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from .. import finetune
from ..data.items import Sentence
from ..finetune import tagging
from ..scores.choice import choose as first_best
from ..settings import Settings
from ..subject.models import Subject
from .maps import is_punctuation, maps

REACH = range(-10, 11)
QUANTILES = np.linspace(0.05, 0.95, 19)


def words(sentence: Sentence) -> tuple[int, list[int], np.ndarray]:
    """The cue's place, those of the words that may be in its scope (no cue, no punctuation), and whether they are."""
    (cue,) = sentence.of("cue")
    inside = {w for span in sentence.of("scope") for w in range(span.start, span.end)}
    free = [w for w, t in enumerate(sentence.words) if not cue.start <= w < cue.end and not is_punctuation(t)]
    return cue.start, free, np.array([w in inside for w in free])


def scores(subject: Subject, sentences: Sequence[Sentence], settings: Settings | None = None) -> list[np.ndarray]:
    """For each sentence (2 * L * A, free words): the attention from the cue, behind it that to the cue, as shares."""
    out: list[np.ndarray] = [np.empty(0)] * len(sentences)
    for batch in maps(subject, [s.words for s in sentences], settings=settings):
        for b, (i, place) in enumerate(zip(batch.index, batch.place)):
            cue, free, _ = words(sentences[i])
            at = [place[w] for w in free]
            weights = batch.weights[b].flatten(0, 1)  # (L * A, U, U)
            both = torch.cat([weights[:, place[cue]][:, at], weights[:, at, place[cue]]])
            out[i] = (both / both.sum(-1, keepdim=True).clamp(min=1e-12)).cpu().numpy()
    return out


def f1(predicted: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """F1 over the last axis; 0 where nothing is right."""
    right = (predicted & gold).sum(-1)
    return 2 * right / np.maximum(predicted.sum(-1) + gold.sum(-1), 1)


def by_threshold(scores: Sequence[np.ndarray], gold: Sequence[np.ndarray], thresholds: np.ndarray) -> np.ndarray:
    """Mean F1 of every head at each of its thresholds: (heads, thresholds), thresholds being (heads, thresholds) too."""
    total = np.zeros(thresholds.shape)
    for s, g in zip(scores, gold):
        # a share is weighed against an even spread over the sentence's words, so that length does not matter
        total = total + f1((s * s.shape[1])[:, None] > thresholds[..., None], g)
    return total / len(scores)


def choose(scores: Sequence[np.ndarray], gold: Sequence[np.ndarray]) -> tuple[int, float]:
    """The head and threshold with the highest mean F1; thresholds are quantiles of the head's own scores."""
    pooled = np.concatenate([s * s.shape[1] for s in scores], 1)
    thresholds = np.quantile(pooled, QUANTILES, axis=1).T  # (heads, thresholds)
    table = by_threshold(scores, gold, thresholds)
    head, k = np.unravel_index(first_best(table), table.shape)
    return int(head), float(thresholds[head, k])


def apply(scores: Sequence[np.ndarray], gold: Sequence[np.ndarray], head: int, threshold: float) -> np.ndarray:
    """F1 of one head at one threshold in each sentence, (n,)."""
    return np.array([f1(s[head] * s.shape[1] > threshold, g) for s, g in zip(scores, gold)])


def window(sentences: Sequence[Sentence], first: int, last: int) -> np.ndarray:
    """F1 in each sentence of taking the words from `first` to `last` places off the cue for its scope, (n,)."""
    return _window([words(s) for s in sentences], first, last)


def _window(seen: list, first: int, last: int) -> np.ndarray:
    steps = [(np.asarray(free) - cue, gold) for cue, free, gold in seen]
    return np.array([f1((step >= first) & (step <= last), gold) for step, gold in steps])


def best_window(sentences: Sequence[Sentence], single: bool = False) -> tuple[int, int]:
    """The window (or, `single`, the one offset) with the highest mean F1."""
    options = [(a, b) for a in REACH for b in REACH if (a == b if single else a <= b) and (a, b) != (0, 0)]
    seen = [words(s) for s in sentences]
    return max(options, key=lambda o: _window(seen, *o).mean())


def tags(sentence: Sentence) -> list[str]:
    """Of each word, whether it is in the scope; the cue and punctuation are not."""
    _, free, inside = words(sentence)
    scope = {w for w, yes in zip(free, inside) if yes}
    return ["in" if w in scope else "out" for w in range(len(sentence.words))]


def tune(subject: Subject, sentences: Sequence[Sentence], recipe: finetune.Recipe) -> tagging.Tagger:
    """A copy of the subject, fine-tuned to tell for each word whether it is in the scope."""
    return tagging.tag(subject, [s.words for s in sentences], [tags(s) for s in sentences], recipe)


def right(tuned: tagging.Tagger, sentences: Sequence[Sentence], settings: Settings | None = None) -> list[np.ndarray]:
    """For each sentence, whether the tuned network tells of its free words which are in the scope, (free words,) bool."""
    said = tuned.tag([s.words for s in sentences], settings)
    return [np.equal(found, tags(s))[words(s)[1]] for found, s in zip(said, sentences)]
