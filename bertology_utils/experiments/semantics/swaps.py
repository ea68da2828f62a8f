"""Items about two people in versions: one name exchanged, or a word that names nobody (balasubramanian2020)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from ...data import builtin
from ...data.items import Coreference, Data

SWAPS = 4  # of each kind for an item
GENDERS = {"masculine": "man", "male": "man", "Masc": "man", "feminine": "woman", "female": "woman", "Fem": "woman"}


@dataclass(frozen=True)
class Versions:
    """An item, the same with other names, and the same with another word exchanged; as many of each.

    The answer is the same in all.
    """

    base: Coreference
    names: tuple[Coreference, ...]
    placebos: tuple[Coreference, ...]

    def every(self) -> tuple[Coreference, ...]:
        """All of them, the base first."""
        return self.base, *self.names, *self.placebos


def versions(data: Data, seed: int = 0) -> tuple[list[Versions], str]:
    """The swaps that a source has; where it has fewer than two for an item, `SWAPS` made from the generated lexicon.

    Of items without names (occupations), both people get names of the pronoun's gender first. Items whose people differ
    in gender or number are left out: names of the same gender say nothing there. A note counts what was left out.
    """
    groups: dict[str, dict[str | None, list[Coreference]]] = defaultdict(lambda: defaultdict(list))
    for item in data.items.get("name_swaps", []):
        groups[item.meta["base"]][item.meta["swap"]].append(item)
    found = [Versions(g[None][0], tuple(g["name"]), tuple(g["placebo"])) for g in groups.values() if g[None]]
    if found and all(min(len(v.names), len(v.placebos)) > 1 for v in found):
        return found, f"{len(found)} items, each with {len(found[0].names)} other names and as many other words"
    items = [v.base for v in found] or data["coreference"]
    usable = [
        i for i in items if i.answer is not None and len(i.candidates) == 2 and i.condition not in ("gender", "number")
    ]
    made = [v for v in (made_up(item, seed) for item in usable) if v is not None]
    return made, f"{len(made)} of {len(items)} items have two people of a gender and a noun of the lexicon to exchange"


def made_up(item: Coreference, seed: int = 0) -> Versions | None:
    """An item's people named, then one of them renamed, or a noun exchanged; None where there is nothing to exchange.

    Examples
    --------
    >>> item = Coreference(id="x", words=tuple("The nurse thanked the cook because she had found the hat .".split()),
    ...                    pronoun=(6, 7), candidates=((0, 2), (3, 5)), answer=1, meta={"gender": "feminine"})
    >>> found = made_up(item)
    >>> found.base.words[1:2] + found.base.words[3:], found.base.candidates, len(found.names)
    (('thanked', 'because', 'she', 'had', 'found', 'the', 'hat', '.'), ((0, 1), (2, 3)), 4)
    >>> {w for v in found.names for a, b in zip(v.words, found.base.words) if a != b for w in [b]} <= set(found.base.words)
    True
    """
    gender = GENDERS.get(item.meta.get("gender") or item.condition)
    if gender is None:
        return None
    rng = random.Random(f"{item.id}-{seed}")
    pool = [w for w in builtin.words()["names"][gender] if w not in item.words]
    drawn = rng.sample(pool, SWAPS + 2)
    base = item if all(_is_name(item, c) for c in item.candidates) else named(item, drawn[:2])
    outside = [w for w in range(len(base.words)) if not any(a <= w < b for a, b in (*base.candidates, base.pronoun))]
    nouns = [w for w in outside if base.words[w] in classes()]
    if not nouns:
        return None
    where, which = rng.choice(nouns), base.candidates[rng.randrange(2)][0]
    others = [w for w in classes()[base.words[where]] if w not in base.words]
    if len(others) < SWAPS:
        return None
    names = [_with(base, which, w, f"name/{k}") for k, w in enumerate(drawn[2:])]
    return Versions(
        base,
        tuple(names),
        tuple(_with(base, where, w, f"placebo/{k}") for k, w in enumerate(rng.sample(others, SWAPS))),
    )


def named(item: Coreference, names: Sequence[str]) -> Coreference:
    """The item with one name in the place of each candidate's words; its meta keeps who they were."""
    words, moved, spans = list(item.words), {}, [*item.candidates, item.pronoun]
    for k in sorted(range(len(item.candidates)), key=lambda k: -item.candidates[k][0]):
        start, end = item.candidates[k]
        words[start:end] = [names[k]]
        spans = [_shift(s, start, end) for s in spans]
        moved[k] = (start, start + 1)
        spans[k] = moved[k]
    meta = item.meta | {"people": people(item)}
    return replace(item, words=tuple(words), candidates=tuple(spans[:-1]), pronoun=spans[-1], meta=meta)


def people(item: Coreference) -> str:
    """The candidates in alphabetical order, without articles."""
    words = [[w.lower() for w in item.words[slice(*c)]] for c in item.candidates]
    return ", ".join(sorted(" ".join(w for w in mention if w not in ("the", "a", "an")) for mention in words))


def _shift(span: tuple[int, int], start: int, end: int) -> tuple[int, int]:
    by = end - start - 1 if span[0] >= end else 0
    return span[0] - by, span[1] - by


def _is_name(item: Coreference, span: tuple[int, int]) -> bool:
    return span[1] - span[0] == 1 and item.words[span[0]].istitle()


def _with(item: Coreference, where: int, word: str, kind: str) -> Coreference:
    words = (*item.words[:where], word, *item.words[where + 1 :])
    return replace(item, id=f"{item.id}/{kind}", words=words)


@cache
def classes() -> dict[str, tuple[str, ...]]:
    """Noun -> the other nouns of its class and number; of classes that name no people, and cities."""
    words = builtin.words()
    an, cities = set(words["an"]), words["names"]["place"]
    out: dict[str, tuple[str, ...]] = {}
    for forms in words["nouns"]:
        out |= {f: tuple(o for o in forms if o != f and (o in an) == (f in an)) for f in forms if f not in out}
    return out | {c: tuple(o for o in cities if o != c) for c in cities}


def texts(found: Iterable[Versions]) -> Iterable[tuple[tuple[str, ...], None, Coreference, str]]:
    """The texts of all versions, as a stand-in is told of them; the part says which version it is."""
    for v in found:
        yield v.base.words, None, v.base, "base"
        yield from ((i.words, None, i, "name") for i in v.names)
        yield from ((i.words, None, i, "placebo") for i in v.placebos)
