"""Finding antecedents: by attention, by nearness, and by rules (string, head, gender, number and person).

The rules are sieves, each more permissive than the last, the nearest mention winning within one (as the baseline of
clark2019): the same words, the same head word, nothing that contradicts gender, number or person, anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..data.items import Coreference, Sentence

Span = tuple[int, int]
# form: (person, number, gender); a dash where the form does not say
PRONOUNS = {
    **dict.fromkeys(("i", "me", "my", "mine", "myself"), "1S-"),
    **dict.fromkeys(("we", "us", "our", "ours", "ourselves"), "1P-"),
    **dict.fromkeys(("you", "your", "yours", "yourself", "yourselves"), "2--"),
    **dict.fromkeys(("he", "him", "his", "himself"), "3SM"),
    **dict.fromkeys(("she", "her", "hers", "herself"), "3SF"),
    **dict.fromkeys(("it", "its", "itself"), "3SN"),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), "3P-"),
}
_PLURAL = frozenset("these those several many few both two three four five six seven eight nine ten".split())
# words that name women or men, and the commonest first names of English texts; the rules know no others
_WOMEN = frozenset(
    "mrs mrs. ms ms. miss lady madam woman women girl girls mother mothers sister sisters daughter daughters aunt wife "
    "wives queen princess actress waitress grandmother niece widow bride nun heroine mary emily anna elizabeth sarah "
    "jane susan linda karen laura emma alice julia margaret helen ruth maria kate lucy sophie rachel".split()
)
_MEN = frozenset(
    "mr mr. sir lord man men boy boys father fathers brother brothers son sons uncle husband husbands king prince actor "
    "waiter grandfather nephew widower groom monk hero john james robert michael william david richard joseph thomas "
    "charles paul mark george peter henry edward louis daniel andrew stephen simon".split()
)


@dataclass(frozen=True)
class Anaphor:
    """A mention to be resolved: its span and head word, the candidates' and which of them are right."""

    sentence: int
    words: tuple[str, ...]
    span: Span
    head: int
    candidates: tuple[Span, ...]
    heads: tuple[int, ...]
    right: tuple[bool, ...]


def from_items(items: Sequence[Coreference]) -> list[Anaphor]:
    """Pronouns with an answer among their candidates; a candidate's head is its last word."""
    return [
        Anaphor(
            i,
            item.words,
            item.pronoun,
            item.pronoun[1] - 1,
            item.candidates,
            tuple(end - 1 for _, end in item.candidates),
            tuple(k == item.answer for k in range(len(item.candidates))),
        )
        for i, item in enumerate(items)
        if item.answer is not None and len(item.candidates) > 1
    ]


def from_mentions(sentences: Sequence[Sentence]) -> list[Anaphor]:
    """Mentions with an earlier one of their cluster in the sentence, and at least one earlier one of another."""
    out = []
    for i, sentence in enumerate(sentences):
        mentions = sorted(sentence.of("mention"), key=lambda m: (m.start, m.end))
        for m in mentions:
            before = [c for c in mentions if c.end <= m.start]
            right = tuple(c.head == m.head for c in before)
            if any(right) and not all(right):
                spans = tuple((c.start, c.end) for c in before)
                heads = tuple(_head(sentence, span) for span in spans)
                span = (m.start, m.end)
                out.append(Anaphor(i, sentence.words, span, _head(sentence, span), spans, heads, right))
    return out


def _head(sentence: Sentence, span: Span) -> int:
    """The word of a span that depends on one outside it; the last word where there is no tree."""
    if sentence.heads:
        return next(w for w in range(*span) if not span[0] <= sentence.heads[w] < span[1])
    return span[1] - 1


def links(anaphors: Sequence[Anaphor]) -> list[tuple[int, Span, Span]]:
    """From each anaphor's head word to each candidate's, for `spans.between`."""
    return [(a.sentence, (a.head, a.head + 1), (h, h + 1)) for a in anaphors for h in a.heads]


def attended(anaphors: Sequence[Anaphor], attention: np.ndarray) -> np.ndarray:
    """Whether each head's most attended candidate is right; (n, heads) bool, from attention (links, heads)."""
    out, start = np.zeros((len(anaphors), attention.shape[1]), bool), 0
    for i, a in enumerate(anaphors):
        stop = start + len(a.heads)
        out[i] = np.asarray(a.right)[attention[start:stop].argmax(0)]
        start = stop
    return out


def nearest(a: Anaphor, among: Sequence[int] | None = None) -> int:
    """The nearest candidate before the anaphor, else the nearest behind it."""
    among = range(len(a.candidates)) if among is None else among

    def distance(k: int) -> tuple[bool, int]:
        start, end = a.candidates[k]
        return end > a.span[0], (a.span[0] - end if end <= a.span[0] else start - a.span[1])

    return min(among, key=distance)


def first(a: Anaphor) -> int:
    """The first candidate of the text."""
    return min(range(len(a.candidates)), key=lambda k: a.candidates[k])


def most_repeated(a: Anaphor) -> int:
    """The candidate whose head word occurs most often in the text; of several the nearest."""
    words = [w.lower() for w in a.words]
    count = [words.count(words[h]) for h in a.heads]
    return nearest(a, [k for k, n in enumerate(count) if n == max(count)])


def by_rules(a: Anaphor) -> int:
    """The candidate that the sieves choose."""
    words = [w.lower() for w in a.words]
    own, traits = words[slice(*a.span)], _traits(a.words, a.span, a.head)
    pronoun = len(own) == 1 and own[0] in PRONOUNS
    tests = (
        lambda k: words[slice(*a.candidates[k])] == own,
        lambda k: words[a.heads[k]] == words[a.head] and not pronoun,
        lambda k: all(x == y or "-" in (x, y) for x, y in zip(traits, _traits(a.words, a.candidates[k], a.heads[k]))),
        lambda k: True,
    )
    passed = ([k for k in range(len(a.candidates)) if test(k)] for test in tests)
    return nearest(a, next(filter(None, passed)))  # the last sieve lets everything through


def _traits(words: Sequence[str], span: Span, head: int) -> str:
    """Person, number and gender as far as the words tell, a dash each where they do not."""
    lower = [w.lower() for w in words[slice(*span)]]
    if len(lower) == 1 and lower[0] in PRONOUNS:
        return PRONOUNS[lower[0]]
    noun = words[head]
    plural = "and" in lower or bool(_PLURAL & set(lower)) or noun.lower() in ("men", "women", "children", "people")
    plural = plural or (noun.islower() and noun.endswith("s") and not noun.endswith("ss"))
    gender = next(("F" if w in _WOMEN else "M" for w in (*lower, noun.lower()) if w in _WOMEN | _MEN), "-")
    if plural:
        return "3P-"
    return f"3S{gender}"
