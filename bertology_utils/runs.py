"""Running a claim: the subject and its twin are measured on every source asked for, decided, and kept as evidence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from . import experiments, provenance
from .claims import evidence as records
from .claims import ledger, registry
from .claims.checks import RuleError
from .claims.clauses import UNTESTED
from .claims.evidence import Evidence
from .claims.registry import Claim, Experiment, NotDefined, NotRunnable
from .claims.result import Result
from .claims.sources import load_for, sources
from .data import of as data_of
from .data import own, sample, sha256
from .data.items import Data, Item
from .errors import Refusal, TooFew
from .family.recorded import NAME as FAMILY
from .family.recorded import Recorded
from .files import writable
from .scores.pairs import over
from .scores.rows import records as tidy
from .settings import TWIN, Settings
from .subject import models
from .subject.encode import unknown_share
from .subject.layout import LAYOUTS
from .subject.models import Subject
from .subject.progress import progress

FEW = 20  # items per task below which whatever fails is put down to their number: some split, class or fold is empty
UNKNOWN = 0.25  # share of pieces that a vocabulary may lack; of running text in its own language, under 1 % are
FEW_ROWS = 100  # items per task below which a condition that the clauses speak of may have none


def registered() -> dict[str, Claim]:
    """All claims that have an experiment, in the ledger's order."""
    experiments.register()
    return registry.registered()


def get(id: str) -> Claim:
    """The claim of a ledger row; errors as of `registry.get`."""
    if id not in registry.registered():
        experiments.register(id)  # the others' modules are not needed to run it
    return registry.get(id)


def settings_for(id: str, settings: Settings | None = None, **given: Any) -> Settings:
    """The settings, changed by the keywords that are not None, with the model that they stand for with a claim.

    A section may have subjects of its own (`ledger.subject`): multilingual BERT's has `mini-multi` for `mini`. A relative
    may be stood in for by another (`models.named`).
    """
    settings = Settings.of(settings, **given)
    return replace(settings, model=models.named(ledger.subject(id, settings.model), settings))


def expand(names: Iterable[str], able: Callable[[str], bool] | None = None) -> list[str]:
    """Ledger ids for ids, section names and `all`: of several, those that are `able`, by default those with an experiment.

    Raises
    ------
    NoSuchRow, NotRunnable
        There is no such row or section; a row that is named is not able, and has no experiment.
    """
    sections = {s.name: [r.id for r in s.rows] for s in ledger.sections()}
    out: list[str] = []
    for name in names:
        many = [r.id for r in ledger.rows()] if name == "all" else sections.get(name)
        if many is None:
            out.append(name if able and able(name) else get(name).id)
        else:
            out += filter(able or registered().__contains__, many)
    return list(dict.fromkeys(out))


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
    plain = Settings(
        model=settings.model, device=settings.device, dtype=settings.dtype, seed=settings.seed, noise=settings.noise
    )
    found = [_subject(settings.model, plain)]
    if twin and not found[0].is_twin:
        found.append(_twin(settings.model, plain))
    return found


