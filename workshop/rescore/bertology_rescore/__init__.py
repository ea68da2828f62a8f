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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

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
_MODULES = (
    "agreement",
    "negation",
    "geometry",
    "pooling",
    "senses",
    "edge_probing",
    "pipeline",
    "depth",
    "trees",
    "complexity",
    "senteval",
    "heads",
    "special_tokens",
    "patterns",
    "explanation",
    "attention_maps",
    "heuristics",
    "semantics",
    "lottery",
    "damage",
    "pruned",
    "compressed",
    "sizes",
    "survey_table",
    "crosslingual",
    "xlm",
    "multilingual",
    "world",
    "seeds",
    "masking",
    "recipes",
    "learning_curves",
    "tuned_attention",
    "tuning",
)


@dataclass(frozen=True)
class Scored:
    """What one release says about one claim.

    Attributes
    ----------
    claim, study, label, stance, note : str
        See `released`.
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
class _Registered:
    claim: str
    study: str
    label: str
    stance: str
    folder: str
    patterns: tuple[str, ...]
    note: str
    scorer: Scorer
    baselines: tuple[str, ...] = ()
    packaged: bool = False


_REGISTRY: list[_Registered] = []


def released(
    claim: str,
    *,
    study: str,
    label: str,
    stance: str,
    folder: str,
    files: Sequence[str],
    note: str,
    baselines: Sequence[str] = (),
    packaged: bool = False,
) -> Callable[[Scorer], Scorer]:
    """Register the decorated function as the scorer of one claim from one folder.

    Parameters
    ----------
    claim : str
        Id of the ledger's row.
    study : str
        Bib key, or a short reference where the release is not one of the survey's studies.
    label, stance : str
        One of `LABELS`; one of `STANCES`.
    folder : str
        Below the mirror.
    files : sequence of str
        Paths (or ``*`` patterns) below the folder: all that the scorer may read.
    note : str
        What the files are, in a sentence, and plainly what in them qualifies or contradicts the survey.
    baselines : sequence of str
        Subjects of the rows that are no model of the claim: random vectors, the commonest sense, other encoders.
    packaged : bool
        The folder comes with the package (`files.HERE`): no mirror is needed.
    """
    if label not in LABELS or stance not in STANCES:
        raise ValueError(f"{claim}: label {label!r} must be one of {LABELS}, stance {stance!r} one of {STANCES}")

    def register(scorer: Scorer) -> Scorer:
        _REGISTRY.append(
            _Registered(claim, study, label, stance, folder, tuple(files), note, scorer, tuple(baselines), packaged)
        )
        return scorer

    return register


@dataclass(frozen=True)
class Release:
    """Files that somebody published, described once for all the claims that they speak to; fields as of `released`."""

    study: str
    folder: str
    files: tuple[str, ...] = ()
    label: str = ""
    stance: str = ""
    baselines: tuple[str, ...] = ()

    def on(self, claim: str, *, note: str, **other) -> Callable[[Scorer], Scorer]:
        """Register the decorated function as the scorer of a claim; `other` fields are said of this claim alone."""
        told = replace(self, **other)
        return released(
            claim, study=told.study, label=told.label, stance=told.stance, folder=told.folder, files=told.files,
            note=note, baselines=told.baselines,
        )  # fmt: skip


def _registry() -> list[_Registered]:
    for module in _MODULES:
        importlib.import_module(f"{__name__}.{module}")
    order = {label: i for i, label in enumerate(LABELS)}
    return sorted(_REGISTRY, key=lambda r: (r.claim, order[r.label]))


def claims() -> list[str]:
    """Ids of the ledger rows that some release speaks to."""
    return list(dict.fromkeys(r.claim for r in _registry()))


def scores(claim_id: str, root: str | Path | None = None) -> list[Scored]:
    """Every release's figures for a claim, the authors' own first; an empty list where none was released.

    Raises
    ------
    MirrorMissing
        If there is no mirror folder (`root`, else the setting `mirror`), or a file is missing in it.
    FileChanged
        If a file is not the pinned one.
    """
    chosen = [r for r in _registry() if r.claim == claim_id]
    if not chosen:
        return []
    return [_score(r, _files.HERE if r.packaged else _files.mirror(root)) for r in chosen]


def _score(entry: _Registered, root: Path) -> Scored:
    files = Files(root, entry.folder, entry.patterns)
    rows = entry.scorer(files)
    return Scored(
        entry.claim,
        entry.study,
        entry.label,
        entry.stance,
        _files.source(root, entry.folder),
        entry.folder,
        dict(files.read),
        rows,
        entry.note,
        entry.baselines,
    )
