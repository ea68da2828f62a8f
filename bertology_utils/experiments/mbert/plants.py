"""Planted subjects and nulls of the multilingual rows about tasks."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from ...calibration import planted as parts
from ...calibration.gold import Seen
from ...calibration.nulls import as_null
from ...calibration.planted import Part, plant
from ...calibration.standin import Rng
from ...data.items import Data, ForcedChoice, Sentence
from ...subject.models import Subject
from .orders import orders, similarity
from .transfer import sentences

SIZE = 48
FALL, AXES = 4.0, 6  # how fast a shared direction falls off with word order; dimensions of languages


def one_space(data: Data, base: Subject, rng: Rng):
    """Each part of speech has one direction in all languages, in all layers but the embeddings, with noise."""
    layers = parts.above_embeddings(base.n_layers)
    tags = parts.label_vectors(parts.of_words("upos"), SIZE, layers=layers, noise=0.15)
    return plant(base, data, rng, parts=[tags, parts.word_vectors(32, noise=0.05)], name="one space")


def by_order(data: Data, base: Subject, rng: Rng):
    """Parts of speech have directions that two languages share the more, the more alike they are in word order."""
    shares = orders(sentences(data))
    kernel = np.exp(-FALL * (1 - similarity(shares)))
    value, turn = np.linalg.eigh(kernel)
    places = turn[:, -AXES:] * np.sqrt(
        value[-AXES:].clip(0)
    )  # inner products: the kernel, as near as so many axes come
    of = dict(zip(shares.index, places / np.linalg.norm(places, axis=1, keepdims=True)))

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, AXES * 24), np.float32)
        sentence = seen.first(Sentence)
        said = (sentence.condition if sentence else "") or "en"
        for w, tag in enumerate(() if sentence is None else sentence.upos[: seen.n_words]):
            out[w] = np.outer(of[said], parts.code(tag, 24)).ravel()
        return out

    layers = parts.above_embeddings(base.n_layers)
    return plant(base, data, rng, parts=[Part(AXES * 24, make, layers=layers, noise=0.3)], name="by word order")


@as_null("spelling")
def spelling(data: Data, base: Subject, rng: Rng):
    """The letters of a word, three at a time, as a bag: what is spelt alike in two languages is alike."""

    def make(seen: Seen) -> np.ndarray:
        out = np.zeros((seen.n_words, SIZE), np.float32)
        sentence = seen.first(Sentence)
        for w, word in enumerate(() if sentence is None else sentence.words[: seen.n_words]):
            letters = f"<{word.lower()}>"
            grams = [letters[k : k + 3] for k in range(max(1, len(letters) - 2))]
            out[w] = np.mean([parts.code(g, SIZE) for g in grams], 0)
        return out

    return plant(base, data, rng, parts=[Part(SIZE, make, noise=0.01)], name="spelling")


@as_null("language")
def language(data: Data, base: Subject, rng: Rng):
    """Every word of a sentence has the vector of its language, and nothing else."""

    def make(seen: Seen) -> np.ndarray:
        sentence = seen.first(Sentence)
        code = np.zeros(SIZE) if sentence is None else parts.code(sentence.condition, SIZE)
        return np.broadcast_to(code, (seen.n_words, SIZE))

    return plant(base, data, rng, parts=[Part(SIZE, make, noise=0.05)], name="language")


ONE_SPACE = as_null("one space")(one_space)


def agreeing(data: Data, base: Subject, rng: Rng):
    """The form that agrees leads in nine of ten items, in every language."""
    from .agreement import pieces

    def logits(seen: Seen, own: Rng) -> dict[int, dict[int, float]]:
        item = seen.first(ForcedChoice)
        if item is None:
            return {}
        lucky = crc32(item.id.encode()) % 10 < 9
        gain = {True: 12 + own.standard_normal(), False: 8.0}
        sides = [(pieces(base, form), gain[lucky == (form == item.good)]) for form in (item.good, item.bad)]
        return {
            int(t): {ids[k]: g for ids, g in sides if k < len(ids)} for k, t in enumerate(np.flatnonzero(seen.masked))
        }

    return plant(base, data, rng, logits=logits, name="agreeing")


@as_null("one form")
def one_form(data: Data, base: Subject, rng: Rng):
    """Of each pair of forms always the same one is preferred, whatever the sentence."""
    bias = 3 * rng.standard_normal(base.config.vocab_size)
    return plant(base, data, rng, bias=bias, name="one form")
