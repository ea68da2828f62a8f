"""Negative polarity items in nine environments (warstadt2019): pairs, cloze, acceptability."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bertology_utils.data.items import MASK, ForcedChoice, Labelled, MinimalPair
from bertology_utils.data.original.reading import Files, at, columns, reader

NAME = "warstadt2019_npi"
ROOT = "outputs/npi/environments"
# What two sentences of a pair differ in: the one feature of the name that has two values ("licensor=0-1").
_CHANGED = re.compile(r"(licensor|scope|npi_present)=(?:0-1|1-0)$|(licensor|scope)=0-1_")
_PARADIGM = re.compile(
    r"-npi=(?P<npi>.*?)-crucial_item=(?P<licensor>.*?)-licensor=(?P<licensed>[01])-scope=(?P<scope>[01])"
    r"-npi_present=(?P<present>[01])-paradigm=(?P<paradigm>\d+)$"
)


@dataclass(frozen=True)
class _Pair:
    path: Path
    line: int
    environment: str
    changed: str  # licensor, scope or npi
    good: str
    bad: str

    @property
    def id(self) -> str:
        return f"{self.environment}-{self.line}"

    @property
    def meta(self) -> dict[str, str]:
        return {"environment": self.environment}


def _pairs(path: Path) -> Iterator[_Pair]:
    """The pairs of a file: environment, two sentences, which of them is acceptable (0 or 1), what was varied."""
    for number, (environment, first, second, right, varied) in columns(path, 5):
        with at(path, number):
            changed = _CHANGED.search(varied)
            if not changed or right not in ("0", "1") or not environment.startswith("NPI-"):
                raise ValueError(f"environment {environment!r}, answer {right!r}, varied {varied!r}")
            good, bad = (first, second) if right == "0" else (second, first)
            yield _Pair(
                path,
                number,
                environment.removeprefix("NPI-"),
                (changed[1] or changed[2]).removesuffix("_present"),
                good,
                bad,
            )


@reader(NAME, "npi_pairs")
def npi_pairs(files: Files) -> Iterator[MinimalPair]:
    """Minimal pairs that differ in the licensor, in the presence of the NPI, or in its place relative to the scope."""
    for pair in _pairs(files[f"{ROOT}/npi_minimal_pairs.tsv"]):
        yield MinimalPair(id=pair.id, condition=pair.changed, good=pair.good, bad=pair.bad, meta=pair.meta)


@reader(NAME, "npi_cloze")
def npi_cloze(files: Files) -> Iterator[ForcedChoice]:
    """The pairs that differ in one word, with that word masked."""
    for pair in _pairs(files[f"{ROOT}/npi_cloze_pairs.tsv"]):
        with at(pair.path, pair.line):
            good, bad = (re.findall(r"[^\s.,?]+|[.,?]", text) for text in (pair.good, pair.bad))
            gaps = [i for i, (g, b) in enumerate(zip(good, bad)) if g != b]
            if len(good) != len(bad) or len(gaps) != 1:
                raise ValueError(f"the sentences must differ in one word: {pair.good!r}, {pair.bad!r}")
            gap = gaps[0]
            yield ForcedChoice(
                id=pair.id,
                condition=pair.changed,
                text=" ".join([*good[:gap], MASK, *good[gap + 1 :]]),
                good=good[gap],
                bad=bad[gap],
                meta=pair.meta,
            )


@reader(NAME, "npi_acceptability")
def npi_acceptability(files: Files) -> Iterator[Labelled]:
    """Single sentences, acceptable or not; `meta` says which cell of the 2 x 2 x 2 paradigm a sentence is."""
    for split, part in (("train", "train"), ("dev", "dev"), ("test", "test_full")):
        for name in files.names(f"{ROOT}/splits/*/{part}.tsv"):
            environment = name.split("/")[-2]
            path = files[name]
            for number, (description, label, _, text) in columns(path, 4):
                with at(path, number):
                    cell = _PARADIGM.search(description)
                    if not cell or label not in ("0", "1"):
                        raise ValueError(f"label {label!r}, description {description!r}")
                    yield Labelled(
                        id=f"{environment}-{split}-{number}",
                        split=split,
                        condition=environment,
                        text=text,
                        label=label,
                        meta={
                            "npi": cell["npi"],
                            "licensor": cell["licensor"],
                            "licensed": cell["licensed"] == "1",
                            "in_scope": cell["scope"] == "1",
                            "present": cell["present"] == "1",
                        },
                    )
