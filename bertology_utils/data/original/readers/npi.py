"""Negative polarity items in nine environments (warstadt2019): pairs, cloze, acceptability."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from bertology_utils.data.items import ForcedChoice, Labelled, MinimalPair
from bertology_utils.data.original.reading import Files, one_gap, reader

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


def _pairs(files: Files, name: str) -> Iterator[_Pair]:
    """The pairs of a file: environment, two sentences, which of them is acceptable (0 or 1), what was varied."""
    for number, (environment, first, second, right, varied) in files.columns(f"{ROOT}/{name}", 5):
        changed = _CHANGED.search(varied)
        if not changed or right not in ("0", "1") or not environment.startswith("NPI-"):
            raise ValueError(f"environment {environment!r}, answer {right!r}, varied {varied!r}")
        good, bad = (first, second) if right == "0" else (second, first)
        what = (changed[1] or changed[2]).removesuffix("_present")
        yield _Pair(number, environment.removeprefix("NPI-"), what, good, bad)


@reader(NAME, "npi_pairs")
def npi_pairs(files: Files) -> Iterator[MinimalPair]:
    """Minimal pairs that differ in the licensor, in the presence of the NPI, or in its place relative to the scope."""
    for pair in _pairs(files, "npi_minimal_pairs.tsv"):
        yield MinimalPair(id=pair.id, condition=pair.changed, good=pair.good, bad=pair.bad, meta=pair.meta)


@reader(NAME, "npi_cloze")
def npi_cloze(files: Files) -> Iterator[ForcedChoice]:
    """The pairs that differ in one word, with that word masked."""
    for pair in _pairs(files, "npi_cloze_pairs.tsv"):
        text, good, bad = one_gap(*(re.findall(r"[^\s.,?]+|[.,?]", side) for side in (pair.good, pair.bad)))
        yield ForcedChoice(id=pair.id, condition=pair.changed, text=text, good=good, bad=bad, meta=pair.meta)


@reader(NAME, "npi_acceptability")
def npi_acceptability(files: Files) -> Iterator[Labelled]:
    """Single sentences, acceptable or not; `meta` says which cell of the 2 x 2 x 2 paradigm a sentence is."""
    for split, part in (("train", "train"), ("dev", "dev"), ("test", "test_full")):
        for name in files.names(f"{ROOT}/splits/*/{part}.tsv"):
            environment = name.split("/")[-2]
            for number, (description, label, _, text) in files.columns(name, 4):
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
