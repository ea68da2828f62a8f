"""The page on what the survey says and what is tested: each statement with the claim that tests it, or the reason for none;
and the studies that it cites without a rerun here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from importlib.resources import files

import yaml

from ..cards import markup, words
from ..claims import ledger
from ..claims.clauses import UNTESTED

EDITIONS = {"tacl2020": "TACL", "arxiv_v1": "arXiv"}
SURVEY, CITES = "rogers2020", 193  # studies cited in the two editions together


@dataclass(frozen=True)
class Statement:
    """A statement of the survey: where it stands, the claims that bear on it, and why it is not tested; empty if it is."""

    section: str
    edition: str
    says: str
    claims: tuple[str, ...]
    reason: str = ""


def statements() -> tuple[Statement, ...]:
    """Clauses of all rows of the ledger, and what no row tests, in the survey's order.

    Examples
    --------
    >>> {s.edition for s in statements()} <= set(EDITIONS)
    True
    """
    rest = (
        Statement(s["section"], s["edition"], s["says"], tuple(s["bears"]), s["reason"]) for s in _asset()["untested"]
    )
    found = [*_of_rows(), *rest]
    return tuple(sorted(found, key=lambda s: (list(EDITIONS).index(s.edition), _numbers(s.section))))


def cited() -> dict[str, tuple[str, str]]:
    """Studies that the survey cites and no row names, in the order of the asset: section, and why there is no rerun.

    Examples
    --------
    >>> cited()["baker1998"][0]
    '4.2.1'
    """
    return {study: (section, g["why"]) for g in _asset()["cited"] for study, section in g["studies"].items()}


def named() -> tuple[str, ...]:
    """Studies that a row names or that are cited without a rerun, by key: what is known of the survey's references.

    Examples
    --------
    >>> len(named()) <= CITES
    True
    """
    rows = (study for row in ledger.rows() for study in row.studies if study != SURVEY)
    return tuple(sorted({*rows, *cited()}))


def _asset() -> dict:
    return yaml.safe_load((files("bertology_utils") / "assets" / "coverage.yaml").read_text(encoding="utf-8"))


def _of_rows() -> Iterator[Statement]:
    for row in ledger.rows():
        place = row.survey[0]
        section = place.section or place.part or ""
        for clause in row.clauses:
            reason = " ".join((clause.reason or "").split()) if clause.kind == UNTESTED else ""
            yield Statement(section, place.edition, clause.says, (row.id,), reason)
        if not row.clauses:
            yield Statement(section, place.edition, row.claim, (row.id,), row.reason or "")


def _numbers(section: str) -> list[int]:
    """A section's numbers; of a table or a figure, which stands anywhere, none."""
    return [int(part) for part in section.split(".") if part.isdigit()]


def page() -> str:
    """How many statements are tested, and a table of all."""
    found = statements()
    rows = (
        f"<tr><td>{EDITIONS[s.edition]} {escape(s.section)}</td><td>{escape(s.says)}</td><td>"
        + ", ".join(f'<a href="../claims/{id}.html">{escape(".".join(id.split(".")[:2]))}</a>' for id in s.claims)
        + f"</td><td>{f'untested: {escape(s.reason)}' if s.reason else 'tested'}</td></tr>"
        for s in found
    )
    tested = sum(not s.reason for s in found)
    return (
        f"**{tested} of {len(found)} statements are tested** (some of them stay open, and cards say why); for each of the "
        "others the reason is given.\n\n" + _table(("section", "the survey says", "claim", "tested?"), rows)
    )


def cited_page() -> str:
    """A table of the studies that are cited without a rerun."""
    rows = (
        f"<tr><td>{escape(section) or 'not known'}</td><td>{escape(words.title(study))}</td>"
        f"<td>{words.link(study)}</td><td>{escape(why)}</td></tr>"
        for study, (section, why) in cited().items()
    )
    here, without = len(named()), len(cited())
    return (
        f"The two editions cite {CITES} studies. Claims name {here - without} studies, this table"
        f" {without} more: **{here} against {CITES}**. So at least {CITES - here} are missing; which, cannot be told without"
        " the survey's own list of references, and a claim may name a study that the survey does not.\n\n"
    ) + _table(("section", "title", "study", "why not rerun"), rows)


def _table(names: tuple[str, ...], rows: Iterable[str]) -> str:
    """A table that can be filtered and sorted, since it is long."""
    return f'<div class="family-runs">{markup.table("facts coverage", names, rows)}</div>'
