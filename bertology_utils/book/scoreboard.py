"""The scoreboard: one line per claim, for the real BERT, for mini, for an untrained network; also as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from html import escape

from ..cards.standing import Slot, Standing
from ..cards.words import KINDS, SIGNS
from ..claims import ledger
from ..claims.rules import FAILS, HOLDS, UNTRAINED_TOO

COLUMNS = ("real", "mini", "untrained")
SHORT = {
    "cannot be tested here": "untestable",
    "not found at this size": "not found",
    "holds, untrained too": "untrained too",
}


def table(found: Sequence[Standing]) -> str:
    """All claims as one table, sortable and filterable by the page's script, whole without it."""
    titles = {s.name: s.title for s in ledger.sections()}
    rows = "".join(_row(s, titles[s.row.section]) for s in found)
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("claim", "section", "real BERT", "mini", "untrained", "evidence")
    )
    return (
        '<div class="scoreboard-filter" hidden></div>\n\n'
        f'<table class="scoreboard claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _row(s: Standing, section: str) -> str:
    outcomes = " ".join(f'data-{name}="{escape(getattr(s, name).label)}"' for name in COLUMNS)
    kinds = sorted({r.kind for r in s.records if not r.is_twin})
    passes = s.untrained.label in (HOLDS, UNTRAINED_TOO) and s.mini.label != FAILS
    flags = f'data-disagree="{int(s.disagree)}" data-twin="{int(passes)}" data-kinds="{" ".join(kinds)}"'
    cells = "".join(f'<td data-label="{name}">{_cell(getattr(s, name))}</td>' for name in COLUMNS)
    return (
        f'<tr data-section="{escape(section)}" {outcomes} {flags}><th scope="row">'
        f'<a href="../claims/{escape(s.row.id)}.html">{escape(s.row.title)}</a></th>'
        f'<td data-label="section">{escape(section)}</td>{cells}'
        f'<td data-label="evidence">{", ".join(kinds) or ("cited only" if s.row.how == "cite" else "–")}</td></tr>'
    )


def _cell(slot: Slot) -> str:
    label = SHORT.get(slot.label, slot.label)
    reason = f' title="{escape(slot.decision.reason)}"' if slot.decision else ""
    return f'<span class="outcome outcome-{KINDS[slot.label]}"{reason}>{SIGNS[slot.label]} {escape(label)}</span>'


def as_json(found: Sequence[Standing]) -> str:
    """The same as JSON: what ``bertology list --json`` prints, as one list."""
    return json.dumps([s.plain() for s in found], indent=1, ensure_ascii=False) + "\n"


def as_csv(found: Sequence[Standing]) -> str:
    """The same as CSV: a line per claim."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["id", "section", "title", "how", *(f"{c}_{x}" for c in COLUMNS for x in ("label", "n", "data"))])
    for s in found:
        slots = [x for c in COLUMNS for x in _plain(getattr(s, c))]
        writer.writerow([s.row.id, s.row.section, s.row.title, s.row.how, *slots])
    return stream.getvalue()


def _plain(slot: Slot) -> tuple[str, int | str, str]:
    return slot.label, slot.n or "", ";".join(slot.data)
