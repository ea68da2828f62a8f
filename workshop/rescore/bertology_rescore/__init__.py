"""Released results of the real BERT, scored again by our own code.

Authors, and others who repeated their studies, published outputs: predictions item by item, scores by layer, tables
printed in notebooks. `releases.yaml` says what each release is and which rows of the ledger it speaks to; a scorer reads its
files (`files.py` refuses changed ones) and computes tidy rows. `label` says what the result is to the claim::

    authors    the cited study's own release
    rerun      somebody else's independent run of the same measurement
    related    another measure, model or data set that bears on the claim
    digitised  numbers read off a released picture

`stance` says how it bears on the survey's sentence ("supports", "qualifies", "contradicts"); the note says why. Subjects
that are no BERT but its baselines have none.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from bertology_rescore import files as _files
from bertology_rescore.files import FileChanged, Files, MirrorMissing

if TYPE_CHECKING:  # the command line answers at once
    import pandas as pd

__all__ = [
    "LABELS", "STANCES", "FileChanged", "Files", "MirrorMissing", "Release", "Scored", "claims", "releases", "scores",
]  # fmt: skip

LABELS = ("authors", "rerun", "related", "digitised")
STANCES = ("supports", "qualifies", "contradicts")


@dataclass(frozen=True)
class Release:
    """Files that somebody published, and what they say to one claim: fields as `releases.yaml` explains them.

    Raises
    ------
    ValueError
        If `label` is none of `LABELS`, or `stance` none of `STANCES`.
    """

    claim: str
    scorer: str
    study: str
    folder: str
    label: str
    stance: str
    note: str
    files: tuple[str, ...] = ()
    baselines: tuple[str, ...] = ()
    packaged: bool = False

    def __post_init__(self) -> None:
        if self.label not in LABELS or self.stance not in STANCES:
            raise ValueError(
                f"{self.claim}: label {self.label!r} must be one of {LABELS}, stance {self.stance!r} one of {STANCES}"
            )

    @property
    def score(self) -> Callable[[Files], pd.DataFrame]:
        """The scorer: tidy rows from the release's files."""
        module, _, name = self.scorer.partition(".")
        return getattr(importlib.import_module(f"{__name__}.{module}"), name)


@dataclass(frozen=True)
class Scored:
    """What one release says about one claim.

    Attributes
    ----------
    release : Release
    source : str
        Repository @ commit: files, as the folder's SOURCE.txt says.
    sha256 : dict[str, str]
        Path below the folder -> SHA-256, for every file that was read.
    rows : pandas.DataFrame
        ``subject``, key columns, ``measure, value, low, high, n``; low and high are nan, and n is 0, where only an
        aggregate was released.
    """

    release: Release
    source: str
    sha256: dict[str, str]
    rows: pd.DataFrame


@cache
def releases() -> tuple[Release, ...]:
    """Every release for every claim that it speaks to, by claim, the authors' own first."""
    told = yaml.safe_load(resources.files(__package__).joinpath("releases.yaml").read_text(encoding="utf-8"))
    every: list[dict[str, Any]] = [{**release, **claim} for release in told for claim in release["claims"]]
    for entry in every:
        del entry["claims"]
        entry |= {name: tuple(entry[name]) for name in ("files", "baselines") if name in entry}
    found = [Release(**entry) for entry in every]
    return tuple(sorted(found, key=lambda release: (release.claim, LABELS.index(release.label))))


def claims() -> list[str]:
    """Ids of the ledger rows that some release speaks to."""
    return list(dict.fromkeys(release.claim for release in releases()))


def scores(claim_id: str, root: str | Path | None = None) -> list[Scored]:
    """Every release's figures for a claim, the authors' own first; an empty list where none was released.

    Raises
    ------
    MirrorMissing
        If there is no mirror folder (`root`, else the setting `mirror`), or a file is missing in it.
    FileChanged
        If a file is not the pinned one.
    """
    return [_scored(release, root) for release in releases() if release.claim == claim_id]


def _scored(release: Release, root: str | Path | None) -> Scored:
    place = _files.HERE if release.packaged else _files.mirror(root)
    files = Files(place, release.folder, release.files)
    rows = release.score(files)
    return Scored(release, _files.source(place, release.folder), dict(files.read), rows)
