"""Phrases that carry their own gold annotation, and the skeletons they are compiled to.

A `Phrase` is a stretch of word slots with its dependency arcs, brackets and labelled spans; `join` puts phrases
together and composes all of these at once, so a rule of the grammar says its annotation only once. A finished
phrase is compiled to a `Skeleton`, in which every slot still stands for a table of interchangeable words; filling
a skeleton costs a few microseconds a sentence.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from ..items import Sentence, Span
from .lexicon import Table, takes_an

NO_SPACE_BEFORE = frozenset({".", ",", "?", "!", ";", "'s", "'"})
_REDRAWS = 8  # attempts at a filling without a word said twice


@dataclass(frozen=True)
class Leaf:
    """One word slot: the words that may stand in it and what is true of each of them.

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


def word(form: str, upos: str, xpos: str, feats: str = "_", chunk: str = "O", lemma: str = "", sense: str = "") -> Leaf:
    """A slot that holds one word."""
    return Leaf(((form, lemma or form),), upos, xpos, feats, chunk, sense)


@dataclass
class Phrase:
    """A stretch of slots and its annotation; positions count from the phrase's first word.

    Attributes
    ----------
    heads, rels : list
        Head position of each word, -1 for the phrase's own head; relation names.
    brackets : list of (start, end, label)
    spans : list of (kind, label, start, end, head)
        `head` is a position for roles, a cluster for mentions, None otherwise.
    number, gender, cls, cluster
        Features of a noun phrase that other words agree with or refer to.
    """

    leaves: list[Leaf]
    heads: list[int]
    rels: list[str]
    head: int = 0
    brackets: list[tuple[int, int, str]] = field(default_factory=list)
    spans: list[tuple[str, str, int, int, int | None]] = field(default_factory=list)
    number: str = "Sing"
    person: int = 3
    gender: str = ""
    cls: str = ""
    cluster: int | None = None
    pronoun: bool = False

    def __len__(self) -> int:
        return len(self.leaves)

    def mark(self, kind: str, label: str, start: int = 0, end: int | None = None, head: int | None = None) -> Phrase:
        """Add a labelled span, by default over the whole phrase."""
        self.spans.append((kind, label, start, len(self) if end is None else end, head))
        return self

    def bracket(self, label: str) -> Phrase:
        """Put a constituent around the whole phrase."""
        self.brackets.append((0, len(self), label))
        return self


Part = tuple  # (relation or "head", Phrase | Leaf[, role])


def single(leaf: Leaf, label: str = "") -> Phrase:
    """A phrase of one word, with a constituent around it if `label` is given."""
    phrase = Phrase([leaf], [-1], [""])
    return phrase.bracket(label) if label else phrase


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
    start, offsets, phrases = 0, [], []
    for part in parts:
        phrase = part[1] if isinstance(part[1], Phrase) else single(part[1])
        phrases.append(phrase)
        offsets.append(start)
        start += len(phrase)
    which = next(i for i, part in enumerate(parts) if part[0] == "head")
    top = phrases[which]
    head = offsets[which] + top.head
    out = Phrase([], [], [], head, number=top.number, person=top.person, gender=top.gender, cls=top.cls,
                 cluster=top.cluster, pronoun=top.pronoun)
    for part, phrase, offset in zip(parts, phrases, offsets):
        relation = part[0]
        out.leaves += phrase.leaves
        for h, r in zip(phrase.heads, phrase.rels):
            out.heads.append(h + offset if h >= 0 else (-1 if relation == "head" else head))
            out.rels.append(r if h >= 0 or relation == "head" else relation)
        out.brackets += [(s + offset, e + offset, name) for s, e, name in phrase.brackets]
        for kind, name, s, e, h in phrase.spans:
            out.spans.append((kind, name, s + offset, e + offset, h + offset if kind == "role" else h))
        if len(part) > 2 and part[2]:
            out.spans.append(("role", part[2], offset, offset + len(phrase), head))
    return out.bracket(label) if label else out