def run(
    id: str,
    settings: Settings | None = None,
    *,
    model: str | None = None,
    data: str | None = None,
    n: int | None = None,
    twin: bool = True,
    save: bool | None = None,
    missing: bool = False,
    experiment: Experiment | None = None,
    items: Data | Sequence[Item] | Mapping[str, Sequence[Item]] | None = None,
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
    save : bool, optional
        Keep the records in the settings' evidence folder: by default unless `experiment` or `items` are one's own.
    missing : bool
        Leave out sources of which that folder has all records asked for already, measured as the settings say (`recorded`):
        a long run is taken up again.
    experiment : callable, optional
        ``(subject, data, settings) -> tidy rows`` in place of the registered one; the claim's clauses decide it.
    items : Data, sequence of items, or mapping of task to items, optional
        One's own data in place of a source: ``data.load(task, path=...)`` reads a file. Of more than `n` items of a split,
        `n` are drawn. A clause that they have no condition for is left undecided, and a note says so.

    Raises
    ------
    NotRunnable, RuleError
        If there is no such experiment or data; if no clause finds its measure in the rows.
    OwnDataError
        If the items are not those of the claim's tasks.
    """
    settings = settings_for(id, settings, model=model, data=data, n=n)
    it = get(id)
    save = (experiment is None and items is None) if save is None else save
    it = it if experiment is None else replace(it, experiment=experiment)
    if items is not None:
        return Result(tuple(_measured(it, _own(it, items, settings), settings, twin, save)))
    if save:
        writable(settings.evidence)
    wanted = sources(it, settings)
    if missing:
        wanted = [w for w in wanted if not recorded(id, w, settings, twin)]
    measured = (_measured(it, load_for(it, source, settings), settings, twin, save) for source in wanted)
    return Result(tuple(record for records in measured for record in records))


def _own(it: Claim, items: Data | Sequence[Item] | Mapping[str, Sequence[Item]], settings: Settings) -> Data:
    """One's own items for a claim, checked, and at most as many of each split as the settings say."""
    if not isinstance(items, Data):
        items = data_of(items if isinstance(items, Mapping) else {it.tasks[0]: items})
    own.fitting(items.items, it.tasks)
    if not items.name.startswith(own.PREFIX):
        items = replace(items, name=f"{own.PREFIX}{items.name}-{items.sha256[:8]}")
    drawn = {task: sample(given, settings.n, settings.seed) for task, given in items.items.items()}
    kept = {task: chosen for task, (chosen, _) in drawn.items()}
    notes = [f"{task}: {note}" for task, (_, said) in drawn.items() for note in said]
    return replace(items, items=kept, sha256=sha256(kept), notes=(*items.notes, *notes))


def recorded(id: str, source: str, settings: Settings, twin: bool = True) -> bool:
    """Whether the settings' evidence folder has a source's record of the model (and of its twin), measured as they say.

    A record of another number of items, seed, precision or of other weights is not what was asked for; nor is a
    damaged one.
    """
    settings = settings_for(id, settings)
    if get(id).family:
        found = _provenance(settings.evidence / records.place(id, "rerun", FAMILY, source))
        return found is not None and found.get("subject_sha256") == _recorded_runs(get(id), source).sha256
    names = [settings.model] + ([settings.model.removesuffix(TWIN) + TWIN] if twin else [])
    for name in dict.fromkeys(names):
        if (found := _provenance(where(id, name, source, settings))) is None:
            return False
        weights = {s.name: s.sha256 for s in subjects(settings, twin) if not s.is_twin}  # a twin is known by its seed
        if name in weights and found.get("subject_sha256") != weights[name]:
            return False
    return True


def where(id: str, model: str, source: str, settings: Settings) -> Path:
    """The file in the settings' evidence folder of a model's record that was measured as they say; it need not be there."""
    asked = provenance.requested(settings)
    path = settings.evidence / records.place(id, "rerun", model, source)
    found = _provenance(path)
    if model == FAMILY or (found is not None and all(found.get(k) == v for k, v in asked.items())):
        return path
    return records.aside(path, asked)


def _provenance(path: Path) -> dict[str, Any] | None:
    """The provenance of a record; None where there is none, or a damaged one."""
    try:
        return records.read(path).provenance if path.is_file() else None
    except records.EvidenceError:
        return None


def _measured(it: Claim, data: Data, settings: Settings, twin: bool, save: bool) -> Iterator[Evidence]:
    measured = []
    unknown: dict[str, Any] = {}
    asked: list[Any] = [_recorded_runs(it, data.name)] if it.family else subjects(settings, twin)
    for subject in asked:
        if isinstance(subject, Subject) and not unknown:  # the twin has the same vocabulary
            unknown = {"unknown_pieces": _readable(it, subject, data)}
        start = time.perf_counter()
        with progress(subject, f"{it.id}: {subject.name} on {data.name}", seconds(it.id, subject.name, data.name)):
            rows = rows_of(it, subject, data, settings)
        measured.append((subject, rows, time.perf_counter() - start))
    untrained = next((rows for subject, rows, _ in measured if subject.is_twin), None)
    for subject, rows, took in measured:
        beaten = None if subject.is_twin or untrained is None else over(rows, untrained)
        record = Evidence(
            claim=it.id,
            model=subject.name,
            data=data.name,
            kind="rerun",
            rows=tidy(rows),
            over_twin=None if beaten is None else tidy(beaten) if len(beaten) else [],
            notes=(*data.notes, *rows.attrs.get("notes", ())),
            provenance=provenance.measured(
                settings,
                took,
                subject_sha256=subject.sha256,
                subject_source=subject.source,
                data_sha256=data.sha256,
                draws_used=sorted({len(d) for d in rows.get("draws", ()) if d is not None}),  # at most the settings'
                **unknown,
            ),
        )
        try:
            decided = record.judged()
        except RuleError as error:
            raise _too_few(it, settings, error) from error
        if record.is_own:
            undecided = [c.says for c in decided.clauses if c.outcome == UNTESTED and c.kind != UNTESTED]
            record = replace(
                record, notes=(*record.notes, *(f"nothing in these items decides: {c}" for c in undecided))
            )
        if save:
            record.save(settings.evidence)
        yield record


def _readable(it: Claim, subject: Subject, data: Data) -> float:
    """The share of the items' pieces that the vocabulary lacks.

    Raises
    ------
    NotDefined
        It is above `UNKNOWN`: what would be measured is how the model reads [UNK].
    """
    share = unknown_share(subject, [text for items in data.items.values() for i in items for text in i.texts()])
    if share > UNKNOWN:
        raise NotDefined(
            f"{it.id}: {share:.0%} of the pieces of {data.name} are {subject.tokenizer.unk_token} to {subject.name}; a claim "
            f"is measured where at most {UNKNOWN:.0%} are"
        )
    return round(share, 4)


def _recorded_runs(it: Claim, source: str) -> Recorded:
    """The recorded runs of the tier that a source stands for."""
    return Recorded.of(source, about=it.family) if isinstance(it.family, str) else Recorded.of(source)


def rows_of(it: Claim, subject: Subject, data: Data, settings: Settings) -> pd.DataFrame:
    """The experiment's rows.

    Raises
    ------
    NotDefined
        The model is built in another way than the experiment needs, or lacks a head.
    NotRunnable
        The items left nothing to measure.
    """
    built = getattr(subject.config, "model_type", "")
    if built in models.suitable.TEXT_TO_TEXT and not it.text_to_text:
        raise NotDefined(f"{it.id} is not defined for {subject.name} ({built}): it writes texts and fills no gaps")
    try:
        rows = it.experiment(subject, data, settings)
    except models.ModelUnsuitable as error:
        raise NotDefined(f"{it.id}: {error}") from error
    except AttributeError as error:
        if built == "bert" or built not in LAYOUTS:  # a bug, not another architecture
            raise
        raise NotDefined(
            f"{it.id} is not defined for {subject.name} ({built}): it reaches into parts of BERT's own"
        ) from error
    except (ValueError, LookupError) as error:
        if data.name.startswith(own.PREFIX):
            if not isinstance(error, Refusal):
                raise NotRunnable(f"{it.id} cannot be measured on these items: {_lack(data, error)}") from error
            if {item.split for items in data.items.values() for item in items} == {"test"}:
                raise NotRunnable(f"{it.id}: {in_a_line(error)}; every item is in test: {own.SPLITS}") from error
        raise _too_few(it, settings, error) from error
    if not len(rows):
        raise NotRunnable(f"{it.id}: of {data.name}, no item is left that {subject.name} can be asked")
    return rows


def _lack(data: Data, error: Exception) -> str:
    """What one's own items may lack: what generated items of their tasks have besides."""
    meta = {task: found[1] for task in data.items if (found := own.wanted(task))}
    has = "; ".join(f"{task}: {', '.join(kinds) or 'nothing'}" for task, kinds in meta.items())
    return f"{type(error).__name__}: {in_a_line(error)[:160]} (generated items have as meta: {has})"


def _too_few(it: Claim, settings: Settings, error: Exception) -> Exception:
    """A refusal where items were too few; any other error as it is, so that a bug is not mistaken for that."""
    below = FEW_ROWS if isinstance(error, RuleError) else FEW
    few = (
        settings.n is not None
        and settings.n < below
        and (isinstance(error, RuleError) or not isinstance(error, Refusal))
    )
    if not few and not isinstance(error, TooFew):
        return error
    why = in_a_line(error)[:160] or type(error).__name__
    asked = "" if settings.n is None else f" on n = {settings.n} items"
    return NotRunnable(f"{it.id} cannot be measured{asked} ({why}){': ask for more' if asked else ''}")


@cache
def seconds(id: str, model: str, source: str) -> float | None:
    """How long the shipped record of a measurement took; None where there is none."""
    path = records.SHIPPED / records.place(id, "rerun", model, source)
    return records.read(path).provenance.get("seconds") if path.is_file() else None


def in_a_line(error: Exception) -> str:
    """An error's message without its line breaks."""
    return " ".join(str(error).split())
