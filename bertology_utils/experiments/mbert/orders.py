"""Word order, read off treebanks: which dependents stand before their heads, and how alike two languages are in that."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ...data.items import Sentence

RELATIONS = ("nsubj", "obj", "obl", "amod", "nmod", "case", "det", "aux", "advmod")
FEWEST = 10  # dependents of a relation below which a language says nothing of it


def orders(items: Sequence[Sentence]) -> pd.DataFrame:
    """The share of dependents that stand before their head, by language (rows) and relation; nan for fewer than `FEWEST`.

    Examples
    --------
    >>> cat = Sentence(id="1", condition="en", words=("a", "cat", "sleeps"), heads=(1, 2, -1), deprels=("det", "nsubj", "root"))
    >>> orders([cat] * 10).loc["en", ["det", "nsubj", "obj"]].tolist()
    [1.0, 1.0, nan]
    """
    before: dict[str, Counter] = defaultdict(Counter)
    every: dict[str, Counter] = defaultdict(Counter)
    for item in items:
        for w, (head, relation) in enumerate(zip(item.heads, item.deprels)):
            name = relation.split(":")[0]
            every[item.condition][name] += 1
            before[item.condition][name] += w < head
    shares = {
        code: [before[code][r] / n if (n := every[code][r]) >= FEWEST else np.nan for r in RELATIONS]
        for code in sorted(every)
    }
    return pd.DataFrame.from_dict(shares, orient="index", columns=list(RELATIONS))


def similarity(shares: pd.DataFrame) -> np.ndarray:
    """1 less the mean difference of the shares that both languages have, (K, K)."""
    x = shares.to_numpy()
    return 1 - np.nanmean(np.abs(x[:, None] - x[None]), -1)
