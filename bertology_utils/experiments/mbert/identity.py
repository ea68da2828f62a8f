"""Which language is a sentence in? Told from few examples, against characters and pieces, and after centring.

A sentence's pieces give most languages away, so that a probe that tells them says little about training. Here a
sentence is given the language of the nearest of a few, one in each language; characters and pieces are learnt from the
same few. What a model knows of languages that it was never told, it has from pretraining (libovicky2019, wu2019dredze).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier

from ...claims.registry import claim
from ...errors import TooFew
from ...scores import intervals
from ...scores.choice import choose
from ...vectors.geometry import cosines
from .centroids import families
from .languages import language
from .parallel import Parallel, gather
from .planted import tongues

MOST = 330  # a third as many of each set where there are several: enough for the training sets
SHOTS, SAMPLES = 1, 10  # sentences of a language to learn it from, and how many such training sets
NEIGHBOURS = 15  # that vote on a sentence's language


@dataclass(frozen=True, eq=False)
class Spoken:
    """Sentences of K languages, one after the other.

    Attributes
    ----------
    vectors, centred : float32 array (L + 1, M, H)
        As they are, and less the mean of the language over the sentences to learn from.
    language : str array (M,)
    sentence : int array (M,)
        Equal for translations.
    part : str array (M,)
        train, dev or test.
    texts, pieces : lists of M texts
    """

    vectors: np.ndarray
    centred: np.ndarray
    language: np.ndarray
    sentence: np.ndarray
    part: np.ndarray
    texts: list[str]
    pieces: list[str]

    @property
    def languages(self) -> list[str]:
        return sorted(set(self.language.tolist()))


@claim(
    "mbt.language_identity.libovicky2019",
    tasks="translations",
    n=120,
    nulls=("untrained", "bag of words", "positions", "constant", "coin"),
    planted=tongues,
    plantable=("encoded", "removable"),  # generated languages with relatives among them are seven: too few for families
)
def language_identity(subject, data, settings):
    """Languages told from one sentence each, clustered by their centroids, and told after centring (libovicky2019).

    Ten training sets; the layer is chosen on dev sentences. Characters (one to three in a row) and pieces are learnt by
    naive Bayes; the better of the two on dev is what vectors are measured against. Centring takes the mean of a
    language, estimated on training sentences, from all its vectors; then the nearest training sentences tell it, all of
    them, and what they tell is set against what they tell in the embeddings, centred as well.
    """
    spoken = flattened(gather(subject, data["translations"], settings, MOST))
    few, note = _few(spoken, settings)
    kin = families(spoken.vectors, spoken.pieces, spoken.language, spoken.part, settings)
    rows = [*few, *_removed(spoken, settings), *kin]
    names = ", ".join(language(code).name for code in spoken.languages)
    return intervals.table(rows, [f"{len(spoken.languages)} languages ({names}); {note}"])


def flattened(sets: Sequence[Parallel]) -> Spoken:
    """All sentences, each language from the first set that has it.

    Raises
    ------
    TooFew
        If there are too few sentences for the training sets.
    """
    parts: list[tuple[Any, ...]] = []
    seen: set[str] = set()
    for number, p in enumerate(sets):
        part = p.part
        for k, code in enumerate(p.languages):
            if code not in seen:
                seen.add(code)
                x, sentence = p.vectors[:, k], number * 10**6 + np.arange(p.n)
                centred = x - x[:, part == "train"].mean(1, keepdims=True)
                parts.append((x, centred, code, sentence, part, p.sentences[k], p.pieces[k]))
    if min((part == "train").sum() for *_, part, _, _ in parts) < SHOTS * SAMPLES:
        raise TooFew(f"{SAMPLES} training sets of {SHOTS} sentences a language need more sentences")
    vectors, middle, codes, numbers, splits, said, pieces = zip(*parts)
    return Spoken(
        np.concatenate(vectors, 1),
        np.concatenate(middle, 1),
        np.repeat(codes, [len(p) for p in splits]),
        np.concatenate(numbers),
        np.concatenate(splits),
        [" ".join(s.words) for group in said for s in group],
        [" ".join(map(str, ids)) for group in pieces for ids in group],
    )


def _few(spoken: Spoken, settings) -> tuple[list[dict], str]:
    """What is told from few sentences: by each layer, by characters and by pieces."""
    dev, test = spoken.part == "dev", spoken.part == "test"
    by_layer, by_symbols = [], []
    for train in _training_sets(spoken):
        by_layer.append([nearest(v, train, spoken.language) == spoken.language for v in spoken.vectors])
        by_symbols.append([symbols(spoken, train, kind) == spoken.language for kind in SYMBOLS])
    layers, others = np.array(by_layer), np.array(by_symbols)  # (samples, L + 1, M), (samples, 2, M)
    best = 1 + choose(layers[:, 1:, dev].mean((0, 2)))
    other = choose(others[:, :, dev].mean((0, 2)))
    measure = "language identification"

    def row(name: str, right: np.ndarray, **keys) -> dict:
        return _over_samples(name, right[:, test], spoken, test, settings, **keys)

    rows = [row(f"{measure} over characters", layers[:, best].astype(int) - others[:, other], layer=best)]
    rows.append(row(f"{measure} over the embeddings", layers[:, best].astype(int) - layers[:, 0], layer=best))
    rows += [row(measure, layers[:, k], layer=k, shots=SHOTS) for k in range(layers.shape[1])]
    rows += [row(f"{measure} by symbols", others[:, k], by=kind, shots=SHOTS) for k, kind in enumerate(SYMBOLS)]
    chosen = f"layer {best} and {list(SYMBOLS)[other]}"
    said = f"told from {SHOTS} training sentence of each, {SAMPLES} such training sets; chosen on dev: {chosen}"
    return rows, said


def nearest(vectors: np.ndarray, train: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The label (M,) of the nearest training vector by cosine, all less the training vectors' mean.

    Parameters
    ----------
    vectors : float array (M, H)
    train : bool array (M,)
    labels : array (M,)
    """
    mean = vectors[train].mean(0)
    return labels[train][cosines(vectors - mean, vectors[train] - mean).argmax(1)]


