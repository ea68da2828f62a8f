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
from .probing import few, punctuation

LONGEST = 40  # words: vectors are concatenated, and few sentences would tell what words further on mean
PENALTIES = (1e2, 1e3, 1e4, 1e5, 1e6)  # the last leaves little but what length tells
MEASURES = (
    "Spearman", "Spearman of length", "Spearman of layer 0", "gain over length", "gain over layer 0",
    "share of what length leaves", "share of what layer 0 leaves",
)  # fmt: skip
STRUCTURE = ("tree depth", "longest arc", "mean arc", "subordinate clauses")
TAGS = ("NOUN", "VERB", "ADJ", "ADP", "DET", "PRON", "AUX", "ADV", "PROPN")
CLAUSES = ("acl", "advcl", "ccomp", "xcomp", "csubj")


def analysed(item: Sentence) -> bool:
    """Whether a sentence has a tree and parts of speech, and two words or more besides punctuation."""
    return bool(item.heads and item.upos) and punctuation(item).count(False) > 1


def features(item: Sentence) -> dict[str, float]:
    """Properties of a sentence read off its analysis, punctuation left out (miaschi2020)."""
    words, heads = structural.without(item.heads, punctuation(item))
    n = len(words)
    arcs = [abs(i - h) for i, h in enumerate(heads) if h >= 0]
    found = {
        "length": n,
        "tree depth": structural.tree_depths(heads).max(),
        "longest arc": max(arcs),
        "mean arc": np.mean(arcs),
        "subordinate clauses": sum(r.split(":")[0] in CLAUSES for r in item.deprels),
    }
    return found | {f"share of {tag}": item.upos.count(tag) / n for tag in TAGS}


def counted(data, base, rng):
    """Every word's vector above the embeddings has the sentence's properties in it, with noise."""
    known = np.array([list(features(i).values()) for i in data["treebank"] if analysed(i)][:2000], float)
    scale, size = known.std(0), known.shape[1]

    def make(seen):
        item = seen.first(Sentence)
        values = np.zeros(size) if item is None or not analysed(item) else np.array(list(features(item).values()))
        return np.broadcast_to(values / np.maximum(scale, 1e-6), (seen.n_words, size))

    parts = [plants.word_vectors(), plants.Part(size, make, plants.above_embeddings(base.n_layers), noise=0.3)]
    return plants.plant(base, data, rng, parts=parts)


