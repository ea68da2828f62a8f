"""The claim ledger: one row per claim of the survey (rogers2020), read strictly from `assets/ledger/`.

The ledger says what is claimed and how it is measured again; it computes nothing. One file per section, in the
book's order; `assets/ledger/README.md` explains the fields.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import ClassVar, Literal

from ..errors import Refusal
from ..settings import TWIN
from . import clauses as parts
from .clauses import Clause
from .strict import STRICT, LedgerError, made, read

__all__ = ["LedgerError", "NoSuchRow", "Row", "Section", "parse", "row", "rows", "sections", "subject"]

LEDGER = Path(__file__).parents[1] / "assets" / "ledger"
EDITIONS = {"tacl2020": "TACL 2020", "arxiv_v1": "arXiv v1"}
TITLE_LENGTH = 70  # characters


class NoSuchRow(Refusal, KeyError):
    """No row or section of that name; the message names the nearest."""

    __str__ = Exception.__str__  # a KeyError would show its message in quotes


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the survey makes a claim: section as numbered in that edition; `part`: figure, table or footnote."""

    __pydantic_config__: ClassVar = STRICT

    edition: Literal["tacl2020", "arxiv_v1"]
    section: str | None = None
    part: str | None = None
    note: str | None = None

    def __str__(self) -> str:
        where = ", ".join(filter(None, (self.section and f"section {self.section}", self.part)))
        return f"{EDITIONS[self.edition]}, {where}" + (f" ({self.note})" if self.note else "")


@dataclass(frozen=True, kw_only=True)
class Reported:
    """What is known about a claim beforehand, and from where.

    Attributes
    ----------
    source : {"survey", "abstract", "released"}
    text : str
        What the figures are, in words, with their unit.
    figures : dict[str, float | tuple[float, ...]]
        The figures by name; empty where the text says it all.
    dataset : str or None
        The data set of the registry that holds the authors' files (`released` only).
    """

    __pydantic_config__: ClassVar = STRICT

    source: Literal["survey", "abstract", "released"]
    text: str
    figures: Mapping[str, float | tuple[float, ...]] = field(default_factory=dict, hash=False)
    dataset: str | None = None


@dataclass(frozen=True, kw_only=True)
class Change:
    """A rule that was changed after figures had been seen: when, what, and why."""

    __pydantic_config__: ClassVar = STRICT

    date: str
    what: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Row:
    """One claim. `rerun` and `predict` are None in a row that is only cited; `reason` says why there, or, in a row
    about models from the Hub, why no bundled one will do. `clauses` are the rule; `departs` says in a line how our
    version departs from the study, `changed` which rules were changed after figures had been seen, `moved` whether a
    former rule would give today's records another outcome, or cannot be asked any more (`tests/former_rules.py`);
    `control` what there is in place of an untrained network measured by itself; `part_of` names, by source, another of
    its sources that has all of its items: a subject measured on both is decided by the whole alone."""

    __pydantic_config__: ClassVar = STRICT

    id: str
    title: str
    survey: tuple[Place, ...]
    studies: tuple[str, ...]
    how: Literal["live", "family", "tuned", "hub", "cite"]
    claim: str
    section: str = ""
    data: tuple[str, ...] = ()
    rerun: str | None = None
    predict: str | None = None
    clauses: tuple[Clause, ...] = ()
    departs: str | None = None
    control: str | None = None
    part_of: Mapping[str, str] = field(default_factory=dict, hash=False)
    changed: tuple[Change, ...] = ()
    moved: bool = True
    reported: tuple[Reported, ...] = ()
    reason: str | None = None

    @property
    def study(self) -> str:
        """The bibliography key of the study the row is named after."""
        return self.studies[0]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the ledger: a chapter of the book, `chapter` being its notebook's name without the suffix.

    `models` says which model a name of the model switch stands for here; a name that is not there stands for itself.
    """

    __pydantic_config__: ClassVar = STRICT

    name: str
    title: str
    chapter: str
    rows: tuple[Row, ...]
    models: Mapping[str, str] = field(default_factory=dict, hash=False)


def rows(section: str | None = None) -> tuple[Row, ...]:
    """The rows of one section, or of all, in the ledger's order.

    Raises
    ------
    KeyError
        There is no such section; the message lists those there are.
    """
    if section is None:
        return tuple(row for part in sections() for row in part.rows)
    for part in sections():
        if part.name == section:
            return part.rows
    raise NoSuchRow(f"no section {section!r} in the ledger; there are {', '.join(s.name for s in sections())}")


def row(id: str) -> Row:
    """The row of that id.

    Raises
    ------
    KeyError
        There is no such row; the message names the nearest ids.
    """
    table = _table()
    if id not in table:
        raise NoSuchRow(f"no row {id!r} in the ledger; nearest: {', '.join(_near(id.lower(), table))}")
    return table[id]


def _near(id: str, table: Iterable[str]) -> list[str]:
    """Ids like a mistyped one, five at most: a part of an id, or the name of a section, should find them too."""
    parts = {
        part: [known for known in table if part in known.split(".")] for known in table for part in known.split(".")
    }
    parts |= {section.name: [row.id for row in section.rows] for section in sections()}
    found = [known for known in table if id and id in known]
    for part in difflib.get_close_matches(id, parts, n=3, cutoff=0.6):
        found += parts[part]
    found += difflib.get_close_matches(id, table, n=5, cutoff=0.0)
    return list(dict.fromkeys(found))[:5]


def subject(name: str, model: str) -> str:
    """The model that the model switch stands for in a section: one about other models has subjects of its own.

    Parameters
    ----------
    name : str
        A section, or the id of a row in it.
    model : str
        As of `Settings`. A twin's name stands for the twin; a name that the section says nothing of for itself.

    Raises
    ------
    KeyError
        There is no such section or row.

    Examples
    --------
    >>> [subject("mbert", m) for m in ("mini", "mini-untrained", "bert-base-uncased", "bert-base-cased")]
    ['mini-multi', 'mini-multi-untrained', 'bert-base-multilingual-cased', 'bert-base-cased']
    >>> subject("syntax", "mini")
    'mini'
    """
    known = {s.name: s for s in sections()}
    section = known[name] if name in known else known[row(name).section]
    plain = model.removesuffix(TWIN)
    return section.models.get(plain, plain) + model[len(plain) :]


@cache
def sections() -> tuple[Section, ...]:
    """All sections with their rows, in the book's order (read once)."""
    return parse(*(path.read_text(encoding="utf-8") for path in sorted(LEDGER.glob("*.yaml"))))


