"""Dependency trees from scores, and how right they are: spanning trees, projective trees, baselines.

Dependency trees are arrays of heads, -1 for the root, as in `Sentence.heads`. Scores are ``(W, W)``, ``scores[h, d]``
for the arc from head h to dependent d; the more the better. Constituents are the affair of `probes.tagging`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import networkx as nx
import numpy as np

from ..data.items import Sentence
from ..data.text import cycle


def _checked(scores: np.ndarray, root: int) -> np.ndarray:
    scores = np.asarray(scores, float)
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1] or not len(scores):
        raise ValueError(f"scores are (W, W), not {scores.shape}")
    if not np.isfinite(scores[~np.eye(len(scores), dtype=bool)]).all():
        raise ValueError("a score between two words is not finite")
    if not 0 <= root < len(scores):
        raise ValueError(f"root {root} is none of {len(scores)} words, counted from 0")
    return scores.copy()


def arborescence(scores: np.ndarray, root: int) -> np.ndarray:
    """Heads (W,) of the best directed spanning tree with that root (Chu-Liu/Edmonds), crossing arcs allowed."""
    scores = _checked(scores, root)
    np.fill_diagonal(scores, -np.inf)
    scores[:, root] = -np.inf
    return _edmonds(scores, root)


def _edmonds(scores: np.ndarray, root: int) -> np.ndarray:
    heads = scores.argmax(0)
    heads[root] = -1
    looped = cycle(heads.tolist())
    if not looped:
        return heads
    inside = np.array(looped)
    outside = np.setdiff1d(np.arange(len(scores)), inside)
    # entering the cycle at c costs the arc of the cycle that c loses
    gain = scores[np.ix_(outside, inside)] - scores[heads[inside], inside]  # (outside, inside)
    away = scores[np.ix_(inside, outside)]
    small = np.full((len(outside) + 1, len(outside) + 1), -np.inf)  # the cycle is the last node
    small[:-1, :-1] = scores[np.ix_(outside, outside)]
    small[:-1, -1], small[-1, :-1] = gain.max(1), away.max(0)
    solved = _edmonds(small, int(np.searchsorted(outside, root)))
    for d, h in enumerate(solved[:-1]):
        if h >= 0:
            heads[outside[d]] = outside[h] if h < len(outside) else inside[away[:, d].argmax()]
    entry = solved[-1]
    heads[inside[gain[entry].argmax()]] = outside[entry]
    return heads


def oriented(edges: Iterable[tuple[int, int]], n: int, root: int) -> np.ndarray:
    """Heads (n,) of an undirected tree hung up at its root."""
    tree = nx.Graph([(int(a), int(b)) for a, b in edges])
    tree.add_nodes_from(range(n))
    heads = np.full(n, -1)
    for head, dependent in nx.bfs_edges(tree, root):
        heads[dependent] = head
    return heads


def eisner(scores: np.ndarray, root: int) -> np.ndarray:
    """Heads (W,) of the best projective tree (eisner1996) with that root."""
    scores = _checked(scores, root)
    n = len(scores)
    complete, split = np.zeros((2, n, n)), np.zeros((2, n, n), int)  # [side, i, j]: side 0 headed by j, 1 by i
    joined, cut = np.zeros((2, n, n)), np.zeros((2, n, n), int)
    for width in range(1, n):
        for i in range(n - width):
            j = i + width
            halves = complete[1, i, i:j] + complete[0, i + 1 : j + 1, j]
            cut[:, i, j] = i + halves.argmax()
            joined[0, i, j], joined[1, i, j] = halves.max() + scores[j, i], halves.max() + scores[i, j]
            left = complete[0, i, i:j] + joined[0, i:j, j]
            right = joined[1, i, i + 1 : j + 1] + complete[1, i + 1 : j + 1, j]
            complete[0, i, j], split[0, i, j] = left.max(), i + left.argmax()
            complete[1, i, j], split[1, i, j] = right.max(), i + 1 + right.argmax()
    heads = np.full(n, -1)
    stack = [(0, 0, root, False), (1, root, n - 1, False)]  # side, i, j, whether i and j are joined by an arc
    while stack:
        side, i, j, arc = stack.pop()
        if i == j:
            continue
        if arc:
            heads[i if side == 0 else j] = j if side == 0 else i
            k = cut[side, i, j]
            stack += [(1, i, k, False), (0, k + 1, j, False)]
        else:
            k = split[side, i, j]
            stack += [(0, i, k, False), (0, k, j, True)] if side == 0 else [(1, i, k, True), (1, k, j, False)]
    return heads


def chain(n: int, root: int) -> np.ndarray:
    """Heads (n,) of the chain of neighbours, hung up at its root.

    As an undirected tree it is the left-branching chain and the right-branching one alike.
    """
    where = np.arange(n)
    return np.where(where == root, -1, where + np.sign(root - where))


def random_tree(n: int, root: int, rng: np.random.Generator) -> np.ndarray:
    """Heads (n,) of a tree drawn uniformly from all trees over n words (by its Prüfer sequence), then hung up."""
    if n < 3:
        return chain(n, root)
    return oriented(nx.from_prufer_sequence(rng.integers(0, n, n - 2).tolist()).edges, n, root)


def random_projective_tree(n: int, root: int, rng: np.random.Generator) -> np.ndarray:
    """Heads (n,) of the projective tree of random scores; its arcs are shorter than a uniform tree's."""
    return eisner(rng.random((n, n)), root)


def without(heads: Sequence[int], drop: Sequence[bool]) -> tuple[list[int], list[int]]:
    """The tree without some words (punctuation): the words kept, and their heads among those kept.

    A word whose head goes is given to the nearest ancestor that stays. If the root goes, its first dependant left takes
    its place.
    """
    keep = [i for i in range(len(heads)) if not drop[i]]
    place = {word: k for k, word in enumerate(keep)}
    out = []
    for word in keep:
        head = heads[word]
        while head >= 0 and drop[head]:
            head = heads[head]
        out.append(place.get(head, -1))
    roots = [k for k, head in enumerate(out) if head < 0]
    for k in roots[1:]:
        out[k] = roots[0]
    return keep, out


def without_punctuation(sentence: Sentence) -> tuple[np.ndarray, np.ndarray]:
    """The words that are no punctuation, as indices (K,), and their gold heads (K,) among themselves.

    The studies leave punctuation out before decoding; see `without`.
    """
    tags, words = sentence.upos, sentence.words
    marks = [t == "PUNCT" for t in tags] if tags else [not any(c.isalnum() for c in word) for word in words]
    keep, heads = without(sentence.heads, marks)
    return np.array(keep, int), np.array(heads, int)


def attached(heads: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """For each word but the root, whether its gold arc is in the tree, (W - 1,) bool; the mean is the UUAS.

    An arc counts whichever of its ends is the head.
    """
    heads, gold = np.asarray(heads), np.asarray(gold)
    if heads.shape != gold.shape:
        raise ValueError(f"{len(heads)} heads for {len(gold)} words")
    words = np.flatnonzero(gold >= 0)
    return (heads[words] == gold[words]) | (heads[gold[words]] == words)
