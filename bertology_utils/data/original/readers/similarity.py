"""Graded similarity: word pairs, and sentence pairs of the STS tasks."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator

from bertology_utils.data.items import ScoredPair, Sentence
from bertology_utils.data.original.readers.texts import table
from bertology_utils.data.original.reading import Files, ReaderError, at, columns, lines, reader
from bertology_utils.data.text import words

STS = "sts_semeval_2012_2016"
SICK_PARTS = {"train": "SICK_train", "dev": "SICK_trial", "test": "SICK_test_annotated"}
SICK_HEADER = ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment")


@reader("word_similarity", "word_similarity")
def word_similarity(files: Files) -> Iterator[ScoredPair]:
    """Thirteen sets (the condition), each on its own scale."""
    for path in files.glob("data/word-sim/*.txt"):
        name = path.stem.removeprefix("EN-")
        for number, line in lines(path):
            with at(path, number):
                a, b, score = line.split()
                yield ScoredPair(id=f"{name}-{number}", condition=name, a=a, b=b, score=float(score))


@reader("stsb_multi", "sts")
def stsb(files: Files) -> Iterator[ScoredPair]:
    """The STS benchmark (cer2017), 0 to 5, in English and machine-translated; the condition is the language code."""
    for name in files.names("data/stsb-*.csv"):
        ((language, split),) = re.findall(r"^data/stsb-(.+)-(train|dev|test)\.csv$", name)
        path = files[name]
        with path.open(encoding="utf-8", newline="") as stream:
            rows = csv.reader(stream, strict=True)
            for number, row in enumerate(rows, 1):
                with at(path, rows.line_num):
                    a, b, score = row
                    yield ScoredPair(
                        id=f"{language}-{split}-{number}",
                        split=split,
                        condition=language,
                        a=a,
                        b=b,
                        score=_score(score, 5),
                    )


def _score(text: str, highest: float) -> float:
    score = float(text)
    if not 0 <= score <= highest:
        raise ValueError(f"score {score} outside 0 to {highest}")
    return score


@reader(STS, "sts")
def sts(files: Files) -> Iterator[ScoredPair]:
    """SemEval STS 2012 to 2016 (0 to 5) and SICK (1 to 5); the condition is year and set."""
    for name in files.names("data/sts/semeval-sts/*.tsv"):
        year, file = name.split("/")[-2:]
        kind, split, _ = file.split(".")
        path = files[name]
        for number, (score, a, b) in columns(path, 3):
            with at(path, number):
                if not score:
                    files.left_out("STS pairs without a score")
                    continue
                yield ScoredPair(
                    id=f"{year}-{kind}-{split}-{number}",
                    split=split,
                    condition=f"{year} {kind}",
                    a=a,
                    b=b,
                    score=_score(score, 5),
                )
    for split, part in SICK_PARTS.items():
        path = files[f"data/sts/sick2014/{part}.txt"]
        for number, row in table(path, SICK_HEADER):
            with at(path, number):
                yield ScoredPair(
                    id=f"sick-{row['pair_ID']}",
                    split=split,
                    condition="sick",
                    a=row["sentence_A"],
                    b=row["sentence_B"],
                    score=_score(row["relatedness_score"], 5),
                )


@reader(STS, "sentences")
def sentences(files: Files) -> Iterator[Sentence]:
    """The different sentences of STS 2012 to 2016, scored or not: the contexts of ethayarajh2019."""
    seen: set[str] = set()
    for path in files.glob("data/sts/semeval-sts/*.tsv"):
        year = path.parent.name
        for number, (_, *pair) in columns(path, 3):
            for text in pair:
                if text in seen:
                    continue
                seen.add(text)
                cut = words(text)
                if not cut:
                    raise ReaderError(path, number, "a sentence without words")
                yield Sentence(id=f"sts-{len(seen)}", condition=f"{year} {path.name.split('.')[0]}", words=cut)
