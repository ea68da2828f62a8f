"""When two runs say the same: words and counts equal, figures nearly.

Two machines round differently, and so the last digits of a figure may differ between them. How much may is told from
what the figure itself leaves open, its interval:

- a figure printed with its interval, ``0.584 [0.509, 0.653]``, and both ends of that interval, may differ by a tenth of
  half the interval's width, but not by more than a tenth (of its size, where it is more than one);
- any other fraction by a thousandth (of its size, where it is more than one, or printed with an exponent);
- and in any case by one unit of the last digit printed, since rounding may flip there;
- an integer must be equal, and so must all other text, but for the width of gaps.

Of HTML the text counts, not the markup.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser

SHARE = 0.1  # of half the width of its own interval, by which a figure may differ
ALONE = 1e-3  # by which one without an interval may
_SLACK = 1 + 1e-6  # a tenth is not more than a tenth because of how it is computed

_NUMBER = r"[-+\u2212]?(?:\d+\.\d+(?:[eE][-+]?\d+)?|\d+[eE][-+]\d+)"
# not within a word, a version (1.2.3) or a hash; a figure with its interval is one match
_FIGURE = re.compile(
    rf"(?<![\w.])(?P<value>{_NUMBER})(?!\w|\.\d)"
    rf"(?:\s*\[(?P<low>{_NUMBER}),\s*(?P<high>{_NUMBER})\])?"
    rf"|\[(?P<low_alone>{_NUMBER}),\s*(?P<high_alone>{_NUMBER})\]"
)
_HTML = re.compile(r"\s*<[a-z].*</[a-z]", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class Figure:
    """A number as printed.

    Attributes
    ----------
    value, unit : float
        One unit of the last digit printed.
    exponent : bool
        Whether it is printed with one.
    half : float
        Half the width of its interval; 0 where it has none.
    """

    value: float
    unit: float
    exponent: bool
    half: float = 0.0


def same(left: str, right: str) -> bool:
    """Whether two outputs say the same, as the head of this module defines it.

    >>> same("accuracy 0.584 [0.509, 0.653]", "accuracy 0.590 [0.510, 0.655]")
    True
    >>> same("accuracy 0.584 [0.509, 0.653]", "accuracy 0.599 [0.509, 0.653]")
    False
    """
    return (
        str.__eq__(left, right) or movement(left, right) <= 1
    )  # not ==: a string may be compared by this very function


def movement(left: str, right: str) -> float:
    """The largest difference of two outputs' figures, in units of what each may differ by; inf if words differ."""
    left, right = plain(left), plain(right)
    if _words(left) != _words(right):
        return math.inf
    pairs = list(zip(figures(left), figures(right)))
    for a, b in pairs:  # other digits: only where the interval's width says how many (`decimals`), or an exponent
        if a.exponent is not b.exponent or (a.unit != b.unit and not a.exponent and min(a.half, b.half) <= 0):
            return math.inf
    return max((abs(a.value - b.value) / (allowed(a, b) * _SLACK) for a, b in pairs), default=0.0)


def half_widths(left: str, right: str) -> float:
    """The largest difference of figures that have intervals, in half-widths of these; inf if words differ."""
    left, right = plain(left), plain(right)
    if _words(left) != _words(right):
        return math.inf
    moved = [(abs(a.value - b.value), min(a.half, b.half)) for a, b in zip(figures(left), figures(right))]
    return max((d / half for d, half in moved if half > 0), default=0.0)


def allowed(a: Figure, b: Figure) -> float:
    """By how much two printings of a figure may differ."""
    half, size = min(a.half, b.half), max(abs(a.value), abs(b.value))  # the narrower: no end makes room for itself
    return max(allowed_of(half, size, relative=a.exponent), a.unit, b.unit)


def allowed_of(half: float, size: float, *, relative: bool = False) -> float:
    """By how much a figure of some size may differ whose interval is 2 `half` wide (0 for none).

    `relative`: a figure below one, too, by a thousandth of its size.

    >>> [round(allowed_of(*x), 6) for x in ((0.05, 0.8), (375.0, 5.7), (0.0, 0.8), (0.0, 20.0))]
    [0.005, 0.57, 0.001, 0.02]
    """
    return SHARE * min(half, max(1.0, size)) if half > 0 else ALONE * (size if relative else max(1.0, size))


def decimals(low: float, high: float, least: int = 3, most: int = 6) -> int:
    """Decimals with which a figure is printed: so many that a tenth of half its interval's width shows.

    >>> decimals(0.918, 0.944), decimals(0.0832, 0.0854), decimals(1.0, 1.0)
    (3, 4, 3)
    """
    half = (high - low) / 2
    return min(most, max(least, 1 - math.floor(math.log10(half)))) if half > 0 else least


def figures(text: str) -> Iterator[Figure]:
    """The fractions of a text in their order."""
    for match in _FIGURE.finditer(text):
        parts = [match["value"], match["low"] or match["low_alone"], match["high"] or match["high_alone"]]
        ends = [_number(part) for part in parts[1:] if part]
        half = max(0.0, ends[1] - ends[0]) / 2 if ends else 0.0
        yield from (Figure(_number(part), _unit(part), "e" in part.lower(), half) for part in parts if part)


def _number(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def _unit(text: str) -> float:
    """The size of one unit in the last digit as printed; exponents apart, for they may flip too."""
    mantissa, _, exponent = text.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    return 10.0 ** (int(exponent or 0) - digits) if exponent else 10.0**-digits


def _words(text: str) -> list[str]:
    """The text's lines without figures: the shape of each stands for it, and gaps are one blank."""
    text = _FIGURE.sub(lambda m: re.sub(_NUMBER, "\N{NULL}", m[0]), text)
    return [re.sub(r"[ \t]+", " ", line).strip() for line in text.splitlines()]


def plain(text: str) -> str:
    """The text of an output: that of HTML without its markup, other text as it is."""
    if not _HTML.match(text):
        return text
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return "\n".join(line for part in reader.parts for line in [part.strip()] if line)


class _Reader(HTMLParser):
    """Collects text; what stands in different elements stands on different lines, but for markup within a line."""

    INLINE = frozenset(["a", "abbr", "b", "code", "em", "i", "small", "span", "strong", "sub", "sup", "tspan"])
    HIDDEN = frozenset(["style", "script"])

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts, self._hidden, self._new = [""], 0, False

    def handle_starttag(self, tag: str, attrs: list) -> None:
        self._hidden += tag in self.HIDDEN
        self._new |= tag not in self.INLINE

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in self.HIDDEN
        self._new |= tag not in self.INLINE

    def handle_data(self, data: str) -> None:
        if self._hidden:
            return
        if self._new:
            self.parts.append("")
            self._new = False
        self.parts[-1] += data
