"""Do a word's contextual vectors fall apart by its senses? (wiedemann2019, schmidt2020)"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score

from ...calibration.nulls import VECTORS
from ...claims.registry import claim
from ...data import load
from ...data.items import WordInContext
from ...errors import TooFew
from ...scores import intervals
from ...scores.choice import choose
from ...settings import Settings
from ...subject import encode, models
from ...vectors import geometry, neighbours
from ...vectors.similarity import cosines
from .planted import senses_apart

LEMMAS, TRAIN, DEV, TEST = 400, 40, 20, 30  # at most so many ambiguous words, and occurrences of each
LEAST = 4  # occurrences of a word in training
NEIGHBOURS = 5
PAIRS = 1500  # of each split
COMMONEST, FLAT, BAG = "commonest sense", "embeddings (layer 0)", "bag of words"


@claim(
    "emb.sense_clusters.wiedemann2019",
    ("senses", "sense_pairs"),
    n=1200,
    nulls=(*VECTORS, "constant", "coin"),
    planted=senses_apart,
)
def sense_clusters(subject, data, settings):
    """Senses by the nearest neighbours in training, and clusters against senses (wiedemann2019, schmidt2020).

    The contextual layer is chosen on dev and scored on test; a word's occurrences are resampled together. Baselines see
    the same training occurrences: always the sense that is commonest among them, the nearest neighbours by the word's
    embedding (layer 0: its form and place), and those by the bag of the sentence's other words (the mean of their
    embeddings). Clusters are Ward's, as many as the word has senses; their adjusted Rand index is 0 by chance. Where a
    source has pairs of contexts, they are told apart by a threshold on the cosine.
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
            if len(parts["train"]) >= LEAST:
                out[word] = parts
    return out


def _drawn(subject, words: dict, settings) -> tuple[dict[tuple, dict[str, list]], int]:
    """Some of the ambiguous words, with at most so many occurrences of each split, and how many were too long."""
    rng, out, misfits = random.Random(settings.seed), {}, 0
    for word in list(words) if len(words) <= LEMMAS else rng.sample(list(words), LEMMAS):
        parts = {}
        for split, most in (("train", TRAIN), ("dev", DEV), ("test", TEST)):
            drawn = words[word][split]
            drawn = drawn if len(drawn) <= most else rng.sample(drawn, most)
            fit = encode.fits(subject, [i.words for i in drawn])
            misfits += int((~fit).sum())
            parts[split] = [i for i, ok in zip(drawn, fit) if ok]
        if len({i.sense for i in parts["train"]}) > 1 and parts["test"]:
            out[word] = parts
    return out, misfits


def _tagging(subject, items, settings) -> pd.DataFrame:
    words = _ambiguous(items, settings.seed)
    chosen, misfits = _drawn(subject, words, settings)
    if not chosen:
        raise TooFew(f"{len(items)} items hold no word with two senses in training and an occurrence in test")
    tagged, shapes = [], []
    for word, parts in chosen.items():
        occurrences = [i for part in parts.values() for i in part]
        known, senses = [i.sense for i in parts["train"]], [i.sense for i in occurrences]
        vectors, bags = _occurrences(subject, occurrences, settings)
        n, default = len(known), neighbours.most_frequent(known)
        splits = [split for split, part in parts.items() for _ in part]
        for way, own in [*enumerate(np.moveaxis(vectors, 1, 0)), (BAG, bags)]:
            found = neighbours.nearest(own[:n], known, own[n:], NEIGHBOURS)
            tagged += [(splits[n + k], str(word), way, found[k] == senses[n + k]) for k in range(len(found))]
            shapes.append({"word": str(word), "way": way} | _shape(own, senses))
        tagged += [(splits[k], str(word), COMMONEST, default == senses[k]) for k in range(n, len(occurrences))]
    notes = [
        f"{len(chosen)} of {len(words)} ambiguous words, at most {TRAIN} training and {TEST} test occurrences each",
        f"{misfits} contexts longer than {subject.name} takes are left out" if misfits else "",
    ]
    frame = pd.DataFrame(tagged, columns=["split", "word", "way", "right"]).astype({"right": float})
    return _tagging_rows(frame, pd.DataFrame(shapes).dropna(), settings, notes)


def _occurrences(subject, items: Sequence, settings) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of the targets, (n, layers, H), and the mean embedding of each sentence's other words, (n, H)."""
    vectors = np.empty((len(items), subject.n_layers + 1, subject.hidden_size), np.float32)
    bags = np.empty((len(items), subject.hidden_size), np.float32)
    for i, states in encode.hidden_states(subject, (i.words for i in items), settings=settings):
        at = items[i].target
        vectors[i] = states[:, at]
        others = [w for w in range(states.shape[1]) if w != at]
        bags[i] = states[0, others].mean(0) if others else 0
    return vectors, bags


