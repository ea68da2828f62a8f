"""Which vector stands for a sentence? [CLS] against means, maxima and other layers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data import sample
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode
from ...vectors import pooling, similarity
from .pairs import SIDES, taken
from .planted import means_of_middle_layers

PAIRS = 1500  # of each split
TRAIN, SAMPLES = 2000, 5  # sentences to train on, and how many such training sets
TEST = 2000
PENALTIES = (1.0, 10.0, 100.0, 1000.0, 10_000.0)
FLAT = "mean, layer 0"  # of the embeddings: a bag of words


@claim(
    "emb.sentence_pooling.toshniwal2020",
    ("sts", "sentiment"),
    n=1000,
    nulls=(*VECTORS, "constant", "coin"),
    planted=means_of_middle_layers,
)
def sentence_pooling(subject, data, settings):
    """Twenty-odd sentence vectors on graded similarity and on sentiment (toshniwal2020, tanaka2020, ma2019).

    Similarity by cosine, with nothing trained; sentiment by a linear probe (ridge, its strength chosen on the training
    set), trained on five samples of the train split, which are inside the interval. For each task the pooling of
    contextual layers that is best on dev is scored on test, against the last layer's [CLS] and against the mean of the
    embeddings, a bag of words. English pairs only.
    """
    names = pooling.sentence_poolings(subject.n_layers)
    notes: list[str] = []
    rows: list[dict] = []
    if data.items.get("sts"):
        rows += _similarity(subject, english(data["sts"]), names, settings, notes)
    if data.items.get("sentiment"):
        rows += _sentiment(subject, data["sentiment"], names, settings, notes)
    return intervals.table(rows, notes)


def best_pooling(names: Sequence[str], dev: np.ndarray) -> int:
    """The best on dev but for the two baselines."""
    candidates = [k for k, name in enumerate(names) if name not in (pooling.CLS, FLAT)]
    return candidates[choose(np.nan_to_num(dev, nan=-1.0)[candidates])]


def best_layer(names: Sequence[str], dev: np.ndarray) -> int:
    """The mean of a contextual layer below the last that is best on dev."""
    means = [k for k, name in enumerate(names) if name.startswith("mean, layer ") and name != FLAT][:-1]
    return means[choose(np.nan_to_num(dev, nan=-1.0)[means])]


def english(items: list) -> list:
    """The English pairs of a benchmark in several languages; all pairs of another."""
    return [i for i in items if i.condition == "en"] or items


def _gains(names: Sequence[str], dev: np.ndarray, task: str, n: int, difference, notes: list[str]) -> list[dict]:
    """What the chosen pooling gains over the baselines, and another layer's mean over that of the last."""
    best, layer = best_pooling(names, dev), best_layer(names, dev)
    last = names.index(f"mean, layer {max(int(m.split()[-1]) for m in names if m.startswith('mean, layer '))}")
    rows = [
        intervals.row("gain", difference(best, names.index(over)), n, task=task, over=over)
        for over in (pooling.CLS, FLAT)
    ]
    gain = difference(layer, last)
    notes.append(f"{task}: chosen on dev are “{names[best]}” and, among means, “{names[layer]}”")
    return [*rows, intervals.row("gain of another layer", gain, n, task=task)]


def _similarity(subject, items, names, settings, notes) -> list[dict]:
    """Spearman of each pooling, and the gains; pairs that share a sentence are resampled together."""
    items, cut = sample([i for i in items if i.split != "train"], PAIRS, settings.seed)
    notes += [f"similarity: {note}" for note in cut]
    items, left = taken(subject, items, *SIDES, what="pairs")
    notes.append(left)
    cosines = _cosines(subject, [(i.a.split(), i.b.split()) for i in items], names, settings)
    dev = np.array([i.split == "dev" for i in items])
    gold = np.array([i.score for i in items])
    test = [i for i, chosen in zip(items, dev) if not chosen]
    value = similarity.rank_correlations(gold[~dev], cosines[~dev])
    units = similarity.components([i.a for i in test], [i.b for i in test])
    weights = similarity.unit_weights(units, draws=settings.draws, seed=settings.seed)
    drawn, clusters = similarity.rank_correlation_draws(gold[~dev], cosines[~dev], weights), int(units.max()) + 1

    def difference(k, over):
        return intervals.interval(value[k] - value[over], drawn[:, k] - drawn[:, over], clusters=clusters)

    rows = intervals.Rows(settings)
    for k, name in enumerate(names):
        found = intervals.interval(value[k], drawn[:, k], clusters=clusters)
        rows.add("Spearman", found, len(test), task="similarity", pooling=name)
    on_dev = similarity.rank_correlations(gold[dev], cosines[dev])
    return [*rows, *_gains(names, on_dev, "similarity", len(test), difference, notes)]


