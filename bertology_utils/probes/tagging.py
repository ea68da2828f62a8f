"""Trees read off word by word: parsing as tagging, and constituents from distances (vilares2020, kim2020).

Parsing as tagging gives each word one label that says where its head is: "the second noun to the left". A linear layer
over the word vectors predicts it, and a tree is put together from the predictions. Constituents need no training at
all: a sentence is split where neighbouring vectors lie farthest apart, and each part again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.items import Span
from ..data.text import cycle

ROOT = "0@ROOT"


def relative_heads(heads: Sequence[int], tags: Sequence[str]) -> list[str]:
    """For each word ``+2@NOUN``: its head is the second NOUN to the right (-: to the left); ``0@ROOT`` for the root."""
    if len(heads) != len(tags):
        raise ValueError(f"{len(heads)} heads but {len(tags)} tags")
    out = []
    for i, h in enumerate(heads):
        if h < 0:
            out.append(ROOT)
            continue
        step = 1 if h > i else -1
        count = sum(tags[j] == tags[h] for j in range(i + step, h + step, step))
        out.append(f"{step * count:+d}@{tags[h]}")
    return out


def place_of(label: str, i: int, tags: Sequence[str]) -> int | None:
    """The head that a label names for word i: an index, -1 for the root, None where there is no such word."""
    if label == ROOT:
        return -1
    offset, tag = label.split("@", 1)
    step = 1 if int(offset) > 0 else -1
    found = [j for j in range(i + step, len(tags) if step > 0 else -1, step) if tags[j] == tag]
    return found[abs(int(offset)) - 1] if len(found) >= abs(int(offset)) else None


def decode_heads(scores: np.ndarray, labels: Sequence[str], tags: Sequence[str]) -> list[int]:
    """A tree from the scores of the labels: each word's best label that names a word, then made one tree.

    Parameters
    ----------
    scores : float array (W, C)
        Of each label for each word.
    labels : sequence of str (C,)
    tags : sequence of str (W,)
        The parts of speech that the labels count by (at test time: predicted ones).

    Returns
    -------
    list of int
        Heads, exactly one -1, without cycles. The root is the word that scores highest as root; a cycle is broken at
        the word whose own head scores least, which then depends on the root.
    """
    n = len(tags)
    order = np.argsort(-scores, axis=1, kind="stable")
    as_root = scores[:, list(labels).index(ROOT)] if ROOT in labels else np.zeros(n)
    root = int(as_root.argmax())
    heads, strength = [], np.zeros(n)
    for i in range(n):
        chosen = root
        for c in order[i]:
            place = place_of(labels[c], i, tags)
            if place is not None and place >= 0:
                chosen, strength[i] = place, scores[i, c]
                break
        heads.append(chosen if i != root else -1)
    heads = [root if h == i else h for i, h in enumerate(heads)]
    while looped := cycle(heads):
        heads[min(looped, key=lambda i: strength[i])] = root
    return heads


def attachments(predicted: Sequence[int], gold: Sequence[int]) -> np.ndarray:
    """Which words have the right head, bool (W,): their mean is the UAS."""
    return np.asarray(predicted) == np.asarray(gold)


def split_by_distance(gaps: Sequence[float] | np.ndarray) -> set[tuple[int, int]]:
    """Binary constituents over len(gaps) + 1 words: split at the widest gap, then each part again (kim2020).

    Half-open spans of two words or more, the whole sentence among them.
    """
    gaps = np.asarray(gaps, float)
    spans, todo = set(), [(0, len(gaps) + 1)]
    while todo:
        a, b = todo.pop()
        if b - a < 2:
            continue
        spans.add((a, b))
        cut = a + 1 + int(np.argmax(gaps[a : b - 1]))
        todo += [(a, cut), (cut, b)]
    return spans


def gaps(vectors: np.ndarray, metric: str = "cosine") -> np.ndarray:
    """Distances between neighbouring words' vectors (W, H): ``cosine``, ``L1`` or ``L2``; shape (W - 1,)."""
    a, b = vectors[:-1], vectors[1:]
    if metric == "cosine":
        norms = np.linalg.norm(a, axis=1) * np.linalg.norm(b, axis=1)
        return 1 - (a * b).sum(1) / np.maximum(norms, 1e-12)
    if metric not in ("L1", "L2"):
        raise ValueError(f"metric {metric!r} is none of cosine, L1, L2")
    return np.linalg.norm(a - b, ord=int(metric[1]), axis=1)


def right_branching(n: int) -> set[tuple[int, int]]:
    """The spans of a right-branching tree over n words."""
    return {(i, n) for i in range(n - 1)}


def span_f1(predicted: set[tuple[int, int]], brackets: Sequence[Span], n: int) -> float:
    """Unlabelled F1 of one sentence's constituents; single words and the whole sentence do not count, as is usual.

    nan where no gold constituent is left.
    """
    gold = {(s.start, s.end) for s in brackets if s.end - s.start > 1} - {(0, n)}
    found = predicted - {(0, n)}
    if not gold:
        return float("nan")
    return 2 * len(gold & found) / (len(gold) + len(found))