def _tagging_rows(frame: pd.DataFrame, shapes: pd.DataFrame, settings, notes) -> pd.DataFrame:
    """Accuracy by layer and of the baselines, the chosen layer's gains over them, and how well clusters follow senses."""
    layers = [w for w in frame.way.unique() if not isinstance(w, str)]
    test = frame[frame.split == "test"]
    dev = frame[frame.split == "dev"] if (frame.split == "dev").any() else frame
    scores = dev[dev.way.isin(layers[1:])].groupby("way")["right"].mean()
    best = layers[1:][choose(scores.reindex(layers[1:]).to_numpy())]
    by_layer = test[test.way.isin(layers)].rename(columns={"way": "layer"})
    rows = [intervals.means(by_layer, "right", by="layer", measure="kNN accuracy", settings=settings, groups="word")]
    right = {way: test[test.way == way].right.to_numpy() for way in (best, 0, BAG, COMMONEST)}
    words = test[test.way == best].word.to_numpy()
    baselines = {COMMONEST: right[COMMONEST], FLAT: right[0], BAG: right[BAG]}
    made = _gains(right[best], baselines, words, "senses", best, settings)
    for measure, column in (("adjusted Rand index", "rand"), ("silhouette of senses", "silhouette")):
        curve = shapes[shapes.way.isin(layers)].rename(columns={"way": "layer"})
        rows.append(intervals.means(curve, column, by="layer", measure=f"{measure} by layer", settings=settings))
        own = {way: shapes[shapes.way == way][column].to_numpy() for way in (best, 0, BAG)}
        made.mean(measure, own[best], layer=best)
        for over, way in ((FLAT, 0), (BAG, BAG)):
            gain = own[best] - own[way]
            made.mean(f"gain in {measure}", gain, signed=True, over=over)
    return intervals.combine(*rows, intervals.table(made, notes))


def _gains(own: np.ndarray, baselines: dict[str, np.ndarray], groups, task: str, layer, settings) -> intervals.Rows:
    """Accuracy at the chosen layer and of each baseline, and the gains over them; `groups` are resampled together."""
    rows = intervals.Rows(settings)
    rows.mean("accuracy, layer chosen on dev", own, groups=groups, task=task, layer=layer)
    for over, theirs in baselines.items():
        rows.mean("baseline", theirs, groups=groups, task=task, over=over)
        rows.mean("gain over baseline", own - theirs, groups=groups, signed=True, task=task, over=over)
    return rows


def _shape(vectors: np.ndarray, senses: list[str]) -> dict[str, float]:
    """How well one word's vectors fall apart by sense."""
    if not 1 < len(set(senses)) < len(senses):
        return {"silhouette": np.nan, "rand": np.nan}
    return {
        "silhouette": neighbours.silhouette(vectors, senses),
        "rand": adjusted_rand_score(senses, neighbours.clusters(vectors, len(set(senses)))),
    }


def _pairs(subject, items, settings) -> pd.DataFrame:
    """Same sense or not, by the cosine of the two occurrences; a threshold for each layer from the train split."""
    rng = random.Random(settings.seed)
    by_split = {s: [i for i in items if i.split == s] for s in ("train", "dev", "test")}
    if not by_split["dev"]:
        train = by_split["train"]
        by_split["dev"], by_split["train"] = train[::5], [i for k, i in enumerate(train) if k % 5]
    values, labels, kept, misfits = {}, {}, {}, 0
    for split, part in by_split.items():
        part = part if len(part) <= PAIRS else rng.sample(part, PAIRS)
        texts = [words for i in part for words in (i.meta["words_a"], i.meta["words_b"])]
        fit = np.all(encode.fits(subject, texts).reshape(-1, 2), 1)
        misfits += int((~fit).sum())
        kept[split] = [i for i, ok in zip(part, fit) if ok]
        labels[split] = np.array([i.label == "T" for i in kept[split]])
        values[split] = _pair_cosines(subject, kept[split], settings)
    columns = range(values["train"].shape[1])  # the layers, then the bags
    thresholds = [neighbours.best_threshold(values["train"][:, k], labels["train"]) for k in columns]
    right = {s: ((values[s] >= thresholds) == labels[s][:, None]).astype(float) for s in ("dev", "test")}
    best = 1 + choose(right["dev"][:, 1:-1].mean(0))
    commoner = neighbours.most_frequent(labels["train"].tolist())
    test = right["test"]
    baselines = {COMMONEST: (labels["test"] == commoner).astype(float), FLAT: test[:, 0], BAG: test[:, -1]}
    lemmas = [i.meta.get("lemma", i.id) for i in kept["test"]]
    made = _gains(test[:, best], baselines, lemmas, "pairs", best, settings)
    made += [intervals.mean_row("pair accuracy", test[:, k], settings, groups=lemmas, layer=k) for k in columns[:-1]]
    note = f"{misfits} pairs with a sentence longer than {subject.name} takes are left out" if misfits else ""
    return intervals.table(made, [note])


def _pair_cosines(subject, items, settings) -> np.ndarray:
    """Cosine of the two targets at every layer, and of the two bags of other words: (n, layers + 1)."""
    out = np.empty((len(items), subject.n_layers + 2))
    for start, window in encode.windows(items, 256):
        sides = []
        for side in "ab":
            found = [
                WordInContext(
                    id=i.id, split=i.split, words=i.meta[f"words_{side}"], target=i.meta[f"target_{side}"], lemma="",
                    sense="",
                )
                for i in window
            ]  # fmt: skip
            sides.append(_occurrences(subject, found, settings))
        (a, bag_a), (b, bag_b) = sides
        out[start : start + len(window), :-1] = cosines(a, b)
        out[start : start + len(window), -1] = cosines(bag_a, bag_b)
    return out


def sense_map(word: str | None = None, settings: Settings | None = None, n: int = 1500) -> pd.DataFrame:
    """One word's occurrences in the plane of their two main directions, layer by layer, with the settings' model.

    Parameters
    ----------
    word : str, optional
        A lemma of the generated sense items; by default the one whose senses are most evenly spread.

    Returns
    -------
    DataFrame
        A row per layer and occurrence: ``layer, x, y, sense, silhouette`` (the layer's, of the gold senses).
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
