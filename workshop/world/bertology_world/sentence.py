"""Skeletons: finished phrases with all positions worked out, to be filled with words.

One walk compiles a finished `Phrase` to a `Skeleton`, in which every slot still stands for a table of interchangeable
words. Filling a skeleton costs a few microseconds per sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import compress
from operator import itemgetter
from random import Random
from typing import Any, NamedTuple

from bertology_utils.data.items import Span

from .lexicon import Table, takes_an
from .phrase import Leaf, Phrase

NO_SPACE_BEFORE = frozenset({".", ",", "?", "!", ";", "'s", "'"})
_REDRAWS = 8  # attempts at a filling without a word said twice
_ARTICLE = (("a", "a"),)  # the slot that becomes *a* or *an*
_BEYOND = 1000  # more words than any sentence has
_first = itemgetter(0)


class Skeleton(NamedTuple):
    """A sentence but for the choice of its words; all layers are shared by the sentences filled from it.

    The layers have the names they have in `Sentence`, and the same meaning.
    """

    tables: tuple[Table, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    feats: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    chunks: tuple[str, ...]
    senses: tuple[str, ...]
    brackets: tuple[Span, ...]
    spans: tuple[Span, ...]
    articles: tuple[int, ...]
    distinct: tuple[int, ...]

    def fill(self, rng: Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Draw words and lemmas."""
        draw = rng.random
        rows = [t[0] if len(t) == 1 else t[int(draw() * len(t))] for t in self.tables]
        if len({rows[i][1] for i in self.distinct}) < len(self.distinct):
            said: set[str] = set()
            for i in self.distinct:
                table = self.tables[i]
                for _ in range(_REDRAWS):
                    if rows[i][1] not in said:
                        break
                    rows[i] = table[int(draw() * len(table))]
                said.add(rows[i][1])
        forms, lemmas = zip(*rows)
        words = list(forms)
        for i in self.articles:
            words[i] = "an" if takes_an(words[i + 1]) else "a"
        words[0] = words[0][0].upper() + words[0][1:]
        return tuple(words), lemmas

    def layers(self) -> dict[str, Any]:
        """The fields of a `Sentence` that do not depend on the choice of words."""
        return {name: value for name, value in self._asdict().items() if name not in ("tables", "articles", "distinct")}


@cache
def _span(start: int, end: int, label: str, kind: str, head: int | None = None) -> Span:
    """Spans are the same in many sentences, and frozen: each is made once."""
    return Span(start=start, end=end, label=label, kind=kind, head=head)


@cache
def _bracket(start: int, end: int, label: str) -> tuple[int, Span]:
    return start * _BEYOND - end, Span(start=start, end=end, label=label, kind="constituent")


def _chunks(tags: tuple[str, ...]) -> tuple[str, ...]:
    if "+VP" not in tags:
        return tags
    out: list[str] = []
    for tag, following in zip(tags, (*tags[1:], "")):
        if tag == "+VP":
            tag = "I-VP" if out and out[-1].endswith("VP") else "B-VP"
        elif tag == "B-ADVP" and following == "+VP" and out and out[-1].endswith("VP"):
            tag = "I-VP"  # an adverb between the words of a verb group belongs to it
        out.append(tag)
    return tuple(out)


class _Layout:
    """What one walk through the tree of a sentence collects, with positions counted from its first word.

    Brackets and spans come with their place in the order: by start, the longer first; else the inner before the outer.
    """

    __slots__ = ("brackets", "cues", "spans", "words")

    def __init__(self) -> None:
        self.words: list[tuple[Leaf, int, str]] = []  # slot, head, relation
        self.brackets: list[tuple[int, Span]] = []
        self.spans: list[tuple[int, str, str, int, int, int | None]] = []
        self.cues: list[int] = []  # indices in `spans` of the negations in clauses that are not yet complete

    def place(self, phrase: Phrase, start: int, governor: int, relation: str) -> None:
        at, head, outside = start, start + phrase.head, len(self.cues)
        for part in phrase.parts:
            child = part[1]
            over, name = (governor, relation) if part[0] == "head" else (head, part[0])
            if type(child) is Leaf:
                self.words.append((child, over, name))
                end = at + 1
            else:
                self.place(child, at, over, name)
                end = at + child.length
            if len(part) > 2 and part[2]:
                self.spans.append((at * _BEYOND - end, "role", part[2], at, end, head))
            at = end
        for label in phrase.labels:
            self.brackets.append(_bracket(start, at, label))
        for kind, label, s, e, h in phrase.marks:
            if kind == "cue":
                self.cues.append(len(self.spans))
            self.spans.append(
                (
                    (s + start) * _BEYOND - e - start,
                    kind,
                    label,
                    s + start,
                    e + start,
                    h + start if kind == "role" and h is not None else h,
                )
            )
        if phrase.closed and len(self.cues) > outside:
            for i in self.cues[outside:]:
                _, _, _, s, e, _ = self.spans[i]
                self.spans += [
                    (a * _BEYOND - b, "scope", "negation", a, b, None) for a, b in ((start, s), (e, at)) if a < b
                ]
            del self.cues[outside:]


def compile_phrase(phrase: Phrase) -> Skeleton:
    """Freeze a finished sentence."""
    layout = _Layout()
    layout.place(phrase, 0, -1, "root")
    leaves, heads, relations = zip(*layout.words)
    tables, upos, xpos, feats, chunks, senses, distinct = zip(*leaves)
    layout.brackets.sort(key=_first)
    layout.spans.sort(key=_first)
    clusters: dict[int | None, int] = {}
    return Skeleton(
        tables,
        upos,
        xpos,
        feats,
        heads,
        relations,
        _chunks(chunks),
        senses,
        tuple([bracket for _, bracket in layout.brackets]),
        tuple(
            [
                _span(s, e, label, kind, clusters.setdefault(h, len(clusters)) if kind == "mention" else h)
                for _, kind, label, s, e, h in layout.spans
            ]
        ),
        tuple([i for i, table in enumerate(tables) if table == _ARTICLE]) if _ARTICLE in tables else (),
        tuple(compress(range(len(tables)), distinct)),
    )


def text(words: Sequence[str]) -> str:
    """Words as running text: no space before punctuation and clitics.

    >>> text(["The", "dog", "'s", "tail", "moved", "."])
    "The dog's tail moved."
    """
    return "".join(w if i == 0 or w in NO_SPACE_BEFORE else " " + w for i, w in enumerate(words))


def with_mask(words: Sequence[str], position: int) -> str:
    """Running text with ``[MASK]`` in place of one word."""
    return text([*words[:position], "[MASK]", *words[position + 1 :]])
