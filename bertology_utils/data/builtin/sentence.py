"""Phrases that carry their own gold annotation, and the skeletons they are compiled to.

A `Phrase` is a tree of word slots with its relations, brackets and labelled spans; `join` puts phrases side by side,
so a rule of the grammar says its annotation only once. Positions are worked out when all is known: one walk compiles
a finished phrase to a `Skeleton`, in which every slot still stands for a table of interchangeable words. Filling a
skeleton costs a few microseconds a sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import compress
from operator import itemgetter
from random import Random
from typing import NamedTuple

from ..items import Span
from .lexicon import Table, takes_an

NO_SPACE_BEFORE = frozenset({".", ",", "?", "!", ";", "'s", "'"})
_REDRAWS = 8  # attempts at a filling without a word said twice
_ARTICLE = (("a", "a"),)  # the slot that becomes *a* or *an*
_BEYOND = 1000  # more words than any sentence has
_first = itemgetter(0)


class Leaf(NamedTuple):
    """One word slot: the words that may stand in it and what is true of each of them.

    A leaf is also the smallest phrase: it has a phrase's length, head and features.

    chunk
        ``"B-NP"``, ``"I-NP"``, … or ``"+VP"``: inside a verb chunk if one has just begun, else the start of one.
    distinct
        Whether the word must differ from the other distinct words of its sentence.
    """

    table: Table
    upos: str
    xpos: str
    feats: str = "_"
    chunk: str = "O"
    sense: str = ""
    distinct: bool = False

    length, head = 1, 0
    number, person, gender, cls, cluster = "Sing", 3, "", "", None


@cache
def word(form: str, upos: str, xpos: str, feats: str = "_", chunk: str = "O", lemma: str = "", sense: str = "") -> Leaf:
    """A slot that holds one word."""
    return Leaf(((form, lemma or form),), upos, xpos, feats, chunk, sense)


Part = tuple  # (relation or "head", Phrase | Leaf[, role])


class Phrase:
    """A tree of slots; positions count from the phrase's first word. The annotation is put together by `compile_phrase`.

    Attributes
    ----------
    parts : tuple of (relation, Phrase or Leaf[, role])
        As given to `join`.
    length, head : int
        The number of words, and the position of the head among them.
    labels : tuple of str
        Constituents around the whole phrase, from the inside.
    marks : tuple of (kind, label, start, end, head)
        Labelled spans. `head` is a position for roles, a cluster for mentions, None otherwise.
    closed : bool
        Whether negations within have this phrase as their scope (those of closed phrases within it have that one).
    number, person, gender, cls, cluster
        Features of a noun phrase that other words agree with or refer to.
    """

    __slots__ = ("closed", "cls", "cluster", "gender", "head", "labels", "length", "marks", "number", "parts", "person")

    def __init__(self, parts: tuple[Part, ...], length: int, head: int, label: str, top: Phrase | Leaf) -> None:
        self.parts, self.length, self.head = parts, length, head
        self.labels = (label,) if label else ()
        self.marks = ()
        self.closed = False
        self.number, self.person, self.gender, self.cls, self.cluster = (
            top.number,
            top.person,
            top.gender,
            top.cls,
            top.cluster,
        )

    def mark(self, kind: str, label: str, start: int = 0, end: int | None = None, head: int | None = None) -> Phrase:
        """Add a labelled span, by default over the whole phrase."""
        self.marks += ((kind, label, start, self.length if end is None else end, head),)
        return self

    def bracket(self, label: str) -> Phrase:
        """Put a constituent around the whole phrase."""
        self.labels += (label,)
        return self

    def close(self) -> Phrase:
        """Mark the scope of the negation, if any, in the clause that is now complete: all its words but the cue."""
        self.closed = True
        return self

    def spans(self) -> Iterator[tuple[str, str, int | None]]:
        """Kind, label and cluster of each labelled span but the scopes of negations: to tell what a sentence holds."""
        for part in self.parts:
            if type(part[1]) is Phrase:
                yield from part[1].spans()
            if len(part) > 2 and part[2]:
                yield "role", part[2], None
        for kind, label, _, _, head in self.marks:
            yield kind, label, head

    def top(self) -> Leaf:
        """The slot of the head."""
        child = next(part[1] for part in self.parts if part[0] == "head")
        return child if isinstance(child, Leaf) else child.top()


def single(leaf: Leaf, label: str = "") -> Phrase:
    """A phrase of one word, with a constituent around it if `label` is given."""
    return Phrase((("head", leaf),), 1, 0, label, leaf)


def join(label: str, *parts: Part) -> Phrase:
    """Put parts side by side under one constituent.

    Parameters
    ----------
    label : str
        The constituent's label; ``""`` for none.
    *parts : (relation, Phrase or Leaf[, role])
        Exactly one part has the relation ``"head"``; the others' heads attach to its head. A role marks the part as
        an argument of that head.

    Returns
    -------
    Phrase
        With the agreement features of the head part.
    """
    length = 0
    for part in parts:
        if part[0] == "head":
            top = part[1]
            head = length + top.head
        length += part[1].length
    return Phrase(parts, length, head, label, top)


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

    def layers(self) -> dict[str, tuple]:
        """The fields of a `Sentence` that do not depend on the choice of words."""
        return {
            "upos": self.upos,
            "xpos": self.xpos,
            "feats": self.feats,
            "heads": self.heads,
            "deprels": self.deprels,
            "chunks": self.chunks,
            "brackets": self.brackets,
            "spans": self.spans,
            "senses": self.senses,
        }


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
                    h + start if kind == "role" else h,
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
