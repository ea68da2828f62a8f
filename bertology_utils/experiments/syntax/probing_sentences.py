"""Whole sentences, and two formalisms over the same arguments: what concatenated vectors and role labels show."""

from __future__ import annotations

import numpy as np

from ... import probes
from ...claims.registry import claim
from ...data import load
from ...data.items import EdgeItem, Sentence
from ...probes import structural
from ...probes.linear import fit
from ...scores import intervals
from ...settings import Settings
from ...subject import encode
from .probing import few

LONGEST = 40  # words: vectors are concatenated, so every sentence takes the longest one's room
PENALTIES = (1e2, 1e3, 1e4, 1e5)
MEASURES = ("Spearman", "Spearman of length", "gain over length")
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


@claim(
    "syn.concatenated.miaschi2020",
    tasks="treebank",
    n=350,
    limit=500,
    # "most": more than half of the features; 0.05 of a rank correlation is the least gain worth the name
)
def concatenated(subject, data, settings):
    """Ridge probes of sentence properties from concatenated word vectors, against length alone (miaschi2020).

    Vectors are padded with zeros to the longest sentence. Layer (embeddings, middle, last) and penalty are chosen on
    dev for each feature. Length itself is a row but has no gain: it is its own baseline.
    """
    items = [i for i in data["treebank"] if i.heads and i.upos and len(i.words) <= LONGEST]
    items = few([i for i, ok in zip(items, encode.fits(subject, [i.words for i in items])) if ok], 7)
    note = f"{len(items)} sentences of at most {LONGEST} words"
    y = np.array([list(features(i).values()) for i in items], float)
    names = list(features(items[0]))
    train, dev, test = (np.array([i.split == s for i in items]) for s in ("train", "dev", "test"))
    varied = (y[train].std(0) > 0) & (y[dev].std(0) > 0) & (y[test].std(0) > 0)
    layers = sorted({0, subject.n_layers // 2, subject.n_layers})
    width = max(len(i.words) for i in items)
    x = np.zeros((len(layers), len(items), width, subject.hidden_size), np.float32)
    for i, states in encode.hidden_states(subject, [i.words for i in items], layers=layers, settings=settings):
        x[:, i, : states.shape[1]] = states
    x -= x[:, train].mean((1, 2), keepdims=True) * (x != 0).any(-1, keepdims=True)  # padding stays nought
    x /= x[:, train].std((1, 2, 3), keepdims=True)
    predicted = [p for flat in x for p in _ridge(flat.reshape(len(items), -1), y, train, PENALTIES)]
    (length,) = _ridge(y[:, :1], y, train, (1e-3,))
    rows, n = [], int(test.sum())
    options = {"seed": settings.seed, "draws": min(settings.draws, 300)}
    for f, name in enumerate(names):
        if not varied[f]:
            continue
        on_dev = [np.nan_to_num(intervals.spearman(p[dev, f], y[dev, f]), nan=-1) for p in predicted]
        ours = predicted[int(np.argmax(on_dev))][test, f]
        keys = {"feature": name, "layer": layers[int(np.argmax(on_dev)) // len(PENALTIES)]}
        found = intervals.bootstrap([ours, length[test, f], y[test, f]], _compared, **options)
        rows += [
            intervals.row(m, [v[k] for v in found], n, **keys) for k, m in enumerate(MEASURES[: 2 if f == 0 else 3])
        ]
    return intervals.table(rows, [note])


def _compared(ours: np.ndarray, length: np.ndarray, gold: np.ndarray) -> np.ndarray:
    """Rank correlations of the probe and of length, and their difference."""
    a, b = intervals.spearman(ours, gold), intervals.spearman(length, gold)
    return np.array([a, b, a - b])


def _ridge(x: np.ndarray, y: np.ndarray, train: np.ndarray, penalties: tuple[float, ...]) -> list[np.ndarray]:
    """Ridge predictions of all features for all sentences, fitted on the train sentences, for each penalty.

    In the dual: there are far fewer sentences than dimensions.
    """
    x = (x - x[train].mean(0)).astype(np.float64)
    kernel, mean = x @ x[train].T, y[train].mean(0)  # (n, train)
    identity = np.eye(train.sum())
    return [kernel @ np.linalg.solve(kernel[train] + p * identity, y[train] - mean) + mean for p in penalties]


FORMALISMS = ("role label", "proto-role properties")


@claim(
    "syn.formalism.kuznetsov2020",
    tasks="proto_roles",
    n=700,
)
def formalism(subject, data, settings):
    """One set of predicate-argument pairs, labelled in two formalisms, probed at every layer (kuznetsov2020).

    PropBank gives a pair one role label, decompositional semantics a set of properties; the score of a pair is whether
    its label is right, or the share of its properties that are. The two profiles over layers are compared in shape:
    distance of the centred, normalised mean profiles, against what comes out if the formalisms are swapped at random in
    half of the sentences (1,000 times; the interval is that of a share of so many draws).
    """
    items, notes = _both_labelled(data, settings)
    targets, note = probes.fitting(subject, probes.from_edges(items, label=lambda i: i.meta["role"]))
    properties = sorted({p for i in items for p in i.labels})
    by_id = {(i.words, i.span1, i.span2): i for i in items}
    edges = [by_id[targets.sentences[s], tuple(a), tuple(b)] for s, (a, b) in zip(targets.sentence, targets.spans)]
    train, dev, test = (targets.split == s for s in ("train", "dev", "test"))
    held = np.array([[p in i.labels for p in properties] for i in edges])
    some = held[train].any(0) & ~held[train].all(0)  # a property that all have, or none, shows nothing
    x = probes.gather(subject, targets, settings=settings)
    options = {"seed": settings.seed, "device": settings.torch_device()}
    scores = np.empty((2, len(x), len(edges)))  # (formalisms, L + 1, N)
    roles = probes.fit_each(x[:, train], targets.labels[train], device=options["device"])
    for layer, (vectors, role) in enumerate(zip(x, roles)):
        scores[0, layer] = role.predict(vectors) == targets.labels
        proto = fit(vectors[train], held[train][:, some], classes=np.array(properties)[some], **options)
        scores[1, layer] = (proto.predict(vectors) == held[:, some]).mean(1)
    rows, n = [], int(test.sum())
    mean = probes.Means(targets.sentence[test], seed=settings.seed, draws=settings.draws)
    for k, name in enumerate(FORMALISMS):
        rows += [intervals.row("score", mean(s), n, formalism=name, layer=l) for l, s in enumerate(scores[k][:, test])]
        best = int(scores[k][:, dev].mean(1).argmax())
        gain = mean(scores[k, best, test] - scores[k, 0, test])
        rows.append(intervals.row("gain of the best layer over layer 0", gain, n, formalism=name, layer=best))
    p = permutation(scores[:, :, test], targets.sentence[test], seed=settings.seed)
    return intervals.table([*rows, intervals.row("permutation p", p, n)], [note, *notes])


def permutation(
    scores: np.ndarray, groups: np.ndarray, *, draws: int = 1000, seed: int = 0
) -> tuple[float, float, float]:
    """p-value, with its 95 % Monte Carlo interval, of the two profiles' difference in shape.

    Parameters
    ----------
    scores : float array (2, layers, N)
        Made comparable first: each formalism's scores are centred by pair and divided by their spread.
    groups : array (N,)
        What is swapped together (sentences).
    """
    centred = scores - scores.mean(1, keepdims=True)
    scaled = centred / np.maximum(centred.std((1, 2), keepdims=True), 1e-12)
    kinds, member = np.unique(groups, return_inverse=True)
    rng = np.random.default_rng(seed)
    sums = np.stack([scaled[..., member == g].sum(-1) for g in range(len(kinds))], -1)  # (2, layers, G)
    observed = _difference(sums.sum(-1))
    at_least = 0
    for _ in range(draws):
        swap = rng.random(len(kinds)) < 0.5
        at_least += _difference(np.where(swap, sums[::-1], sums).sum(-1)) >= observed
    p = (at_least + 1) / (draws + 1)
    error = 1.96 * (p * (1 - p) / draws) ** 0.5
    return p, max(0.0, p - error), min(1.0, p + error)


def _difference(profiles: np.ndarray) -> float:
    """Euclidean distance of two profiles (2, layers), each of length one."""
    a, b = (v / max(np.linalg.norm(v), 1e-12) for v in profiles)
    return float(np.linalg.norm(a - b))


def _both_labelled(data, settings: Settings) -> tuple[list[EdgeItem], list[str]]:
    """Pairs with properties as labels and the PropBank role in `meta["role"]`; once each.

    Where the source's items do not carry the role, it is looked up in PropBank over the same treebank.
    """
    items = data["proto_roles"]
    if not all("role" in i.meta for i in items):
        asked = {"mirror": settings.mirror, "cache": settings.cache}
        propbank = load("semantic_roles", "up_english_ewt", seed=settings.seed, settings=Settings.of(settings, **asked))
        roles = {(i.words, i.span1, i.span2): i for i in propbank["semantic_roles"]}
        found = [(i, roles.get((i.words, i.span1, i.span2))) for i in items if i.condition == "argument"]
        joined = [
            EdgeItem(
                id=i.id,
                split=r.split,
                words=i.words,
                span1=i.span1,
                span2=i.span2,
                labels=i.labels or ("none",),
                meta={"role": r.labels[0]},
            )
            for i, r in found
            if r is not None
        ]
        notes = [
            f"{len(joined)} of {len(found)} arguments have a PropBank role over the same words; splits are PropBank's"
        ]
        return list({(i.words, i.span1, i.span2): i for i in joined}.values()), notes
    return list({(i.words, i.span1, i.span2): i for i in items}.values()), []
