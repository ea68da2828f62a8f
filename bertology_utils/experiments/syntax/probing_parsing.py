"""Trees without a structural probe: parsing as tagging, constituents from distances of neighbours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data.items import Sentence, Span
from ...probes import structural, tagging
from ...probes.linear import fit_grid
from ...scores import intervals
from ...scores.choice import choose
from ...scores.trees import chain
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject
from . import planted
from .fitted import FOLDS, PENALTIES, Rows, folds
from .probing import few, punctuation
from .probing_trees import Forest, grow


@claim(
    "syn.trees_from_vectors.vilares2020",
    ("treebank", "constituency"),
    n=400,
    limit=250,
    nulls=VECTORS,
    planted=planted.tagged_trees,
)
def trees_from_vectors(subject, data, settings):
    """Dependency parsing as tagging with a linear layer; constituents from distances of neighbours (vilares2020, kim2020).

    Tags (relative heads) and the parts of speech they count by are both predicted from the same layer; penalty and
    layer, above the embeddings, are chosen by UAS on dev. Baselines: the embeddings under the same parser, and the
    better on dev of "every word depends on its left, or right, neighbour". Constituents need no training; layer and
    metric are chosen by F1 on dev, and the baselines are the embeddings, right-branching, left-branching and random
    splits.
    """
    frames = []
    treebank = [i for i in data.items.get("treebank", []) if i.heads]
    if treebank:
        forest = grow(subject, few(treebank, 5), settings)
        frames.append(_tagged(forest, subject.name, settings))
    bracketed = [i for i in data.items.get("constituency", treebank) if i.brackets and i.split != "train"]
    if bracketed:
        frames.append(_constituents(subject, bracketed, settings))
    return intervals.combine(*frames)


class _Taggers:
    """Parts of speech and relative heads of a forest's words, and parsers that tell them from the vectors of a layer."""

    def __init__(self, forest: Forest, settings: Settings) -> None:
        self.forest, self.settings = forest, settings
        kept = [structural.without(item.heads, punctuation(item))[0] for item in forest.items]
        self.tags = [np.array(item.upos or item.xpos)[k] for item, k in zip(forest.items, kept)]
        self.labels = [np.array(tagging.relative_heads(h, list(t))) for h, t in zip(forest.heads, self.tags)]

    def fit(self, train: list[int], layers: list[int], penalties: tuple[float, ...]) -> list[list[tuple]]:
        """For each penalty and layer, a tagger and a parser."""
        x = np.concatenate([self.forest.vectors[k][layers] for k in train], 1)  # (layers, words, H)
        device = self.settings.torch_device()
        taggers, parsers = (
            fit_grid(x, np.concatenate([of[k] for k in train]), penalties, device=device)
            for of in (self.tags, self.labels)
        )
        return [list(zip(*grid)) for grid in zip(taggers, parsers)]

    def right(self, pair: tuple, layer: int, of: list[int]) -> np.ndarray:
        """For each word of the sentences `of`, whether its head is right."""
        tagger, parser = pair
        parsed = [
            tagging.decode_heads(
                parser.log_probs(self.forest.vectors[k][layer]),
                list(parser.classes),
                tagger.predict(self.forest.vectors[k][layer]).tolist(),
            )
            for k in of
        ]
        return np.concatenate([tagging.attachments(p, self.forest.heads[k]) for p, k in zip(parsed, of)])


def _tagged(forest: Forest, name: str, settings: Settings):
    """UAS of parsing as tagging by layer, of the baselines, and the leads over these at the layer chosen on dev."""
    train, dev, test = (forest.of(s) for s in ("train", "dev", "test"))
    every = list(range(len(forest.vectors[0])))
    taggers = _Taggers(forest, settings)
    grid = taggers.fit(train, every, PENALTIES)
    on_dev = np.array([[taggers.right(grid[p][k], k, dev).mean() for k in every] for p in range(len(PENALTIES))])
    which = np.array([choose(layer) for layer in on_dev.T])
    best = choose(on_dev.max(0)[1:]) + 1
    layers = [taggers.right(grid[which[k]][k], k, test).astype(float) for k in every]
    end = (0, -1)[choose([_chained(forest, dev, end).mean() for end in (0, -1)])]
    chain = _chained(forest, test, end).astype(float)
    again = _again(taggers, train, test, [0, best], which, settings)  # (folds, 2, words)
    rows = Rows(np.repeat(test, [len(forest.heads[k]) for k in test]), settings, name)
    for k, right in enumerate(layers):
        rows.add("UAS", right, layer=k)
    rows.add("UAS of the chain", chain)
    rows.add("UAS over chain", layers[best] - chain, again[:, 1] - chain, signed=True, layer=best)
    rows.add("UAS over layer 0", layers[best] - layers[0], again[:, 1] - again[:, 0], signed=True, layer=best)
    return intervals.table(rows.rows, [forest.note])


