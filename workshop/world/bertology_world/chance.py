"""What a grammar draws by: chance, choice, weighted choice, each from one generator of random numbers."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import Any, TypeVar

from . import lexicon as lex

T = TypeVar("T")


def weights(table: dict[Any, float]) -> tuple[tuple, tuple[float, ...]]:
    """Values and the running sums of their weights."""
    return tuple(table), tuple(accumulate(table.values()))


class Chance:
    """Draws whatever is left to chance.

    Parameters
    ----------
    rng : random.Random
        The only source of chance.
    """

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.rng.random() < probability

    def choice(self, options: Sequence[T]) -> T:
        """One of the options: what `random.Random.choice` gives, at half its price."""
        n = len(options)
        bits = n.bit_length()
        i = self.rng.getrandbits(bits)
        while i >= n:
            i = self.rng.getrandbits(bits)
        return options[i]

    def weighted(self, table: tuple[tuple, tuple[float, ...]]) -> Any:
        """One of the values of a table made by `weights`."""
        values, sums = table
        return values[bisect(sums, self.rng.random() * sums[-1])]

    def plain_class(self, classes: tuple[str, ...] | str) -> str:
        """One plain noun class out of the classes and unions allowed."""
        return self.choice(lex.plain_classes(classes))