def _training_sets(spoken: Spoken) -> list[np.ndarray]:
    """Masks (M,) of `SAMPLES` training sets, the same sentences in all languages where they are translations."""
    train = spoken.part == "train"
    rank = np.zeros(len(train), int)
    for code in spoken.languages:
        mine = train & (spoken.language == code)
        rank[mine] = np.arange(mine.sum())
    return [train & (rank // SHOTS == k) for k in range(SAMPLES)]


SYMBOLS: dict[str, dict[str, Any]] = {
    "characters": {"analyzer": "char", "ngram_range": (1, 3), "lowercase": False},
    "pieces": {"token_pattern": r"\d+"},
}


def symbols(spoken: Spoken, train: np.ndarray, kind: str) -> np.ndarray:
    """The language (M,) of all sentences by naive Bayes of their characters or pieces, learnt from some.

    Parameters
    ----------
    train : bool array (M,)
    kind : str
        One of `SYMBOLS`.
    """
    texts = spoken.texts if kind == "characters" else spoken.pieces
    counter = CountVectorizer(**SYMBOLS[kind])
    counts = counter.fit_transform([t for t, chosen in zip(texts, train) if chosen])
    model = MultinomialNB(alpha=0.1).fit(counts, spoken.language[train])
    return model.predict(counter.transform(texts))


def _over_samples(measure: str, right: np.ndarray, spoken: Spoken, test: np.ndarray, settings, **keys) -> dict:
    """A mean over training sets, sentences and languages (samples, M), each of which is drawn."""
    samples, m = right.shape
    drawn = intervals.crossed(samples, m, [spoken.sentence[test], spoken.language[test]])
    signed = "over" in measure
    found = intervals.mean_interval(
        right.astype(float).ravel(), seed=settings.seed, draws=settings.draws, groups=drawn, signed=signed
    )
    return intervals.row(measure, found, m, **keys)


def _removed(spoken: Spoken, settings) -> list[dict]:
    """What neighbours tell that are training sentences, before and after centring, in the layer that tells it best before.

    Not a linear probe: on vectors of equal means its best weights are nought, whatever else the vectors hold. Neighbours
    also find shared words, which any network's vectors hold and no centring takes away: what is left is counted beyond
    what the centred embeddings of the same network tell.
    """
    train, dev, test = (spoken.part == p for p in ("train", "dev", "test"))
    labels, chance, rows = spoken.language, 1 / len(spoken.languages), []

    def told(layers: np.ndarray) -> np.ndarray:
        return np.array([_by_neighbours(v, train, labels) == labels for v in layers], int)  # (L + 1, M)

    def row(measure: str, right: np.ndarray, **keys) -> dict:
        return _over_samples(measure, right[None, test], spoken, test, settings, **keys)

    plain, centred = told(spoken.vectors), told(spoken.centred)
    best = 1 + choose(plain[1:, dev].mean(1))
    named = "language identification"
    rows.append(row(f"{named} - chance", plain[best] - chance, layer=best))
    rows.append(row(f"{named}, centred - chance", centred[best] - chance, layer=best))
    rows.append(row(f"{named}, centred, over the centred embeddings", centred[best] - centred[0], layer=best))
    rows.append(row(f"{named}, plain, over the centred embeddings", plain[best] - centred[0], layer=best))
    for kind, layers in (("plain", plain), ("centred", centred)):
        rows += [row(f"{named}, all", right, layer=k, vectors=kind) for k, right in enumerate(layers)]
    return rows


def _by_neighbours(vectors: np.ndarray, train: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The language (M,) of most of the `NEIGHBOURS` training vectors that are nearest by cosine."""
    fitted = KNeighborsClassifier(NEIGHBOURS, metric="cosine", algorithm="brute").fit(vectors[train], labels[train])
    return fitted.predict(vectors)
