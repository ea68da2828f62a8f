"""Text in several languages, made by the package's multilingual grammar: a sentence a line, a file per language.

What is said in one language is drawn without regard to the others (short sentences recur by chance), but for the last
two files, which are translations of one another line by line. The held-out items of experiments (translations,
treebanks) are said in none.

Not everything is said equally often: who does what, what things are like, where and when. It is so in the same way in
all languages, as it is in the world, and words that mean the same are used alike. The grammar by itself uses all names
of persons alike, and nothing but a translation could tell which of another language's is which.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tqdm import tqdm

from .checkpoint import atomic

if TYPE_CHECKING:
    from bertology_world.multilingual_grammar import Proposition

# file -> language; `eng-b` is more English, to be taken for another language, the `-p` files are parallel
FILES = {name: name for name in ("eng", "nld", "deu", "swe", "fra", "spa", "ita", "fin")}
FILES |= {"eng-b": "eng", "eng-p": "eng", "deu-p": "deu"}
PARALLEL = "-p"
RARE = 0.1  # how often a pair of concepts that does not go together is said, where one that does is said once
SEEDS, TRANSLATIONS, SENTENCES = range(5), 2_000, 6_000  # of the items that are said in no text


def reserved() -> set[object]:
    """What the items of experiments say, whatever the language."""
    from bertology_world import multilingual

    tasks = {"translations": TRANSLATIONS, "multilingual_treebank": SENTENCES}
    return {p for task, n in tasks.items() for seed in SEEDS for p in multilingual.propositions(task, n, seed)}


def lines(file: str, n: int, back: set[object]) -> Iterator[str]:
    """`n` different sentences of a file, none of which says what is kept `back`.

    >>> list(lines("deu-p", 1, set())) != list(lines("eng-p", 1, set()))
    True
    """
    from bertology_world.multilingual_grammar import text_of, words_of

    language = FILES[file]
    for p in propositions(file, n, back):
        yield text_of(language, [w.form for w in words_of(language, p)])


def propositions(file: str, n: int, back: set[object]) -> Iterator[Proposition]:
    """What the sentences of a file say."""
    from bertology_world.multilingual import proposition

    rng = Random("parallel text" if file.endswith(PARALLEL) else f"text {file}")
    said: set[object] = set()
    while len(said) < n:
        p = proposition(rng)
        if rng.random() < likely(p) and p not in said and p not in back:
            said.add(p)
            yield p


def likely(p: Proposition) -> float:
    """How readily something is said: the product over the pairs of concepts in it that go together or do not."""
    pairs = [(p.subject.noun, p.verb), (p.subject.adjective, p.subject.noun), (p.place, p.verb), (p.adverb, p.verb)]
    if p.object:
        pairs += [(p.object.noun, p.verb), (p.object.adjective, p.object.noun)]
    out = 1.0
    for one, other in pairs:
        if one:
            out *= _together(one, other)
    return out


@cache
def _together(one: str, other: str) -> float:
    """1 for half of all pairs of concepts, by a hash; `RARE` for the others."""
    return 1.0 if hashlib.sha256(f"{one} {other}".encode()).digest()[0] % 2 else RARE


def write(folder: str | Path, n: int) -> list[Path]:
    """Write the files of `FILES` with `n` sentences each; those that are there are left alone."""
    folder = Path(folder)
    paths = [folder / f"{file}.txt" for file in FILES]
    missing = [p for p in paths if not p.is_file()]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        back = reserved()
        for path in tqdm(missing, desc="generating", unit=" languages"):
            _write(path, "".join(line + "\n" for line in lines(path.stem, n, back)))
    return paths


def _write(path: Path, text: str) -> None:
    atomic(path, lambda stream: stream.write(text.encode()))
