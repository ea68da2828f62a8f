"""Words of several senses in labelled contexts, and pairs of such contexts (wiedemann2019, pilehvar2019)."""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import Any

from bertology_utils.data.items import Labelled, WordInContext

from . import builder
from .lexicon import source
from .sentence import text

WORDS = source("words")["senses"]
PEOPLE = WORDS["people"]
TIMES = WORDS["times"]
# what may go before a template that begins with one of OPENERS, so that its sentence is not said too often
PREFIXES = WORDS["prefixes"]
OPENERS = frozenset(WORDS["openers"])
FIRST = 0.6  # share of a word's first sense, so that "always the first" is a baseline worth beating
TRAIN, DEV = 8, 1  # templates of each sense for training and development; the rest are for the test


@lru_cache(maxsize=1)
def templates() -> dict[str, dict[str, list[list[str]]]]:
    """Word -> sense -> templates, each a list of words."""
    return {
        word: {sense: [line.split() for line in block.strip().split("\n")] for sense, block in senses.items()}
        for word, senses in source("senses").items()
    }


def _fill(template: list[str], rng: Random) -> list[str]:
    out: list[str] = []
    if template[0] in OPENERS:
        prefix = rng.choice(PREFIXES).split()
        if prefix:
            template = [*prefix, template[0].lower(), *template[1:]]
    for w in template:
        out += rng.choice(PEOPLE).split() if w == "{P}" else rng.choice(TIMES).split() if w == "{T}" else [w]
    return out


def _split_of(k: int) -> str:
    return "train" if k < TRAIN else "dev" if k < TRAIN + DEV else "test"


def _choose(senses: list[str], rng: Random) -> str:
    return senses[0] if rng.random() < FIRST else rng.choice(senses[1:])


@builder("senses")
def senses(n: int, seed: int) -> list[WordInContext]:
    """A word in a sentence and its sense; no template occurs in two splits and no sentence twice.

    Fewer than `n` items come back where there are no new sentences (beyond about 10,000). Meta `most_frequent`: whether
    the sense is the word's first.
    """
    rng, data = Random(f"senses-{seed}"), templates()
    lemmas = list(data)
    out: list[Any] = []
    seen: set[tuple[str, ...]] = set()
    for i in range(4 * n + 100):
        if len(out) == n:
            break
        lemma = lemmas[i % len(lemmas)]
        sense = _choose(list(data[lemma]), rng)
        k = int(rng.random() * len(data[lemma][sense]))
        words = tuple(_fill(data[lemma][sense][k], rng))
        if words in seen:
            continue
        seen.add(words)
        out.append(
            WordInContext(
                id=f"senses-{seed}-{len(out)}",
                split=_split_of(k),
                condition=lemma,
                words=words,
                target=words.index(lemma),
                lemma=lemma,
                sense=f"{lemma}.{sense}",
                upos="ADJ" if (lemma, sense) == ("light", "weight") else "NOUN",
                meta={"most_frequent": sense == next(iter(data[lemma]))},
            )
        )
    return out


@builder("sense_pairs")
def sense_pairs(n: int, seed: int) -> list[Labelled]:
    """Two different sentences with the same word: T if it has the same sense in both, else F; T and F in turn.

    Both sentences come from the templates of the pair's split. Meta: `words_a`, `words_b`, `target_a`, `target_b`.
    """
    rng, data = Random(f"sense-pairs-{seed}"), templates()
    lemmas = list(data)
    out: list[Any] = []
    bounds = {"train": (0, TRAIN), "test": (TRAIN, None)}
    for i in range(n):
        lemma = lemmas[i % len(lemmas)]
        same = (i // len(lemmas)) % 2 == 0
        split = "train" if rng.random() < 0.7 else "test"
        names = rng.sample(list(data[lemma]), 2)
        pools = [
            data[lemma][names[0]][slice(*bounds[split])],
            data[lemma][names[0 if same else 1]][slice(*bounds[split])],
        ]
        first = rng.choice(pools[0])
        second = rng.choice([t for t in pools[1] if t != first])
        a, b = _fill(first, rng), _fill(second, rng)
        out.append(
            Labelled(
                id=f"sense-pairs-{seed}-{i}",
                split=split,
                condition=lemma,
                text=text(a),
                text_b=text(b),
                label="T" if same else "F",
                meta={"words_a": tuple(a), "words_b": tuple(b), "target_a": a.index(lemma), "target_b": b.index(lemma)},
            )
        )
    return out
