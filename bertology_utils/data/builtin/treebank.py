"""Sentences with every layer of gold annotation, and the tasks read off them."""
from __future__ import annotations

from collections.abc import Callable
from random import Random

from ..items import Sentence
from . import builder
from .grammar import Grammar
from .sentence import Skeleton, compile_phrase

POOL = 2000  # sentence structures drawn anew before structures are used again with other words
SPLITS = ("train",) * 8 + ("dev", "test")


def draw(name: str, n: int, seed: int, keep: Callable[[Skeleton], bool] | None = None, negation: float | None = None,
         pool_size: int = POOL) -> list[Sentence]:
    """`n` different sentences whose structures `keep` accepts.

    Parameters
    ----------
    name : str
        Begins the ids and, with the seed, starts the random numbers.
    negation : float, optional
        How often a clause is negated, if not as usual.
    pool_size : int
        So many sentences have a structure of their own; later ones are new fillings of these.
    """
    rng, grammar = Random(f"{name}-{seed}"), Grammar(Random(f"{name}-grammar-{seed}"))
    if negation is not None:
        grammar.negation = negation
    pool: list[Skeleton] = []
    seen: set[tuple[str, ...]] = set()
    items: list[Sentence] = []
    while len(items) < n:
        if len(pool) < pool_size:
            skeleton = compile_phrase(grammar.sentence())
            if keep is not None and not keep(skeleton):
                continue
            pool.append(skeleton)
        else:
            skeleton = pool[int(rng.random() * pool_size)]
        i = len(items)
        item = skeleton.sentence(rng, f"{name}-{seed}-{i}", split=SPLITS[i % 10])
        if item.words not in seen:
            seen.add(item.words)
            items.append(item)
    return items


@builder("treebank")
def treebank(n: int, seed: int) -> list[Sentence]:
    """Sentences of 5 to 25 words with part of speech, UD tree, chunks, brackets, roles, entities and mentions."""
    return draw("treebank", n, seed)


def _layers(items: list[Sentence], task: str, *names: str) -> list[Sentence]:
    """The same sentences with the words and the named layers only."""
    return [Sentence(id=item.id.replace("treebank", task, 1), split=item.split, words=item.words,
                     **{name: getattr(item, name) for name in names}) for item in items]


@builder("chunks")
def chunks(n: int, seed: int) -> list[Sentence]:
    """Chunking in the manner of CoNLL-2000: noun, verb, prepositional, … chunks as B-, I- and O."""
    return _layers(treebank(n, seed), "chunks", "xpos", "chunks")


@builder("constituency")
def constituency(n: int, seed: int) -> list[Sentence]:
    """Labelled brackets with the labels of the Penn Treebank."""
    return _layers(treebank(n, seed), "constituency", "brackets")


@builder("sentences")
def sentences(n: int, seed: int) -> list[Sentence]:
    """Plain sentences."""
    return _layers(treebank(n, seed), "sentences")
