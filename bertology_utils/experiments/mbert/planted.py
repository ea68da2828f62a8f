"""Stand-ins that have what this section's claims about vectors speak of: each must be found by its rule."""

from __future__ import annotations

import numpy as np

from ...calibration.gold import Seen
from ...calibration.planted import Part, above_embeddings, code, plant, word_vectors
from ...data.items import Translation

SIZE = 64


def meanings(data, base, rng):
    """In contextual layers translations share a vector, beside noise and a vector of their language."""
    layers = above_embeddings(base.n_layers)
    return plant(base, data, rng, parts=[
        Part(SIZE, _meaning, layers, noise=0.15, by_piece=True), Part(32, _language, noise=0.02, by_piece=True),
        word_vectors(32, noise=0.02),
    ])  # fmt: skip


def _told(seen: Seen) -> tuple[Translation, str] | None:
    """The translation that a row is a sentence of, and in which language."""
    return next(((item, part) for item, part in seen.golds if isinstance(item, Translation)), None)


def _spread(seen: Seen, vector: np.ndarray) -> np.ndarray:
    return np.broadcast_to(vector, (len(seen.ids), len(vector)))


def _meaning(seen: Seen) -> np.ndarray:
    told = _told(seen)
    return _spread(seen, np.zeros(SIZE) if told is None else code(("meaning", told[0].id), SIZE))


def _language(seen: Seen) -> np.ndarray:
    told = _told(seen)
    return _spread(seen, np.zeros(32) if told is None else 2 * code(("language", told[1]), 32))
