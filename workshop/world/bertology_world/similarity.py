"""Pairs with a graded similarity that is known by construction, and association tests with our own word lists."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from bertology_utils.data.items import Association, ScoredPair

from . import builder, draw
from .classification import Event, event


def word_score(path_a: str, path_b: str) -> float:
    """Similarity of two different words by their paths, 0–10 (after Wu and Palmer): 20 · shared depth / sum of depths.

    The word itself counts as one level below its path, so that two words of a class score below 10.
    """
    a, b = path_a.split("/"), path_b.split("/")
    shared = 0
    while shared < min(len(a), len(b)) and a[shared] == b[shared]:
        shared += 1
    return 20 * shared / (len(a) + len(b) + 2)


@lru_cache(maxsize=1)
def _word_pairs() -> dict[float, tuple[tuple[str, str], ...]]:
    words = [(word, path) for path, entry in draw.table("noun_classes.yaml").items() for word in entry.split()]
    by_score: dict[float, list[tuple[str, str]]] = {}
    for (a, path_a), (b, path_b) in combinations(words, 2):
        by_score.setdefault(round(word_score(path_a, path_b), 2), []).append((a, b))
    return {score: tuple(by_score[score]) for score in sorted(by_score)}


@builder("word_similarity")
def word_similarity(n: int, seed: int) -> list[ScoredPair]:
    """Noun pairs scored by taxonomy distance, all grades equally often as far as they go; about 12,000 pairs exist."""
    random_ = draw.rng("word_similarity", seed)
    pools = {score: draw.some(pairs, len(pairs), random_) for score, pairs in _word_pairs().items()}
    items: list[ScoredPair] = []
    while len(items) < n and pools:
        for score in list(pools):
            if not pools[score]:
                del pools[score]
                continue
            pair = list(pools[score].pop())
            random_.shuffle(pair)
            items.append(
                ScoredPair(
                    id=f"word_similarity-{'-'.join(sorted(pair))}",
                    condition="taxonomy",
                    a=pair[0],
                    b=pair[1],
                    score=score,
                )
            )
    return items[:n]


PARTS = ("agent", "deed", "patient", "when", "where")


def _alike(random_: random.Random, shared: int) -> tuple[Event, Event]:
    """Two events that agree in exactly `shared` of the five parts (and share no person otherwise)."""
    e = event(random_)
    same = set(random_.sample(PARTS, shared))
    while True:
        other = event(random_)
        f = Event(**{part: getattr(e if part in same else other, part) for part in PARTS})
        people = {e.agent, e.patient} & {f.agent, f.patient}
        if (
            sum(getattr(e, p) == getattr(f, p) for p in PARTS) == shared
            and f.agent != f.patient
            and len(people) == len(same & {"agent", "patient"})
        ):
            return e, f


@builder("sts")
def sts(n: int, seed: int) -> list[ScoredPair]:
    """Sentence pairs scored 0–5 by how many of agent, deed, patient, time and place they share, grades in turn.

    The second sentence uses synonyms, and often another voice or order, so that word overlap is not the score.
    Splits are 70/10/20.
    """
    random_ = draw.rng("sts", seed)

    def make(i: int) -> tuple[str, str]:
        while True:
            e, f = _alike(random_, i % 6)
            a = e.text(random_, 0, random_.random() < 0.3, random_.random() < 0.3)
            b = f.text(random_, 1, random_.random() < 0.4, random_.random() < 0.4)
            if a != b:
                return a, b

    return [
        ScoredPair(id=f"sts-{seed}-{i}", split=draw.split_of(i, n), condition="events", a=a, b=b, score=float(i % 6))
        for i, (a, b) in enumerate(draw.distinct(make, n, lambda pair: pair))
    ]


BLEACHED = ("This is {}.", "That is {}.", "Here is {}.", "There is {}.")


def _bleached(entry: str) -> Iterator[str]:
    """The word in sentences that say nothing; names and words marked * have no article."""
    word = entry.rstrip("*")
    phrase = word if entry.endswith("*") or word[0].isupper() else f"{draw.an(word)} {word}"
    return (template.format(phrase) for template in BLEACHED)


@builder("association")
def association(n: int, seed: int) -> list[Association]:
    """Association tests, each as words and as bleached sentences (May 2019); X is expected to go with A, Y with B.

    There is a fixed number of lists; the seed orders the words within them.
    """
    random_ = draw.rng("association", seed)
    items = []
    for bleached in (False, True):
        for name, lists in draw.table("associations.yaml").items():
            groups = []
            for entry in lists:
                words = draw.some(entry.split(), len(entry.split()), random_)
                groups.append(tuple(s for w in words for s in (_bleached(w) if bleached else (w.rstrip("*"),))))
            x, y, a, b = groups
            form = "sentences" if bleached else "words"
            items.append(
                Association(
                    id=f"association-{name}-{form}", condition=name, x=x, y=y, a=a, b=b, meta={"bleached": bleached}
                )
            )
    return items[:n]
