"""The claim ledger: one row a claim of the survey (rogers2020), read strictly from `assets/ledger.yaml`.

The ledger says what is claimed and how it is measured again; it computes nothing. The fields are explained at the head
of the file itself.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from pathlib import Path

import yaml

from bertology_utils.errors import Refusal

LEDGER = Path(__file__).parents[1] / "assets" / "ledger.yaml"
HOW = ("live", "family", "tuned", "hub", "cite")
EDITIONS = {"tacl2020": "TACL 2020", "arxiv_v1": "arXiv v1"}
SOURCES = ("survey", "abstract", "released")
TITLE_LENGTH = 70  # characters


class LedgerError(ValueError):
    """The ledger contradicts its own rules; the message names row and field."""


class NoSuchRow(Refusal, KeyError):
    """No row or section of that name; the message names the nearest."""

    __str__ = Exception.__str__  # a KeyError would show its message in quotes


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the survey makes a claim: section as numbered in that edition; `part`: figure, table or footnote."""

    edition: str
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

    source: str
    text: str
    figures: Mapping[str, float | tuple[float, ...]] = field(hash=False)
    dataset: str | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """One claim. `rerun` and `predict` are None in a row that is only cited; `reason` says why there, or, in a row
    about models from the Hub, why no bundled one will do."""

    id: str
    section: str
    title: str
    survey: tuple[Place, ...]
    studies: tuple[str, ...]
    how: str
    claim: str
    data: tuple[str, ...] = ()
    rerun: str | None = None
    predict: str | None = None
    reported: tuple[Reported, ...] = ()
    reason: str | None = None

    @property
    def study(self) -> str:
        """The bibliography key of the study the row is named after."""
        return self.studies[0]

    @property
    def also(self) -> tuple[str, ...]:
        """The other studies that make the claim, or dispute it."""
        return self.studies[1:]


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of the ledger: a chapter of the book, `chapter` being its notebook's name without the suffix."""

    name: str
    title: str
    chapter: str
    rows: tuple[Row, ...]


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
        # the short name without its study, or the study alone, should find its rows too
        near = [known for known in table if id and id in known] + difflib.get_close_matches(id, table, n=5, cutoff=0.4)
        hint = f"; nearest: {', '.join(list(dict.fromkeys(near))[:5])}" if near else ""
        raise NoSuchRow(f"no row {id!r} in the ledger{hint}")
    return table[id]


@cache
def sections() -> tuple[Section, ...]:
    """All sections with their rows, in the book's order (read once)."""
    return parse(LEDGER.read_text(encoding="utf-8"))


@cache
def _table() -> dict[str, Row]:
    return {r.id: r for r in rows()}


def parse(text: str) -> tuple[Section, ...]:
    """Read a ledger, refusing whatever does not fit.

    Parameters
    ----------
    text : str
        YAML as in `assets/ledger.yaml`.

    Raises
    ------
    LedgerError
        A field is unknown, missing or of the wrong kind, or an id or title occurs twice; row and field are named.
    """
    raw = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    if not isinstance(raw, list):
        raise LedgerError("the ledger: not a list of sections")
    found = tuple(_section(entry, f"section {n}") for n, entry in enumerate(raw, 1))
    _unique("section", (s.name for s in found))
    _unique("chapter", (s.chapter for s in found))
    _unique("id", (r.id for s in found for r in s.rows))
    _unique("title", (r.title for s in found for r in s.rows))
    return found


def _section(raw: object, where: str) -> Section:
    raw = dict(_fields(Section, raw, where))
    raw["rows"] = tuple(_row(r, raw["name"], f"{raw['name']}, row {n}") for n, r in enumerate(raw["rows"], 1))
    return Section(**raw)


def _row(raw: object, section: str, where: str) -> Row:
    if isinstance(raw, Mapping) and isinstance(raw.get("id"), str):
        where = raw["id"]
    if isinstance(raw, Mapping) and "section" in raw:
        raise LedgerError(f"{where}: unknown field 'section' (the section is the one the row stands in)")
    raw = dict(_fields(Row, {**raw, "section": section} if isinstance(raw, Mapping) else raw, where))
    raw["survey"] = tuple(Place(**_fields(Place, p, f"{where}, survey")) for p in raw["survey"])
    raw["reported"] = tuple(_reported(r, f"{where}, reported") for r in raw.get("reported", ()))
    made = Row(**raw)
    _check(made)
    return made


def _reported(raw: object, where: str) -> Reported:
    raw = dict(_fields(Reported, {"figures": {}, **raw} if isinstance(raw, Mapping) else raw, where))
    figures = {name: tuple(v) if isinstance(v, list) else v for name, v in raw["figures"].items()}
    for name, value in figures.items():
        for number in value if isinstance(value, tuple) else (value,):
            if not isinstance(number, (int, float)) or isinstance(number, bool):
                raise LedgerError(f"{where}, figures: {name!r} is {number!r}, not a number")
    return Reported(**{**raw, "figures": figures})


def _check(r: Row) -> None:
    """What the kinds of the fields alone do not say."""
    cited = r.how == "cite"
    parts = r.id.split(".")
    trouble = {
        "id": len(parts) not in (2, 3) or not all(parts),
        "title": len(r.title) > TITLE_LENGTH,
        "survey": not r.survey or any(p.edition not in EDITIONS or not (p.section or p.part) for p in r.survey),
        "studies": not r.studies or len(set(r.studies)) < len(r.studies) or (len(parts) == 3 and parts[2] != r.study),
        "how": r.how not in HOW,
        "data": len(set(r.data)) < len(r.data) or (cited and bool(r.data)),
        "rerun": cited is bool(r.rerun),
        "predict": cited is bool(r.predict),
        "reason": (cited and not r.reason) or (bool(r.reason) and r.how not in ("cite", "hub")),
        "reported": any(p.source not in SOURCES or (p.dataset and p.source != "released") for p in r.reported),
    }
    for name, bad in trouble.items():
        if bad:
            raise LedgerError(f"{r.id}: {name} does not fit (how: {r.how}): {getattr(r, name)!r}")


def _fields(cls: type, raw: object, where: str) -> dict[str, object]:
    """The fields of `cls` in `raw`, texts as text and lists as tuples; anything else is an error."""
    if not isinstance(raw, Mapping):
        raise LedgerError(f"{where}: {raw!r} is not a mapping")
    known = {f.name: f for f in fields(cls)}
    for name in raw:
        if name not in known:
            raise LedgerError(f"{where}: unknown field {name!r}; a {cls.__name__.lower()} has {', '.join(known)}")
    for name, f in known.items():
        if name not in raw and f.default is MISSING:
            raise LedgerError(f"{where}: missing field {name!r}")
    return {name: _value(value, str(known[name].type), f"{where}: {name}") for name, value in raw.items()}


def _value(value: object, kind: str, where: str) -> object:
    if kind.startswith("tuple"):
        if not isinstance(value, list) or ("str" in kind and not all(isinstance(v, str) and v for v in value)):
            raise LedgerError(f"{where} is {value!r}, not a list of texts or entries")
        return tuple(value)
    if kind.startswith("Mapping"):
        if not isinstance(value, Mapping):
            raise LedgerError(f"{where} is {value!r}, not a mapping")
        return value
    if not isinstance(value, str) or not value.strip():
        raise LedgerError(f"{where} is {value!r}, not a text")
    return value


def _unique(what: str, values: Iterable[str]) -> None:
    twice = [value for value, n in Counter(values).items() if n > 1]
    if twice:
        raise LedgerError(f"duplicate {what}: {', '.join(twice)}")
