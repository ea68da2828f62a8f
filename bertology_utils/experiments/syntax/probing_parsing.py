"""Trees without a structural probe: parsing as tagging, constituents from distances, tensor products."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ... import probes
from ...claims.registry import claim
from ...data.items import Sentence, Span
from ...probes import Means, structural, tagging, tpdn
from ...scores import intervals
from ...settings import Settings
from ...subject import encode
from ...subject.models import Subject
from .probing import few, punctuation
from .probing_trees import Forest, grow


@claim(
    "syn.trees_from_vectors.vilares2020",
    tasks=("treebank", "constituency"),
    n=300,
    limit=300,
    # two points of UAS at least
)
def trees_from_vectors(subject, data, settings):
    """Dependency parsing as tagging with a linear layer; constituents from distances of neighbours (vilares2020, kim2020).

    Tags (relative heads) and the parts of speech they count by are both predicted from the same layer, chosen by UAS on
    dev. The chain is the better on dev of "every word depends on its left, or right, neighbour". Constituents need no
    training; layer and metric are chosen by F1 on dev and reported beside right-branching.
    """
    frames = []
    treebank = [i for i in data.items.get("treebank", []) if i.heads]
    if treebank:
        forest = grow(subject, few(treebank, 5), settings)
        frames.append(_tagged(forest, settings))
    bracketed = [i for i in data.items.get("constituency", treebank) if i.brackets and i.split != "train"]
    if bracketed:
        frames.append(_constituents(subject, bracketed, settings))
    return intervals.combine(*frames)


def _tagged(forest: Forest, settings: Settings):
    """UAS of parsing as tagging by layer, of the chain, and the difference at the layer chosen on dev."""
    kept = [structural.without(item.heads, punctuation(item))[0] for item in forest.items]
    tags = [np.array(item.upos or item.xpos)[k] for item, k in zip(forest.items, kept)]
    labels = [np.array(tagging.relative_heads(h, list(t))) for h, t in zip(forest.heads, tags)]
    train, dev, test = (forest.of(s) for s in ("train", "dev", "test"))
    x = np.concatenate([forest.vectors[k] for k in train], 1)  # (L + 1, words, H)
    taggers, parsers = (
        probes.fit_each(x, np.concatenate([of[k] for k in train]), device=settings.torch_device())
        for of in (tags, labels)
    )

    def right(layer: int) -> dict[str, np.ndarray]:
        tagger, parser, out = taggers[layer], parsers[layer], {}
        for split, of in (("dev", dev), ("test", test)):
            parsed = [
                tagging.decode_heads(
                    parser.log_probs(forest.vectors[k][layer]),
                    list(parser.classes),
                    tagger.predict(forest.vectors[k][layer]).tolist(),
                )
                for k in of
            ]
            out[split] = np.concatenate([tagging.attachments(p, forest.heads[k]) for p, k in zip(parsed, of)])
        return out

    def chained(of: list[int], way: int) -> np.ndarray:
        return np.concatenate(
            [tagging.attachments(tagging.chain(len(forest.heads[k]), way), forest.heads[k]) for k in of]
        )

    layers = [right(layer) for layer in range(len(forest.vectors[0]))]
    best = int(np.argmax([r["dev"].mean() for r in layers]))
    chain = chained(test, max((-1, 1), key=lambda way: chained(dev, way).mean()))
    mean = Means(np.repeat(test, [len(forest.heads[k]) for k in test]), seed=settings.seed, draws=settings.draws)
    rows = [intervals.row("UAS", mean(r["test"]), len(chain), layer=k) for k, r in enumerate(layers)]
    rows.append(intervals.row("UAS of the chain", mean(chain), len(chain)))
    gain = mean(layers[best]["test"].astype(float) - chain)
    rows.append(intervals.row("UAS over chain", gain, len(chain), layer=best))
    return intervals.table(rows, [forest.note])


def _constituents(subject: Subject, items: list[Sentence], settings: Settings):
    """Unlabelled F1 of splitting at the widest gap between neighbours, beside right-branching; nothing is trained.

    Punctuation is left out, as is usual: a final stop would make right-branching wrong everywhere.
    """
    items = [
        i
        for i, ok in zip(items, encode.fits(subject, [i.words for i in items]))
        if ok and punctuation(i).count(False) > 2
    ]
    metrics = ("cosine", "L1", "L2")
    scores = np.full((subject.n_layers + 1, len(metrics), len(items)), np.nan)
    trees = [_without_punctuation(i) for i in items]  # words kept and spans among them
    flat = np.array([tagging.span_f1(tagging.right_branching(len(k)), spans, len(k)) for k, spans in trees])
    for i, states in encode.hidden_states(subject, [i.words for i in items], settings=settings):
        kept, gold = trees[i]
        for layer, vectors in enumerate(states[:, kept]):
            for m, metric in enumerate(metrics):
                spans = tagging.split_by_distance(tagging.gaps(vectors, metric))
                scores[layer, m, i] = tagging.span_f1(spans, gold, len(kept))
    dev = np.array([i.split == "dev" for i in items])
    layer, m = np.unravel_index(np.nanmean(scores[:, :, dev], -1).argmax(), scores.shape[:2])
    test = ~dev & ~np.isnan(flat)
    options = {"seed": settings.seed, "draws": settings.draws}
    keys, n, ours = {"layer": int(layer), "metric": metrics[m]}, int(test.sum()), scores[layer, m, test]
    return intervals.table(
        [
            intervals.row("F1 of constituents", intervals.mean_interval(ours, **options), n, **keys),
            intervals.row("F1 of right-branching", intervals.mean_interval(flat[test], **options), n),
            intervals.row("F1 over right-branching", intervals.difference(ours, flat[test], **options), n, **keys),
        ]
    )


def _without_punctuation(item: Sentence) -> tuple[list[int], list[Span]]:
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


@claim(
    "syn.tpdn.jawahar2019",
    tasks="treebank",
    n=400,
    # no margin: the survey itself calls the differences very small
)
def tensor_products(subject, data, settings):
    """[CLS] of the last layer rebuilt from words bound to roles, by five role schemes (jawahar2019).

    The error is the mean squared error on test over standardised coordinates (1: no better than the mean vector);
    intervals are over seeds and sentences.
    """
    items = [i for i in data["treebank"] if i.brackets]
    items = [i for i, ok in zip(items, encode.fits(subject, [i.words for i in items])) if ok]
    vectors = np.empty((len(items), subject.hidden_size), np.float32)
    words = [i.words for i in items]
    for i, states in encode.hidden_states(subject, words, pool=None, layers=[subject.n_layers], settings=settings):
        vectors[i] = states[0, 0]
    train, dev, test = (np.array([i.split == s for i in items]) for s in ("train", "dev", "test"))
    fillers = [[w.lower() for w in ws] for ws in words]
    errors = {
        scheme: probes.fit_tpdn(
            fillers,
            [tpdn.roles(scheme, len(i.words), i.brackets) for i in items],
            vectors,
            train,
            dev,
            seed=settings.seed,
            epochs=12,
            device=settings.torch_device(),
        )[:, test]
        for scheme in probes.SCHEMES
    }
    options, n = {"seed": settings.seed, "draws": min(settings.draws, 1000)}, int(test.sum())
    rows = [intervals.row("error", intervals.seeds_by_items(e, **options), n, roles=s) for s, e in errors.items()]
    for scheme, error in errors.items():
        if scheme != "tree":
            over = intervals.seeds_by_items(error - errors["tree"], **options)
            rows.append(intervals.row("error over tree roles", over, n, roles=scheme))
    return intervals.table(rows)