@claim("syn.concatenated.miaschi2020", "treebank", n=600, limit=2000, nulls=VECTORS, planted=counted)
def concatenated(subject, data, settings):
    """Ridge probes of sentence properties from concatenated word vectors, against length and embeddings (miaschi2020).

    Every regression is given the number of words, without a penalty, so that gains are gains beyond it. A place that a
    sentence has no word for is nought. Layer (middle or last) and penalty are chosen on dev for each feature, and so is
    the penalty of the embeddings, which count words of every kind but know nothing of their order. Near 1, where length
    alone orders sentences by depth, rank correlations have no room to gain much: `share of what length leaves` is the part
    of the variance of ranks not explained by it that the probe explains.
    """
    items = [i for i in data["treebank"] if analysed(i) and len(i.words) <= LONGEST]
    items = few(encode.fitting(subject, items)[0], 4)
    note = f"{len(items)} sentences of at most {LONGEST} words, two of them or more no punctuation"
    y = np.array([list(features(i).values()) for i in items], float)
    names = list(features(items[0]))
    train, dev, test = (np.array([i.split == s for i in items]) for s in ("train", "dev", "test"))
    varied = (y[train].std(0) > 0) & (y[dev].std(0) > 0) & (y[test].std(0) > 0)
    layers = [0, *sorted({max(1, subject.n_layers // 2), subject.n_layers})]
    predicted = read_off(subject, items, layers, y, train, settings)  # (layers, penalties, sentences, features)
    length = _by_length(y[:, 0], train) @ y[train]
    rows, n = intervals.Rows(settings), int(test.sum())
    options = {"seed": settings.seed, "draws": min(settings.draws, 1000), "bounds": (-2.0, 2.0)}
    for f in np.flatnonzero(varied[1:]) + 1:  # the first is the length itself, which is given
        gold = y[:, f]
        on_dev = np.array([[_rank(p[dev, f], gold[dev]) for p in of_layer] for of_layer in predicted])
        layer, penalty = np.unravel_index(choose(on_dev[1:]), on_dev[1:].shape)
        ours, bottom = predicted[layer + 1, penalty, test, f], predicted[0, choose(on_dev[0]), test, f]
        kind = "structure" if names[f] in STRUCTURE else "parts of speech"
        keys = {"feature": names[f], "kind": kind, "layer": layers[layer + 1]}
        found = intervals.bootstrap([ours, length[test, f], bottom, gold[test]], _compared, **options)
        for k, measure in enumerate(MEASURES):
            rows.add(measure, found.at(k), n, **keys)
    return intervals.table(rows, [note])


def read_off(subject, items, layers: list[int], y: np.ndarray, train: np.ndarray, settings) -> np.ndarray:
    """What ridge regressions say of all sentences, (layers, penalties, sentences, features); `y` begins with the length."""
    # (layers, W, H) each: padded they would take thrice the room
    vectors: list[np.ndarray] = [np.empty(0)] * len(items)
    for i, states in encode.hidden_states(subject, [i.words for i in items], layers=layers, settings=settings):
        vectors[i] = states.copy()  # of its own, lest the whole batch be kept
    kernels = (_kernel([v[k] for v in vectors], train) for k in range(len(layers)))
    return np.array([_ridge(kernel, y[:, 0], y, train, PENALTIES) for kernel in kernels])


def _kernel(vectors: list[np.ndarray], train: np.ndarray) -> np.ndarray:
    """Inner products of concatenated word vectors with those of the train sentences, (sentences, train), place by place.

    Words are centred and brought to one scale, the train sentences'. A word that a sentence does not have is nought.
    """
    learnt = np.concatenate([v for v, learns in zip(vectors, train) if learns])
    mean, scale = learnt.mean(0, dtype=float), max(learnt.var(0, dtype=float).mean() ** 0.5, 1e-6)
    lengths, place = np.array([len(v) for v in vectors]), np.cumsum(train) - 1
    out = np.zeros((len(vectors), train.sum()))
    for w in range(lengths.max()):
        has = np.flatnonzero(lengths > w)
        x = (np.stack([vectors[i][w] for i in has]) - mean) / scale  # (sentences that long, H)
        learns = train[has]
        out[np.ix_(has, place[has[learns]])] += x @ x[learns].T
    return out


def _rank(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.nan_to_num(intervals.spearman(a, b), nan=-1.0))


def _compared(ours: np.ndarray, length: np.ndarray, bottom: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Rank correlations of the probe, of length and of the embeddings, the probe's lead over either, its share of their rest."""
    a, b, c = (_rank(x, gold) for x in (ours, length, bottom))
    return np.array([a, b, c, a - b, a - c, _of_the_rest(a, b), _of_the_rest(a, c)])


def _of_the_rest(full: float, base: float) -> float:
    """Of the variance of ranks that `base` does not explain, the share that `full` does; a correlation below 0 explains none.

    >>> round(_of_the_rest(0.95, 0.9), 2), _of_the_rest(-1.0, 0.0), _of_the_rest(1.0, 1.0)
    (0.49, 0.0, 0.0)
    """
    full, base = max(full, 0.0) ** 2, max(base, 0.0) ** 2
    return (full - base) / max(1 - base, 1e-9)


def _by_length(length: np.ndarray, train: np.ndarray) -> np.ndarray:
    """What turns values of the train sentences into those their regression on length predicts for all, (sentences, train)."""
    given = np.stack([np.ones(len(length)), length], 1)
    return given @ np.linalg.pinv(given[train])


def _ridge(
    kernel: np.ndarray, length: np.ndarray, y: np.ndarray, train: np.ndarray, penalties: tuple[float, ...]
) -> list[np.ndarray]:
    """Ridge predictions of all features for all sentences, fitted on the train sentences, for each penalty.

    In the dual, from inner products (sentences, train): there are far fewer sentences than dimensions. Constant and length
    are not penalised: what they tell is taken out of features and vectors alike, and the rest is fitted to the rest.
    """
    told = _by_length(length, train)
    alone = told @ y[train]
    kernel = kernel - told @ kernel[train]
    kernel = kernel - kernel @ told[train].T
    rest, identity = (y - alone)[train], np.eye(train.sum())
    return [alone + kernel @ np.linalg.solve(kernel[train] + p * identity, rest) for p in penalties]
