"""The scoreboard: one line per claim, for the real BERT, a relative, mini and an untrained network; also as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from html import escape

from ..cards import reported
from ..cards.findings import verdict
from ..cards.standing import MINILM, Slot, Standing
from ..cards.words import KINDS, badge, related_badge, sign
from ..claims import ledger
from ..claims.rules import FAILS, HOLDS, UNTRAINED_TOO

COLUMNS = {
    "real": "BERT",
    "sized": "mpnet",
    "relative": MINILM,
    "mini": "mini",
    "untrained": "untrained",
}  # slot -> what readers see
RANK = {kind: k for k, kind in enumerate(("holds", "part", "not", "open", "none"))}  # in which outcomes are sorted


def table(found: Sequence[Standing]) -> str:
    """All claims as one table, sortable and filterable by the page's script, whole without it."""
    titles = {s.name: s.title for s in ledger.sections()}
    rows = "".join(_row(s, titles[s.row.section]) for s in found)
    head = "".join(f'<th scope="col">{name}</th>' for name in ("claim", *COLUMNS.values(), "section", "evidence"))
    return (
        f"<p>{reported.sentence(found)}</p>\n\n"
        '<div class="scoreboard-filter" hidden></div>\n\n'
        f'<table class="scoreboard claims"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
    )


def _row(s: Standing, section: str) -> str:
    outcomes = " ".join(f'data-{key}="{escape(getattr(s, key).label)}"' for key in COLUMNS)
    kinds = sorted({r.kind for r in s.records if not r.is_twin})
    passes = s.untrained.label in (HOLDS, UNTRAINED_TOO) and s.mini.label != FAILS
    flags = f'data-disagree="{int(s.disagree)}" data-twin="{int(passes)}" data-kinds="{" ".join(kinds)}"'
    cells = [
        _cell(s, {"mini": s.ours, "sized": s.larger}.get(key, name), getattr(s, key)) for key, name in COLUMNS.items()
    ]
    shown = " + ".join(kinds)
    return (
        f'<tr data-section="{escape(section)}" {outcomes} {flags}><th scope="row">'
        f'<a href="../claims/{escape(s.row.id)}.html">{escape(s.row.title)}</a><small>{escape(verdict(s))}</small></th>'
        f"{''.join(cells)}"
        f'<td data-label="section">{escape(section)}</td>'
        f'<td data-label="evidence">{shown or ("cited only" if s.row.how == "cite" else "none yet")}</td></tr>'
    )


def _cell(s: Standing, name: str, slot: Slot) -> str:
    kind = KINDS[slot.label]
    reason = slot.decision.reason if slot.decision else ""
    known = reported.badge(s) or related_badge(s)
    said = (slot is s.real and known) or badge(slot.label, reason, who=name, short=True)
    return f'<td data-label="{name}" data-rank="{RANK[kind]}" data-sign="{sign(slot.label, name)}">{said}</td>'


def as_json(found: Sequence[Standing]) -> str:
    """The same as JSON: what ``bertology list --json`` prints, as one list."""
    return json.dumps([s.plain() for s in found], indent=1, ensure_ascii=False) + "\n"


def as_csv(found: Sequence[Standing]) -> str:
    """The same as CSV: a line per claim."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(
        [
            "id",
            "section",
            "title",
            "how",
            *(f"{c}_{x}" for c in COLUMNS for x in ("label", "n", "data")),
            "related",
            "known",
            "reported",
        ]
    )
    for s in found:
        slots = [x for c in COLUMNS for x in _plain(getattr(s, c))]
        beside = (";".join(s.related), s.known, reported.slot(s))
        writer.writerow([s.row.id, s.row.section, s.row.title, s.row.how, *slots, *beside])
    return stream.getvalue()


def _plain(slot: Slot) -> tuple[str, int | str, str]:
    return slot.label, slot.n or "", ";".join(slot.data)
