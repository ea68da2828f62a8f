"""How a card is laid out as HTML: head, slots, strip, the claim part by part, how sure, folds, links."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from html import escape

from ..claims import outcomes
from ..claims.checks import figure
from ..claims.clauses import ABSENCE, UNTESTED, Clause
from ..claims.rules import NOT_RERUN
from . import reported, tiers, words
from .findings import StaleFinding, found, verdict
from .markup import link, table
from .rows import Row, deciding, every
from .rule import KIND, conditions
from .standing import LARGER, MINILM, NAMES, RUNS, SIZED, Slot, Standing
from .strip import outcome_of, strip
from .sure import Sureness, sure

UNDER = {
    "real BERT": "published weights",
    **{name: f"{NAMES[name]}, {what}" for name, what in (*LARGER.items(), (MINILM, "a smaller relative of BERT"))},
    "mini": "our small BERT",
    "mini-multi": "our small multilingual BERT",
    RUNS: "small networks that we pretrained, compared with one another",
}
# a slot that another's colours fit
COLOURS = {RUNS: "mini", "mini-multi": "mini", MINILM: "relative", **dict.fromkeys(SIZED.values(), "sized")}
MANY, FEW = 20, 10  # rows of a table that are seen at once; rows at most in a chapter, where each claim has a card


def html(s: Standing, whole: bool = False) -> str:
    """A card: the verdict and how the claim came out for whom; in a fold how this is known.

    With `whole`, as on the claim's own page: all rows, folds open, no title and no link to that page.
    """
    known = [
        _finding(s),
        f'<p class="claim-says">{escape(words.sentence(s))}</p>',
        f'<div class="claim-slots">{"".join(_slot(s, name, slot) for name, slot in s.slots)}</div>',
        _of_bert(s),
        strip(s),
        _tiers(s),
        _parts(s),
        _how_sure(s),
        _more(s, whole),
        _figures(s, whole),
        reported.fold(s, whole),
    ]
    proof = "".join([*known, _links(s, whole)])
    parts = [
        _head(s, whole),
        f'<p class="claim-verdict">{escape(verdict(s))}</p>',
        "" if whole else _chips(s),
        reported.contradicted(s),
        proof if whole else f'<details class="claim-proof"><summary>How this is known</summary>{proof}</details>',
        _beside(s),
    ]
    return f'<section class="claim-card" id="{escape(s.row.id)}">{"".join(parts)}</section>'


def _finding(s: Standing) -> str:
    """What was found, in words; nothing where a reader's own evidence no longer bears it out."""
    with suppress(StaleFinding, KeyError):
        finding = found(s.row.id)
        return (finding if s.relative.decision else replace(finding, relative=""))._repr_html_()
    return ""


def _chips(s: Standing) -> str:
    """How the claim came out for whom, in a line."""
    chips = "".join(
        f'<span class="claim-chip slot-{_colour(name)}"><b>{name}</b> {_badge(s, name, slot)}</span>'
        for name, slot in s.slots
    )
    return f'<p class="claim-chips">{chips}</p>'


def _colour(name: str) -> str:
    return "untrained" if words.untrained(name) else COLOURS.get(name, name.partition(" ")[0])


def _badge(s: Standing, name: str, slot: Slot) -> str:
    return (slot is s.real and reported.badge(s)) or words.badge(slot.label, who=name)


def _head(s: Standing, whole: bool) -> str:
    title = "" if whole else f'<span class="claim-title">{link(s.row.id, s.row.title)}</span> '
    why = "The rule was changed when its figures were known, and an outcome moved. The claim's page says what and why."
    changed = f'<a class="changed-badge" href="../claims/{escape(s.row.id)}.html" title="{why}">rule revised</a>'
    said = title + (changed if s.row.changed and s.row.moved else "")
    return f'<p class="claim-head">{said}</p>' if said else ""


def without_twin(s: Standing) -> str:
    """Why nothing untrained was measured by itself: a random start is among what is compared."""
    return s.row.control or "" if s.untrained.label == NOT_RERUN else ""


