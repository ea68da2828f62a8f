"""Number tasks: the largest of a list, the value of a number, the sum of two (Wallace 2019b).

Training and interpolation items come from the same range, extrapolation items from the range beyond it, so no
extrapolated value was ever seen. Where a split would share an item with another it is drawn again. Two floats with the same
part before the point are one item: a float whose integer was seen would be read off by a lookup, where integers cannot be.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from bertology_utils.data.items import NumberItem

from . import builder, draw

CONDITIONS = ("integers", "floats", "negatives", "words")
# condition: (lowest, highest) of training and interpolation, then of extrapolation
RANGES = {
    "integers": ((0, 499), (500, 999)),
    "floats": ((0, 499), (500, 999)),  # the part before the point
    "negatives": ((-250, 249), (250, 499)),  # extrapolation on both sides: the sign is drawn
    "words": ((0, 499), (500, 999)),
}
LENGTH = 5  # numbers in a list, as in the study
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()


def in_words(value: int) -> str:
    """0–1999 in English, words joined by hyphens so that a number is one word: ``three-hundred-and-five``.

    Raises
    ------
    ValueError
        Outside this range.
    """
    if not 0 <= value < 2000:
        raise ValueError(f"numbers are written out from 0 to 1999, not {value}")
    if value >= 1000:
        rest = value - 1000
        return "one-thousand" + ("" if not rest else ("-and-" if rest < 100 else "-") + in_words(rest))
    if value >= 100:
        head = f"{_ONES[value // 100]}-hundred"
        return head + (f"-and-{in_words(value % 100)}" if value % 100 else "")
    if value >= 20:
        return _TENS[value // 10] + (f"-{_ONES[value % 10]}" if value % 10 else "")
    return _ONES[value]


def written(value: float, condition: str) -> str:
    """One word for the number: digits, one decimal for floats, English words."""
    if condition == "words":
        return in_words(int(value))
    return f"{value:.1f}" if condition == "floats" else str(int(value))


def _draw(random_: random.Random, tenths: random.Random, condition: str, beyond: bool) -> float:
    value = random_.randint(*RANGES[condition][beyond])
    if condition == "floats":
        return round(value + tenths.randint(0, 9) / 10, 1)
    if condition == "negatives" and beyond and random_.random() < 0.5:
        value = -value - 1  # -251 … -500: beyond the training range too
    return float(value)


def _items(task: str, n: int, seed: int, count: int, aim: Callable, alone: bool = False) -> list[NumberItem]:
    """`n` items over the conditions; 60% train, 10% dev, 15% test within the range, 15% test beyond it.

    `alone` draws again until the largest number of a list is there once.
    """
    random_, tenths = draw.rng(task, seed), draw.rng(f"{task} tenths", seed)
    items = []
    for c, condition in enumerate(CONDITIONS):
        size = len(range(c, n, len(CONDITIONS)))
        if count == 1:  # there are only so many single numbers within the range
            low, high = RANGES[condition][0]
            size = min(size, high - low + 1)

        def make(i: int, condition: str = condition, size: int = size) -> tuple[float, ...]:
            while True:
                values = tuple(_draw(random_, tenths, condition, i >= 0.85 * size) for _ in range(count))
                if not alone or values.count(max(values)) == 1:
                    return values

        for i, values in enumerate(draw.distinct(make, size, lambda v: tuple(map(int, v)), tries=5000)):
            split = "train" if i < 0.6 * size else "dev" if i < 0.7 * size else "test"
            items.append(
                NumberItem(
                    id=f"{task}-{seed}-{condition}-{i}",
                    split=split,
                    condition=condition,
                    values=values,
                    target=aim(values),
                    words=tuple(written(v, condition) for v in values),
                    meta={"range": "extrapolation" if i >= 0.85 * size else "interpolation"},
                )
            )
    return items


@builder("number_maximum")
def number_maximum(n: int, seed: int) -> list[NumberItem]:
    """Lists of five numbers; the target is the index of the largest, which is there once (wallace2019b)."""
    return _items("number_maximum", n, seed, LENGTH, lambda values: float(values.index(max(values))), alone=True)


@builder("number_decoding")
def number_decoding(n: int, seed: int) -> list[NumberItem]:
    """A single number; the target is its value. At most one item per value, so a large `n` gives fewer (wallace2019b)."""
    return _items("number_decoding", n, seed, 1, lambda values: values[0])


@builder("number_addition")
def number_addition(n: int, seed: int) -> list[NumberItem]:
    """Two numbers; the target is their sum (wallace2019b)."""
    return _items("number_addition", n, seed, 2, lambda values: round(sum(values), 1))
