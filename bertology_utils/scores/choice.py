"""Choosing the best of several scores, or the commonest label, by a rule that neither a last bit nor an order can turn.

Two scores that ought to be equal differ by rounding, and `argmax` then takes now the one and now the other: another
layer, another head, other figures behind it. Here everything within a margin of the best is as good as the best, and
the first of these is taken: the lowest layer, the first head.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np

from ..errors import TooFew

TIE = 1e-4  # far above what rounding does to a score, far below a difference that would matter


def choose(scores, margin: float = TIE) -> int:
    """Place of the first score within `margin` of the highest; nan is never chosen.

    Parameters
    ----------
    scores : float array, any shape
        Higher is better; the place counts through the flattened array, as `argmax` does.
    margin : float
        In the unit of the scores.

    Raises
    ------
    ValueError
        If there is no score that is a number.

    Examples
    --------
    >>> choose([0.3, 0.70000001, 0.7, 0.70000002])
    1
    """
    scores = np.asarray(scores, float).ravel()
    if not len(scores) or np.isnan(scores).all():
        raise TooFew(f"nothing to choose from: {len(scores)} scores, none of them a number")
    return int(np.flatnonzero(scores >= np.nanmax(scores) - margin)[0])


def choose_each(scores, margin: float = TIE) -> np.ndarray:
    """`choose` along the last axis: int array of the other axes' shape. Such as the best layer of each resample."""
    scores = np.asarray(scores, float)
    return (scores >= scores.max(-1, keepdims=True) - margin).argmax(-1)


def commonest(asked: Iterable[str], learnt: Iterable[str] = ()) -> str:
    """The label that a constant answer does best with: the commonest of those asked; of equals, that learnt most often.

    The commonest label to learn from may be the rarer one where it counts, and then whoever gives the other one leads
    having learnt nothing. Where none is asked, the commonest that is learnt; of equals in both, the first in the alphabet.

    Raises
    ------
    TooFew
        There is no label at all.

    Examples
    --------
    >>> commonest(["b", "a"], learnt=["b"]), commonest([], learnt=["b"])
    ('b', 'b')
    """
    right, known = Counter(asked), Counter(learnt)
    if not (right or known):
        raise TooFew("the commonest of no label")
    return min(right or known, key=lambda label: (-right[label], -known[label], label))
