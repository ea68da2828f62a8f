"""Text files to documents, documents to sentences: the part of the corpus that knows nothing of pieces."""

from __future__ import annotations

import fnmatch
import hashlib
import lzma
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bertology_utils.errors import Refusal
from bertology_utils.family.config import Config

RUN = 25  # verses a document where no list of verse ids tells the chapters apart


class CorpusError(Refusal):
    """A corpus file is missing, unreadable or empty; the message names it."""


@dataclass(frozen=True)
class Document:
    """A document: what its fate (held out or not) is decided by, and its sentences."""

    key: str
    sentences: list[str]


def find(corpus: str | Path | Iterable[str | Path], exclude: tuple[str, ...] = ()) -> list[Path]:
    """The ``.txt`` and ``.txt.xz`` files named or found in the folders named, ordered by name.

    Raises
    ------
    CorpusError
        A path does not exist, or no file is left.
    """
    given = [Path(corpus)] if isinstance(corpus, (str, Path)) else [Path(p) for p in corpus]
    files: list[Path] = []
    for path in given:
        if path.is_dir():
            files += [p for p in path.rglob("*") if p.is_file() and p.name.endswith((".txt", ".txt.xz"))]
        elif path.is_file():
            files.append(path)
        else:
            raise CorpusError(f"no such file or folder: {path}")
    files = sorted({f for f in files if not any(fnmatch.fnmatch(f.name, e) for e in exclude)}, key=lambda f: f.name)
    if not files:
        raise CorpusError(f"no .txt or .txt.xz file in {', '.join(map(str, given))}")
    return files


def lines(path: Path) -> Iterator[str]:
    """The lines of a text file, ``.xz`` or plain, without their ends."""
    opener = lzma.open if path.name.endswith(".xz") else open
    try:
        with opener(path, "rt", encoding="utf-8") as stream:
            for line in stream:
                yield line.strip()
    except (UnicodeDecodeError, lzma.LZMAError) as error:
        raise CorpusError(f"{path}: {error}") from None


# A sentence ends at . ! ? … (and closing quotes or brackets) before white space and something that is not a
# lower-case letter, and always after the full stops of scripts without case (CJK, Devanagari, Arabic).
_END = re.compile(r"""[.!?…]+["'”’»)\]]*\s+|[。！？।॥؟]+[」』”’）]*\s*""")
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“‘])(?:[A-Za-z]|Mr|Mrs|Ms|Dr|St|Sr|Jr|Prof|Rev|Hon|Capt|Col|Gen|Lt|Sgt|Gov|Sen|Rep|Messrs|Mme|"
    r"Mt|Ft|No|Nos|Vol|vs|cf|ca|approx|etc|e\.g|i\.e|[A-Z]\.[A-Z]|[A-Z]\.[A-Z]\.[A-Z])\.$"
)


def sentences(paragraph: str) -> list[str]:
    """Split a paragraph into sentences by one simple rule, in the writing systems' own full stops.

    A full stop after a single letter (an initial) or a common title or abbreviation ends nothing, nor does
    any stop before a lower-case letter. Joining the result with spaces gives the paragraph again.

    >>> sentences('Mr. J. Smith came. "Why?" she said. He left!')
    ['Mr. J. Smith came.', '"Why?" she said.', 'He left!']
    """
    out, start = [], 0
    for match in _END.finditer(paragraph):
        end = match.end()
        if end < len(paragraph) and paragraph[end].islower():
            continue
        if paragraph[match.start()] == "." and _ABBREVIATION.search(
            paragraph, max(start, match.start() - 12), match.start() + 1
        ):
            continue
        if sentence := paragraph[start:end].strip():
            out.append(sentence)
        start = end
    if rest := paragraph[start:].strip():
        out.append(rest)
    return out


def layout(path: Path, config: Config) -> str:
    """How this file is cut into documents: the first pattern of ``config.layouts`` that its name matches."""
    for pattern, kind in config.layouts:
        if fnmatch.fnmatch(path.name, pattern):
            return kind
    raise CorpusError(f"{path.name} matches none of the layouts {[p for p, _ in config.layouts]}")


def documents(path: Path, kind: str) -> Iterator[Document]:
    """The documents of a file in order.

    In the ``verse`` layout, line i is verse i: a sentence, or empty where this version lacks it. Documents are the
    chapters that ``verse_ids.txt(.xz)`` beside the file tells apart (so the same ones in every language, held out in
    all languages or in none), or else runs of 25 verses.
    """
    if kind == "line":
        for number, line in enumerate(lines(path)):
            if line:
                yield Document(f"line {number}", sentences(line))
    elif kind == "verse":
        yield from _chapters(path)
    else:
        held: list[str] = []
        for line in lines(path):
            if line:
                held.append(line)
            elif held:
                yield _paragraphs(held)
                held = []
        if held:
            yield _paragraphs(held)


def _paragraphs(paragraphs: list[str]) -> Document:
    return Document("\n".join(paragraphs), [s for p in paragraphs for s in sentences(p)])


def chapters(path: Path, verses: int) -> list[str]:
    """The chapter of each of so many lines of a verse-aligned file: what `is_held_out` decides by.

    Raises
    ------
    CorpusError
        The list of verse ids beside the file has another number of lines.
    """
    listing = next((p for n in ("verse_ids.txt", "verse_ids.txt.xz") if (p := path.parent / n).is_file()), None)
    if listing is None:
        return [f"run {i // RUN}" for i in range(verses)]
    found = [v.rpartition(".")[0] for v in lines(listing)]
    if len(found) != verses:
        raise CorpusError(f"{path.name} has {verses} lines, {listing.name} has {len(found)}")
    return found


def _chapters(path: Path) -> Iterator[Document]:
    verses = list(lines(path))
    of = chapters(path, len(verses))
    start = 0
    for i in range(1, len(verses) + 1):
        if i == len(verses) or of[i] != of[start]:
            if found := [v for v in verses[start:i] if v]:
                yield Document(of[start], found)
            start = i


def is_held_out(key: str, share: float) -> bool:
    """Whether a document is held out: decided by a stable hash of its key, not by its place."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") < share * 2**64
