"""Texts whose class is a word that occurs in them, or whether two of them name the same noun."""

from __future__ import annotations

import numpy as np

from bertology_utils.data.items import Labelled

NOUNS = ("dog", "cat", "key", "man", "woman", "author", "bird", "tree")


def items(n: int, *, pairs: bool = False, seed: int = 0) -> list[Labelled]:
    """Single: the class is whether "small" or "big" occurs. Pairs: whether both texts name the same noun."""
    rng = np.random.default_rng(seed)
    out = []
    for k in range(n):
        a, b = rng.choice(NOUNS, 2, replace=False)
        label = k % 2
        if pairs:
            out.append(
                Labelled(id=str(k), text=f"the {a} sees", text_b=f"the {a if label else b} runs", label=str(label))
            )
        else:
            out.append(Labelled(id=str(k), text=f"the {a} and the {('small', 'big')[label]} {b}", label=str(label)))
    return out
