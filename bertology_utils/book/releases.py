"""What another network of the same shape changes: outcomes of the bundled `mini`, second release beside the first."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

from ..cards.standing import Standing
from ..cards.words import badge
from ..claims.rules import NOT_RERUN

FIRST = Path(__file__).parents[1] / "assets" / "learning" / "sittings" / "outcomes.csv"


def first(path: Path = FIRST) -> dict[str, str]:
    """Outcomes of the first release by claim, under the rules of the second's evidence."""
    with path.open(encoding="utf-8", newline="") as stream:
        return {row["claim"]: row["first release"] for row in csv.DictReader(stream)}


def changed(found: Sequence[Standing], before: Mapping[str, str]) -> list[Standing]:
    """The claims that were put to both releases and came out otherwise."""
    return [s for s in found if _both(s, before) and s.mini.label != before[s.row.id]]


def table(found: Sequence[Standing], before: Mapping[str, str] | None = None) -> str:
    """How many outcomes are others than the first release's, and which."""
    before = first() if before is None else before
    others = changed(found, before)
    whole = sum(_both(s, before) for s in found)
    rows = "".join(
        f'<tr><th scope="row"><a href="../claims/{escape(s.row.id)}.html">{escape(s.row.title)}</a></th>'
        f"<td>{badge(before[s.row.id])}</td><td>{badge(s.mini.label)}</td></tr>"
        for s in others
    )
    said = f"Of the claims that were put to both, {len(others) or 'none'} of {whole} have another outcome."
    if not others:
        return said
    head = "".join(f'<th scope="col">{name}</th>' for name in ("claim", "first release", "second release"))
    return f'{said}\n\n<table class="facts"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _both(s: Standing, before: Mapping[str, str]) -> bool:
    return before.get(s.row.id, NOT_RERUN) != NOT_RERUN and s.mini.label != NOT_RERUN
