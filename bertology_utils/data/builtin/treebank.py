"""Sentences with every layer of gold annotation, and the tasks read off them."""
from __future__ import annotations

from random import Random

from ..items import Sentence
from . import builder
from .grammar import Grammar
from .sentence import Skeleton, compile_phrase

POOL = 2000  # sentence structures drawn anew before structures are used again with other words
_SPLITS = ("train",) * 8 + ("dev", "test")


@builder("treebank")
def treebank(n: int, seed: int) -> list[Sentence]:
    """Sentences of 5 to 25 words with part of speech, UD tree, chunks, brackets, roles, entities and mentions.

    The first 2,000 sentences of a seed each have a structure of their own; later ones are new fillings of these. No
    sentence occurs twice.
    """
    rng, grammar = Random(f"treebank-{seed}"), Grammar(Random(f"grammar-{seed}"))
    pool: list[Skeleton] = []
    seen: set[tuple[str, ...]] = set()
    items: list[Sentence] = []
    while len(items) < n:
        if len(pool) < POOL:
            skeleton = compile_phrase(grammar.sentence())
            pool.append(skeleton)
        else:
            skeleton = pool[int(rng.random() * POOL)]
        i = len(items)
        item = skeleton.sentence(rng, f"treebank-{seed}-{i}", split=_SPLITS[i % 10])
        if item.words not in seen:
            seen.add(item.words)
            items.append(item)
    return items


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
