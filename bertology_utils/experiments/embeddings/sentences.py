"""Which vector stands for a sentence? [CLS] against means, maxima and other layers."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import RidgeClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ...claims.registry import claim
from ...data import sample
from ...scores import intervals
from ...scores.choice import choose
from ...subject import encode
from ...vectors import pooling, similarity

LIMIT = 1500  # items of each split
PENALTIES = (1.0, 10.0, 100.0, 1000.0)


@claim(
    "emb.sentence_pooling.toshniwal2020",
    tasks=("sts", "sentiment"),
    n=400,
    limit=600,
    # a point of accuracy or of Spearman at least
)
def sentence_pooling(subject, data, settings):
    """Twenty-odd sentence vectors on graded similarity and on sentiment (toshniwal2020, tanaka2020, ma2019).

    Similarity by cosine, with nothing trained; sentiment by a linear probe (ridge) on the train split. The pooling
    that gains most over the last layer's [CLS] on dev, in the task where it gains least, is scored on test. English
    pairs only.
    """
    names = pooling.sentence_poolings(subject.n_layers)
    notes: list[str] = []
    measured = {}  # task -> (measure, {split: function of resampled items giving a score a pooling})
    if data.items.get("sts"):
        measured["similarity"] = _similarity(subject, data["sts"], names, settings, notes)
    if data.items.get("sentiment"):
        measured["sentiment"] = _sentiment(subject, data["sentiment"], names, settings, notes)
    gains = np.array([scores["dev"][0] - scores["dev"][0][0] for scores in measured.values()])  # (tasks, poolings)
    best = choose(np.nan_to_num(gains, nan=-np.inf).min(0)[1:]) + 1  # another than the last layer's [CLS]
    rows = []
    for task, scores in measured.items():
        value, drawn, n = scores["test"]
        majority = scores.get("majority")
        for k, name in enumerate(names):
            measure = "accuracy" if task == "sentiment" else "Spearman"
            rows.append(intervals.row(measure, intervals.interval(value[k], drawn[:, k]), n, task=task, pooling=name))
        gain = intervals.interval(value[best] - value[0], drawn[:, best] - drawn[:, 0])
        rows.append(intervals.row("gain over last-layer [CLS]", gain, n, task=task, pooling=names[best]))
        if majority is not None:
            interval = intervals.mean_interval(majority, seed=settings.seed, draws=settings.draws)
            rows.append(intervals.row("accuracy", interval, n, task=task, pooling="none (majority)"))
    return intervals.table(rows, notes)


def _similarity(subject, items, names, settings, notes) -> dict:
    """Split -> (Spearman of each pooling, its draws, n)."""
    items, cut = sample([i for i in english(items) if i.split != "train"], LIMIT, settings.seed)
    notes += [f"similarity: {note}" for note in cut]
    pairs = [(i.a.split(), i.b.split()) for i in items]
    fit = encode.fits(subject, [a for a, _ in pairs]) & encode.fits(subject, [b for _, b in pairs])
    items, pairs = ([x for x, ok in zip(xs, fit) if ok] for xs in (items, pairs))
    _left(notes, "pairs", fit, subject)
    cosines = np.empty((len(items), len(names)))
    for start, window in encode.windows(pairs, 256):
        vectors = dict(pooling.sentence_vectors(subject, [text for pair in window for text in pair], settings))
        for k in range(len(window)):
            a, b = vectors[2 * k], vectors[2 * k + 1]
            cosines[start + k] = [similarity.cosines(a[name], b[name]) for name in names]
    dev = np.array([i.split == "dev" for i in items])
    gold = np.array([i.score for i in items])
    out = {}
    for split, mask in (("dev", dev), ("test", ~dev)):
        value = similarity.rank_correlations(gold[mask], cosines[mask])
        draws = min(settings.draws, 500) if split == "test" else 10
        drawn = similarity.rank_correlation_draws(gold[mask], cosines[mask], draws=draws, seed=settings.seed)
        out[split] = value, drawn, int(mask.sum())
    return out


def english(items: list) -> list:
    """The English pairs of a benchmark in several languages; all pairs of another."""
    return [i for i in items if i.condition == "en"] or items


def _sentiment(subject, items, names, settings, notes) -> dict:
    """Split -> (accuracy of each pooling, its draws, n), and the majority's answers on test."""
    items, cut = sample(items, LIMIT, settings.seed)
    notes += [f"sentiment: {note}" for note in cut]
    fit = encode.fits(subject, [i.text.split() for i in items])
    items = [i for i, ok in zip(items, fit) if ok]
    _left(notes, "texts", fit, subject)
    vectors = dict(pooling.sentence_vectors(subject, (i.text.split() for i in items), settings))
    split = np.array([i.split for i in items])
    label = np.array([i.label for i in items])
    right = np.empty((len(items), len(names)))
    for k, name in enumerate(names):
        x = np.stack([vectors[i][name] for i in range(len(items))])
        probe = make_pipeline(StandardScaler(), RidgeClassifierCV(PENALTIES))
        right[:, k] = probe.fit(x[split == "train"], label[split == "train"]).predict(x) == label
    kinds, numbers = np.unique(label[split == "train"], return_counts=True)
    out = {"majority": label[split == "test"] == kinds[numbers.argmax()]}
    for part in ("dev", "test"):
        chosen = right[split == part]
        drawn = intervals.counts(len(chosen), settings.draws, settings.seed) @ chosen / len(chosen)
        out[part] = chosen.mean(0), drawn, len(chosen)
    return out


def _left(notes: list[str], what: str, fit: np.ndarray, subject) -> None:
    if not fit.all():
        notes.append(f"{(~fit).sum()} {what} longer than {subject.name} takes are left out")
