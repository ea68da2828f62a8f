"""Which language a name looks like, by its letters: what one can guess without having read a text."""

from __future__ import annotations

from collections import Counter

import numpy as np

GRAMS = (1, 2, 3)  # letters in a row that are counted


def grams(name: str) -> Counter:
    """Stretches of one to three letters of a name, its ends marked.

    >>> sorted(grams("Al"))[:4]
    ['<', '<a', '<al', '>']
    """
    text = f"<{name.lower()}>"
    return Counter(text[k : k + n] for n in GRAMS for k in range(len(text) - n + 1))


def by_letters(known: dict[str, str], asked: list[str]) -> list[str]:
    """The language whose names share most letters with each name: naive Bayes with add-one smoothing.

    Parameters
    ----------
    known : mapping, name -> language
    asked : list of names

    Examples
    --------
    >>> by_letters({"Marcello": "Italian", "Otto": "German", "Vincenzo": "Italian"}, ["Ellocenzo"])
    ['Italian']
    """
    counts: dict[str, Counter] = {}
    for name, language in known.items():
        counts.setdefault(language, Counter()).update(grams(name))
    kinds = len({g for c in counts.values() for g in c})
    totals = {language: sum(c.values()) + kinds for language, c in counts.items()}

    def score(name: str, language: str) -> float:
        own = counts[language]
        return sum(k * np.log((own[g] + 1) / totals[language]) for g, k in grams(name).items())

    return [max(sorted(counts), key=lambda language: score(name, language)) for name in asked]
