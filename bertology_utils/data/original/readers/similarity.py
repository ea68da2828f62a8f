"""Graded similarity: word pairs, and sentence pairs of the STS tasks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bertology_utils.data.items import ScoredPair, Sentence
from bertology_utils.data.original.reading import Files, reader
from bertology_utils.data.text import words

STS = "sts_semeval_2012_2016"
SICK_PARTS = {"train": "SICK_train", "dev": "SICK_trial", "test": "SICK_test_annotated"}
SICK_HEADER = ("pair_ID", "sentence_A", "sentence_B", "relatedness_score", "entailment_judgment")


@reader("word_similarity", "word_similarity")
def word_similarity(files: Files) -> Iterator[ScoredPair]:
    """Thirteen sets (the condition), each on its own scale."""
    for path in files.names("data/word-sim/*.txt"):
        name = path.rpartition("/")[2].removesuffix(".txt").removeprefix("EN-")
        for number, (a, b, score) in files.columns(path, 3, separator=None):
            yield ScoredPair(id=f"{name}-{number}", condition=name, a=a, b=b, score=float(score))


@reader("stsb_multi", "sts")
def stsb(files: Files) -> Iterator[ScoredPair]:
    """The STS benchmark (cer2017), 0 to 5, in English and machine-translated; the condition is the language code."""
    for name in files.names("data/stsb-*.csv"):
        ((language, split),) = re.findall(r"^data/stsb-(.+)-(train|dev|test)\.csv$", name)
        for number, (_, (a, b, score)) in enumerate(files.columns(name, 3, separator=",", quotes=True), 1):
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
        for number, (score, a, b) in files.columns(name, 3):
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
        for _, row in files.table(f"data/sts/sick2014/{part}.txt", SICK_HEADER):
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
    for name in files.names("data/sts/semeval-sts/*.tsv"):
        year, file = name.split("/")[-2:]
        for _, (_, *pair) in files.columns(name, 3):
            for text in pair:
                if text in seen:
                    continue
                seen.add(text)
                cut = words(text)
                if not cut:
                    raise ValueError("a sentence without words")
                yield Sentence(id=f"sts-{len(seen)}", condition=f"{year} {file.split('.')[0]}", words=cut)
