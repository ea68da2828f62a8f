"""GAP paragraphs in which a person goes by another name, and the same with another date (balasubramanian2020).

A name is replaced by one of as many words that belongs to another paragraph of the same pronoun's gender. The placebo
replaces a year, a month or a day of the week, which no reader takes for a hint to who is meant.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from bertology_utils.data.items import Coreference
from bertology_utils.data.original.reading import Files, reader

from .coreference import gap

SWAPS = 4  # of each kind for a paragraph
DATES = (
    ("January", "February", "March", "April", "June", "July", "August", "September", "October", "November", "December"),
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
)


def name_of(item: Coreference) -> tuple[str, ...]:
    """The words of the right candidate."""
    assert item.answer is not None
    return item.words[slice(*item.candidates[item.answer])]


def plain(name: tuple[str, ...]) -> bool:
    """One or two capitalised words of letters: no title, initial or epithet."""
    return len(name) <= 2 and all(word.isalpha() and word.istitle() and len(word) > 1 for word in name)


def shared(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether a word of the name is, somewhere in the text, part of a longer name: a relative's, a street's."""
    for i, word in enumerate(words):
        if word not in name:
            continue
        start = i - name.index(word)
        whole = start >= 0 and words[start : start + len(name)] == name
        before, after = (start, start + len(name)) if whole else (i, i + 1)
        if any(w.istitle() and w.isalpha() for w in (*words[max(before - 1, 1) : before], *words[after : after + 1])):
            return True
    return False


def renamed(words: tuple[str, ...], old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """The words with each word of a name replaced, wherever it stands: a person may go by the last name alone."""
    other = dict(zip(old, new))
    return tuple(other.get(word, word) for word in words)


def placebos(words: tuple[str, ...]) -> list[tuple[str, list[str]]]:
    """Words one may replace, each with what may stand there: years nearby, other months, other days."""
    present = set(words)
    found: dict[str, list[str]] = {}
    for word in words:
        if len(word) == 4 and word.isascii() and word.isdigit() and 1500 <= int(word) < 2020:
            found[word] = [str(int(word) + d) for d in range(-9, 10) if d and str(int(word) + d) not in present]
        for kind in DATES:
            if word in kind:
                found[word] = [other for other in kind if other not in present]
    return [(word, others) for word, others in found.items() if len(others) >= SWAPS]


@reader("gap", "name_swaps")
def name_swaps(files: Files) -> Iterator[Coreference]:
    """Each usable test paragraph as it is (`meta["swap"]` None), with four names and with four dates exchanged.

    `meta["base"]` joins the nine; words stay in their places, so pronoun, candidates and answer stay too.
    """
    items = [item for item in gap(files) if item.split != "train"]
    pool: dict[tuple[str, int], list[tuple[str, ...]]] = defaultdict(list)
    for item in items:
        if item.answer is not None and plain(name_of(item)):
            pool[item.condition, len(name_of(item))].append(name_of(item))
    names = {key: sorted(set(found)) for key, found in pool.items()}
    for item in items:
        if item.split != "test":
            continue
        if item.answer is None:
            files.left_out("paragraphs where neither name is right")
            continue
        name, other = name_of(item), item.words[slice(*item.candidates[1 - item.answer])]
        if not plain(name) or set(name) & set(other) or shared(item.words, name):
            files.left_out("paragraphs whose right name is not one or two words that nobody else has")
            continue
        dates = placebos(item.words)
        if not dates:
            files.left_out("paragraphs without a date for the placebo")
            continue
        draw = random.Random(item.id)  # a string seeds the same everywhere
        fresh = [n for n in names[item.condition, len(name)] if not set(n) & set(item.words)]
        date, dates_instead = draw.choice(dates)
        yield replace(item, id=f"{item.id}/base", meta={**item.meta, "base": item.id, "swap": None})
        for swap, old, news in (
            ("name", name, draw.sample(fresh, SWAPS)),
            ("placebo", (date,), [(d,) for d in draw.sample(dates_instead, SWAPS)]),
        ):
            for i, new in enumerate(news):
                yield replace(
                    item,
                    id=f"{item.id}/{swap}/{i}",
                    words=renamed(item.words, old, new),
                    meta={
                        "base": item.id,
                        "swap": swap,
                        "old": " ".join(old),
                        "new": " ".join(new),
                        "a": item.meta["a"],
                        "b": item.meta["b"],
                    },
                )