def _slot(s: Standing, name: str, slot: Slot) -> str:
    small = []
    twin = slot is s.untrained
    under = (without_twin(s) if twin else "") or (f"{s.ours} with random weights" if twin else UNDER[name])
    if slot.decision and (c := slot.leading):
        others = len(slot.decision.checks) - 1
        more = f"; {others} more figure{'s' * (others > 1)} below" if others else ""
        small.append(f'<span class="claim-figure">{escape(figure(c.value, c.low, c.high, 2))}</span>')
        of = f" (n = {words.count(c.n)})" if c.n else ""
        small.append(escape(f"{c.measure}{f', {c.key}' if c.key else ''}{of}{more}"))
    if slot.decision:
        on = ", ".join(dict.fromkeys(map(words.data_name, slot.data)))
        clusters = f"{words.count(slot.clusters)} independent clusters" if slot.clusters else ""
        small.append(f'<span title="{clusters}">Data: {escape(on)}</span>')
    return (
        f'<div class="claim-slot slot-{_colour(name)}"><b>{name}</b><small class="claim-under">{under}</small>'
        f"{_badge(s, name, slot)}" + "".join(f"<small>{text}</small>" for text in small) + "</div>"
    )


def _of_bert(s: Standing) -> str:
    """What is known of BERT itself where none of its outputs decides the claim."""
    said = [reported.slot(s), f"related outputs {words.related(s)}" if s.related else ""]
    text = "; ".join(filter(None, said))
    return f'<p class="claim-of-bert"><b>BERT itself:</b> {escape(text)}.</p>' if text else ""


def _tiers(s: Standing) -> str:
    said = tiers.in_words(s)
    return f'<p class="claim-tiers"><b>Each tier of runs.</b> {escape(_capital(said))}</p>' if said else ""


def _parts(s: Standing) -> str:
    """The survey's sentence in parts, and how each came out for whom."""
    tested = [c for c in s.row.clauses if c.kind != UNTESTED]
    untested = [c for c in s.row.clauses if c.kind == UNTESTED]
    rows = [
        f'<tr><th scope="row">{escape(_capital(c.says))}</th>'
        + "".join(f'<td data-label="{name}">{_outcome(name, slot, c)}</td>' for name, slot in s.slots)
        + "</tr>"
        for c in tested
    ]
    columns = ("part of the claim", *(name for name, _ in s.slots))
    return (table("claim-parts", columns, rows) if rows else "") + "".join(
        f'<p class="claim-untested"><b>Not tested:</b> {escape(c.says)}. '
        f"<small>{escape(_capital((c.reason or '').rstrip('.')))}.</small></p>"
        for c in untested
    )


def _outcome(name: str, slot: Slot, clause: Clause) -> str:
    found = outcome_of(slot, clause.name)
    if found is None or found.outcome == UNTESTED:
        return words.badge(NOT_RERUN)
    return words.badge(found.outcome, found.reason, who=name)


def _graded(s: Standing) -> list[tuple[str, Sureness]]:
    whose = (("the real BERT", "real"), (s.larger, "sized"), (MINILM, "relative"), (words.ours(s), "mini"))
    found = [(name, sure(s, which)) for name, which in whose]
    return [(name, grade) for name, grade in found if grade]


def _how_sure(s: Standing) -> str:
    said = [f"<b>{grade.grade}</b> for {name}" for name, grade in _graded(s)]
    return f'<p class="claim-sure"><b>How sure?</b> {_capital("; ".join(said))}.</p>' if said else ""


