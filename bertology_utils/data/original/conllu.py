"""CoNLL-U, strictly: blocks of rows with their line numbers, and sentences made of them.

Written here rather than taken from a library because an error must name its line, and because a treebank of 250,000 words
should be read in a second.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bertology_utils.data.items import Sentence, Span
from bertology_utils.data.original.reading import ReaderError, at, lines

ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC = range(10)
_WORD = re.compile(r"[1-9][0-9]*")
_OTHER = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|[0-9]+\.[1-9][0-9]*")  # multiword tokens, empty nodes


@dataclass(frozen=True)
class Block:
    """One sentence of a file: its line, its comments, the rows of its syntactic words (columns as text)."""

    path: Path
    line: int
    comments: dict[str, str]
    rows: list[list[str]]

    @property
    def id(self) -> str:
        if "sent_id" not in self.comments:
            raise ReaderError(self.path, self.line, "a sentence without sent_id")
        return self.comments["sent_id"]


def blocks(path: Path, *, more: bool = False) -> Iterator[Block]:
    """The sentences of a CoNLL-U file; multiword tokens and empty nodes are passed over.

    Parameters
    ----------
    more : bool
        Whether columns may follow the ten (as in CoNLL-U Plus); a sentence has as many in each row.

    Raises
    ------
    ReaderError
        For rows with another number of columns, ids out of order, comments inside a sentence.
    """
    comments: dict[str, str] = {}
    rows: list[list[str]] = []
    start, width, document = 1, 10, ""
    number = 0
    for number, line in lines(path, blank=True, encoding="utf-8-sig"):  # some editors put a mark before the first line
        if not line:
            if rows:
                yield Block(path, start, comments, rows)
            comments, rows = {}, []
        elif line[0] == "#":
            if rows:
                raise ReaderError(path, number, f"a comment inside a sentence: {line!r}")
            key, _, value = line[1:].partition("=")
            if key.strip() == "newdoc id":
                document = value.strip()
            comments[key.strip()] = value.strip()
            comments.setdefault("document", document)
        else:
            fields = line.split("\t")
            if not _WORD.fullmatch(fields[ID]) and _OTHER.fullmatch(fields[ID]):
                continue
            if not rows:
                start, width = number, len(fields) if more else 10
            if len(fields) != width or width < 10:
                raise ReaderError(path, number, f"{len(fields)} columns instead of {width}: {line[:120]!r}")
            if fields[ID] != str(len(rows) + 1):
                raise ReaderError(path, number, f"word {fields[ID]!r} where {len(rows) + 1} should be")
            rows.append(fields)
    if rows:
        raise ReaderError(path, number, "the file ends inside a sentence")


def sentence(
    block: Block,
    *,
    split: str = "test",
    condition: str = "",
    spans: tuple[Span, ...] = (),
    meta: dict[str, Any] | None = None,
) -> Sentence:
    """The sentence with part of speech, lemma, features and tree; its id is the treebank's own."""
    with at(block.path, block.line):
        columns = list(zip(*block.rows))
        return Sentence(
            id=block.id,
            split=split,
            condition=condition,
            meta=meta or {},
            words=columns[FORM],
            upos=columns[UPOS],
            xpos=columns[XPOS],
            lemmas=columns[LEMMA],
            feats=tuple("" if f == "_" else f for f in columns[FEATS]),
            heads=tuple(int(h) - 1 for h in columns[HEAD]),
            deprels=columns[DEPREL],
            spans=spans,
        )


def parted(dev: Iterable[Block], test: Iterable[Block]) -> Iterator[tuple[str, Block]]:
    """(split, block) of a treebank without its training part: of five documents of its dev part the first four are `train`."""
    seen: list[str] = []
    for block in dev:
        document = block.comments["document"]
        if not seen or document != seen[-1]:
            seen.append(document)
        yield ("train" if len(seen) % 5 else "dev"), block
    yield from (("test", block) for block in test)


def misc(row: list[str]) -> dict[str, str]:
    """The last of the ten columns as a mapping."""
    return dict(part.partition("=")[::2] for part in row[MISC].split("|")) if row[MISC] != "_" else {}


def documents(path: Path) -> list[str]:
    """The texts of the documents in a file, each from its "newdoc" comment on."""
    return [part for part in re.split(r"(?m)^(?=# newdoc id = )", path.read_text(encoding="utf-8")) if part]


def documents_sha256(*paths: Path) -> str:
    """SHA-256 over the documents in the files, whatever their order: the same for a treebank in one file or in many."""
    digests = sorted(hashlib.sha256(text.encode()).hexdigest() for path in paths for text in documents(path))
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()
