"""The item types: what an experiment is given, whoever wrote the sentences.

Generated (`builtin`) and published (`original`) data are turned into the same few frozen records, so an
experiment cannot tell them apart. Everything is at the level of *words*; pieces are the models' affair.
Indices count words from 0; spans are half open ``[start, end)``.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import Refusal
from .text import marked

SPLITS = ("train", "dev", "test")
MASK = "[MASK]"  # how a gap is written in a text, whatever the model's own mask token


# fields of items that a model reads
READ = ("text", "text_b", "good", "bad", "answers", "words", "a", "b", "x", "y", "sentences")


def blank(text: str) -> bool:
    """Whether a text has nothing to see: only spaces, control characters and such of no width.

    >>> blank("\u200b \t"), blank(".")
    (True, False)
    """
    return all(unicodedata.category(c)[0] in "CZ" for c in text)


def _texts(value: Any, joined: bool = False) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif joined and value:
        yield " ".join(value)
    elif isinstance(value, Item):
        yield from value.texts()
    elif isinstance(value, (tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


class ItemError(Refusal, ValueError):
    """An item contradicts itself; the message shows the item."""


@dataclass(frozen=True, kw_only=True)
class Item:
    """What every item has: an id unique in its data set, the split and the condition it belongs to."""

    id: str
    split: str = "test"
    condition: str = ""
    meta: dict[str, Any] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ItemError(f"split {self.split!r} is none of {SPLITS}: {self}")
        self.check()

    def check(self) -> None:
        """Raise `ItemError` where the fields contradict one another."""

    def texts(self) -> Iterator[str]:
        """All that a model reads of the item: sentences, and words that are asked for.

        >>> list(MinimalPair(id="1", good="a b", bad="b a", condition="order").texts())
        ['a b', 'b a']
        """
        for name in READ:
            yield from _texts(getattr(self, name, None), joined=name == "words")

    def describe(self) -> str:
        """What is asked and what counts as right, in a line or two of plain text."""
        raise NotImplementedError(f"{type(self).__name__} does not say how its items are described")


@dataclass(frozen=True, kw_only=True)
class ForcedChoice(Item):
    """A text with one `[MASK]` and two fillers: agreement (Goldberg 2019), NPIs, fillers by plausibility."""

    text: str
    good: str
    bad: str

    def check(self) -> None:
        if self.text.count(MASK) != 1 or self.good == self.bad:
            raise ItemError(f"needs one {MASK} and two different fillers: {self}")

    def describe(self) -> str:
        return f"{self.text}   right: {self.good}, wrong: {self.bad}"


@dataclass(frozen=True, kw_only=True)
class Cloze(Item):
    """A text with one `[MASK]` and the answers counted right (facts, completions)."""

    text: str
    answers: tuple[str, ...]

    def check(self) -> None:
        if self.text.count(MASK) != 1 or not self.answers:
            raise ItemError(f"needs one {MASK} and an answer: {self}")

    def describe(self) -> str:
        return f"{self.text}   right: {' / '.join(self.answers[:4])}"


@dataclass(frozen=True, kw_only=True)
class MinimalPair(Item):
    """Two whole sentences, the first acceptable, the second not."""

    good: str
    bad: str

    def check(self) -> None:
        if blank(self.good) or blank(self.bad) or self.good == self.bad:
            raise ItemError(f"needs two different texts: {self}")

    def describe(self) -> str:
        return f"{self.good}\nnot: {self.bad}"


@dataclass(frozen=True, kw_only=True)
class Span:
    """A labelled stretch of words ``[start, end)``; `kind` says of what sort (entity, chunk, role, mention, scope…)."""

    start: int
    end: int
    label: str
    kind: str = ""
    head: int | None = None  # for roles: the predicate's word index; for mentions: the cluster number


@dataclass(frozen=True, kw_only=True)
class Sentence(Item):
    """A sentence with whatever gold analysis its source has; a layer that is absent is an empty tuple.

    heads
        Index of each word's head, -1 for the root (so not the 1-based column of CoNLL-U).
    brackets
        Constituents as half-open labelled spans, `kind="constituent"`.
    """

    words: tuple[str, ...]
    upos: tuple[str, ...] = ()
    xpos: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()
    feats: tuple[str, ...] = ()  # "Number=Sing|Person=3", as in CoNLL-U
    heads: tuple[int, ...] = ()
    deprels: tuple[str, ...] = ()
    chunks: tuple[str, ...] = ()  # B-NP, I-NP, O
    brackets: tuple[Span, ...] = ()
    spans: tuple[Span, ...] = ()  # entities, roles, mentions, negation scope and cue, …
    senses: tuple[str, ...] = ()  # "" for a word without a sense label

    def check(self) -> None:
        n = len(self.words)
        if not n:
            raise ItemError(f"a sentence without words: {self}")
        for name in ("upos", "xpos", "lemmas", "feats", "heads", "deprels", "chunks", "senses"):
            layer = getattr(self, name)
            if layer and len(layer) != n:
                raise ItemError(f"{name} has {len(layer)} entries for {n} words: {self}")
        if self.heads and (
            self.heads.count(-1) != 1 or not all(-1 <= h < n and h != i for i, h in enumerate(self.heads))
        ):
            raise ItemError(f"heads are not a tree with one root: {self}")
        for span in (*self.brackets, *self.spans):
            if not 0 <= span.start < span.end <= n:
                raise ItemError(f"{span} lies outside the sentence: {self}")

    def of(self, kind: str) -> Iterator[Span]:
        """The spans of one kind."""
        return (s for s in self.spans if s.kind == kind)

    def describe(self) -> str:
        return marked(self.words)


@dataclass(frozen=True, kw_only=True)
class WordInContext(Item):
    """One word in a sentence with the sense it has there (`target` indexes `words`)."""

    words: tuple[str, ...]
    target: int
    lemma: str
    sense: str
    upos: str = ""

    def check(self) -> None:
        if not 0 <= self.target < len(self.words):
            raise ItemError(f"target lies outside the sentence: {self}")

    def describe(self) -> str:
        return f"{marked(self.words, (self.target, self.target + 1))}   sense: {self.sense}"


@dataclass(frozen=True, kw_only=True)
class EdgeItem(Item):
    """One or two spans of a sentence and the label(s) to be told from their vectors (edge probing, Tenney 2019b)."""

    words: tuple[str, ...]
    span1: tuple[int, int]
    span2: tuple[int, int] | None = None
    labels: tuple[str, ...]

    def pairs(self) -> list[tuple[int, int]]:
        """Every word of the first span with every word of the second."""
        return [(a, b) for a in range(*self.span1) for b in range(*(self.span2 or (0, 0)))]

    def check(self) -> None:
        for span in filter(None, (self.span1, self.span2)):
            if not 0 <= span[0] < span[1] <= len(self.words):
                raise ItemError(f"span {span} lies outside the sentence: {self}")

    def describe(self) -> str:
        spans = filter(None, (self.span1, self.span2))
        return f"{marked(self.words, *spans)}   label: {', '.join(self.labels[:6])}"


@dataclass(frozen=True, kw_only=True)
class Labelled(Item):
    """A text, or two, with a class (sentiment, acceptability, paraphrase, entailment)."""

    text: str
    text_b: str | None = None
    label: str

    def describe(self) -> str:
        return f"{self.text}{'' if self.text_b is None else f' | {self.text_b}'}   label: {self.label}"


@dataclass(frozen=True, kw_only=True)
class ScoredPair(Item):
    """Two words or texts with a graded human (or constructed) similarity."""

    a: str
    b: str
    score: float

    def describe(self) -> str:
        return f"{self.a} | {self.b}   similarity: {self.score:.2f}"


@dataclass(frozen=True, kw_only=True)
class Association(Item):
    """A WEAT/SEAT test: two target sets X, Y and two attribute sets A, B of words or sentences (May 2019)."""

    x: tuple[str, ...]
    y: tuple[str, ...]
    a: tuple[str, ...]
    b: tuple[str, ...]

    def describe(self) -> str:
        x, y, a, b = (", ".join(part[:4]) + ", ..." * (len(part) > 4) for part in (self.x, self.y, self.a, self.b))
        return f"{x} against {y}:\nwhich are nearer to {a}, which to {b}?"


@dataclass(frozen=True, kw_only=True)
class Ambiguity(Item):
    """A binary decision learnt where two rules agree and tested where they do not (Lin 2019, Warstadt 2020).

    `label` follows the structure, `linear` the surface rule; `candidates` are word indices to choose from
    (`target` among them), or empty where the whole sentence is classified.
    """

    words: tuple[str, ...]
    label: int
    linear: int
    candidates: tuple[int, ...] = ()
    target: int | None = None

    def describe(self) -> str:
        spans = [(w, w + 1) for w in self.candidates]
        right = f"   right: {self.words[self.target]}" if self.target is not None else f"   label: {self.label}"
        return marked(self.words, *spans) + right


@dataclass(frozen=True, kw_only=True)
class Translation(Item):
    """A sentence in two or more languages: language code -> sentence; `alignment` pairs (lang, i, lang, j) where known."""

    sentences: dict[str, Sentence]
    alignment: tuple[tuple[str, int, str, int], ...] = ()

    def describe(self) -> str:
        return "\n".join(f"{code}: {marked(s.words)}" for code, s in list(self.sentences.items())[:2])


@dataclass(frozen=True, kw_only=True)
class NumberItem(Item):
    """A number task (Wallace 2019b): the numbers as words, the value(s), the target (index, value or sum)."""

    words: tuple[str, ...]
    values: tuple[float, ...]
    target: float

    def describe(self) -> str:
        return f"{' '.join(self.words)}   right: {self.target:g}"


@dataclass(frozen=True, kw_only=True)
class Coreference(Item):
    """A text (words) with a pronoun and candidate mentions; `answer` indexes `candidates`, None where none is right."""

    words: tuple[str, ...]
    pronoun: tuple[int, int]
    candidates: tuple[tuple[int, int], ...]
    answer: int | None

    def describe(self) -> str:
        right = "none" if self.answer is None else " ".join(self.words[slice(*self.candidates[self.answer])])
        return f"{marked(self.words, self.pronoun, *self.candidates)}   [1] is: {right}"


@dataclass(frozen=True)
class Data:
    """What one source yields for the tasks of a claim.

    Attributes
    ----------
    name : str
        ``"builtin"`` or the data set's name in the registry.
    items : dict[str, list[Item]]
        Task name -> items.
    sha256 : str
        Over the items themselves, so that a changed reader or generator is seen in the evidence.
    notes : tuple[str, ...]
        What was left out, and how many (filters of the papers, sentences too long, …), in words.
    """

    name: str
    items: dict[str, list]
    sha256: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, task: str) -> list:
        return self.items[task]

    def __len__(self) -> int:
        return sum(map(len, self.items.values()))
