"""Do a word's contextual vectors fall apart by its senses? (wiedemann2019, schmidt2020)"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...claims.registry import claim
from ...data import load
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from ...subject import encode, models
from ...vectors import geometry, neighbours
from ...vectors.similarity import cosines

LEMMAS, TRAIN, TEST = 80, 30, 15  # at most so many ambiguous words, and occurrences of each that are encoded
NEIGHBOURS = 5
PAIRS = 750  # of each split


@claim(
    "emb.sense_clusters.wiedemann2019",
    tasks=("senses", "sense_pairs"),
    n=450,
    # two points of accuracy at least
)
def sense_clusters(subject, data, settings):
    """Senses by the nearest neighbours in training, against the most frequent sense (wiedemann2019).

    The layer is chosen on dev and scored on test; a word's occurrences are resampled together. Also how pure clusters
    of its vectors are. Where a source has pairs of contexts, they are told apart by a threshold on the cosine and
    compared with the commoner answer.
    """
    frames = []
    if data.items.get("senses"):
        frames.append(_tagging(subject, data["senses"], settings))
    if data.items.get("sense_pairs"):
        frames.append(_pairs(subject, data["sense_pairs"], settings))
    return intervals.combine(*frames)


def _ambiguous(items: Sequence, seed: int) -> dict[tuple, dict[str, list]]:
    """(lemma, upos) -> split -> items, of words with two senses in training and an item in test.

    Where a source has no dev split, a fifth of the training items is taken for it.
    """
    rng = random.Random(seed)
    words: dict[tuple, dict[str, list]] = defaultdict(lambda: {"train": [], "dev": [], "test": []})
    for item in items:
        words[item.lemma, item.upos][item.split].append(item)
    has_dev = any(parts["dev"] for parts in words.values())
    out = {}
    for word, parts in words.items():
        if len({i.sense for i in parts["train"]}) > 1 and parts["test"]:
            if not has_dev:
                rng.shuffle(parts["train"])
                fifth = len(parts["train"]) // 5
                parts["dev"], parts["train"] = parts["train"][:fifth], parts["train"][fifth:]
            out[word] = parts
    return out


def _tagging(subject, items, settings) -> pd.DataFrame:
    words = _ambiguous(items, settings.seed)
    rng = random.Random(settings.seed)
    chosen = list(words) if len(words) <= LEMMAS else rng.sample(list(words), LEMMAS)
    tagged, shapes, misfits = [], [], 0
    for word in chosen:
        default = neighbours.most_frequent([i.sense for i in words[word]["train"]])
        parts = {}
        for split, most in (("train", TRAIN), ("dev", TEST), ("test", TEST)):
            drawn = words[word][split]
            drawn = drawn if len(drawn) <= most else rng.sample(drawn, most)
            fit = encode.fits(subject, [i.words for i in drawn])
            misfits += int((~fit).sum())
            parts[split] = [i for i, ok in zip(drawn, fit) if ok]
        if not parts["train"]:
            continue
        occurrences = [i for part in parts.values() for i in part]
        vectors = geometry.collect(
            subject,
            [i.words for i in occurrences],
            [(k, i.target) for k, i in enumerate(occurrences)],
            settings=settings,
        )
        known = [i.sense for i in parts["train"]]
        n = len(known)
        for layer in range(vectors.shape[1]):
            found = neighbours.nearest(vectors[:n, layer], known, vectors[n:, layer], NEIGHBOURS)
            for item, sense in zip(occurrences[n:], found):
                tagged.append(
                    (item.split if item in parts["test"] else "dev", str(word), layer, sense == item.sense,
                     default == item.sense)
                )  # fmt: skip
            shapes.append(_shape(vectors[:, layer], [i.sense for i in occurrences]) | {"layer": layer})
    if not tagged:
        raise ValueError(f"{len(items)} items hold no word with two senses in training and an occurrence in test")
    notes = [
        f"{len(chosen)} of {len(words)} ambiguous words, at most {TRAIN} training and {TEST} test occurrences each"
    ]
    notes += [f"{misfits} contexts longer than {subject.name} takes are left out"] if misfits else []
    frame = pd.DataFrame(tagged, columns=["split", "word", "layer", "right", "default"])
    return intervals.combine(*_tagging_rows(frame, settings, notes), _shape_rows(pd.DataFrame(shapes), settings))


def _tagging_rows(frame: pd.DataFrame, settings, notes) -> list[pd.DataFrame]:
    frame["right"], frame["default"] = frame["right"].astype(float), frame["default"].astype(float)
    dev, test = frame[frame.split == "dev"], frame[frame.split == "test"]
    by_layer = (dev if len(dev) else frame).groupby("layer")["right"].mean()
    best = int(by_layer.index[choose(by_layer)])
    options = {"settings": settings, "groups": "word"}
    at = test[test.layer == best].assign(gain=lambda f: f.right - f.default, task="senses")
    return [
        intervals.means(test, "right", by="layer", measure="kNN accuracy", note=notes[0], **options),
        intervals.means(
            at, "right", by="task", measure="accuracy, layer chosen on dev", note=f"senses: layer {best}", **options
        ),
        intervals.means(at, "default", by="task", measure="baseline", note=" ".join(notes[1:]), **options),
        intervals.means(at, "gain", by="task", measure="gain over baseline", **options),
    ]


def _shape(vectors: np.ndarray, senses: list[str]) -> dict[str, float]:
    """How well one word's vectors fall apart by sense."""
    if not 1 < len(set(senses)) < len(senses):
        return {"silhouette": np.nan, "purity": np.nan, "one": np.nan}
    return {
        "silhouette": neighbours.silhouette(vectors, senses),
        "purity": neighbours.purity(neighbours.clusters(vectors, len(set(senses))), senses),
        "one": neighbours.purity([0] * len(senses), senses),
    }


