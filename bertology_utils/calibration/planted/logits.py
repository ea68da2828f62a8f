"""Planted predictions: what stands at a mask, from the gold answers."""

from __future__ import annotations

from collections.abc import Callable
from zlib import crc32

import numpy as np

from ...data.items import Cloze, ForcedChoice, MinimalPair
from ...subject.models import Subject
from ..gold import Seen
from ..standin import Logits, Rng


def choice_logits(base: Subject, *, strength: float = 4.0, right: float = 1.0, noise: float = 1.0) -> Logits:
    """The good candidate leads by `strength` nats, in a share `right` of the items; in the others the bad one.

    A forced choice and a cloze are decided at the mask. Of a minimal pair every masked piece of the better sentence is
    restored by `strength` nats more than one of the worse. Noise is Gaussian, in nats.
    """
    ids = {}

    def piece(word: str) -> int:
        if word not in ids:
            ids[word] = base.tokenizer([word], is_split_into_words=True, add_special_tokens=False)["input_ids"][0]
        return ids[word]

    def logits(seen: Seen, rng: Rng) -> dict[int, dict[int, float]]:
        out: dict[int, dict[int, float]] = {}
        for item, part in seen.golds:
            lucky = (crc32(repr(item.id).encode()) % 10_000) < right * 10_000
            (places,) = np.nonzero(seen.masked)
            if isinstance(item, ForcedChoice) and part == "text":
                better, worse = (item.good, item.bad) if lucky else (item.bad, item.good)
                gains = {piece(better): 8 + strength + noise * rng.standard_normal(), piece(worse): 8.0}
                out |= {int(t): gains for t in places}
            elif isinstance(item, Cloze) and part == "text" and lucky:
                gain = 8 + strength + noise * rng.standard_normal()
                out |= {int(t): {piece(item.answers[0]): gain} for t in places}
            elif isinstance(item, MinimalPair):
                lead = strength * ((part == "good") == lucky)
                for t in places:
                    out[int(t)] = {int(seen.original[t]): 8 + lead + noise * rng.standard_normal()}
        return out

    return logits


def restored(strength: Callable[[Seen, int], float] | float = 12.0) -> Logits:
    """Every masked piece of a known row is put back, with so many nats (a number, or by row and position)."""

    def logits(seen: Seen, rng: Rng) -> dict[int, dict[int, float]]:
        gain = strength if callable(strength) else lambda *_: strength
        return {int(t): {int(seen.original[t]): gain(seen, int(t))} for t in np.flatnonzero(seen.masked) if seen.golds}

    return logits
