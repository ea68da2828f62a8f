"""Released results of the real BERT, scored again by our own code.

Authors, and others who repeated their studies, published outputs: predictions item by item, scores by layer, tables
printed in notebooks. A scorer reads such files (`files.py` refuses changed ones) and computes tidy rows; it belongs to
a row of the ledger. `label` says what the result is to the claim::

    authors    the cited study's own release
    rerun      somebody else's independent run of the same measurement
    related    another measure, model or data set that bears on the claim
    digitised  numbers read off a released picture

`stance` says how it bears on the survey's sentence ("supports", "qualifies", "contradicts"); the note says why. Subjects
that are no BERT but its baselines have none.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from bertology_rescore import files as _files
from bertology_rescore.files import FileChanged, Files, MirrorMissing

if TYPE_CHECKING:  # the command line answers at once
    import pandas as pd

__all__ = [
    "LABELS", "STANCES", "FileChanged", "Files", "MirrorMissing", "Release", "Scored", "claims", "released", "scores",
]  # fmt: skip

LABELS = ("authors", "rerun", "related", "digitised")
STANCES = ("supports", "qualifies", "contradicts")
Scorer: TypeAlias = "Callable[[Files], pd.DataFrame]"


@dataclass(frozen=True)
class Scored:
    """What one release says about one claim.

    Attributes
    ----------
    claim, study, label, stance, note : str
        See `Release` and its `on`.
    source : str
        Repository @ commit: files, as the folder's SOURCE.txt says.
    data : str
        The folder, below the mirror.
    sha256 : dict[str, str]
        Path below the folder -> SHA-256, for every file that was read.
    rows : pandas.DataFrame
        ``subject``, key columns, ``measure, value, low, high, n``; low and high are nan, and n is 0, where only an
        aggregate was released.
    """

    claim: str
    study: str
    label: str
    stance: str
    source: str
    data: str
    sha256: dict[str, str]
    rows: pd.DataFrame
    note: str
    baselines: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """Files that somebody published, described once for all the claims that they speak to.

    Attributes
    ----------
    study : str
        Bib key, or a short reference where the release is not one of the survey's studies.
    folder : str
        Below the mirror.
    files : sequence of str
        Paths (or ``*`` patterns) below the folder: all that the scorer may read.
    label, stance : str
        One of `LABELS`; one of `STANCES`.
    baselines : sequence of str
        Subjects of the rows that are no model of the claim: random vectors, the commonest sense, other encoders.
    packaged : bool
        The folder comes with the package (`files.HERE`): no mirror is needed.
    """

    study: str
    folder: str
    files: Sequence[str] = ()
    label: str = ""
    stance: str = ""
    baselines: Sequence[str] = ()
    packaged: bool = False

    def on(self, claim: str, *, note: str, **other: Any) -> Callable[[Scorer], Scorer]:
        """Register the decorated function as the scorer of a claim.

        Parameters
        ----------
        claim : str
            Id of the ledger's row.
        note : str
            What the files are, in a sentence, and plainly what in them qualifies or contradicts the survey.
        other
            Fields that are said of this claim alone.
        """
        told = replace(self, **other)
        if told.label not in LABELS or told.stance not in STANCES:
            raise ValueError(
                f"{claim}: label {told.label!r} must be one of {LABELS}, stance {told.stance!r} one of {STANCES}"
            )

        def register(scorer: Scorer) -> Scorer:
            _REGISTRY.append((claim, told, note, scorer))
            return scorer

        return register


_REGISTRY: list[tuple[str, Release, str, Scorer]] = []


def released(claim: str, *, note: str, **fields: Any) -> Callable[[Scorer], Scorer]:
    """Register the decorated function as the scorer of one claim from one folder, with the fields of its `Release`."""
    return Release(**fields).on(claim, note=note)


def _registry() -> list[tuple[str, Release, str, Scorer]]:
    for module in pkgutil.iter_modules(__path__):
        if module.name != "commands":  # which brings the command line along
            importlib.import_module(f"{__name__}.{module.name}")
    return sorted(_REGISTRY, key=lambda entry: (entry[0], LABELS.index(entry[1].label)))


def claims() -> list[str]:
    """Ids of the ledger rows that some release speaks to."""
    return list(dict.fromkeys(claim for claim, *_ in _registry()))


def scores(claim_id: str, root: str | Path | None = None) -> list[Scored]:
    """Every release's figures for a claim, the authors' own first; an empty list where none was released.

    Raises
    ------
    MirrorMissing
        If there is no mirror folder (`root`, else the setting `mirror`), or a file is missing in it.
    FileChanged
        If a file is not the pinned one.
    """
    return [
        _score(claim, of, note, scorer, _files.HERE if of.packaged else _files.mirror(root))
        for claim, of, note, scorer in _registry()
        if claim == claim_id
    ]


def _score(claim: str, of: Release, note: str, scorer: Scorer, root: Path) -> Scored:
    files = Files(root, of.folder, tuple(of.files))
    rows = scorer(files)
    source = _files.source(root, of.folder)
    return Scored(
        claim, of.study, of.label, of.stance, source, of.folder, dict(files.read), rows, note, tuple(of.baselines)
    )