def _shape_rows(shapes: pd.DataFrame, settings) -> pd.DataFrame:
    shapes = shapes.dropna()
    named = {"silhouette": "silhouette of senses", "purity": "cluster purity", "one": "cluster purity, one cluster"}
    return intervals.combine(
        *(intervals.means(shapes, c, by="layer", measure=m, settings=settings) for c, m in named.items())
    )


def _pairs(subject, items, settings) -> pd.DataFrame:
    """Same sense or not, by the cosine of the two occurrences."""
    rng = random.Random(settings.seed)
    by_split = {s: [i for i in items if i.split == s] for s in ("train", "dev", "test")}
    if not by_split["dev"]:
        by_split["dev"], by_split["train"] = (
            by_split["train"][::5],
            [i for k, i in enumerate(by_split["train"]) if k % 5],
        )
    values, labels, misfits = {}, {}, 0
    for split, part in by_split.items():
        part = part if len(part) <= PAIRS else rng.sample(part, PAIRS)
        texts = [words for i in part for words in (i.meta["words_a"], i.meta["words_b"])]
        fit = encode.fits(subject, texts).reshape(-1, 2).all(1)
        misfits += int((~fit).sum())
        values[split] = np.empty((int(fit.sum()), subject.n_layers + 1))
        labels[split] = np.array([i.label == "T" for i, ok in zip(part, fit) if ok])
        kept = [i for i, ok in zip(part, fit) if ok]
        for start, window in encode.windows(kept, 256):
            texts = [words for i in window for words in (i.meta["words_a"], i.meta["words_b"])]
            places = [(2 * k + j, i.meta[f"target_{'ab'[j]}"]) for k, i in enumerate(window) for j in (0, 1)]
            vectors = geometry.collect(subject, texts, places, settings=settings)
            values[split][start : start + len(window)] = cosines(vectors[::2], vectors[1::2])
    layers = range(subject.n_layers + 1)
    thresholds = [neighbours.best_threshold(values["train"][:, k], labels["train"]) for k in layers]
    right = {s: (values[s] >= thresholds) == labels[s][:, None] for s in ("dev", "test")}  # (n, layers)
    best = choose(right["dev"].mean(0))
    commoner = neighbours.most_frequent(labels["train"].tolist())
    frame = pd.DataFrame({"right": right["test"][:, best].astype(float), "task": "pairs"})
    frame["default"] = (labels["test"] == commoner).astype(float)
    frame["gain"] = frame.right - frame.default
    named = {"right": "accuracy, layer chosen on dev", "default": "baseline", "gain": "gain over baseline"}
    rows = [intervals.means(frame, c, by="task", measure=m, settings=settings) for c, m in named.items()]
    by_layer = pd.DataFrame(right["test"], columns=list(layers)).melt(var_name="layer", value_name="right")
    note = f"{misfits} pairs with a sentence longer than {subject.name} takes are left out" if misfits else ""
    return intervals.combine(
        *rows, intervals.means(by_layer, "right", by="layer", measure="pair accuracy", settings=settings, note=note)
    )


def sense_map(word: str | None = None, settings: Settings | None = None, n: int = 1500) -> pd.DataFrame:
    """One word's occurrences in the plane of their two main directions, layer by layer, with the settings' model.

    Parameters
    ----------
    word : str, optional
        A lemma of the generated sense items; by default the one whose senses are most evenly spread.

    Returns
    -------
    DataFrame
        A row a layer and occurrence: ``layer, x, y, sense, silhouette`` (the layer's, of the gold senses).
    """
    settings = settings or Settings.of()
    subject = models.load(settings.model, settings)
    by_lemma: dict[str, list] = defaultdict(list)
    for item in load("senses", "builtin", n=n, seed=settings.seed)["senses"]:
        by_lemma[item.lemma].append(item)
    if word is None:
        counts = {w: Counter(i.sense for i in own) for w, own in by_lemma.items()}
        word = max(counts, key=lambda w: (len(counts[w]) > 1, min(counts[w].values())))
    if word not in by_lemma:
        raise KeyError(f"no sense items of {word!r}; there are {sorted(by_lemma)}")
    items = [i for i in by_lemma[word] if encode.fits(subject, [i.words])[0]]
    places = [(k, i.target) for k, i in enumerate(items)]
    vectors = geometry.collect(subject, [i.words for i in items], places, settings=settings)
    senses = [i.sense.rpartition(".")[2] for i in items]
    frames = []
    for layer in range(vectors.shape[1]):
        x, y = geometry.plane(geometry.unit(vectors[:, layer])).T
        shape = neighbours.silhouette(vectors[:, layer], senses)
        frames.append(pd.DataFrame({"layer": layer, "x": x, "y": y, "sense": senses, "silhouette": shape}))
    return pd.concat(frames, ignore_index=True).assign(word=word)