def _cosines(subject, pairs, names, settings) -> np.ndarray:
    """Cosine of the two sentences of each pair by each pooling, (n, poolings)."""
    cosines = np.empty((len(pairs), len(names)))
    for start, window in encode.windows(pairs, 256):
        vectors = dict(pooling.sentence_vectors(subject, [text for pair in window for text in pair], settings))
        for k in range(len(window)):
            a, b = vectors[2 * k], vectors[2 * k + 1]
            cosines[start + k] = [similarity.cosines(a[name], b[name]) for name in names]
    return cosines


def _sentiment(subject, items, names, settings, notes) -> list[dict]:
    """Accuracy of a linear probe on each pooling and of the majority, and the gains; training sets by test items."""
    parts, cut = _training_sets(subject, items, settings, notes)
    notes += [f"sentiment: {note}" for note in cut]
    every = [i for part in parts.values() for i in part]
    texts = dict.fromkeys(i.text for i in every)
    place = {t: k for k, t in enumerate(texts)}
    vectors = dict(pooling.sentence_vectors(subject, (t.split() for t in texts), settings))
    labels = {name: np.array([i.label for i in part]) for name, part in parts.items()}
    samples = [name for name in parts if isinstance(name, int)]
    right = {s: np.empty((len(samples), len(parts[s]), len(names))) for s in ("dev", "test")}
    for k, name in enumerate(names):
        x = {part: np.stack([vectors[place[i.text]][name] for i in own]) for part, own in parts.items()}
        for s in samples:
            probe = make_pipeline(StandardScaler(), RidgeClassifierCV(PENALTIES)).fit(x[s], labels[s])
            for split, scored in right.items():
                scored[s, :, k] = probe.predict(x[split]) == labels[split]
    kinds, numbers = np.unique(np.concatenate([labels[s] for s in samples]), return_counts=True)
    majority = labels["test"] == kinds[numbers.argmax()]
    options = {"seed": settings.seed, "draws": settings.draws, "signed": True}

    def difference(k, over):
        return intervals.seeds_by_items(right["test"][..., k] - right["test"][..., over], **options)

    rows = intervals.Rows(settings)
    for name, scores in [*zip(names, np.moveaxis(right["test"], -1, 0)), ("none (majority)", majority)]:
        rows.mean("accuracy", scores, task="sentiment", pooling=name)
    return [*rows, *_gains(names, right["dev"].mean((0, 1)), "sentiment", len(parts["test"]), difference, notes)]


def _training_sets(subject, items, settings, notes) -> tuple[dict, tuple[str, ...]]:
    """Training sets 0, 1, ..., which share nothing where there is enough (else two thirds of all), dev and test."""
    items, left = taken(subject, items, lambda i: i.text.split(), what="texts")
    notes.append(left)
    rng = np.random.default_rng(settings.seed)
    train = [i for i in items if i.split == "train"]
    size = TRAIN if len(train) >= SAMPLES * TRAIN else max(2, min(TRAIN, 2 * len(train) // 3))
    if len(train) >= SAMPLES * size:
        order = rng.permutation(len(train))[: SAMPLES * size].reshape(SAMPLES, size)
    else:
        order = np.stack([rng.permutation(len(train))[:size] for _ in range(SAMPLES)])
    rest, cut = sample([i for i in items if i.split != "train"], TEST, settings.seed)
    parts: dict[int | str, list] = {k: [train[i] for i in row] for k, row in enumerate(order)}
    parts |= {s: [i for i in rest if i.split == s] for s in ("dev", "test")}
    return parts, (*cut, f"{SAMPLES} training sets of {size} sentences")
