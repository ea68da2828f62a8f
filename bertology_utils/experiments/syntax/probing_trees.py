"""Structural probes: trees as distances under a linear map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import probes
from ...claims.registry import claim
from ...data.items import Sentence
from ...probes import structural
from ...scores import intervals, trees
from ...scores.choice import choose
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject
from . import planted
from .probing import few, punctuation, stranger

RANK = 32  # of structural probes, but for the sweep: small enough to be fast; mpnet gains two points more by twice the rank
EPOCHS = 8
SEEDS = 3  # starts of the probes that are compared


@dataclass(frozen=True, eq=False)
class Forest:
    """Sentences as vectors and trees: `vectors` (layers, W, H) and `heads` of each; punctuation is left out."""

    items: list[Sentence]
    heads: list[list[int]]
    vectors: list[np.ndarray]
    note: str

    def of(self, split: str) -> list[int]:
        return [k for k, item in enumerate(self.items) if item.split == split]


def grow(subject: Subject, items: list[Sentence], settings: Settings, longest: int = 40) -> Forest:
    """Encode the sentences of 3 to `longest` words (without punctuation) that the model takes whole."""
    kept = [(item, *structural.without(item.heads, punctuation(item))) for item in items if item.heads]
    kept = [k for k in kept if 3 <= len(k[1]) <= longest]
    fit = encode.fits(subject, [k[0].words for k in kept])
    kept = [k for k, ok in zip(kept, fit) if ok]
    note = f"{len(kept)} of {len(items)} sentences have 3 to {longest} words without punctuation and fit the model"
    vectors: list = [None] * len(kept)
    for i, states in encode.hidden_states(subject, [k[0].words for k in kept], settings=settings):
        vectors[i] = states[:, kept[i][1]]
    return Forest([k[0] for k in kept], [k[2] for k in kept], vectors, note)


def edges_found(forest: Forest, of: list[int], predicted: list[set]) -> np.ndarray:
    """For every gold edge of the sentences `of`, whether it is among the predicted ones."""
    return np.array(
        [e in found for k, found in zip(of, predicted) for e in sorted(structural.tree_edges(forest.heads[k]))]
    )


def _probe_trees(
    forest: Forest, layers: list[int], settings: Settings, score: list[int], seed: int | None = None, **options
) -> list[list[np.ndarray]]:
    """For each layer, predicted distances (or depths) of the sentences `score`; the probes learn on the train split."""
    train = forest.of("train")
    fitted = probes.fit_structural_each(
        [forest.vectors[k][layers] for k in train],
        [forest.heads[k] for k in train],
        seed=settings.seed if seed is None else seed,
        device=settings.torch_device(),
        **options,
    )
    measure = structural.depths if options.get("what") == "depth" else structural.distances
    return [[measure(probe, forest.vectors[k][layer]) for k in score] for layer, probe in zip(layers, fitted)]


@claim(
    "syn.structural_probe.hewitt2019",
    tasks="treebank",
    n=400,
    limit=3000,  # a probe that learns from 300 finds 6 to 14 points fewer of the edges
    nulls=("untrained", "layer 0", "bag of words", "positions"),
    planted=planted.trees,
)
def structural_probe(subject, data, settings):
    """Structural probes of distance and depth at every layer; a sweep of ranks at the best (hewitt2019).

    The layer above the embeddings is chosen by UUAS on dev. Baselines on test: the embeddings, an untrained network at
    the same layer, and the chain that joins each word to the next. Where probes are compared, each was trained from
    `SEEDS` starts, which are resampled with the sentences. Punctuation is left out.
    """
    items = few([i for i in data["treebank"] if i.heads], 5)
    forest = grow(subject, items, settings)
    dev, test = forest.of("dev"), forest.of("test")
    groups = np.repeat(test, [len(forest.heads[k]) - 1 for k in test])
    on_dev = sum(len(forest.heads[k]) - 1 for k in dev)  # edges
    both = _recovered(forest, list(range(subject.n_layers + 1)), dev + test, settings)
    best = choose([right[:on_dev].mean() for right in both[1:]]) + 1
    rows = intervals.Rows(settings, groups=groups)
    for layer, right in enumerate(both):
        rows.mean("UUAS", right[on_dev:], layer=layer)
    chain = edges_found(forest, test, [structural.tree_edges(trees.chain(len(forest.heads[k]), 0)) for k in test])
    rows.mean("UUAS of the chain", chain)
    seeds = [settings.seed + 1 + k for k in range(SEEDS)]
    ours = np.array([_recovered(forest, [0, best], test, settings, seed=s) for s in seeds], float)  # (seeds, 2, edges)
    strangers = grow(stranger(subject, settings), items, settings)
    untrained = np.array([_recovered(strangers, [best], test, settings, seed=s)[0] for s in seeds], float)
    baselines = {"layer 0": ours[:, 0], "untrained": untrained, "chain": np.broadcast_to(chain, untrained.shape)}
    for name, other in baselines.items():
        rows.mean("UUAS over baseline", ours[:, 1] - other, signed=True, baseline=name, layer=best)
    for rank in (r for r in (1, 4, 16, 64, 256, 1024) if r <= subject.hidden_size):
        (right,) = _recovered(forest, [best], test, settings, rank=rank)
        rows.mean("UUAS by rank", right, rank=rank, layer=best)
    return intervals.table(rows + _correlations(forest, best, test, seeds, settings), [forest.note])


def _recovered(
    forest: Forest, layers: list[int], of: list[int], settings: Settings, seed: int | None = None, rank=RANK
):
    """For each layer, which edges of the sentences `of` are in the tree of a probe trained on the train split."""
    predicted = _probe_trees(forest, layers, settings, of, seed=seed, rank=rank, epochs=EPOCHS)
    return [edges_found(forest, of, [structural.spanning_tree(d) for d in lengths]) for lengths in predicted]


def _correlations(forest: Forest, best: int, test: list[int], seeds: list[int], settings: Settings) -> list[dict]:
    """Rank correlations and root accuracy at the best layer and at layer 0, over sentences, and their differences."""
    gold, layers, found = [forest.heads[k] for k in test], [0, best], []
    for seed in seeds:
        options = {"seed": seed, "rank": RANK, "epochs": EPOCHS}
        by_distance = _probe_trees(forest, layers, settings, test, **options)
        by_depth = _probe_trees(forest, layers, settings, test, what="depth", **options)
        found.append(
            [
                {
                    "distance Spearman": [structural.distance_spearman(d, h) for d, h in zip(lengths, gold)],
                    "norm Spearman": [structural.depth_spearman(d, h) for d, h in zip(norms, gold)],
                    "root accuracy": [float(structural.root_found(d, h)) for d, h in zip(norms, gold)],
                }
                for lengths, norms in zip(by_distance, by_depth)
            ]
        )
    rows = intervals.Rows(settings)
    for measure in found[0][0]:
        values = np.array([[layer[measure] for layer in of_seed] for of_seed in found])  # (seeds, 2, sentences)
        values = values[..., ~np.isnan(values).any((0, 1))]
        if not values.size:  # no test sentence has a length that rank correlations speak of
            continue
        for k, layer in enumerate(layers):
            rows.mean(measure, values[:, k], layer=layer)
        rows.mean(f"{measure} over layer 0", values[:, 1] - values[:, 0], signed=True, layer=best)
    return rows


def example(subject: Subject, items: list[Sentence], layer: int, which: int = 0, settings: Settings | None = None):
    """One test sentence of 7 to 12 words with its gold and its predicted edges, for a drawing.

    Parameters
    ----------
    items : list of Sentence
        Train and test sentences with gold heads, as the claim takes them.
    which : int
        Of the test sentences of that length.

    Returns
    -------
    dict
        `words` (punctuation left out), `gold` and `predicted`: pairs of places in `words`.
    """
    settings = Settings.of(settings)
    test = [i for i in items if i.split == "test" and i.heads and 7 <= punctuation(i).count(False) <= 12]
    chosen = [i for i in few([i for i in items if i.heads], 5) if i.split == "train"] + [test[which]]
    forest = grow(subject, chosen, settings)
    (k,) = forest.of("test")
    ((lengths,),) = _probe_trees(forest, [layer], settings, [k], rank=RANK, epochs=EPOCHS)
    kept, _ = structural.without(forest.items[k].heads, punctuation(forest.items[k]))
    return {
        "words": [forest.items[k].words[i] for i in kept],
        "gold": sorted(structural.tree_edges(forest.heads[k])),
        "predicted": sorted(structural.spanning_tree(lengths)),
    }
