"""Spans and their labels for edge probing: relations between nominals (hendrickx2010), entities (derczynski2017)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bertology_utils.data.items import EdgeItem
from bertology_utils.data.original.reading import Files, ReaderError, at, lines, reader
from bertology_utils.data.text import words_and_spans

SEMEVAL = (
    ("train", "corpus/SemEval2010_task8_training/TRAIN_FILE.TXT"),
    ("test", "corpus/SemEval2010_task8_testing_keys/TEST_FILE_FULL.TXT"),
)
RELATIONS = (
    "Cause-Effect",
    "Instrument-Agency",
    "Product-Producer",
    "Content-Container",
    "Entity-Origin",
    "Entity-Destination",
    "Component-Whole",
    "Member-Collection",
    "Message-Topic",
)
LABELS = {f"{relation}({order})" for relation in RELATIONS for order in ("e1,e2", "e2,e1")} | {"Other"}
# no dev split is published: every seventh training sentence is one, about as many as other studies hold out
DEV_EVERY = 7


@reader("semeval2010_task8", "relations")
def relations(files: Files) -> Iterator[EdgeItem]:
    """Two marked nominals and the directed relation between them, one of 19 labels."""
    files.note(f"no dev split is published: every {DEV_EVERY}th training sentence is in it")
    for split, name in SEMEVAL:
        path = files[name]
        for block in _blocks(path):
            number, first = block[0]
            with at(path, number):
                index, marked = first.split("\t")
                if len(block) != 3 or not block[2][1].startswith("Comment:"):
                    raise ValueError(f"not a sentence, a label and a comment: {[line for _, line in block]}")
                if block[1][1] not in LABELS:
                    raise ReaderError(path, block[1][0], f"no relation of the task: {block[1][1]!r}")
                text, spans = _marked(marked)
                words, (span1, span2) = words_and_spans(text, spans)
                yield EdgeItem(
                    id=f"{split}/{index}",
                    words=words,
                    span1=span1,
                    span2=span2,
                    labels=(block[1][1],),
                    split="dev" if split == "train" and int(index) % DEV_EVERY == 0 else split,
                    condition=block[1][1].split("(")[0],
                )


def _blocks(path: Path) -> Iterator[list[tuple[int, str]]]:
    """Runs of numbered lines between empty ones."""
    block: list[tuple[int, str]] = []
    for number, line in lines(path, blank=True):
        if line.strip():
            block.append((number, line))
        elif block:
            yield block
            block = []
    if block:
        yield block


def _marked(quoted: str) -> tuple[str, list[tuple[int, int]]]:
    """The sentence without quotation marks around it and tags, and the character spans of e1 and e2."""
    match = re.fullmatch(r'"(.*)<e1>(.+)</e1>(.*)<e2>(.+)</e2>(.*)"\s*', quoted)
    if not match:
        raise ValueError(f"no <e1> and <e2> in quotation marks: {quoted[:120]!r}")
    before, first, between, second, after = match.groups()
    a, b = len(before), len(before) + len(first) + len(between)
    return before + first + between + second + after, [(a, a + len(first)), (b, b + len(second))]


WNUT = (("train", "wnut17train.conll"), ("dev", "emerging.dev.conll"), ("test", "emerging.test.annotated"))
TYPES = ("corporation", "creative-work", "group", "location", "person", "product")


@reader("wnut17_ner", "entities")
def entities(files: Files) -> Iterator[EdgeItem]:
    """An entity and its type, one of six; the span is given, only its type is to be told."""
    for split, name in WNUT:
        path = files[name]
        for block in _blocks(path):
            words, spans = _bio(path, block)
            if not spans:
                files.left_out("sentences without an entity")
            for i, (start, end, label) in enumerate(spans):
                yield EdgeItem(
                    id=f"{split}/{block[0][0]}/{i}",
                    split=split,
                    condition=label,
                    words=words,
                    span1=(start, end),
                    labels=(label,),
                )


def _bio(path: Path, block: list[tuple[int, str]]) -> tuple[tuple[str, ...], list[tuple[int, int, str]]]:
    """Words and ``(start, end, type)`` of a sentence in lines of word, tab, tag."""
    words: list[str] = []
    spans: list[tuple[int, int, str]] = []
    for i, (number, line) in enumerate(block):
        with at(path, number):
            word, tag = line.split("\t")
            kind, _, label = tag.partition("-")
            words.append(word)
            if tag == "O":
                continue
            if label not in TYPES or kind not in "BI":
                raise ValueError(f"tag {tag!r}")
            if kind == "B":
                spans.append((i, i + 1, label))
            elif not spans or spans[-1][1:] != (i, label):
                raise ValueError(f"{tag} continues nothing")
            else:
                spans[-1] = (spans[-1][0], i + 1, label)
    return tuple(words), spans
