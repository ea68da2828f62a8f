"""Stand-ins that have what this section's claims about vectors speak of: each must be found by its rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...calibration.gold import Seen
from ...calibration.nulls import as_null
from ...calibration.planted import Part, above_embeddings, choice_logits, code, plant, word_vectors
from ...data.items import Translation
from .languages import language

SIZE = 64
# how strongly a word holds its concept, so that both classes are aligned, one of them better
CONTENT, FUNCTION = 0.4, 2.5


def meanings(data, base, rng):
    """In contextual layers translations share a vector, beside noise and a vector of their language."""
    layers = above_embeddings(base.n_layers)
    return plant(base, data, rng, parts=[
        Part(SIZE, _meaning, layers, noise=0.15, by_piece=True), Part(32, _language, noise=0.02, by_piece=True),
        word_vectors(32, noise=0.02),
    ])  # fmt: skip


def _translation(seen: Seen) -> tuple[Translation, str] | None:
    """The translation that a row is a sentence of, and in which language."""
    return next(((item, part) for item, part in seen.golds if isinstance(item, Translation)), None)


def _spread(seen: Seen, vector: np.ndarray) -> np.ndarray:
    return np.broadcast_to(vector, (len(seen.ids), len(vector)))


def _meaning(seen: Seen) -> np.ndarray:
    told = _translation(seen)
    return _spread(seen, np.zeros(SIZE) if told is None else code(("meaning", told[0].id), SIZE))


def _language(seen: Seen) -> np.ndarray:
    told = _translation(seen)
    return _spread(seen, np.zeros(32) if told is None else 2 * code(("language", told[1]), 32))


def tongues(data, base, rng):
    """A vector of the sentence's language, another of its genus, beside the sentence's own; the same in all layers."""
    return plant(base, data, rng, parts=[
        Part(32, _language, noise=0.1, by_piece=True), Part(32, _genus, noise=0.1, by_piece=True),
        Part(SIZE, _meaning, noise=0.1, by_piece=True),
    ])  # fmt: skip


def _genus(seen: Seen) -> np.ndarray:
    told = _translation(seen)
    return _spread(seen, np.zeros(32) if told is None else 3 * code(("genus", language(told[1]).genus), 32))


def concepts(data, base, rng):
    """In contextual layers words of a concept share a vector in all languages, function words a clearer one."""
    layers = above_embeddings(base.n_layers)
    return plant(base, data, rng, parts=[
        Part(SIZE, _concepts, layers, noise=0.05), Part(32, _language, noise=0.02, by_piece=True),
        word_vectors(32, noise=0.02),
    ])  # fmt: skip


def _concepts(seen: Seen) -> np.ndarray:
    """The concept of a content word; of a function word, clearer, its class and the concept that it belongs to."""
    told = _translation(seen)
    out = np.zeros((seen.n_words, SIZE), np.float32)
    if not told:
        return out
    sentence = told[0].sentences[told[1]]
    for w, concept in enumerate(sentence.meta.get("concepts", ())):
        tag, head = sentence.upos[w], sentence.heads[w]
        owner = sentence.meta["concepts"][head] if head >= 0 else ""
        out[w] = (CONTENT if concept else FUNCTION) * code(("concept", concept, "" if concept else (tag, owner)), SIZE)
    return out


@as_null("diagonal")
def diagonal(data, base, rng):
    """The same place of a sentence has the same vector in all languages; neighbours' are alike."""

    def place(seen: Seen) -> np.ndarray:
        at = (np.arange(seen.n_words) + 0.5) / max(seen.n_words, 1)
        return np.exp(-0.5 * ((at[:, None] - np.linspace(0, 1, 16)[None]) / 0.1) ** 2)

    return plant(base, data, rng, parts=[Part(16, place, noise=0.02)], name="diagonal")


def moved_words(data, base, rng):
    """In contextual layers words (and sentences) have the vector of their translations, all moved by their language."""
    return plant(base, data, rng, parts=[Part(SIZE, _moved, above_embeddings(base.n_layers), noise=0.03)])


def _moved(seen: Seen) -> np.ndarray:
    """In the same dimensions, or the move would lead no word to another's neighbour."""
    told = _translation(seen)
    if told is None:
        return np.zeros((seen.n_words, SIZE))
    return (
        0.85 / CONTENT * _concepts(seen)
        + 0.3 * code(("meaning", told[0].id), SIZE)
        + 6 * code(("language", told[1]), SIZE)
    )


def auxiliaries(data, base, rng):
    """Fills the auxiliary that fits, and no other gap."""
    logits = choice_logits(base, strength=4)
    return plant(base, _with_gaps(data), rng, parts=[word_vectors(noise=0)], logits=logits)


def _with_gaps(data):
    """The data with the sentences whose auxiliaries are asked for."""
    from .generation import auxiliary_gaps  # which takes its stand-ins from here

    return replace(data, items={**data.items, "auxiliaries": auxiliary_gaps(data)})
