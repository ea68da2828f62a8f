"""Claims: an experiment and its row of the ledger, registered together.

An experiment is a pure function ``(subject, data, settings) -> tidy rows``. `@claim` ties it to its ledger row, the
tasks it needs and what calibrates it; the ledger's clauses decide. The registry knows no experiment:
`experiments.register` fills it, and `runs` runs what is in it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from ..data.items import Data
from ..errors import Refusal
from ..settings import QUICK, Settings
from ..subject.models import Subject
from . import ledger

Experiment = Callable[[Any, Data, Settings], pd.DataFrame]  # of a subject, or of the recorded runs of the family


class NotRunnable(Refusal):
    """A ledger row has no experiment, or none for the data asked for; the message says why."""


class NotDefined(NotRunnable):
    """A claim cannot be asked of such a model at all; of many claims it is left out, and nothing has failed."""


@dataclass(frozen=True)
class Claim:
    """A ledger row's experiment.

    Attributes
    ----------
    id : str
    tasks : tuple of str
        What the experiment needs of a source; a source may offer some of them only.
    experiment : callable
    n : int
        Generated items per task when the settings name none.
    limit : int or None
        Original items per task and split when the settings name none (None: all).
    quick : int
        Items per task of a quick try (`--fast`), if that is fewer than `n`: more than `QUICK` where fewer leave nothing to
        measure, fewer where each is tuned on.
    beside : mapping
        Task -> the data sets it is taken from where a source has none of its own (running text beside word pairs).
    nulls : tuple of str or Null
        What lacks the property and must not pass: `calibration`'s stand-ins, by name or made for this claim.
    planted : callable or None
        Makes a stand-in that has the property, from the gold annotation: it must pass.
    plantable : tuple of str
        The clauses that a stand-in can have (none named: all): tuning, say, changes no planted map.
    asked : callable or None
        The part of a source's items, of (subject, data, settings), that is put to a model: stand-ins know no others. None:
        all. Where few of many are asked, the others are looked up in vain.
    text_to_text : bool
        Whether a model is asked that writes texts, in place of one that fills gaps.
    family : bool or str
        Whether the experiment is given the recorded runs of the family (`family`) in a model's place; a name says
        of which tiers, if not those about training: ``languages``.
    """

    id: str
    tasks: tuple[str, ...]
    experiment: Experiment
    n: int = 1000
    limit: int | None = None
    beside: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)
    nulls: tuple[Any, ...] = ()
    planted: Callable[..., Subject] | None = None
    plantable: tuple[str, ...] = ()
    text_to_text: bool = False
    family: bool | str = False
    quick: int = QUICK
    asked: Callable[[Subject, Data, Settings], Data] | None = None

    def sources(self) -> list[str]:
        """The original data sets of the ledger row that offer one of the tasks."""
        from ..data import original

        known = set(original.datasets())
        return [d for d in ledger.row(self.id).data if d in known and set(self.tasks) & set(original.tasks(d))]

    def place(self) -> tuple[str, str, int]:
        """What measures it: the function's name, its file from the checkout's root, its line."""
        function = inspect.unwrap(self.experiment)
        file, root = Path(inspect.getfile(function)), Path(__file__).parents[2]  # a reader's own module lies elsewhere
        file = file.relative_to(root) if file.is_relative_to(root) else file
        return function.__name__, str(file), inspect.getsourcelines(function)[1]


_CLAIMS: dict[str, Claim] = {}


def claim(
    id: str,
    tasks: str | Sequence[str] = (),
    *,
    n: int = 1000,
    limit: int | None = None,
    beside: Mapping[str, Sequence[str]] | None = None,
    nulls: Sequence[Any] = (),
    planted: Callable[..., Subject] | None = None,
    plantable: Sequence[str] = (),
    text_to_text: bool = False,
    family: bool | str = False,
    quick: int = QUICK,
    asked: Callable[[Subject, Data, Settings], Data] | None = None,
) -> Callable[[Experiment], Experiment]:
    """Register the decorated experiment for a ledger row.

    Raises
    ------
    KeyError
        If the ledger has no such row.
    ValueError
        If the row has an experiment already.
    """
    ledger.row(id)

    def register(function: Experiment) -> Experiment:
        if id in _CLAIMS and _CLAIMS[id].experiment.__module__ != function.__module__:
            raise ValueError(f"two experiments for {id}: {_CLAIMS[id].experiment.__module__} and {function.__module__}")
        names = (tasks,) if isinstance(tasks, str) else tuple(tasks)
        from_others = {task: tuple(sources) for task, sources in (beside or {}).items()}
        stand_ins = (tuple(nulls), planted, tuple(plantable))
        _CLAIMS[id] = Claim(id, names, function, n, limit, from_others, *stand_ins, text_to_text, family, quick, asked)
        return function

    return register


def registered() -> dict[str, Claim]:
    """All claims that have an experiment, in the ledger's order."""
    return {row.id: _CLAIMS[row.id] for row in ledger.rows() if row.id in _CLAIMS}


def get(id: str) -> Claim:
    """The claim of a ledger row.

    Raises
    ------
    KeyError
        If the ledger has no such row (the nearest are named).
    NotRunnable
        If the row has no experiment (yet, or ever: then with its reason).
    """
    row = ledger.row(id)
    if id not in registered():
        raise NotRunnable(f"{id} is not rerun{': ' + row.reason if row.reason else ' yet'}")
    return _CLAIMS[id]