@dataclass(frozen=True)
class Skeleton:
    """A sentence but for the choice of its words; all layers are shared by the sentences filled from it."""

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

    def fill(self, rng: Random) -> tuple[list[str], list[str]]:
        """Draw words and lemmas."""
        draw = rng.random
        rows = [t[0] if len(t) == 1 else t[int(draw() * len(t))] for t in self.tables]
        said: set[str] = set()
        for i in self.distinct:
            table = self.tables[i]
            for _ in range(_REDRAWS):
                if rows[i][1] not in said:
                    break
                rows[i] = table[int(draw() * len(table))]
            said.add(rows[i][1])
        words, lemmas = [r[0] for r in rows], [r[1] for r in rows]
        for i in self.articles:
            words[i] = "an" if takes_an(words[i + 1]) else "a"
        words[0] = words[0][0].upper() + words[0][1:]
        return words, lemmas

    def sentence(self, rng: Random, id: str, **fields) -> Sentence:
        """A filled sentence with every gold layer; `fields` go to the `Sentence` (split, condition, meta)."""
        words, lemmas = self.fill(rng)
        return Sentence(id=id, words=tuple(words), lemmas=tuple(lemmas), upos=self.upos, xpos=self.xpos, feats=self.feats,
                        heads=self.heads, deprels=self.deprels, chunks=self.chunks, brackets=self.brackets,
                        spans=self.spans, senses=self.senses, **fields)


def _chunks(leaves: Sequence[Leaf]) -> tuple[str, ...]:
    out: list[str] = []
    for i, leaf in enumerate(leaves):
        tag = leaf.chunk
        if tag == "+VP":
            tag = "I-VP" if out and out[-1].endswith("VP") else "B-VP"
        elif tag == "B-ADVP" and out and out[-1].endswith("VP") and i + 1 < len(leaves) and leaves[i + 1].chunk == "+VP":
            tag = "I-VP"  # an adverb between the words of a verb group belongs to it
        out.append(tag)
    return tuple(out)


def compile_phrase(phrase: Phrase) -> Skeleton:
    """Freeze a finished sentence."""
    leaves = phrase.leaves
    order = sorted(phrase.brackets, key=lambda b: (b[0], -b[1]))
    clusters: dict[int, int] = {}
    spans = []
    for kind, label, start, end, head in sorted(phrase.spans, key=lambda s: (s[2], -s[3])):
        if kind == "mention":
            head = clusters.setdefault(head, len(clusters))
        spans.append(Span(start=start, end=end, label=label, kind=kind, head=head))
    return Skeleton(
        tables=tuple(x.table for x in leaves), upos=tuple(x.upos for x in leaves), xpos=tuple(x.xpos for x in leaves),
        feats=tuple(x.feats for x in leaves), heads=tuple(phrase.heads),
        deprels=tuple(r or "root" for r in phrase.rels), chunks=_chunks(leaves), senses=tuple(x.sense for x in leaves),
        brackets=tuple(Span(start=s, end=e, label=name, kind="constituent") for s, e, name in order), spans=tuple(spans),
        articles=tuple(i for i, x in enumerate(leaves) if x.table == (("a", "a"),)),
        distinct=tuple(i for i, x in enumerate(leaves) if x.distinct))


def text(words: Sequence[str]) -> str:
    """Words as running text: no space before punctuation and clitics.

    >>> text(["The", "dog", "'s", "tail", "moved", "."])
    "The dog's tail moved."
    """
    return "".join(w if i == 0 or w in NO_SPACE_BEFORE else " " + w for i, w in enumerate(words))


def with_mask(words: Sequence[str], position: int) -> str:
    """Running text with ``[MASK]`` in place of one word."""
    return text([*words[:position], "[MASK]", *words[position + 1:]])


def narrowed(leaf: Leaf, rng: Random) -> Leaf:
    """The slot with its word already chosen."""
    return replace(leaf, table=(rng.choice(leaf.table),))
