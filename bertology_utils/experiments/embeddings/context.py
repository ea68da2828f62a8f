"""The cone of contextual vectors, and how much of a word's vector its context decides (ethayarajh2019)."""

from __future__ import annotations

import random

import numpy as np

from ...claims.registry import claim
from ...errors import TooFew
from ...scores import intervals
from ...vectors import geometry
from .pairs import taken
from .planted import drifting_words, fixed_words, narrowing_cone

WORDS = 600  # random words that make the baseline, and words whose contexts are compared
CONTEXTS = 5  # of each word, as many as the study asks a word to have
SENTENCES = 400  # for the similarity of a sentence's words
NULLS = ("untrained", "layer 0", "bag of words", "positions", "constant", "coin")


@claim("emb.anisotropy.ethayarajh2019", "sentences", n=1000, limit=10_000, nulls=NULLS, planted=narrowing_cone)
def anisotropy(subject, data, settings):
    """Mean cosine of random words by layer, 0 being the embeddings, with an isotropic control (ethayarajh2019).

    The control are Gaussian vectors of the same number and size. Words are resampled. The rise over the layers is that
    of the means of their lower, middle and upper thirds.
    """
    texts, note = _texts(subject, data["sentences"])
    vectors = _random_words(subject, texts, settings)
    counts = intervals.counts(len(vectors), settings.draws, settings.seed)
    n = len(vectors)
    value, drawn = geometry.mean_cosine(vectors), geometry.mean_cosine_draws(vectors, counts)
    rows = by_layer("mean cosine", value, drawn, n) + changes("mean cosine", value, drawn, n)
    gaussian = np.random.default_rng(settings.seed).standard_normal(vectors[:, 0].shape)
    control = intervals.interval(
        float(geometry.mean_cosine(gaussian)), geometry.mean_cosine_draws(gaussian, counts), clusters=n
    )
    rows.append(intervals.row("mean cosine, Gaussian control", control, n))
    return intervals.table(rows, [note])


@claim(
    "emb.context_specificity.ethayarajh2019",
    "sentences",
    n=1000,
    limit=10_000,
    nulls=(*NULLS, fixed_words),
    planted=drifting_words,
)
def context_specificity(subject, data, settings):
    """Self-similarity, explained variance and intra-sentence similarity by layer, against random words (ethayarajh2019).

    Self-similarity and variance are those of `CONTEXTS` contexts of each word. Adjusted means less the same figure of
    other words: for self-similarity the same words, each in one context; else as many random words, drawn by type, which
    are rarer and of more pieces, so that a cone alone would move the difference. Relative self-similarity is the adjusted
    one by what room the baseline leaves (1 less its similarity): a narrower cone alone squeezes the adjusted figure, but
    not the relative one. Words and baseline are resampled independently.
    """
    texts, note = _texts(subject, data["sentences"])
    baseline = _random_words(subject, texts, settings)
    itself, variance, once = _same_words(subject, texts, settings)
    some = random.Random(settings.seed).sample(texts, min(len(texts), SENTENCES))
    within = np.array([v for _, v in geometry.intra_sentence(subject, some, settings)])
    groups = len(baseline) // CONTEXTS
    by_chance = np.array([geometry.explained_variance(baseline[k::groups][:CONTEXTS]) for k in range(groups)])
    rows = []
    for name, values, base, base_drawn in (
        ("self-similarity", itself, *_cone(once, settings)),
        ("explained variance", variance, by_chance.mean(0), _means(by_chance, settings, 1)),
        ("intra-sentence similarity", within, *_cone(baseline, settings)),
    ):
        value, drawn, n = values.mean(0), _means(values, settings, 2), len(values)
        rows += by_layer(name, value, drawn, n)
        rows += by_layer(f"adjusted {name}", value - base, drawn - base_drawn, n)
        if name == "self-similarity":
            relative = _relative(value, base), _relative(drawn, base_drawn)
            rows += by_layer("relative self-similarity", *relative, n)
            rows += changes("adjusted self-similarity", value - base, drawn - base_drawn, n)
            rows += changes("relative self-similarity", *relative, n)
    return intervals.table(rows, [note, f"{CONTEXTS} contexts per word, {len(baseline)} random words for the baseline"])


