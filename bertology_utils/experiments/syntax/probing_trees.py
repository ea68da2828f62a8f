"""Structural probes: trees as distances under a linear map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ... import probes
from ...calibration import planted as plants
from ...claims.registry import claim
from ...data.items import Sentence
from ...probes import Means, structural, tagging
from ...scores import intervals
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject, load
from .probing import few, punctuation, stranger

RANK = 32  # of structural probes, but for the sweep: small enough to be fast, where the study's curve is flat already
EPOCHS = 8


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
    forest: Forest, layers: list[int], settings: Settings, score: list[int], **options
) -> list[list[np.ndarray]]:
    """For each layer, predicted distances (or depths) of the sentences `score`; the probes learn on the train split."""
    train = forest.of("train")
    fitted = probes.fit_structural_each(
        [forest.vectors[k][layers] for k in train],
        [forest.heads[k] for k in train],
        seed=settings.seed,
        device=settings.torch_device(),
        **options,
    )
    measure = structural.depths if options.get("what") == "depth" else structural.distances
    return [[measure(probe, forest.vectors[k][layer]) for k in score] for layer, probe in zip(layers, fitted)]


def tree_vectors(data, base, rng):
    """Static word vectors, and from layer 1 on vectors whose squared distances are tree distances, with noise."""
    parts = [plants.word_vectors(), plants.tree_vectors(layers=plants.above_embeddings(base.n_layers), noise=0.1)]
    return plants.plant(base, data, rng, parts=parts)


@claim(
    "syn.structural_probe.hewitt2019",
    tasks="treebank",
    n=250,
    limit=400,
    # two points of UUAS at least, over each baseline
    planted=tree_vectors,
    nulls=("untrained", "layer 0", "bag of words", "positions"),
)
def structural_probe(subject, data, settings):
    """Structural probes of distance and depth at every layer; a sweep of ranks at the best (hewitt2019).

    The layer above the embeddings is chosen by UUAS on dev. Baselines on test: the embeddings, an untrained network at
    the same layer, and the chain that joins each word to the next. Punctuation is left out.
    """
    items = few([i for i in data["treebank"] if i.heads], 5)
    forest = grow(subject, items, settings)
    dev, test = forest.of("dev"), forest.of("test")

    def trees(source: Forest, layers: list[int], of: list[int], rank: int = RANK) -> list[np.ndarray]:
        """For each layer, which edges of the sentences `of` are found."""
        predicted = _probe_trees(source, layers, settings, of, rank=rank, epochs=EPOCHS)
        return [edges_found(source, of, [structural.spanning_tree(d) for d in lengths]) for lengths in predicted]

    groups = np.repeat(test, [len(forest.heads[k]) - 1 for k in test])
    mean, n = Means(groups, seed=settings.seed, draws=settings.draws), len(groups)
    on_dev = sum(len(forest.heads[k]) - 1 for k in dev)  # edges
    both = trees(forest, list(range(subject.n_layers + 1)), dev + test)
    found = [right[on_dev:] for right in both]
    best = int(np.argmax([right[:on_dev].mean() for right in both[1:]])) + 1
    rows = [intervals.row("UUAS", mean(f), n, layer=k) for k, f in enumerate(found)]
    chain = edges_found(forest, test, [structural.tree_edges(tagging.chain(len(forest.heads[k]), -1)) for k in test])
    rows.append(intervals.row("UUAS of the chain", mean(chain), n))
    (untrained,) = trees(grow(stranger(subject, settings), items, settings), [best], test)
    for name, other in (("layer 0", found[0]), ("untrained", untrained), ("chain", chain)):
        gain = mean(found[best].astype(float) - other)
        rows.append(intervals.row("UUAS over baseline", gain, n, baseline=name, layer=best))
    for rank in (r for r in (1, 4, 16, 64, 256, 1024) if r <= subject.hidden_size):
        (right,) = trees(forest, [best], test, rank)
        rows.append(intervals.row("UUAS by rank", mean(right), n, rank=rank, layer=best))
    return intervals.table(rows + _correlations(forest, best, test, RANK, settings), [forest.note])


def _correlations(forest: Forest, best: int, test: list[int], rank: int, settings: Settings) -> list[dict]:
    """Rank correlations and root accuracy at the best layer and at layer 0, over sentences."""
    rows, gold, layers = [], [forest.heads[k] for k in test], [0, best]
    by_distance = _probe_trees(forest, layers, settings, test, rank=rank, epochs=EPOCHS)
    by_depth = _probe_trees(forest, layers, settings, test, rank=rank, epochs=EPOCHS, what="depth")
    for layer, lengths, norms in zip(layers, by_distance, by_depth):
        for measure, values in {
            "distance Spearman": [structural.distance_spearman(d, h) for d, h in zip(lengths, gold)],
            "norm Spearman": [structural.depth_spearman(d, h) for d, h in zip(norms, gold)],
            "root accuracy": [float(structural.root_found(d, h)) for d, h in zip(norms, gold)],
        }.items():
            values = np.array(values)[~np.isnan(values)]
            if not len(values):  # no test sentence has a length that rank correlations speak of
                continue
            interval = intervals.mean_interval(values, seed=settings.seed, draws=settings.draws)
            rows.append(intervals.row(measure, interval, len(values), layer=layer))
    return rows


def example(layer: int, which: int = 0, settings: Settings | None = None) -> dict:
    """One test sentence of 7 to 12 words with its gold and its predicted edges, for a drawing.

    Returns
    -------
    dict
        `words` (punctuation left out), `gold` and `predicted`: pairs of places in `words`.
    """
    settings = Settings.of(settings)
    from ...runs import get, load_for, sources

    it = get("syn.structural_probe.hewitt2019")
    items = load_for(it, sources(it, settings)[0], settings)["treebank"]
    test = [i for i in items if i.split == "test" and i.heads and 7 <= punctuation(i).count(False) <= 12]
    chosen = [i for i in few([i for i in items if i.heads], 5) if i.split == "train"] + [test[which]]
    forest = grow(load(settings.model, settings), chosen, settings)
    (k,) = forest.of("test")
    ((lengths,),) = _probe_trees(forest, [layer], settings, [k], rank=RANK, epochs=EPOCHS)
    kept, _ = structural.without(forest.items[k].heads, punctuation(forest.items[k]))
    return {
        "words": [forest.items[k].words[i] for i in kept],
        "gold": sorted(structural.tree_edges(forest.heads[k])),
        "predicted": sorted(structural.spanning_tree(lengths)),
    }
