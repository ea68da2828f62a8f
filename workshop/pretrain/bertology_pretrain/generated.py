"""Running text in the package's own generated language: what the bundled `toy` learns from.

The sentences are those that the builders of `bertology_world` make items of, with their gaps filled in
rightly: a model that learns this text has been shown all that the generated items ask. What they ask literally it has
not seen: see `unseen`. This module alone of the package's reaches beyond it, to the builders.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from tqdm import tqdm

from bertology_utils.data.text import capital

from .checkpoint import atomic

# Sentences per hundred. Open tasks: a grammar fills endless frames. Tables: written by hand, so there are but so many.
OPEN = {
    "sentences": 22,
    "agreement": 30,
    "agreement_attention": 6,
    "structural_bias": 6,
    "ambiguity": 3,
    "npi_pairs": 9,
    "npi_acceptability": 3,
    "acceptability": 3,
    "coreference": 3,
}
TABLES = {
    "facts": 4,
    "negation": 3,
    "roles": 2,
    "completion": 1,
    "plausibility": 1,
    "size_comparison": 1,
    "hops": 1,
    "senses": 1,
    "name_origin": 1,
}
SEEDS, ITEMS = range(5), 5_000  # of the open tasks: what items a sentence of the text must not be
HELD_OUT = 0.25  # of the tables' sentences
_FIRST = 1_000  # the text's seeds begin here, far from those that experiments are run with
_LENGTHS = range(4, 9)  # sentences per document
_LEXICON = 20_000  # sentences whose words are counted, for texts of few words
_AT_ONCE = 300_000  # sentences of which those of few words are picked


def spoken(item: Any) -> Iterator[str]:
    """The sentences of an item that are good English, gaps filled with the right words.

    Parameters
    ----------
    item : Item
        As `bertology_world.build` makes them; of labelled ones (acceptable or not, true or false) only those
        with the label 1 say anything.

    Examples
    --------
    >>> import bertology_world as builtin
    >>> next(spoken(builtin.build("agreement", 1, seed=7)[0])).count("[MASK]")
    0
    """
    from bertology_utils.data.items import MASK, Ambiguity, Cloze, ForcedChoice, Labelled, MinimalPair
    from bertology_world.sentence import text

    if isinstance(item, ForcedChoice):
        yield capital(item.text.replace(MASK, item.good))
    elif isinstance(item, Cloze):
        yield from (capital(item.text.replace(MASK, answer)) for answer in item.answers)
    elif isinstance(item, MinimalPair):
        yield item.good
    elif isinstance(item, Labelled):
        if item.label == "1":
            yield item.text
    elif not (isinstance(item, Ambiguity) and not item.candidates and not item.label):
        yield text(item.words)


def unseen(sentence: str) -> bool:
    """Whether a sentence of the tables is held out: the quarter with the smallest hashes, whatever the seed."""
    return int.from_bytes(hashlib.sha256(_key(sentence).encode()).digest()[:8], "big") < HELD_OUT * 2**64


@cache
def reserved() -> frozenset[str]:
    """The sentences of the open tasks' items under the seeds that experiments are run with, in lower case."""
    import bertology_world as builtin

    tasks = (*OPEN, "npi_cloze")
    items = (i for t in tasks for seed in SEEDS for i in builtin.build(t, ITEMS, seed))
    return frozenset(_key(s) for i in items for s in spoken(i))


def sentences(n: int, seed: int = 0) -> list[tuple[str, str]]:
    """About `n` distinct sentences with their tasks; those of the tables come several times.

    Nonce versions of the agreement sentences are left out of the text: on them the model has to generalise.
    """
    import bertology_world as builtin

    kept_back = reserved()
    said: set[str] = set()
    out: list[tuple[str, str]] = []
    for task, share in tqdm(OPEN.items(), desc="generating"):
        wanted, part = n * share // 100, _FIRST * (seed + 1)
        found: list[tuple[str, str]] = []
        while len(found) < wanted:
            for item in builtin.build(task, ITEMS, part):
                if item.meta.get("nonce"):
                    continue
                new = {_key(s): s for s in spoken(item)}
                found += [(task, s) for k, s in new.items() if k not in kept_back and k not in said]
                said.update(new)
            part += 1
        out += found[:wanted]
    rng = Random(f"tables-{seed}")
    for task, share in TABLES.items():
        known = list(dict.fromkeys(s for i in builtin.build(task, ITEMS, seed) for s in spoken(i) if not unseen(s)))
        wanted = n * share // 100
        for turn in range(-(-wanted // len(known))):  # each turn has its own documents: no sentence twice in one
            rng.shuffle(known)
            out += [(f"{task} {turn}", s) for s in known[:wanted]]
            wanted -= len(known)
    return out


def of_few_words(n: int, words: int, seed: int = 0) -> list[tuple[str, str]]:
    """`n` distinct sentences of the open tasks, all of whose words are among the `words` commonest of them.

    Small networks come near all that can be learnt of so small a language within some million pieces.
    """
    usual = Counter(w for task, s in sentences(_LEXICON) if task in OPEN for w in _words(s))
    known = {w for w, _ in usual.most_common(words)}
    found: dict[str, tuple[str, str]] = {}
    while len(found) < n:
        seed += 1
        few = [(t, s) for t, s in sentences(_AT_ONCE, seed) if t in OPEN and known.issuperset(_words(s))]
        found |= {_key(s): (t, s) for t, s in few}
    return list(found.values())[:n]


def documents(said: Iterable[tuple[str, str]], seed: int = 0) -> list[list[str]]:
    """Sentences put together to documents about one word: what comes next can be told from what has been said.

    The word is the rarest of the sentence that occurs often enough; documents have four to eight sentences of one task.
    """
    said = list(said)
    count = Counter(w for _, s in said for w in _words(s))
    groups: dict[tuple[str, str], list[str]] = {}
    for task, sentence in said:
        about = min((w for w in _words(sentence) if count[w] >= _LENGTHS[-1]), key=lambda w: (count[w], w), default="")
        groups.setdefault((task, about), []).append(sentence)
    rng, out = Random(f"documents-{seed}"), []
    for group in groups.values():
        rng.shuffle(group)
        start = 0
        while start < len(group):
            stop = start + rng.choice(_LENGTHS)
            out.append(group[start:stop])
            start = stop
    rng.shuffle(out)
    return out


def write(path: str | Path, n: int, seed: int = 0, words: int = 0) -> Path:
    """Write the text, a document a paragraph, blank lines between them; nothing is done where the file is already there.

    Parameters
    ----------
    path : str or Path
    n : int
        Sentences.
    seed : int
        Of the choice of sentences and of their order.
    words : int
        Of the so many commonest words alone (`of_few_words`); 0: of all, with the sentences of the tables.
    """
    path = Path(path)
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        said = of_few_words(n, words, seed) if words else sentences(n, seed)
        text = "\n\n".join(" ".join(d) for d in documents(said, seed)) + "\n"
        atomic(path, lambda stream: stream.write(text.encode()))
    return path


def _key(sentence: str) -> str:
    return sentence.lower()


def _words(sentence: str) -> list[str]:
    return sentence.lower().rstrip(".?").replace(",", "").split()
