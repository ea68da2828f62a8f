"""From NLTK's collection: CoNLL-2000 chunks, and the Penn Treebank sample as constituents and as dependencies.

The sample is 199 files of the Wall Street Journal part. Files 1 to 159 are train here, 160 to 179 dev, 180 to 199 test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bertology_utils.data.items import Sentence, Span
from bertology_utils.data.original.readers.archives import member, members
from bertology_utils.data.original.reading import Files, ReaderError, at, reader

NAME = "nltk_corpora"
ROOT = "packages/corpora"
_BRACKET = re.compile(r"\(|\)|[^\s()]+")
SPLITS_NOTE = "Penn Treebank sample: files 1-159 are train, 160-179 dev, 180-199 test"


def _split(file: int) -> str:
    return "train" if file < 160 else "dev" if file < 180 else "test"


@reader(NAME, "chunks")
def chunks(files: Files) -> Iterator[Sentence]:
    """CoNLL-2000: words, Penn tags and chunks; every tenth sentence of its training part is dev here."""
    files.note("CoNLL-2000: every tenth sentence of the published training part is dev here")
    path = files[f"{ROOT}/conll2000.zip"]
    for part in ("train", "test"):
        text = member(path, f"conll2000/{part}.txt")
        for number, block in enumerate(re.split(r"\n\s*\n", text.strip())):
            with at(path, f"{part}.txt, sentence {number + 1}"):
                words, tags, labels = zip(*(line.split(" ") for line in block.split("\n")))
                if not all(re.fullmatch(r"O|[BI]-[A-Z]+", label) for label in labels):
                    raise ValueError(f"these are no chunk labels: {labels}")
                split = "dev" if part == "train" and number % 10 == 9 else part
                yield Sentence(id=f"conll2000-{part}-{number}", split=split, words=words, xpos=tags, chunks=labels)


@reader(NAME, "constituency")
def constituency(files: Files) -> Iterator[Sentence]:
    """Words, Penn tags and constituents, without empty elements, function tags and repeated brackets."""
    files.note(SPLITS_NOTE)
    path = files[f"{ROOT}/treebank.zip"]
    for match, text in members(path, r"treebank/combined/wsj_(\d{4})\.mrg"):
        for number, tokens in enumerate(_trees(text)):
            with at(path, f"{match[0]}, tree {number + 1}"):
                words, tags, brackets = _flatten(tokens)
                yield Sentence(
                    id=f"wsj_{match[1]}-{number}",
                    split=_split(int(match[1])),
                    words=words,
                    xpos=tags,
                    brackets=brackets,
                )


def _trees(text: str) -> Iterator[list[str]]:
    """The tokens of each top-level bracket."""
    depth, tokens = 0, []
    for token in _BRACKET.findall(text):
        depth += {"(": 1, ")": -1}.get(token, 0)
        tokens.append(token)
        if not depth:
            yield tokens
            tokens = []
    if tokens:
        raise ReaderError("tree", len(text), f"brackets do not close: {' '.join(tokens)[:120]}")


def _flatten(tokens: list[str]) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Span, ...]]:
    """Words, tags and constituents of one bracketed tree, outermost first."""
    words, tags, found = [], [], []
    opened: list[tuple[str, int]] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token == "(":
            label = tokens[place + 1] if tokens[place + 1] not in "()" else ""
            if label and tokens[place + 2] not in "()":  # (TAG word)
                if label != "-NONE-":
                    words.append(tokens[place + 2])
                    tags.append(label)
                place += 4
                continue
            opened.append((re.split(r"[-=|]", label)[0], len(words)))
            place += 1 + bool(label)
        else:
            label, start = opened.pop()
            if label and len(words) > start:
                found.append(Span(start=start, end=len(words), label=label, kind="constituent"))
            place += 1
    return tuple(words), tuple(tags), tuple(sorted(dict.fromkeys(found), key=lambda s: (s.start, -s.end)))


@reader(NAME, "treebank")
def treebank(files: Files) -> Iterator[Sentence]:
    """Words, Penn tags and heads; the sample's dependencies have no labels."""
    files.note(SPLITS_NOTE)
    path = files[f"{ROOT}/dependency_treebank.zip"]
    for match, text in members(path, r"dependency_treebank/wsj_(\d{4})\.dp"):
        for number, block in enumerate(re.split(r"\n\s*\n", text.strip())):
            with at(path, f"{match[0]}, sentence {number + 1}"):
                words, tags, heads = zip(*(line.split("\t") for line in block.split("\n")))
                heads = tuple(int(head) - 1 for head in heads)
                if heads.count(-1) != 1:
                    files.left_out("sentences of the dependency sample with no root, or with two")
                    continue
                yield Sentence(
                    id=f"wsj_{match[1]}-{number}", split=_split(int(match[1])), words=words, xpos=tags, heads=heads
                )
