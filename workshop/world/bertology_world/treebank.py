"""Sentences with every layer of gold annotation, and the tasks read off them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from random import Random
from typing import NamedTuple

from bertology_utils.data.items import Sentence

from . import builder
from .grammar import Grammar
from .phrase import Phrase
from .sentence import Skeleton, compile_phrase

POOL = 2000  # sentence structures drawn anew before structures are used again with other words
SPLITS = ("train",) * 8 + ("dev", "test")


class Drawn(NamedTuple):
    """A sentence that has been drawn: its words and the structure with all layers of gold."""

    id: str
    split: str
    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    skeleton: Skeleton

    def sentence(self) -> Sentence:
        """The sentence with all layers."""
        return Sentence(id=self.id, split=self.split, words=self.words, lemmas=self.lemmas, **self.skeleton.layers())


def draw(
    name: str, seed: int, keep: Callable[[Phrase], bool] | None = None, pool_size: int = POOL, **odds: float
) -> Iterator[Drawn]:
    """Different sentences whose structures `keep` accepts, without end.

    Parameters
    ----------
    name : str
        Begins the ids and, with the seed, starts the random numbers.
    pool_size : int
        So many sentences have a structure of their own; later ones are new fillings of these.
    **odds
        How often the grammar takes a way, if not as usual: `negation` of a clause, `ownership` of what can be owned.
    """
    rng, grammar = Random(f"{name}-{seed}"), Grammar(Random(f"{name}-grammar-{seed}"))
    for way, chance in odds.items():
        if not hasattr(Grammar, way):
            raise TypeError(f"the grammar has no odds {way!r}")
        setattr(grammar, way, chance)
    pool: list[Skeleton] = []
    seen: set[tuple[str, ...]] = set()
    while True:
        if len(pool) < pool_size:
            phrase = grammar.sentence()
            if keep is not None and not keep(phrase):
                continue
            skeleton = compile_phrase(phrase)
            pool.append(skeleton)
        else:
            skeleton = pool[int(rng.random() * pool_size)]
        words, lemmas = skeleton.fill(rng)
        if words not in seen:
            i = len(seen)
            seen.add(words)
            yield Drawn(f"{name}-{seed}-{i}", SPLITS[i % 10], words, lemmas, skeleton)


@builder("treebank")
def treebank(n: int, seed: int) -> list[Sentence]:
    """Sentences of 5 to 25 words with part of speech, UD tree, chunks, brackets, roles, entities and mentions."""
    return [drawn.sentence() for drawn in islice(draw("treebank", seed), n)]


def _with(task: str, n: int, seed: int, *layers: str) -> list[Sentence]:
    """The sentences of the treebank with the words and the named layers only."""
    return [
        Sentence(
            id=drawn.id.replace("treebank", task, 1),
            split=drawn.split,
            words=drawn.words,
            **{name: getattr(drawn.skeleton, name) for name in layers},
        )
        for drawn in islice(draw("treebank", seed), n)
    ]


@builder("chunks")
def chunks(n: int, seed: int) -> list[Sentence]:
    """Chunking in the manner of CoNLL-2000: noun, verb, prepositional, … chunks as B-, I- and O."""
    return _with("chunks", n, seed, "xpos", "chunks")


@builder("constituency")
def constituency(n: int, seed: int) -> list[Sentence]:
    """Labelled brackets with the labels of the Penn Treebank."""
    return _with("constituency", n, seed, "brackets")


@builder("sentences")
def sentences(n: int, seed: int) -> list[Sentence]:
    """Plain sentences."""
    return _with("sentences", n, seed)
