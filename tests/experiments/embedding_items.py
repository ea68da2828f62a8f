"""Items of every task of the embeddings chapter, of words that the tiny model knows."""

from __future__ import annotations

import random

from bertology_utils.claims import ledger
from bertology_utils.data.items import Association, Data, Labelled, ScoredPair, Sentence, WordInContext
from bertology_utils.runs import registered
from bertology_utils.settings import Settings

NOUNS = ("dog", "cat", "man", "woman", "house", "tree", "bird", "robin", "bank", "river", "money", "key")
SETTINGS = Settings(draws=50)


def texts(n: int, seed: int = 0) -> list[tuple[str, ...]]:
    """Different sentences of words that the tiny model knows."""
    rng, seen = random.Random(seed), {}
    while len(seen) < n:
        a, b = rng.sample(NOUNS, 2)
        words = (
            rng.choice(("the", "a")),
            a,
            rng.choice(("sees", "likes", "runs")),
            "the",
            rng.choice(("big", "old", "red")),
            b,
        )
        seen[(*words, *(("near", "a", rng.choice(NOUNS)) if rng.random() < 0.5 else ()), ".")] = None
    return list(seen)


def items(task: str, n: int = 120) -> list:
    rng = random.Random(task)
    words = texts(n)
    split = ["train" if k < 0.6 * n else "dev" if k < 0.8 * n else "test" for k in range(n)]
    if task in ("sentences", "treebank"):
        return [
            Sentence(id=str(k), words=w, split=s, upos=tuple("NOUN" if x in NOUNS else x[:1].upper() for x in w))
            for k, (w, s) in enumerate(zip(words, split))
        ]
    if task == "word_similarity":
        pairs = [(a, b) for a in NOUNS for b in NOUNS if a < b]
        return [ScoredPair(id=f"{a}-{b}", condition="set", a=a, b=b, score=rng.random()) for a, b in pairs]
    joined = [" ".join(w) for w in words]
    if task == "sts":
        return [
            ScoredPair(id=str(k), condition="events", split=s, a=a, b=rng.choice(joined), score=rng.random())
            for k, (a, s) in enumerate(zip(joined, split))
        ]
    if task == "association":
        sets = [tuple(f"this is a {w} ." for w in NOUNS[k : k + 3]) for k in (0, 3, 6, 9)]
        return [
            Association(id=c, condition=c, x=sets[0], y=sets[1], a=sets[2], b=sets[3], meta={"bleached": True})
            for c in ("flowers_insects", "sent-weat2", "other")
        ]
    if task == "senses":
        return [
            WordInContext(id=str(k), split=s, words=w, target=1, lemma=w[1], sense=w[2])
            for k, (w, s) in enumerate(zip(words, split))
        ]
    if task == "sense_pairs":
        meta = [{"words_a": w, "words_b": rng.choice(words), "target_a": 1, "target_b": 1} for w in words]
    else:
        meta = [{}] * n
    return [
        Labelled(id=str(k), split=s, text=t, text_b=rng.choice(joined), label=rng.choice("TF"), meta=m)
        for k, (t, s, m) in enumerate(zip(joined, split, meta))
    ]


def data(id: str, n: int = 120) -> Data:
    return Data(name="hand-made", items={t: items(t, n) for t in registered()[id].tasks}, sha256="")


ROWS = [row.id for row in ledger.rows("embeddings")]