def by_layer(measure: str, value: np.ndarray, drawn: np.ndarray, n: int) -> list[dict]:
    """A row for each layer from (layers,) values and (draws, layers) draws; `stage` tells the embeddings apart."""
    found = [intervals.interval(v, drawn[:, k], clusters=n) for k, v in enumerate(value)]
    stages = ["embeddings"] + ["contextual"] * (len(value) - 1)
    return [intervals.row(measure, f, n, layer=k, stage=s) for k, (f, s) in enumerate(zip(found, stages))]


def changes(measure: str, value: np.ndarray, drawn: np.ndarray, n: int) -> list[dict]:
    """How much a figure changes between the means of the lower, the middle and the upper third of the layers."""
    lower, middle, upper = (
        (value[part].mean(), drawn[:, part].mean(1)) for part in np.array_split(np.arange(len(value)), 3)
    )
    steps = {"lower to middle": (lower, middle), "middle to upper": (middle, upper), "lower to upper": (lower, upper)}
    return [
        intervals.row(f"change of {measure}", intervals.interval(b - a, db - da, clusters=n), n, step=step)
        for step, ((a, da), (b, db)) in steps.items()
    ]


def _texts(subject, items) -> tuple[list[tuple[str, ...]], str]:
    """The different sentences that the model can take, and a note of those it cannot."""
    return taken(subject, list(dict.fromkeys(item.words for item in items)), lambda words: words)


def _random_words(subject, texts, settings) -> np.ndarray:
    """One vector each of random words, drawn by type and not by frequency: (n, layers, H)."""
    chosen = geometry.sample(texts, words=WORDS, seed=settings.seed)
    return geometry.collect(subject, texts, [places[0] for places in chosen.values()], settings=settings)


def _cone(vectors: np.ndarray, settings) -> tuple[np.ndarray, np.ndarray]:
    """Mean cosine of (n, layers, H) vectors by layer, and its draws."""
    counts = intervals.counts(len(vectors), settings.draws, settings.seed)
    return geometry.mean_cosine(vectors), geometry.mean_cosine_draws(vectors, counts)


def _same_words(subject, texts, settings) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Self-similarity and explained variance of words over their contexts, (words, layers) each, and one vector of each."""
    chosen = geometry.sample(texts, contexts=CONTEXTS, words=WORDS, seed=settings.seed + 1)
    if len(chosen) < 2:
        raise TooFew(f"{len(texts)} sentences hold {len(chosen)} words with {CONTEXTS} contexts; more are needed")
    itself, variance, once = [], [], []
    for block in np.array_split(np.array(list(chosen), object), max(1, len(chosen) // 50)):  # a few words at a time
        places = [place for word in block for place in chosen[word]]
        vectors = geometry.collect(subject, texts, places, settings=settings)
        vectors = vectors.reshape(len(block), CONTEXTS, *vectors.shape[1:])
        itself += [geometry.mean_cosine(v) for v in vectors]
        variance += [geometry.explained_variance(v) for v in vectors]
        once += list(vectors[:, 0])
    return np.array(itself), np.array(variance), np.array(once)


def _relative(same: np.ndarray, other: np.ndarray) -> np.ndarray:
    room = 1 - other
    return np.divide(same - other, room, out=np.zeros_like(same), where=room > 1e-6)


def _means(values: np.ndarray, settings, stream: int) -> np.ndarray:
    """Resampled means of (n, layers) values: (draws, layers)."""
    return intervals.counts(len(values), settings.draws, settings.seed + 1000 * stream) @ values / len(values)
