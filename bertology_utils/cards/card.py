"""A claim's card: the same facts as HTML for readers and as plain text for terminals and for the tests of notebooks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import pandas as pd

from ..claims.checks import figure
from ..claims.clauses import ABSENCE, LEARNED, PROPERTY, UNTESTED, Test
from ..claims.evidence import Evidence
from ..claims.rules import ClauseOutcome
from ..scores.rows import COLUMNS
from ..settings import Settings
from . import words
from .standing import Slot, Standing, standing
from .strip import strip
from .sure import sure

KIND = {
    LEARNED: "training should have taught it: an untrained network must do worse",
    PROPERTY: "true of what the model is: no training needed",
    ABSENCE: "something is not there: shown by staying within the smallest effect that would matter",
}


@dataclass(frozen=True)
class Card:
    """A claim with what came of it; a notebook shows it by itself.

    Attributes
    ----------
    standing : Standing
    whole : bool
        With every row of every record, as on the claim's own page; else with the rows that decided.
    """

    standing: Standing
    whole: bool = False

    def __repr__(self) -> str:
        s = self.standing
        out = [f"{s.row.title}  [{s.row.id}]", f"CLAIM      {s.row.claim}", f"FOUND      {words.sentence(s)}"]
        for name, slot in _slots(s):
            out.append(f"{name.upper():10} {slot.label}" + (f": {_headline(slot)}" if slot.decision else ""))
        for clause in s.row.clauses:
            out.append(f"CLAUSE     {clause.says} [{clause.kind}]" + (f": {clause.reason}" if clause.reason else ""))
            for test in clause.tests:
                out.append(f"  holds if {rule(test, absence=clause.kind == ABSENCE)}")
            out += [f"  - {who} | {what} | {fig} | n = {n}" for who, what, fig, n, _ in _deciding(s, clause.name)]
        return "\n".join(out)

    def _repr_html_(self) -> str:
        s, row = self.standing, self.standing.row
        parts = [
            f'<p class="claim-title">{escape(row.title)}</p>',
            f'<p class="claim-says">{escape(words.sentence(s))}</p>',
            f'<div class="claim-slots">{"".join(_slot(name, slot) for name, slot in _slots(s))}</div>',
            strip(s),
            _how_sure(s),
            _rules(s),
            _calibration(s),
            _changes(s),
            _links(s),
            _fold(s, self.whole),
        ]
        return f'<section class="claim-card" id="{escape(row.id)}">{"".join(parts)}</section>'


def card(id: str, settings: Settings | None = None, *, whole: bool = False) -> Card:
    """The card of a ledger row, from the evidence at hand.

    Parameters
    ----------
    id : str
    settings : Settings, optional
        Its evidence folder is read beside what comes with the package.
    whole : bool
        With every row of every record.

    Raises
    ------
    KeyError
        If the ledger has no such row; the nearest ids are named.
    """
    return Card(standing(id, settings), whole)


def rule(test: Test, absence: bool = False) -> str:
    """When a test holds, in plain words.

    >>> rule(Test(measure="accuracy", above=0.5, by=0.05, unit="share of items", why="less is luck"))
    'accuracy is above 0.55 by its whole 95% interval'
    """
    where = ", ".join(_where(k, v) for k, v in test.where.items())
    if test.side == "within":
        how = f"stays within {test.by:g} of {test.threshold:g}"
    else:
        how = f"is {test.side} {test.bound(absence):g}"
    if test.need == "all":
        needed = ""
    elif test.need == "any":
        needed = ", in one row at least (intervals widened for their number)"
    else:
        needed = f", in at least {test.need if isinstance(test.need, int) else f'{test.need:.0%}'} of the rows"
    return f"{test.measure}{f' ({where})' if where else ''} {how} by its whole 95% interval{needed}"


def badge(label: str, reason: str = "") -> str:
    """The HTML of an outcome: its words and a sign, never colour alone; the reason on hover."""
    title = f' title="{escape(reason)}"' if reason else ""
    return f'<span class="outcome outcome-{words.KINDS[label]}"{title}>{words.SIGNS[label]} {escape(label)}</span>'


def _where(key: str, value: object) -> str:
    shown = " or ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
    return f"{key}: {shown}"


def _slots(s: Standing) -> tuple[tuple[str, Slot], ...]:
    return ("real BERT", s.real), ("mini", s.mini), ("untrained", s.untrained)


def _headline(slot: Slot) -> str:
    """The first deciding figure of a slot, with its number of items."""
    checks = slot.decision.checks if slot.decision else ()
    if not checks:
        return ""
    c = checks[0]
    more = f" and {len(checks) - 1} more" if len(checks) > 1 else ""
    return f"{c.measure} {figure(c.value, c.low, c.high, 2)}{more}"


def _slot(name: str, slot: Slot) -> str:
    under = {"real BERT": "published weights", "mini": "our small BERT", "untrained": "its random twin"}[name]
    small = []
    if slot.decision:
        small.append(escape(_headline(slot)))
        on = ", ".join(map(words.data_name, slot.data))
        clusters = f" in {words.count(slot.clusters)} clusters" if slot.clusters else ""
        small.append(escape(f"{on}; {words.count(slot.n)} scored{clusters}"))
    return (
        f'<div class="claim-slot slot-{name.partition(" ")[0]}"><b>{name} <small>{under}</small></b>'
        f"{badge(slot.label, slot.decision.reason if slot.decision else '')}"
        + "".join(f"<small>{text}</small>" for text in small)
        + "</div>"
    )


def _how_sure(s: Standing) -> str:
    graded = [(name, sure(s, which)) for name, which in (("the real BERT", "real"), ("mini", "mini"))]
    said = [f"{grade} for {name}" for name, grade in graded if grade]
    return f'<p class="claim-sure"><b>How sure?</b> {escape("; ".join(said))}.</p>' if said else ""


def _rules(s: Standing) -> str:
    items = []
    for clause in s.row.clauses:
        outcomes = [
            f"{name} {badge(found.outcome, found.reason)}"
            for name, slot in _slots(s)
            for found in (slot.decision.clauses if slot.decision else ())
            if found.name == clause.name and found.outcome != UNTESTED
        ]
        if clause.kind == UNTESTED:
            text = f"<em>Not tested:</em> {escape(clause.reason or '')}"
        else:
            rules = "; and ".join(rule(t, absence=clause.kind == ABSENCE) for t in clause.tests)
            gates = "; ".join(g.says for g in clause.gates)
            text = f"Holds if {escape(rules)}. <small>{escape(KIND[clause.kind])}.</small>"
            text += f" <small>Asked first: {escape(gates)}.</small>" if gates else ""
        items.append(
            f"<li><b>{escape(_capital(clause.says))}.</b> {text}"
            + (f"<br>{' '.join(outcomes)}" if outcomes else "")
            + "</li>"
        )
    return f'<div class="claim-rules"><b>What would count</b><ul>{"".join(items)}</ul></div>' if items else ""


def _calibration(s: Standing) -> str:
    nulls = [f"{null['name']} ({null['label']})" for null in s.calibration["nulls"]]
    planted = s.calibration["planted"]["label"]
    if not nulls and not planted:
        return ""
    text = f"Tried on what lacks the property: {', '.join(nulls)}. " if nulls else ""
    text += f"A subject with the property planted: {planted}." if planted else ""
    return f'<p class="claim-nulls"><b>Can it be fooled?</b> {escape(text)}</p>'


def _changes(s: Standing) -> str:
    out = (
        f'<p class="claim-departs"><b>Departs from the study:</b> {escape(s.row.departs)}</p>' if s.row.departs else ""
    )
    if s.row.changed:
        said = " ".join(f"{c.date}: {c.what} ({c.why})." for c in s.row.changed)
        label = '<span class="changed-badge">rule changed</span> after figures had been seen.'
        out += f'<p class="claim-changed">{label} {escape(said)}</p>'
    return out


def _links(s: Standing) -> str:
    row = s.row
    studies = [
        f'<a href="{escape(words.address(key))}">{escape(words.cited(key))}</a>'
        if words.address(key)
        else escape(words.cited(key))
        for key in row.studies
    ]
    own = [
        f'<a class="claim-self" href="#{escape(row.id)}">Link to this claim</a>',
        f'<a class="claim-page" href="../claims/{escape(row.id)}.html">All measurements, history, BibTeX</a>',
        *studies,
        '<a href="../book/data.html">Data and licences</a>',
    ]
    command = f"bertology run {row.id}"
    survey = escape("; ".join(map(str, row.survey)))
    return (
        f'<p class="claim-links">{" · ".join(own)}</p>'
        f'<p class="claim-run"><small>{survey} · run it yourself: <code>{escape(command)}</code></small></p>'
    )


def _fold(s: Standing, whole: bool) -> str:
    if whole:
        rows = [r for record in _unique(s.records) for r in _every(record)]
        title = f"All {words.count(len(rows))} measurements"
    else:
        rows = [r for clause in s.row.clauses for r in _deciding(s, clause.name)]
        title = f"The {words.count(len(rows))} figures that decided"
    if not rows:
        return ""
    body = "".join(
        f"<tr><td>{escape(who)}</td><td>{escape(what)}</td><td>{escape(fig)}</td><td>{n}</td><td>{data}</td></tr>"
        for who, what, fig, n, data in rows
    )
    return (
        f"<details><summary>{title}</summary><div class='claim-scroll'><table><thead><tr><th>who</th><th>what</th>"
        f"<th>figure, 95% interval</th><th>scored</th><th>on</th></tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def _deciding(s: Standing, clause: str) -> list[tuple[str, str, str, str, str]]:
    """(who, what, figure, n, data) of the rows that decided a clause, for each slot."""
    out = []
    for name, slot in _slots(s):
        for record in slot.records:
            found = next((c for c in record.decision.clauses if c.name == clause), None) if record.decision else None
            out += [(name, *cells) for cells in _cells(found, record)]
    return out


def _cells(found: ClauseOutcome | None, record: Evidence) -> list[tuple[str, str, str, str]]:
    where = words.data_name(record.data)
    return [
        (f"{c.measure}{f' ({c.key})' if c.key else ''}", figure(c.value, c.low, c.high), words.count(c.n), where)
        for c in (found.checks if found else ())
    ]


def _unique(records: tuple[Evidence, ...]) -> list[Evidence]:
    order = {"released": 0, "rerun": 1, "paper": 2}
    return sorted(records, key=lambda r: (order[r.kind], r.is_twin, r.data, r.model))


def _every(record: Evidence) -> list[tuple[str, str, str, str, str]]:
    frame = record.frame
    keys = [c for c in frame.columns if c not in COLUMNS]
    who = words.model_name(record.model)
    if record.kind == "released":
        who += f" ({words.RELEASED.get(record.label, record.label)})"
    out = []
    for r in frame.to_dict("records"):
        key = ", ".join(f"{k} {r[k]}" for k in keys if not _empty(r[k]))
        n = words.count(int(r["n"])) if r["n"] else "–"
        if pd.isna(r["value"]):
            continue
        out.append(
            (
                who,
                f"{r['measure']}{f' ({key})' if key else ''}",
                figure(r["value"], r["low"], r["high"]),
                n,
                words.data_name(record.data),
            )
        )
    return out


def _empty(value: object) -> bool:
    return value is None or (isinstance(value, float) and value != value)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
