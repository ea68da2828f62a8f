"""Phrases that carry their own gold annotation.

A `Phrase` is a tree of word slots with its relations, brackets and labelled spans; `join` puts phrases side by side,
so a rule of the grammar says its annotation only once. Positions are worked out when all is known, by
`sentence.compile_phrase`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from .lexicon import Table


class _Slot(NamedTuple):
    table: Table
    upos: str
    xpos: str
    feats: str = "_"
    chunk: str = "O"
    sense: str = ""
    distinct: bool = False


class Leaf(_Slot):
    """One word slot: the words that may stand in it and what is true of each of them.

    A leaf is also the smallest phrase: it has a phrase's length, head and features.

    chunk
        ``"B-NP"``, ``"I-NP"``, … or ``"+VP"``: inside a verb chunk if one has just begun, else the start of one.
    distinct
        Whether the word must differ from the other distinct words of its sentence.
    """

    __slots__ = ()

    length = 1
    head = 0
    number = "Sing"
    person = 3
    gender = ""
    cls = ""
    cluster = None


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
        self.labels: tuple[str, ...] = (label,) if label else ()
        self.marks: tuple[tuple[str, str, int, int, int | None], ...] = ()
        self.closed = False
        self.number: str = top.number
        self.person: int = top.person
        self.gender: str = top.gender
        self.cls: str = top.cls
        self.cluster: int | None = top.cluster

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
