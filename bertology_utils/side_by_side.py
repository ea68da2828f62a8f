"""Everything there is for a claim, in one call: the real BERT, recorded reruns, and a reader's own model measured now.

A chapter's figures are made from this and from nothing else, so that they draw whoever there is; what cannot be had is a
line and never stops a notebook.
"""

from __future__ import annotations

import ast
import math
import traceback
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from . import files, provenance
from .claims import evidence, ledger
from .claims.evidence import Evidence, is_real
from .claims.refused import Refused, latest
from .claims.registry import Claim
from .claims.result import Result
from .claims.sources import sources
from .errors import Refusal
from .hosted import asked_for
from .plotting.theme import NOW
from .runs import FAMILY, get, in_a_line, run, settings_for, subjects
from .scores.rows import combine, matching
from .settings import QUICK, TWIN, Settings

# whose rows a figure of one subject shows: the first there is
RANK = ("mpnet", "me5", "me5-q4", "me5-mlm", "me5-mlm-q4", "mini", "mini-multi", "toy", FAMILY)
LOG = "failures.txt"  # in the evidence folder: tracebacks of what failed in a notebook


@dataclass(frozen=True)
class Results(Result):
    """The tidy rows of all subjects there are for a claim.

    Attributes
    ----------
    records : tuple of Evidence
        One per subject: released outputs of published BERTs, recorded reruns, twins, the reader's own last.
    claim : str
    own : str
        The reader's model if it was measured; empty if none was chosen.
    refusals : tuple of Refused
    others : mapping
        Model -> rows of released outputs that are no BERT's or decide nothing: people, static embeddings, other networks.
        A column `data` tells several files of one model apart.
    """

    claim: str = ""
    own: str = ""
    refusals: tuple[Refused, ...] = ()
    others: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @property
    def focus(self) -> str:
        """The subject that figures of one subject are of: the reader's own if there is one, else the largest rerun."""
        names = [r.model for r in self.records if r.kind == "rerun" and not r.is_twin]
        ranked = [name for name in (self.own, *RANK, *names) if name in names]
        return ranked[0] if ranked else ""

    @property
    def title(self) -> str:
        """`focus` as a figure names it."""
        return self._label(self.focus, "rerun") if self.focus else "nothing measured"

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """Subject -> its tidy rows: BERT, reruns, the focus's twin, the reader's own."""
        return {self._label(r.model, r.kind): r.frame for r in self.records}

    def _label(self, model: str, kind: str) -> str:
        if kind == "released":
            return f"{model}, released"
        mine = self.own and model.removesuffix(TWIN) == self.own
        return f"{model}{NOW}" if mine else model

    def _frame(self, twin: bool) -> pd.DataFrame:
        wanted = self.focus + TWIN if twin else self.focus
        nothing = pd.DataFrame(columns=["measure", "value", "low", "high", "n"])
        return next((r.frame for r in self.records if r.kind == "rerun" and r.model == wanted), nothing)

    def series(self, measure: str, **where: Any) -> dict[str, pd.DataFrame]:
        """The rows of one measure for every subject that has them; empty where none has."""
        return _matching_in(self.frames, measure, where)

    def by(self, measures: Mapping[str, str], **where: Any) -> dict[str, pd.DataFrame]:
        """Label -> the focus's rows of a measure: several measures of one subject side by side."""
        chosen = {label: matching(self.rows, measure, where) for label, measure in measures.items()}
        return {label: rows for label, rows in chosen.items() if len(rows)}

    def split(self, measure: str, column: str, values: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
        """Label -> the focus's rows of a measure with one value of a column: one subject in several conditions."""
        return {k: rows for label, v in values.items() for k, rows in self.by({label: measure}, **{column: v}).items()}

    def reruns(self, n: int) -> dict[str, pd.DataFrame]:
        """Rows of at most so many trained networks that were rerun, the focus last: a panel for each."""
        trained = [r for r in self.records if r.kind == "rerun" and not r.is_twin]
        trained.sort(key=lambda r: r.model == self.focus)
        return {self._label(r.model, r.kind): r.frame for r in trained[-n:]}

    def beside(self, measure: str, **where: Any) -> dict[str, pd.DataFrame]:
        """As `series`, of `others`."""
        found = _matching_in(self.others, measure, where)
        return {f"{name}, released": rows for name, rows in found.items()}

    def row(self, measure: str, *, twin: bool = False, **where: Any) -> Mapping[str, Any]:
        """The focus's one row of that measure and key; a row without figures where there is none.

        Raises
        ------
        ValueError
            If there is more than one; the keys that tell them apart are named.
        """
        if not len(matching(self._frame(twin), measure, where)):
            return {"measure": measure, "value": math.nan, "low": math.nan, "high": math.nan, "n": 0, **where}
        return super().row(measure, twin=twin, **where)

    def deciding(self) -> dict[str, pd.DataFrame]:
        """The rows that decide the claim, for every subject that has some, each named in a column ``figure``."""
        if not self.records:
            return {}
        return {name: rows for name, rows in super().deciding().items() if len(rows)}

    def __repr__(self) -> str:
        return "\n".join([f"{self.claim}: {', '.join(self.frames) or 'no rows'}", *map(str, self.refusals)])


def results(id: str, settings: Settings | None = None, *, data: str | None = None) -> Results:
    """All subjects' rows for a claim; a model, data or sizes that the reader chose are measured now.

    Parameters
    ----------
    id : str
        The ledger row.
    settings : Settings, optional
        By default what the environment says.
    data : str, optional
        The source that figures are of: ``builtin`` or one of the row's data sets; by default the first of these that there
        is a record of. A reader's model is measured on it where the settings say ``original``, else on generated items.

    Returns
    -------
    Results
        Never an error for what is no bug of the caller's: what could not be measured is in `Results.refusals`.

    Raises
    ------
    KeyError, NotRunnable
        There is no such claim.

    Examples
    --------
    >>> agreement = results("syn.agreement.goldberg2019")
    >>> agreement.focus, sorted(agreement.series("balanced accuracy"))[:2]
    ('mpnet', ['bert-base-uncased, released', 'bert-large-uncased, released'])
    """
    it = get(id)
    settings = settings_for(id, settings)
    default = ledger.subject(id, Settings.model)
    known, _ = evidence.shelves(id, settings)
    source = data or _headline(known, FAMILY if it.family else default)
    reruns = {r.model: r for r in known if r.kind == "rerun" and r.data == source}
    own: tuple[Evidence, ...] = ()
    refused: Refused | None = None
    if not it.family and asked_for(settings, default):
        own, refused = _own(it, settings, source)
    mine = own[0].model if own else ""
    chosen = [r for r in reruns.values() if not r.is_twin and r.model != mine]
    released = [r for r in known if r.kind == "released"]
    berts = [r for r in released if is_real(r.model) and r.decides]
    berts.sort(key=lambda r: (not r.model.startswith("bert-base"), r.model))
    rank = {model: k for k, model in enumerate(RANK)}
    made = Results(
        records=(*_once(berts), *sorted(chosen, key=lambda r: (rank.get(r.model, len(rank)), r.model)), *own),
        claim=id,
        own=mine,
        refusals=(refused,) if refused else (),
        others=_together(r for r in released if r not in berts),
    )
    twin = None if made.own else reruns.get(made.focus + TWIN)
    made = replace(made, records=(*made.records, *([twin] if twin else [])))
    latest[id] = made.refusals
    return made


def released(id: str, measure: str, of: str = "", **where: Any) -> dict[str, pd.DataFrame]:
    """Model -> the rows of a measure (and key values) in released outputs of models whose names hold `of`.

    Raises
    ------
    ValueError
        If none has such rows: a figure of them cannot be drawn (`attempt`).

    Examples
    --------
    >>> list(released("siz.layers_drop.tenney2019a", "largest drop of one layer"))[:1]
    ['bert-base-uncased']
    """
    records = [r for r in evidence.find(id) if r.kind == "released" and of in r.model]
    drawn = {r.model: rows for r in records if len(rows := matching(r.frame, measure, where))}
    if not drawn:
        raise ValueError(f"{id}: no released rows with measure {measure!r} {where or ''}")
    return drawn


def _headline(known: Iterable[Evidence], model: str) -> str:
    """The first source, generated items last, that has a record of a model."""
    found = [r.data for r in known if r.kind == "rerun" and r.model == model]
    return next((name for name in found if name != "builtin"), "builtin")


def _once(records: Iterable[Evidence]) -> list[Evidence]:
    """The first record of each model: one series each."""
    return list({r.model: r for r in reversed(list(records))}.values())[::-1]


def _together(records: Iterable[Evidence]) -> dict[str, pd.DataFrame]:
    """Model -> the rows of all its records; where there are several, a column says from which data."""
    by: dict[str, list[Evidence]] = {}
    for record in records:
        by.setdefault(record.model, []).append(record)
    return {
        name: combine(*(r.frame.assign(data=r.data) for r in own)) if len(own) > 1 else own[0].frame
        for name, own in by.items()
    }


def _own(it: Claim, settings: Settings, source: str) -> tuple[tuple[Evidence, ...], Refused | None]:
    """The records of the reader's model and its twin, measured now or before under the same settings; or why not."""
    wanted = "builtin"
    try:
        if settings.data != "builtin":
            offered = sources(it, settings)
            wanted = source if source in offered else offered[0]
        quick = _quick(it, settings)
        before = _recorded(it.id, quick, wanted)
        return before or run(it.id, quick, data=wanted, twin=not settings.fast).records, None
    except Refusal as error:
        return (), Refused(settings.model, wanted, in_a_line(error))
    except Exception as error:  # a bug of an experiment's: the chapter goes on, and the traceback is kept
        path = settings.evidence / LOG
        keep(path)
        return (), Refused(settings.model, wanted, f"failed: {type(error).__name__}: {in_a_line(error)[:120]} ({path})")


def _quick(it: Claim, settings: Settings) -> Settings:
    if not settings.fast:
        return settings
    n = min(it.quick, it.n, settings.n or it.quick)
    return replace(settings, n=n, draws=min(QUICK, settings.draws))


def _recorded(id: str, settings: Settings, source: str) -> tuple[Evidence, ...]:
    """What the package ships, or the reader measured before, of the same weights under these very settings."""
    names = [settings.model] + ([] if settings.fast or settings.model.endswith(TWIN) else [settings.model + TWIN])
    asked = provenance.requested(settings)
    fit = {
        r.model: r
        for shelf in evidence.shelves(id, settings)
        for r in shelf
        if r.kind == "rerun" and r.data == source and all(r.provenance.get(k) == v for k, v in asked.items())
    }
    if not set(names) <= set(fit):
        return ()
    (subject, *_) = subjects(settings, twin=False)
    weights = None if subject.is_twin else subject.sha256  # a twin is known by its seed
    return tuple(fit[n] for n in names) if weights in (None, fit[names[0]].provenance.get("subject_sha256")) else ()


def _matching_in(frames: Mapping[str, pd.DataFrame], measure: str, where: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """The rows of a measure and key values, of the frames that have any."""
    chosen = {name: matching(frame, measure, where) for name, frame in frames.items()}
    return {name: rows for name, rows in chosen.items() if len(rows)}


@contextmanager
def attempt() -> Iterator[None]:
    """Go on with a notebook where a demonstration cannot be shown for the model or data chosen: one line says why.

    Examples
    --------
    >>> with attempt():
    ...     [].pop()
    not shown: pop from empty list
    """
    try:
        yield
    except (Refusal, StopIteration, LookupError, ValueError) as error:
        print(f"not shown: {in_a_line(error) or type(error).__name__}")


def guard(shell: Any, log: Path) -> None:
    """Let no cell of a notebook stop the next: what cannot be shown for a chosen model or data is one line.

    Parameters
    ----------
    shell : InteractiveShell
        Each of its cells is run as one guarded block from now on; what a cell's last line shows is shown.
    log : Path
        Where tracebacks of what is no refusal go.
    """
    shell.user_ns["_guarded"] = lambda: _guarded(log)
    shell.user_ns["_shown"] = lambda value: (
        None if value is None else shell.display_pub.publish(*shell.display_formatter.format(value))
    )
    if not any(isinstance(t, _Guard) for t in shell.ast_transformers):
        shell.ast_transformers.append(_Guard())


class _Guard(ast.NodeTransformer):
    """A cell's statements in one ``with``; its last expression is handed to what shows it."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        if not node.body:
            return node
        *rest, last = node.body
        if isinstance(last, ast.Expr):
            last.value = ast.Call(ast.Name("_shown", ast.Load()), [last.value], [])
        call = ast.Call(ast.Name("_guarded", ast.Load()), [], [])
        node.body = [ast.With([ast.withitem(call)], [*rest, last])]
        return ast.fix_missing_locations(node)


@contextmanager
def _guarded(log: Path) -> Iterator[None]:
    try:
        with attempt():
            yield
    except Exception as error:  # of another kind than what a choice explains: the traceback is kept
        keep(log)
        print(
            f"not shown: {type(error).__name__}: {in_a_line(error)[:120]} ({log.name} of the evidence folder says where)"
        )


def keep(log: Path) -> None:
    """Add the traceback of the error at hand to a file."""
    earlier = log.read_text("utf-8") if log.is_file() else ""
    files.write(log, f"{earlier}{traceback.format_exc()}\n")
