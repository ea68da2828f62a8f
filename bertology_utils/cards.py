"""Claim cards: what was claimed, what is known, what we measured, and whether it held — always from evidence.

`card(id)` renders the same facts as HTML for readers and as plain text for terminals and for nbval. It measures
nothing; run the claim first, or read what comes with the package.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

import pandas as pd

from .claims import evidence as records
from .claims import ledger
from .claims.evidence import Evidence
from .claims.ledger import Row
from .claims.rules import Check, figure
from .settings import Settings
from .subject.models import TWIN

WAITING = {"hub": "not rerun yet: the claim is about published models, which no bundled one can stand for"}
SHOWN = 6  # rows under the rule that a card lists; the rest are counted
LABELS = {
    "authors": "authors' own outputs, scored again",
    "rerun": "independent rerun, scored again",
    "related": "related measure",
    "digitised": "read off a released picture",
}


@dataclass(frozen=True)
class Line:
    """One line of a card's table: who was measured on what, the figures, the verdict."""

    who: str
    what: str
    figures: tuple[str, ...]
    verdict: str
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Card:
    """A claim with everything known about it; a notebook shows it by itself.

    Attributes
    ----------
    headline : tuple of Line
        The lines that stand for the claim at a glance: that of `headline`'s record, and its twin's on the same data.
    """

    row: Row
    lines: tuple[Line, ...]
    rule: str
    headline: tuple[Line, ...] = ()

    def __repr__(self) -> str:
        row = self.row
        head = [f"CLAIM   {row.claim}", f"        {'; '.join(map(str, row.survey))}; {', '.join(row.studies)}"]
        head += [f"RULE    {self.rule}"] if self.rule else []
        body = []
        for line in self.lines:
            body.append(
                f"- {line.who} | {line.what} | {line.verdict.upper()}"
                if line.verdict
                else f"- {line.who} | {line.what}"
            )
            body += [f"    {text}" for text in line.figures]
            body += [f"    note: {note}" for note in line.notes]
        return "\n".join([f"{row.title}  [{row.id}]", *head, *body])

    def _repr_html_(self) -> str:
        row = self.row
        lines = "".join(map(_html_line, self.lines))
        glance = " · ".join(f"{escape(x.who)}, {escape(x.what)} {badge(x.verdict, x.reason)}" for x in self.headline)
        return (
            f'<section class="claim-card" id="{escape(row.id)}"><header><p class="claim-title">{escape(row.title)}</p>'
            f'<p class="claim-text">{escape(row.claim)}</p>'
            f'<p class="claim-source">{escape("; ".join(map(str, row.survey)))} · {escape(", ".join(row.studies))} · '
            f"<code>{escape(row.id)}</code></p>"
            + (f'<p class="claim-glance">{glance}</p>' if glance else "")
            + "</header>"
            f'<div class="claim-scroll"><table><thead><tr><th>who</th><th>on</th><th>figures, 95% interval</th>'
            f"<th>verdict</th></tr></thead><tbody>{lines}</tbody></table></div>"
            + (f'<p class="claim-rule"><b>Counts as replicated if</b> {escape(self.rule)}.</p>' if self.rule else "")
            + "</section>"
        )


def _html_line(line: Line) -> str:
    figures = "<br>".join(map(escape, line.figures))
    notes = "".join(f"<br><small>{escape(note)}</small>" for note in line.notes)
    return (
        f"<tr><td>{escape(line.who)}</td><td>{escape(line.what)}</td><td>{figures}{notes}</td>"
        f"<td>{badge(line.verdict, line.reason) if line.verdict else ''}</td></tr>"
    )


def badge(verdict: str, reason: str = "") -> str:
    """The HTML of a verdict: its words, never colour alone; the reason on hover."""
    name = verdict.split(" (")[0].replace(" ", "-")
    title = f' title="{escape(reason)}"' if reason else ""
    return f'<span class="verdict verdict-{escape(name)}"{title}>{escape(verdict)}</span>'


