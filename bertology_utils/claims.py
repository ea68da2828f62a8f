"""Claims: an experiment and its prediction, registered together, run together.

An experiment is a pure function ``(subject, data, settings) -> tidy rows``. `@claim` ties it to its ledger row, the
tasks it needs and the rule that decides; `run` measures subject and twin, decides, and keeps the evidence.
"""

from __future__ import annotations

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, lru_cache

import pandas as pd

from . import evidence as records
from . import ledger, models
from .data import load as load_data
from .data.items import Data
from .errors import Refusal
from .evidence import Evidence
from .models import Subject
from .rules import Rule, decide, shown
from .settings import Settings
from .stats import combine

Experiment = Callable[[Subject, Data, Settings], pd.DataFrame]


class NotRunnable(Refusal):
    """A ledger row has no experiment, or none for the data asked for; the message says why."""


@dataclass(frozen=True)
class Claim:
    """A ledger row's experiment.

    Attributes
    ----------
    id : str
    tasks : tuple of str
        What the experiment needs of a source; a source may offer some of them only.
    predict : Rule
    experiment : callable
    n : int
        Generated items a task when the settings name none.
    limit : int or None
        Original items a task and split when the settings name none (None: all).
    """

    id: str
    tasks: tuple[str, ...]
    predict: Rule
    experiment: Experiment
    n: int = 1000
    limit: int | None = None

    def sources(self) -> list[str]:
        """The original data sets of the ledger row that offer one of the tasks."""
        from .data import original

        known = set(original.datasets())
        return [d for d in ledger.row(self.id).data if d in known and set(self.tasks) & set(original.tasks(d))]


_CLAIMS: dict[str, Claim] = {}


def claim(
    id: str, *, tasks: str | Sequence[str], predict: Rule, n: int = 1000, limit: int | None = None
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
        _CLAIMS[id] = Claim(id, names, predict, function, n, limit)
        return function

    return register


@cache
def _import_experiments() -> None:
    from . import experiments

    for module in pkgutil.walk_packages(experiments.__path__, experiments.__name__ + "."):
        importlib.import_module(module.name)


def registered() -> dict[str, Claim]:
    """All claims that have an experiment, in the ledger's order."""
    _import_experiments()
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


@lru_cache(maxsize=2)
def _subject(name: str, settings: Settings) -> Subject:
    return models.load(name, settings)


@lru_cache(maxsize=2)
def _twin(name: str, settings: Settings) -> Subject:
    return _subject(name, settings).twin(settings.seed)


def subjects(settings: Settings, twin: bool = True) -> list[Subject]:
    """The settings' model, and its untrained twin behind it unless it is one itself.

    Raises
    ------
    ModelUnavailable
        As of `models.load`.
    """
    # they depend on these settings alone, so one load serves many claims
    plain = Settings(model=settings.model, device=settings.device, dtype=settings.dtype, seed=settings.seed)
    found = [_subject(settings.model, plain)]
    if twin and not found[0].is_twin:
        found.append(_twin(settings.model, plain))
    return found


@dataclass(frozen=True)
class Result:
    """What one call of `run` measured: a record each for subject and twin on each source."""

    records: tuple[Evidence, ...]

    @property
    def rows(self) -> pd.DataFrame:
        """The subject's tidy rows; a column `data` tells several sources apart."""
        return self._frame(False)

    @property
    def twin(self) -> pd.DataFrame:
        """The untrained twin's tidy rows."""
        return self._frame(True)

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """Model name -> its tidy rows, the subject first: what the plotting functions take."""
        return {r.model: self._frame(r.is_twin) for r in self.records}

    def _frame(self, twin: bool) -> pd.DataFrame:
        chosen = [r for r in self.records if r.is_twin is twin]
        if not self.records:
            raise NotRunnable("nothing was run: every record asked for is there already")
        if not chosen:
            raise NotRunnable("the twin was not run" if twin else "only the twin was run")
        return combine(*(r.frame.assign(data=r.data) if len(chosen) > 1 else r.frame for r in chosen))


def run(
    id: str,
    settings: Settings | None = None,
    *,
    model: str | None = None,
    data: str | None = None,
    n: int | None = None,
    twin: bool = True,
    save: bool = True,
    missing: bool = False,
) -> Result:
    """Rerun a claim: the subject and its twin on every source asked for, decided and kept as evidence.

    Parameters
    ----------
    id : str
        The ledger row.
    model, data, n
        As of `Settings`; by default what the settings, else the environment, say.
    twin : bool
        Also run the untrained twin.
    save : bool
        Keep the records in the settings' evidence folder.
    missing : bool
        Leave out sources of which that folder has all records asked for already: a long run is taken up again.
    """
    settings = Settings.of(settings, model=model, data=data, n=n)
    it = get(id)
    wanted = sources(it, settings)
    if missing:
        wanted = [w for w in wanted if not recorded(id, w, settings, twin)]
    return Result(tuple(record for source in wanted for record in _runs(it, source, settings, twin, save)))


def recorded(id: str, source: str, settings: Settings, twin: bool = True) -> bool:
    """Whether the settings' evidence folder has a source's record of the model (and of its twin)."""
    names = {settings.model} | ({settings.model.removesuffix(models.TWIN) + models.TWIN} if twin else set())
    return all((settings.evidence / records.place(id, "rerun", name, source)).is_file() for name in names)


def sources(it: Claim, settings: Settings) -> list[str]:
    """What the data switch stands for with this claim."""
    if settings.data == "builtin":
        return ["builtin"]
    available = it.sources()
    if settings.data != "original":
        if settings.data not in available:
            raise NotRunnable(f"{it.id} has no data {settings.data!r}; it has: {', '.join(['builtin', *available])}")
        return [settings.data]
    if not available:
        raise NotRunnable(f"{it.id} has no original data; it has: builtin")
    return available


def load_for(it: Claim, source: str, settings: Settings) -> Data:
    """The items of a source for a claim, in its default number unless the settings name one."""
    if source == "builtin":
        return load_data(it.tasks, source, n=settings.n or it.n, seed=settings.seed, settings=settings)
    from .data import original

    offered = [t for t in it.tasks if t in original.tasks(source)]
    return load_data(offered, source, n=settings.n or it.limit, seed=settings.seed, settings=settings)


def _runs(it: Claim, source: str, settings: Settings, twin: bool, save: bool) -> Iterator[Evidence]:
    data = load_for(it, source, settings)
    for subject in subjects(settings, twin):
        start = time.perf_counter()
        rows = it.experiment(subject, data, settings)
        record = Evidence(
            claim=it.id,
            model=subject.name,
            data=source,
            kind="rerun",
            rows=rows.to_dict("records"),
            verdict=decide(it.predict, rows),
            checks=[asdict(c) for c in shown(it.predict, rows)],
            n=len(data),
            notes=(*data.notes, *rows.attrs.get("notes", ())),
            provenance=records.provenance(
                settings,
                time.perf_counter() - start,
                subject_sha256=subject.sha256,
                subject_source=subject.source,
                data_sha256=data.sha256,
            ),
        )
        if save:
            record.save(settings.evidence)
        yield record