def _why(s: Standing) -> str:
    """What lowered the grades, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for name, grade in _graded(s):
        for reason in grade.reasons:
            by_reason.setdefault(reason, []).append(name)
    said = "; ".join(f"{reason} ({' and '.join(who)})" for reason, who in by_reason.items())
    return f'<p class="claim-why"><b>Why not surer?</b> {escape(_capital(said))}.</p>' if said else ""


def _more(s: Standing, whole: bool) -> str:
    inside = _rules(s) + _why(s) + _calibration(s) + _changes(s, whole)
    if not s.row.clauses and not inside:
        return ""
    named = ["The rule", "why not surer" if _why(s) else "", "what it was tried on" if _tried(s) else ""]
    named.append("what was changed" if s.row.changed else "")
    title = ", ".join(filter(None, named))
    run = f'<p class="claim-run"><b>Run it yourself:</b> <code>bertology run {escape(s.row.id)}</code></p>'
    opened = " open" if whole else ""
    return f'<details class="claim-more"{opened}><summary>{title}</summary>{inside}{run}</details>'


def _rules(s: Standing) -> str:
    items = []
    for clause in s.row.clauses:
        if clause.kind == UNTESTED:
            text = f"Not tested: {escape(clause.reason or '')}"
        else:
            gates = "; ".join(dict.fromkeys(g.says for g in clause.gates))
            text = (
                f"Holds {escape('; '.join(conditions(clause)))}. <small>{escape(_capital(KIND[clause.kind]))}.</small>"
            )
            text += f" <small>Checked first: {escape(gates)}.</small>" if gates else ""
            text += f" <small>{escape(power)}</small>" if (power := _power(s, clause)) else ""
        items.append(f"<li><b>{escape(_capital(clause.says))}.</b> {text}</li>")
    return f'<div class="claim-rules"><ul>{"".join(items)}</ul></div>' if items else ""


def _power(s: Standing, clause: Clause) -> str:
    """The smallest true effect that is found with a power of .8, of the trained network nearest to BERT that was put to it.

    Where no effect that there can be is found so often: how many items it takes, or why none would do.
    """
    for who, slot in s.slots:
        found = [line for record in slot.records for line in outcomes.lines(record) if line["clause"] == clause.name]
        line = max((x for x in found if not math.isnan(x["effect"])), key=lambda x: x["n"], default=None)
        if line is None or slot is s.untrained:
            continue
        size, what = f"{abs(line['effect']):.2g}", "runs" if who == RUNS else "items"
        scored = f"the {words.count(line['n'])} scored" if line["n"] else "what was scored"
        power = f"Power: with {scored} for {who}"
        if line["needs"] < 0:
            return f"{power} no true effect would be detected four times in five, nor with more: an untrained network is as good."
        if line["needs"]:
            more = line["needs"] / line["n"]
            times = words.count(round(more)) if more > 10 else f"{more:.2g}"
            none = (
                "that there is none could not be shown"
                if clause.kind == ABSENCE
                else "no true effect would be detected"
            )
            return f"{power} {none} four times in five; that takes {times} times as many {what}."
        if clause.kind != ABSENCE:
            return f"{power} a true effect of {size} would be detected four times in five."
        return f"{power} a true effect of {size} or less would be shown to be none four times in five."
    return ""


def _tried(s: Standing) -> bool:
    labels = [*(null["label"] for null in s.calibration["nulls"]), s.calibration["planted"]["label"]]
    return any(label and label != NOT_RERUN for label in labels)


def _calibration(s: Standing) -> str:
    if not s.calibration["nulls"] and not s.calibration["planted"]["label"]:
        return ""
    if not _tried(s):
        return '<p class="claim-nulls"><b>Can it be fooled?</b> Not tried yet with the rule as it stands.</p>'
    nulls = [f"{null['name']} ({null['label']})" for null in s.calibration["nulls"]]
    planted = s.calibration["planted"]["label"]
    text = f"Put to what lacks the property: {', '.join(nulls)}. " if nulls else ""
    text += f"Put to a subject in which the property was planted: {planted}. " if planted else ""
    taught = s.taught.label
    text += f"Put to a small BERT that has learnt the generated language: {taught}." if taught != NOT_RERUN else ""
    return f'<p class="claim-nulls"><b>Can it be fooled?</b> {escape(text.strip())}</p>'


def _changes(s: Standing, whole: bool) -> str:
    """How the rule departs from the study, and what was changed after figures had been seen: in a chapter, how often."""
    row = s.row
    out = ""
    if row.departs:
        out += f'<p class="claim-departs"><b>Departs from the study:</b> {escape(row.departs.rstrip("."))}.</p>'
    if row.changed and not whole:
        times = "once" if len(row.changed) == 1 else f"{words.count(len(row.changed))} times"
        page = f'<a href="../claims/{escape(row.id)}.html">what and why</a>'
        out += f'<p class="claim-changed"><b>Changed after figures had been seen:</b> {times}; {page}.</p>'
    elif row.changed:
        told = [(c.date, c.what.rstrip("."), c.why.rstrip(".")) for c in row.changed]
        said = "".join(f"<li>{escape(date)}: {escape(what)} ({escape(why)}).</li>" for date, what, why in told)
        same = "" if row.moved else "<p>By every former rule today's records have the same outcomes.</p>"
        out += f'<div class="claim-changed"><b>Changed after figures had been seen</b><ul>{said}</ul>{same}</div>'
    return out


def _figures(s: Standing, whole: bool) -> str:
    rows = every(s) if whole else [r for clause in s.row.clauses for r in deciding(s, clause.name)]
    if not rows:
        return ""
    title = f"All {words.count(len(rows))} measurements" if whole else f"{words.count(len(rows))} figures decided"
    if len(rows) == 1:
        title = "The one measurement" if whole else "One figure decided"
    if len(rows) > FEW and not whole:
        title, rows = f"{title}; {FEW} of them here, all on the claim's page", _some(rows)
    by_record: dict[str, list[Row]] = {}
    for row in rows:
        by_record.setdefault(f"{row.who}, {row.data}" if len(rows) > MANY else s.row.title, []).append(row)
    tables = [_table(name, found) for name, found in by_record.items()]
    if len(tables) > 1:  # a record's rows behind its name
        heads = (f"{escape(name)} <small>({words.count(len(found))})</small>" for name, found in by_record.items())
        tables = [f"<details><summary>{head}</summary>{table}</details>" for head, table in zip(heads, tables)]
    return f'<details class="claim-rows"><summary>{title}</summary>{"".join(tables)}</details>'


def _some(rows: Sequence[Row]) -> list[Row]:
    """`FEW` rows in their order: of each network, clause after clause, as many as of any other, where it has them."""
    so_far: Counter[str] = Counter()
    ranks = []
    for k, row in enumerate(rows):
        ranks.append((so_far[row.who], k))
        so_far[row.who] += 1
    return [rows[k] for k in sorted(k for _, k in sorted(ranks)[:FEW])]


def _beside(s: Standing) -> str:
    """The reader's own runs that stand in no column."""
    lines = [*(words.own_run(record) for record in s.beside), *s.refused]
    said = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<div class="claim-own"><b>Your own runs</b><ul>{said}</ul></div>' if said else ""


