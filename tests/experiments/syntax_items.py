"""Sentences whose tree is known, for the rows on syntax."""

from __future__ import annotations

import numpy as np

from bertology_utils.data.items import Data, Sentence
from bertology_utils.settings import Settings

SETTINGS = Settings(draws=200)
NOUNS = ("dog", "cat", "man", "bird", "author")


def data(**items) -> Data:
    return Data(name="hand", items=items, sha256="")


def treebank(n, split="test"):
    rng = np.random.default_rng(1)
    out = []
    for k in range(n):
        a, b = rng.choice(NOUNS, 2)
        words = ("the", a, "near", "the", b, "runs", ".")
        out.append(Sentence(id=f"{split}{k}", split=split, words=words, heads=(1, 5, 4, 4, 1, -1, 5),
                            deprels=("det", "nsubj", "case", "det", "nmod", "root", "punct")))  # fmt: skip
    return out