@cache
def _table() -> dict[str, Row]:
    return {r.id: r for r in rows()}


def parse(*texts: str) -> tuple[Section, ...]:
    """Read sections, refusing whatever does not fit.

    Parameters
    ----------
    texts : str
        YAML as in `assets/ledger/`, one section each.

    Raises
    ------
    LedgerError
        A field is unknown, missing or of the wrong kind, or an id or title occurs twice; row and field are named.
    """
    found = tuple(_section(read(text), f"section {n}") for n, text in enumerate(texts, 1))
    _unique("section", (s.name for s in found))
    _unique("chapter", (s.chapter for s in found))
    _unique("id", (r.id for s in found for r in s.rows))
    _unique("title", (r.title for s in found for r in s.rows))
    return found


def _section(raw: object, where: str) -> Section:
    section = made(Section, raw, where)
    for row in section.rows:
        if row.section:
            raise LedgerError(f"{row.id}: unknown field 'section' (the section is the one the row stands in)")
        _check(row)
        for k, clause in enumerate(row.clauses, 1):
            parts.check(clause, f"{row.id}, clause {k} ({clause.name})")
    return replace(section, rows=tuple(replace(row, section=section.name) for row in section.rows))


def _check(r: Row) -> None:
    """What the kinds of the fields alone do not say."""
    cited = r.how == "cite"
    parts = r.id.split(".")
    trouble = {
        "id": len(parts) not in (2, 3) or not all(parts),
        "title": len(r.title) > TITLE_LENGTH,
        "survey": not r.survey or any(not (p.section or p.part) for p in r.survey),
        "studies": not r.studies or len(set(r.studies)) < len(r.studies) or (len(parts) == 3 and parts[2] != r.study),
        "data": len(set(r.data)) < len(r.data) or (cited and bool(r.data)),
        "part_of": not {*r.part_of, *r.part_of.values()} <= set(r.data),
        "rerun": cited is bool(r.rerun),
        "predict": cited is bool(r.predict),
        "reason": (cited and not r.reason) or (bool(r.reason) and r.how not in ("cite", "hub")),
        "moved": not r.moved and not r.changed,
        "clauses": len({c.name for c in r.clauses}) < len(r.clauses),
        "reported": any(p.dataset and p.source != "released" for p in r.reported),
    }
    for name, bad in trouble.items():
        if bad:
            raise LedgerError(f"{r.id}: {name} does not fit (how: {r.how}): {getattr(r, name)!r}")


def _unique(what: str, values: Iterable[str]) -> None:
    twice = [value for value, n in Counter(values).items() if n > 1]
    if twice:
        raise LedgerError(f"duplicate {what}: {', '.join(twice)}")
