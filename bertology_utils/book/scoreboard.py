"""The scoreboard: one line per claim, for the real BERT, a relative, mini and an untrained network; also as CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from html import escape

from ..cards import markup, reported, words
from ..cards.findings import verdict
from ..cards.standing import MINILM, REPORTED, Slot, Standing
from ..cards.words import KINDS, badge, related_badge, sign
from ..claims import ledger
from ..claims.rules import FAILS, HOLDS, UNTRAINED_TOO

# slot -> what readers see
COLUMNS = {"real": "BERT", "sized": "mpnet", "relative": MINILM, "mini": "mini", "untrained": "mini, untrained"}
FILTERED = {"real": "BERT", "sized": "a network of its size", "mini": "mini"}
TICKED = {"disagree": "BERT and mini disagree", "twin": "mini, untrained, passes too"}
RANK = {kind: k for k, kind in enumerate(("holds", "part", "not", "open", "none"))}  # in which outcomes are sorted


def table(found: Sequence[Standing]) -> str:
    """All claims as one table, sortable and filterable by the page's script, whole without it."""
    titles = {s.name: s.title for s in ledger.sections()}
    rows = (_row(s, titles[s.row.section]) for s in found)
    columns = ("claim", *COLUMNS.values(), "section", "evidence")
    return (
        f"<p>{reported.sentence(found)}</p>\n\n"
        f'<div class="scoreboard-filter" hidden>{_controls(found, titles)}</div>\n'
        f'<p class="scoreboard-count" role="status"></p>\n<p>{words.key(signs=True)}</p>\n\n'
        f"{markup.table('scoreboard claims', columns, rows)}"
    )


def _controls(found: Sequence[Standing], titles: Mapping[str, str]) -> str:
    """What rows can be chosen by, each named as in their data and in the page's address; the page's script listens to it."""
    choices = {"section": ("section", list(dict.fromkeys(titles[s.row.section] for s in found)))}
    for key, name in FILTERED.items():
        choices[key] = (name, sorted({getattr(s, key).label for s in found}))
    choices["kind"] = ("evidence", sorted({kind for s in found for kind in _kinds(s)}))
    selects = "".join(
        f'<label>{name}<select name="{key}"><option value="">all</option>'
        f"{''.join(f'<option>{escape(value)}</option>' for value in values)}</select></label>"
        for key, (name, values) in choices.items()
    )
    ticks = "".join(f'<label><input type="checkbox" name="{key}"> {says}</label>' for key, says in TICKED.items())
    searched = '<label>words<input type="search" name="words"></label>'
    return f'{selects}{ticks}{searched}<button type="button" disabled>show all</button>'


def _kinds(s: Standing) -> list[str]:
    """The kinds of evidence of a claim: records, and what a study reported of BERT."""
    reported_too = [REPORTED] if any(f.network == "BERT" for f in s.reported) else []
    return [*sorted({r.kind for r in s.records if not r.is_twin}), *reported_too]


def _row(s: Standing, section: str) -> str:
    outcomes = " ".join(f'data-{key}="{escape(getattr(s, key).label)}"' for key in COLUMNS)
    kinds = _kinds(s)
    passes = s.untrained.label in (HOLDS, UNTRAINED_TOO) and s.mini.label != FAILS
    flags = f'data-disagree="{int(s.disagree)}" data-twin="{int(passes)}" data-kinds="{" ".join(kinds)}"'
    named = COLUMNS | {"mini": s.ours, "sized": s.larger, "untrained": s.twin}
    cells = [_cell(s, name, getattr(s, key)) for key, name in named.items()]
    shown = " + ".join(kinds)
    return (
        f'<tr data-section="{escape(section)}" {outcomes} {flags}><th scope="row">'
        f"{markup.link(s.row.id, s.row.title)}<small>{escape(verdict(s))}</small></th>"
        f"{''.join(cells)}"
        f'<td data-label="section">{escape(section)}</td>'
        f'<td data-label="evidence">{shown or ("cited only" if s.row.how == "cite" else "none yet")}</td></tr>'
    )


def _cell(s: Standing, name: str, slot: Slot) -> str:
    kind = KINDS[slot.label]
    reason = slot.decision.reason if slot.decision else ""
    known = reported.badge(s) or related_badge(s)
    said = (slot is s.real and known) or badge(slot.label, reason, who=name)
    counted = REPORTED if slot is s.real and s.known == REPORTED else sign(slot.label, name)
    return f'<td data-label="{name}" data-rank="{RANK[kind]}" data-sign="{counted}">{said}</td>'


def as_json(found: Sequence[Standing]) -> str:
    """The same as JSON: what ``bertology list --json`` prints, as one list."""
    return json.dumps([s.plain() for s in found], indent=1, ensure_ascii=False) + "\n"


def as_csv(found: Sequence[Standing]) -> str:
    """The same as CSV: a line per claim."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    of_slots = [f"{c}_{x}" for c in COLUMNS for x in ("label", "n", "data")]
    writer.writerow(["id", "section", "title", "how", *of_slots, "related", "known", "reported"])
    for s in found:
        slots = [getattr(s, c) for c in COLUMNS]
        cells = [x for slot in slots for x in (slot.label, slot.n or "", ";".join(slot.data))]
        beside = (";".join(s.related), s.known, reported.slot(s))
        writer.writerow([s.row.id, s.row.section, s.row.title, s.row.how, *cells, *beside])
    return stream.getvalue()
