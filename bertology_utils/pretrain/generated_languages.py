"""Text in several languages, made by the package's multilingual grammar: a sentence a line, a file per language.

What is said in one language is not said in another, but for the last two files, which are translations of one another
line by line. The held-out items of experiments (translations, treebanks) are said in none.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

from tqdm import tqdm

from .checkpoint import atomic

# file -> language; `eng-b` is more English, to be taken for another language, the `-p` files are parallel
FILES = {name: name for name in ("eng", "deu", "fra", "fin", "nld", "spa", "swe", "ita")}
FILES |= {"eng-b": "eng", "eng-p": "eng", "deu-p": "deu"}
PARALLEL = "-p"
SEEDS, TRANSLATIONS, SENTENCES = range(5), 2_000, 6_000  # of the items that are said in no text


def reserved() -> set[object]:
    """What the items of experiments say, whatever the language."""
    from ..data.builtin import multilingual

    tasks = {"translations": TRANSLATIONS, "multilingual_treebank": SENTENCES}
    return {p for task, n in tasks.items() for seed in SEEDS for p in multilingual.propositions(task, n, seed)}


def lines(file: str, n: int, back: set[object]) -> Iterator[str]:
    """`n` different sentences of a file, none of which says what is kept `back`.

    >>> list(lines("deu-p", 1, set())) != list(lines("eng-p", 1, set()))
    True
    """
    from ..data.builtin.multilingual import proposition
    from ..data.builtin.multilingual_grammar import text_of, words_of

    language = FILES[file]
    rng = Random("parallel text" if file.endswith(PARALLEL) else f"text {file}")
    said: set[object] = set()
    while len(said) < n:
        p = proposition(rng)
        if p not in said and p not in back:
            said.add(p)
            yield text_of(language, [w.form for w in words_of(language, p)])


def write(folder: str | Path, n: int) -> list[Path]:
    """Write the files of `FILES` with `n` sentences each; those that are there are left alone."""
    folder = Path(folder)
    paths = [folder / f"{file}.txt" for file in FILES]
    missing = [p for p in paths if not p.is_file()]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        back = reserved()
        for path in tqdm(missing, desc="generating", unit=" languages"):
            text = "".join(line + "\n" for line in lines(path.stem, n, back))
            atomic(path, lambda stream, text=text: stream.write(text.encode()))
    return paths