def _table(title: str, rows: Sequence[Row]) -> str:
    """Rows as a table; of many the first ones, and the others in a fold."""
    if len(rows) > MANY:
        more = f"<summary>{words.count(len(rows) - MANY)} more</summary>{_rows(f'{title}, more', rows[MANY:])}"
        return f"{_rows(title, rows[:MANY])}<details>{more}</details>"
    return _rows(title, rows)


def _rows(title: str, rows: Sequence[Row]) -> str:
    body = "".join(
        f"<tr><td>{escape(r.who)}</td><td>{escape(r.what)}</td><td>{escape(r.figure)}</td><td>{r.n}</td>"
        f"<td>{escape(r.data)}</td></tr>"
        for r in rows
    )
    head = "".join(f'<th scope="col">{h}</th>' for h in ("who", "what", "figure, 95% interval", "scored", "on"))
    return (
        f'<div class="claim-scroll" tabindex="0" role="region" aria-label="Figures: {escape(title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _links(s: Standing, whole: bool) -> str:
    row = s.row
    page = "" if whole else f"../claims/{row.id}.html"
    own = [
        f'<a class="claim-self" href="#{escape(row.id)}">Link to this claim</a>',
        *([] if whole else [f'<a class="claim-page" href="{escape(page)}">All measurements, BibTeX</a>']),
        *map(words.link, row.studies),
        f'<a href="{escape(page)}#evidence">Evidence</a>',
        f'<a href="{escape(page)}#disagree">Disagree?</a>',
    ]
    if whole:
        own += _data(row.data)
    survey = escape("; ".join(map(str, row.survey)))
    return f'<p class="claim-links"><small>Survey: {survey} ·</small> {" · ".join(own)}</p>'


def _data(names: Sequence[str]) -> list[str]:
    """The studies' own data sets, each a link to its line on the data page."""
    known = [name for name in names if words.is_data(name)]
    return [
        f'<a href="../book/data.html#data-{escape(name)}">Data: {escape(words.data_name(name))}</a>' for name in known
    ]


def _capital(text: str) -> str:
    """Upper case first, also where a tag comes before the first letter."""
    start = text.find(">") + 1 if text.startswith("<") else 0
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]
