"""Studies as the cards cite them: authors in short, year, title, address, from the bibliography.

The package carries them as `assets/studies.json`, since a card is shown where no bibliography lies; a test holds the
two equal.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

from ..cards.words import STUDIES

BIBLIOGRAPHY = Path(__file__).resolve().parents[2] / "book" / "references.bib"


def read() -> dict[str, dict[str, str]]:
    """Key -> ``authors`` ("Jawahar et al."), ``year``, ``title``, ``url``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the parser's own deprecations
        from pybtex.database import parse_file

        entries = parse_file(str(BIBLIOGRAPHY)).entries
    return {key: _study(entry) for key, entry in sorted(entries.items())}


def _study(entry) -> dict[str, str]:
    names = [" ".join([*p.prelast_names, *p.last_names]) for p in entry.persons["author"]]
    authors = names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."
    doi, eprint = entry.fields.get("doi"), entry.fields.get("eprint")
    url = (
        entry.fields.get("url") or (doi and f"https://doi.org/{doi}") or (eprint and f"https://arxiv.org/abs/{eprint}")
    )
    plain = {"authors": authors, "year": entry.fields["year"], "title": entry.fields["title"], "url": url or ""}
    return {name: _plain(text) for name, text in plain.items()}


def _plain(text: str) -> str:
    """Without the braces that keep capitals; the bibliography is UTF-8 and has no TeX but escapes (a test says so)."""
    text = re.sub(r"\\([$&#%_])", r"\1", text.replace("{", "").replace("}", ""))
    return re.sub(r"\s+", " ", text).strip()


def write() -> None:
    """Make the package's copy again."""
    STUDIES.write_text(json.dumps(read(), indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