def card(id: str, settings: Settings | None = None) -> Card:
    """The card of a ledger row, from the evidence at hand.

    Raises
    ------
    KeyError
        If the ledger has no such row; the nearest ids are named.
    """
    row = ledger.row(id)
    settings = settings or Settings.of()
    found = sorted(records.find(id, settings), key=lambda e: _order(e, settings.model))
    reruns = [e for e in found if e.kind == "rerun"]
    first = headline(found, settings.model)
    glance = [first, *(e for e in reruns if (e.model, e.data) == (first.model + TWIN, first.data))] if first else []
    lines = [_paper(row)] if row.reported else []
    lines += [_line(e) for e in found]
    if not reruns:
        lines.append(Line("rerun", "", (row.reason or WAITING.get(row.how, "not rerun yet"),), "not rerun"))
    rule = row.predict or ""
    return Card(row, tuple(lines), rule, tuple(map(_line, glance)))


def headline(found: list[Evidence], model: str) -> Evidence | None:
    """The record that stands for a claim: our rerun on the model and generated data, else our first other rerun."""
    reruns = [e for e in found if e.kind == "rerun" and not e.is_twin]
    return min(reruns, key=lambda e: (e.model != model, e.data != "builtin", e.model, e.data), default=None)


def _order(e: Evidence, model: str) -> tuple:
    """Released first, then generated data before original, the model asked for before others, each before its twin."""
    base = e.model.removesuffix("-untrained")
    return e.kind != "released", e.label, e.data != "builtin", e.data, base != model, base, e.is_twin


def _paper(row: Row) -> Line:
    def words(name: str, value: float | tuple) -> str:
        return f"{name.replace('_', ' ')}: " + (
            " ".join(f"{v:g}" for v in value) if isinstance(value, tuple) else f"{value:g}"
        )

    texts = [
        f"{r.text} ({r.source})" + "".join(f" · {words(k, v)}" for k, v in r.figures.items()) for r in row.reported
    ]
    return Line("reported", "as stated by its source", tuple(texts), "")


def _line(e: Evidence) -> Line:
    texts = _checks(e.decision.checks) if e.decision else _rows(e.frame)
    if e.kind == "released":
        who = f"{e.model}: {LABELS.get(e.label, e.label)}"
    else:
        who = f"{e.model.removesuffix('-untrained')}, untrained twin" if e.is_twin else e.model
    verdict = e.decision.outcome if e.decision else f"{e.stance} (our reading)"
    return Line(who, f"{e.data} (n = {e.n})", texts, verdict, e.decision.reason if e.decision else "", e.notes)


def _checks(checks: Iterable[Check]) -> tuple[str, ...]:
    sign = {True: "✓", False: "✗", None: "?"}
    texts = [
        f"{sign[c.holds]} {c.measure}{f' ({c.key})' if c.key else ''} {figure(c.value, c.low, c.high)}" for c in checks
    ]
    return _short(texts)


def _rows(frame: pd.DataFrame) -> tuple[str, ...]:
    keys = [c for c in frame.columns if c not in ("measure", "value", "low", "high", "n")]
    texts = []
    for r in frame.to_dict("records"):
        key = ", ".join(f"{k} {r[k]}" for k in keys if not pd.isna(r[k]))
        texts.append(f"{r['measure']}{f' ({key})' if key else ''} {figure(r['value'], r['low'], r['high'])}")
    return _short(texts)


def _short(texts: list[str]) -> tuple[str, ...]:
    more = len(texts) - SHOWN
    return tuple(texts) if more <= 1 else (*texts[:SHOWN], f"… and {more} more")


def status(id: str, settings: Settings | None = None) -> list[Evidence]:
    """The records a scoreboard shows for a row: everything but twins."""
    return [e for e in records.find(id, settings) if not e.is_twin]