def _chained(forest: Forest, of: list[int], end: int) -> np.ndarray:
    """Which words depend on their neighbour towards an end: the first word (0) or the last (-1)."""
    return np.concatenate([chain(len(gold), end % len(gold)) == gold for gold in (forest.heads[k] for k in of)])


def _again(taggers: _Taggers, train, test, layers: list[int], which: np.ndarray, settings: Settings) -> np.ndarray:
    """Right heads on test of parsers trained without one fold of the training sentences, (folds, layers, words)."""
    fold, out = folds(np.arange(len(train)), settings), []
    for k in range(FOLDS):
        kept = [s for s, of in zip(train, fold) if of != k]
        fits = {layer: taggers.fit(kept, [layer], (PENALTIES[which[layer]],))[0][0] for layer in layers}
        out.append([taggers.right(fits[layer], layer, test) for layer in layers])
    return np.array(out, float)


METRICS = ("cosine", "L1", "L2")


def _split_scores(subject: Subject, items: list[Sentence], trees: list, settings: Settings) -> np.ndarray:
    """F1 of splitting at the widest gap, (L + 1, metrics, N)."""
    scores = np.full((subject.n_layers + 1, len(METRICS), len(items)), np.nan)
    for i, states in encode.hidden_states(subject, [i.words for i in items], settings=settings):
        kept, gold = trees[i]
        for layer, vectors in enumerate(states[:, kept]):
            for m, metric in enumerate(METRICS):
                spans = tagging.split_by_distance(tagging.gaps(vectors, metric))
                scores[layer, m, i] = tagging.span_f1(spans, gold, len(kept))
    return scores


def _constituents(subject: Subject, items: list[Sentence], settings: Settings):
    """Unlabelled F1 of splitting at the widest gap between neighbours, beside baselines; nothing is trained.

    Punctuation is left out, as is usual: a final stop would make right-branching wrong everywhere.
    """
    fit = encode.fits(subject, [i.words for i in items])
    items = [i for i, ok in zip(items, fit) if ok and punctuation(i).count(False) > 2]
    trees = [without_punctuation(i) for i in items]  # words kept and spans among them
    scores = _split_scores(subject, items, trees, settings)
    rng = np.random.default_rng(settings.seed)
    plain = {
        "right-branching": lambda n: tagging.right_branching(n),
        "left-branching": lambda n: {(0, j) for j in range(2, n + 1)},
        "random splits": lambda n: tagging.split_by_distance(rng.random(n - 1)),
    }
    others = {k: np.array([tagging.span_f1(f(len(w)), gold, len(w)) for w, gold in trees]) for k, f in plain.items()}
    dev = np.array([i.split == "dev" for i in items])
    test = ~dev & ~np.isnan(others["right-branching"])
    above = np.nanmean(scores[1:, :, dev], -1)
    layer, m = divmod(choose(above), above.shape[1])
    others["layer 0"] = scores[0, choose(np.nanmean(scores[0][:, dev], -1))]
    keys, ours = {"layer": int(layer) + 1}, scores[layer + 1, m, test]
    rows = intervals.Rows(settings)
    rows.mean("F1 of constituents", ours, **keys)
    for name, other in others.items():
        rows.mean("F1 of baseline", other[test], baseline=name)
        rows.mean("F1 over baseline", ours - other[test], signed=True, baseline=name, **keys)
    return intervals.table(rows, [f"constituents: {METRICS[m]} distance at layer {layer + 1}, best on dev"])


def without_punctuation(item: Sentence) -> tuple[list[int], list[Span]]:
    """The places of the words that are no punctuation, and the constituents over these alone."""
    marks = np.array(punctuation(item))
    kept = np.flatnonzero(~marks).tolist()
    place = np.concatenate([[0], np.cumsum(~marks)])  # words kept before each place
    moved = [
        replace(s, start=int(place[s.start]), end=int(place[s.end]))
        for s in item.brackets
        if place[s.end] > place[s.start]
    ]
    return kept, moved
