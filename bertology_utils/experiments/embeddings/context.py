"""The cone of contextual vectors, and how much of a word's vector its context decides (ethayarajh2019)."""

from __future__ import annotations

import random

import numpy as np

from ...calibration import planted as plants
from ...claims.registry import claim
from ...scores import intervals
from ...subject import encode
from ...vectors import geometry, similarity

WORDS = 300  # random words that make the baseline, and words whose contexts are compared
CONTEXTS = 5  # of each word, as many as the study asks a word to have
SENTENCES = 300  # for the similarity of a sentence's words


def _texts(subject, items) -> tuple[list[tuple[str, ...]], str]:
    """The different sentences that the model can take, and a note of those it cannot."""
    texts = list(dict.fromkeys(item.words for item in items))
    fit = encode.fits(subject, texts)
    left = f"{(~fit).sum()} sentences longer than {subject.name} takes are left out" if not fit.all() else ""
    return [text for text, ok in zip(texts, fit) if ok], left


def _random_words(subject, texts, settings) -> np.ndarray:
    """One vector each of random words, drawn by type and not by frequency: (n, layers, H)."""
    chosen = geometry.sample(texts, words=WORDS, seed=settings.seed)
    return geometry.collect(subject, texts, [places[0] for places in chosen.values()], settings=settings)


def _by_layer(measure: str, value: np.ndarray, drawn: np.ndarray, n: int) -> list[dict]:
    """A row a layer, and the rank correlation of layer and figure over the same draws."""
    layers = np.arange(len(value))
    slopes = similarity.rank_correlations(layers, drawn.T)
    rows = [intervals.row(measure, intervals.interval(v, drawn[:, k]), n, layer=k) for k, v in enumerate(value)]
    trend = intervals.interval(intervals.spearman(layers, value), slopes)
    return [*rows, intervals.row(f"Spearman of layer and {measure}", trend, n)]


def narrowing_cone(data, base, rng):
    """One direction that all vectors share, from layer to layer the stronger, beside noise of length one."""
    return plants.plant(base, data, rng, parts=[plants.cone(np.linspace(0.9, 2.5, base.n_layers + 1))])


@claim(
    "emb.anisotropy.ethayarajh2019",
    tasks="sentences",
    n=400,
    limit=10_000,
    planted=narrowing_cone,
    nulls=("untrained", "layer 0", "positions", "coin"),
)
def anisotropy(subject, data, settings):
    """Mean cosine of random words by layer, 0 being the embeddings, with an isotropic control (ethayarajh2019).

    The control are Gaussian vectors of the same number and size.
    """
    texts, note = _texts(subject, data["sentences"])
    vectors = _random_words(subject, texts, settings)
    counts = intervals.counts(len(vectors), settings.draws, settings.seed)
    rows = _by_layer(
        "mean cosine", geometry.mean_cosine(vectors), geometry.mean_cosine_draws(vectors, counts), len(vectors)
    )
    gaussian = np.random.default_rng(settings.seed).standard_normal(vectors[:, 0].shape)
    control = intervals.interval(geometry.mean_cosine(gaussian), geometry.mean_cosine_draws(gaussian, counts))
    return intervals.table([*rows, intervals.row("mean cosine, Gaussian control", control, len(vectors))], [note])


@claim(
    "emb.context_specificity.ethayarajh2019",
    tasks="sentences",
    n=400,
    limit=10_000,
    # a rank correlation nearer to 0 than 0.2 would be no "less and less"
)
def context_specificity(subject, data, settings):
    """Self-similarity, explained variance and intra-sentence similarity, raw and adjusted (ethayarajh2019).

    Self-similarity and variance are those of `CONTEXTS` contexts of each word; adjusted means less the same figure of
    as many random words. Words and baseline are resampled independently.
    """
    texts, note = _texts(subject, data["sentences"])
    baseline = _random_words(subject, texts, settings)
    chosen = geometry.sample(texts, contexts=CONTEXTS, words=WORDS, seed=settings.seed + 1)
    if len(chosen) < 2:
        raise ValueError(f"{len(texts)} sentences hold {len(chosen)} words with {CONTEXTS} contexts; more are needed")
    itself, variance = [], []
    for block in np.array_split(np.array(list(chosen), object), max(1, len(chosen) // 50)):  # a few words at a time
        places = [place for word in block for place in chosen[word]]
        vectors = geometry.collect(subject, texts, places, settings=settings)
        vectors = vectors.reshape(len(block), CONTEXTS, *vectors.shape[1:])
        itself += [geometry.mean_cosine(v) for v in vectors]
        variance += [geometry.explained_variance(v) for v in vectors]
    some = random.Random(settings.seed).sample(texts, min(len(texts), SENTENCES))
    within = np.array([v for _, v in geometry.intra_sentence(subject, some, settings)])
    groups = len(baseline) // CONTEXTS
    by_chance = np.array([geometry.explained_variance(baseline[k::groups][:CONTEXTS]) for k in range(groups)])
    cone = geometry.mean_cosine(baseline)
    cone_drawn = geometry.mean_cosine_draws(baseline, intervals.counts(len(baseline), settings.draws, settings.seed))
    rows = []
    for name, values, base, base_drawn in (
        ("self-similarity", itself, cone, cone_drawn),
        ("explained variance", variance, by_chance.mean(0), _means(by_chance, settings, 1)),
        ("intra-sentence similarity", within, cone, cone_drawn),
    ):
        values = np.array(values)
        drawn = _means(values, settings, 2)
        rows += _by_layer(name, values.mean(0), drawn, len(values))
        rows += _by_layer(f"adjusted {name}", values.mean(0) - base, drawn - base_drawn, len(values))
    return intervals.table(rows, [note, f"{CONTEXTS} contexts a word, {len(baseline)} random words for the baseline"])


def _means(values: np.ndarray, settings, stream: int) -> np.ndarray:
    """Resampled means of (n, layers) values: (draws, layers)."""
    return intervals.counts(len(values), settings.draws, settings.seed + 1000 * stream) @ values / len(values)
