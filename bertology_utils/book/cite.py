"""How to cite the book, and one result of it: BibTeX made from the repository's CITATION.cff."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from ..cards.standing import Standing

CITATION = Path(__file__).parents[2] / "CITATION.cff"
CHANGES = CITATION.with_name("CHANGELOG.md")
VERSIONS = "The book's entry names the release it is of, {release}; CITATION.cff has the package's version, {version}."
YEAR = "2026"  # of the first release; an entry names the release itself


@cache
def citation() -> dict[str, Any]:
    """What CITATION.cff says."""
    return yaml.safe_load(CITATION.read_text(encoding="utf-8"))


@cache
def release() -> str:
    """The release that a reader has, as the changelog's first heading names it: ``0.3.0``, or ``0.3.0, in progress``."""
    return re.findall(r"^## (.+)", CHANGES.read_text(encoding="utf-8"), re.MULTILINE)[0]


def page(site: str = "") -> str:
    """The generated part of the page on citing: BibTeX for the book and for the works it refers to."""
    cff = citation()
    own = entry(
        "misc",
        "bertology-rerun",
        title=f"{{{cff['title']}}}",
        author=_authors(cff["authors"]),
        version=release(),
        year=YEAR,
        url=site,
    )
    others = [_reference(work) for work in cff.get("references", ())]
    told = "" if release() == str(cff["version"]) else VERSIONS.format(release=release(), version=cff["version"])
    return "\n\n".join([*(f"```bibtex\n{text}\n```" for text in (own, *others)), told]).rstrip()


def of_claim(s: Standing, site: str = "") -> str:
    """An entry for one result."""
    cff = citation()
    return entry(
        "misc",
        f"bertology-{s.row.id.replace('.', '-')}",
        title=f"{{{s.row.title}}}",
        author=_authors(cff["authors"]),
        howpublished=cff["title"],
        note=f"Claim {s.row.id}, release {release()}",
        year=YEAR,
        url=f"{site}claims/{s.row.id}.html" if site else "",
    )


def entry(kind: str, key: str, **fields: str) -> str:
    """A BibTeX entry; empty fields are left out.

    >>> print(entry("misc", "a", title="T", url=""))
    @misc{a,
      title = {T}
    }
    """
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _authors(people: list[dict[str, str]]) -> str:
    names = [p["name"] if "name" in p else f"{p['family-names']}, {p['given-names']}" for p in people]
    return " and ".join(f"{{{name}}}" if "," not in name else name for name in names)


def _reference(work: dict[str, Any]) -> str:
    key = re.sub(r"\W", "", work["authors"][0].get("family-names", "work")).lower() + str(work["year"])
    pages = f"{work['start']}--{work['end']}" if "start" in work else ""
    return entry(
        work["type"],
        key,
        title=f"{{{work['title']}}}",
        author=_authors(work["authors"]),
        journal=work.get("journal", ""),
        volume=str(work.get("volume", "")),
        pages=pages,
        year=str(work["year"]),
        doi=work.get("doi", ""),
    )
