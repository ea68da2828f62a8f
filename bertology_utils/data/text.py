"""Running text: words with their places.

Words are cut much as treebanks cut them: punctuation around a word is off, a hyphen inside stays, clitics ("'s", "n't")
stand alone. A word is also cut where a gold span begins or ends.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise

_CHUNK = re.compile(r"\S+")
_CLITIC = re.compile(r"(?:(?<=[a-z])n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_IDEOGRAPH = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f]")


@cache
def _is_mark(character: str) -> bool:
    """Whether it is punctuation or a symbol (letters with signs of their own, as in Hindi, are not)."""
    return unicodedata.category(character)[0] in "PS"


def offsets(text: str, cuts: Iterable[int] = ()) -> list[tuple[int, int]]:
    """Character places ``[start, end)`` of the words of a text.

    Punctuation is cut off mark by mark; Chinese characters are words of their own, as BERT has it.

    Parameters
    ----------
    cuts : iterable of int
        Character positions where a word must end and another begin: the edges of gold spans.
    """
    edges = set(cuts)
    found: list[tuple[int, int]] = []
    for chunk in _CHUNK.finditer(text):
        start, end = chunk.span()
        while start < end and _is_mark(text[start]) and not _CLITIC.fullmatch(text, start, end):
            found.append((start, start + 1))
            start += 1
        tail: list[tuple[int, int]] = []
        while start < end and _is_mark(text[end - 1]):
            tail.append((end - 1, end))
            end -= 1
        if start < end:
            inside = {p for p in edges if start < p < end}
            if (clitic := _CLITIC.search(text, start, end)) and clitic.start() > start:
                inside.add(clitic.start())
            if not text.isascii():
                for match in _IDEOGRAPH.finditer(text, start, end):
                    inside.update(p for p in match.span() if start < p < end)
            borders = [start, *sorted(inside), end]
            found += pairwise(borders)
        found += reversed(tail)
    return found


def words(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text[a:b] for a, b in offsets(text))


def words_and_spans(text: str, spans: Iterable[tuple[int, int]]) -> tuple[tuple[str, ...], list[tuple[int, int]]]:
    """The words of a text, and each character span as a span of words.

    Raises
    ------
    ValueError
        If a span holds no word, or begins or ends in white space.
    """
    spans = list(spans)
    places = offsets(text, [edge for span in spans for edge in span])
    starts, ends = {a: i for i, (a, _) in enumerate(places)}, {b: i + 1 for i, (_, b) in enumerate(places)}
    result = []
    for a, b in spans:
        if a not in starts or b not in ends or a >= b:
            raise ValueError(f"characters {a} to {b} ({text[a:b]!r}) are no words of {text[:120]!r}")
        result.append((starts[a], ends[b]))
    return tuple(text[a:b] for a, b in places), result


def capital(text: str) -> str:
    """The text with its first letter as a capital."""
    return text[:1].upper() + text[1:]


def marked(words: Sequence[str], *spans: tuple[int, int]) -> str:
    """Words as a text, with brackets around half-open spans of them; of several spans each bracket is numbered.

    Examples
    --------
    >>> marked(("The", "cat", "sleeps", "."), (1, 2))
    'The [cat] sleeps .'
    >>> marked(("A", "dog", "sees", "the", "cat"), (1, 2), (3, 5))
    'A [dog]1 sees [the cat]2'
    """
    out = list(words)
    for number, (start, end) in enumerate(spans, 1):
        out[start] = f"[{out[start]}"
        out[end - 1] += f"]{number if len(spans) > 1 else ''}"
    return " ".join(out)


def an(word: str) -> str:
    """The indefinite article before `word`, by its first letter (the generated words have no silent h)."""
    return "an" if word[:1].lower() in "aeio" or (word[:1] == "u" and not word.startswith(("uni", "use"))) else "a"


def cycle(heads: Sequence[int]) -> list[int]:
    """Words whose heads lead in a circle, each before its head; none in a tree.

    >>> cycle((1, 2, -1)), cycle((1, 2, 0, -1))
    ([], [0, 1, 2])
    """
    seen = [-1] * len(heads)
    for start in range(len(heads)):
        node = start
        while node >= 0 and seen[node] < 0:
            seen[node] = start
            node = heads[node]
        if node >= 0 and seen[node] == start:
            out, at = [node], heads[node]
            while at != node:
                out.append(at)
                at = heads[at]
            return out
    return []
