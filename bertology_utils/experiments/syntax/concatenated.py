"""Whole sentences: what concatenated word vectors tell of their structure."""

from __future__ import annotations

import numpy as np

from ...calibration import planted as plants
from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data.items import Sentence
from ...probes import structural
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode
from .probing import few

LONGEST = 40  # words: vectors are concatenated, so every sentence takes the longest one's room
PENALTIES = (1e2, 1e3, 1e4, 1e5)
MEASURES = ("Spearman", "Spearman of length", "Spearman of layer 0", "gain over length", "gain over layer 0")
STRUCTURE = ("tree depth", "longest arc", "mean arc", "subordinate clauses")
TAGS = ("NOUN", "VERB", "ADJ", "ADP", "DET", "PRON", "AUX", "ADV", "PROPN")
CLAUSES = ("acl", "advcl", "ccomp", "xcomp", "csubj")


def features(item: Sentence) -> dict[str, float]:
    """Properties of a sentence read off its analysis (miaschi2020)."""
    n = len(item.words)
    arcs = [abs(i - h) for i, h in enumerate(item.heads) if h >= 0] or [0]
    found = {
        "length": n,
        "tree depth": structural.tree_depths(item.heads).max(),
        "longest arc": max(arcs),
        "mean arc": np.mean(arcs),
        "subordinate clauses": sum(r.split(":")[0] in CLAUSES for r in item.deprels),
    }
    return found | {f"share of {tag}": item.upos.count(tag) / n for tag in TAGS}


def counted(data, base, rng):
    """Every word's vector above the embeddings has the sentence's properties in it, with noise."""
    size = len(features(data["treebank"][0]))
    scale = np.maximum([list(features(i).values()) for i in data["treebank"] if i.heads and i.upos][:2000], 0).std(0)

    def make(seen):
        item = seen.first(Sentence)
        values = np.zeros(size) if item is None or not item.heads else np.array(list(features(item).values()))
        return np.broadcast_to(values / np.maximum(scale, 1e-6), (seen.n_words, size))

    parts = [plants.word_vectors(), plants.Part(size, make, plants.above_embeddings(base.n_layers), noise=0.3)]
    return plants.plant(base, data, rng, parts=parts)


@claim("syn.concatenated.miaschi2020", "treebank", n=600, limit=500, nulls=VECTORS, planted=counted)
def concatenated(subject, data, settings):
    """Ridge probes of sentence properties from concatenated word vectors, against length and embeddings (miaschi2020).

    Vectors are padded with zeros to the longest sentence. Layer (middle or last) and penalty are chosen on dev for each
    feature, and so is the penalty of the embeddings, which count words of every kind but know nothing of their order.
    Length itself is a row but has no gain: it is its own baseline.
    """
    items = [i for i in data["treebank"] if i.heads and i.upos and len(i.words) <= LONGEST]
    items = few(encode.fitting(subject, items)[0], 4)
    note = f"{len(items)} sentences of at most {LONGEST} words"
    y = np.array([list(features(i).values()) for i in items], float)
    names = list(features(items[0]))
    train, dev, test = (np.array([i.split == s for i in items]) for s in ("train", "dev", "test"))
    varied = (y[train].std(0) > 0) & (y[dev].std(0) > 0) & (y[test].std(0) > 0)
    layers = [0, *sorted({max(1, subject.n_layers // 2), subject.n_layers})]
    predicted = read_off(subject, items, layers, y, train, settings)  # (layers, penalties, sentences, features)
    (length,) = _ridge(y[:, :1], y, train, (1e-3,))
    rows, n = intervals.Rows(settings), int(test.sum())
    options = {"seed": settings.seed, "draws": min(settings.draws, 1000), "bounds": (-2.0, 2.0)}
    for f in np.flatnonzero(varied):
        gold = y[:, f]
        on_dev = np.array([[_rank(p[dev, f], gold[dev]) for p in of_layer] for of_layer in predicted])
        layer, penalty = np.unravel_index(choose(on_dev[1:]), on_dev[1:].shape)
        ours, bottom = predicted[layer + 1, penalty, test, f], predicted[0, choose(on_dev[0]), test, f]
        kind = "structure" if names[f] in STRUCTURE else "length" if f == 0 else "parts of speech"
        keys = {"feature": names[f], "kind": kind, "layer": layers[layer + 1]}
        found = intervals.bootstrap([ours, length[test, f], bottom, gold[test]], _compared, **options)
        for k, measure in enumerate(MEASURES[: 3 if f == 0 else 5]):
            rows.add(measure, found.at(k), n, **keys)
    return intervals.table(rows, [note])


def read_off(subject, items, layers: list[int], y: np.ndarray, train: np.ndarray, settings) -> np.ndarray:
    """What ridge regressions say of all sentences, (layers, penalties, sentences, features)."""
    width = max(len(i.words) for i in items)
    x = np.zeros((len(layers), len(items), width, subject.hidden_size), np.float32)
    for i, states in encode.hidden_states(subject, [i.words for i in items], layers=layers, settings=settings):
        x[:, i, : states.shape[1]] = states
    x -= x[:, train].mean((1, 2), keepdims=True) * (x != 0).any(-1, keepdims=True)  # padding stays nought
    x /= np.maximum(x[:, train].std((1, 2, 3), keepdims=True), 1e-6)
    return np.array([_ridge(flat.reshape(len(items), -1), y, train, PENALTIES) for flat in x])


def _rank(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.nan_to_num(intervals.spearman(a, b), nan=-1.0))


def _compared(ours: np.ndarray, length: np.ndarray, bottom: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Rank correlations of the probe, of length and of the embeddings, and the probe's lead over either."""
    a, b, c = (_rank(x, gold) for x in (ours, length, bottom))
    return np.array([a, b, c, a - b, a - c])


def _ridge(x: np.ndarray, y: np.ndarray, train: np.ndarray, penalties: tuple[float, ...]) -> list[np.ndarray]:
    """Ridge predictions of all features for all sentences, fitted on the train sentences, for each penalty.

    In the dual: there are far fewer sentences than dimensions.
    """
    x = (x - x[train].mean(0)).astype(np.float64)
    kernel, mean = x @ x[train].T, y[train].mean(0)  # (n, train)
    identity = np.eye(train.sum())
    return [kernel @ np.linalg.solve(kernel[train] + p * identity, y[train] - mean) + mean for p in penalties]
