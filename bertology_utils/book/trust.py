"""The methods page's tables: what each rule was tried on, which rules were changed after figures."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from ..calibration import table
from ..cards import markup
from ..cards.standing import TOY, standing, standings
from ..claims import ledger, outcomes
from ..claims.rules import TAUGHT, UNTESTABLE


def calibration() -> str:
    """A row for each claim and source: nulls tried, what came of them, whether the planted subject was found.

    Beside them, what the rule says of the model that has learnt the generated language.
    """
    stored = table.stored()
    taught = {id: standing(id).taught.label for id in dict.fromkeys(stored["claim"])}
    passed = sum(map(len, stored["passed"]))
    tried = sum(map(len, stored["nulls"]))
    learned = sum(label == TAUGHT for label in taught.values())
    stopped = sum(label == UNTESTABLE for nulls in stored["nulls"] for _, label in nulls)
    columns = ("claim", "on", "scored", "nulls tried", "planted", f"<code>{TOY}</code>")
    rows = (_row(r, taught[r["claim"]]) for r in stored.to_dict("records"))
    return (
        f"**{tried} nulls** were put to the rules of **{len(taught)} claims**; {passed} passed; "
        f"{stopped} were stopped by a gate. The planted subject was found in "
        f"{stored['found'].sum()} of {len(stored)} trials. `{TOY}`, a small BERT that has learnt the generated language and "
        f"nothing else, has learned what {learned} of the claims say, which shows that a network can pass those.\n\n"
        + _folded("The whole table", columns, rows)
    )


def _row(r: dict, taught: str) -> str:
    nulls = ", ".join(f"{name} ({label})" for name, label in r["nulls"])
    planted = f"{r['planted']}: {r['outcome']}" if r["planted"] else "–"
    cells = (r["data"], str(r["n"]), nulls, planted, taught)
    return f"<tr><td>{markup.link(r['claim'], r['title'])}</td>{''.join(f'<td>{escape(x)}</td>' for x in cells)}</tr>"


def _folded(title: str, columns: Iterable[str], rows: Iterable[str]) -> str:
    """A long table behind its title."""
    inside = markup.table("facts trust", columns, rows)
    return f"<details><summary>{title}</summary><div class='claim-scroll'>{inside}</div></details>"


def discovery() -> str:
    """What is left of the clauses that hold where all of them are looked at together."""
    records = [r for s in standings() for _, slot in s.slots if slot is not s.untrained for r in slot.records]
    holds, left, tested = outcomes.discoveries(records)
    return (
        f"Each clause is decided by itself. Looked at together, of the {tested:,} decided on the cards (of BERT and of trained "
        f"networks, a data set each) {holds} hold, and {left} of these with a false discovery rate of 5%."
    )


def changes() -> str:
    """A row for each rule that was changed after figures had been seen."""
    rows = [
        f"<tr><td>{markup.link(row.id, row.title)}</td><td>{escape(c.date)}</td>"
        f"<td>{escape(c.what)}</td><td>{escape(c.why)}</td></tr>"
        for row in ledger.rows()
        for c in row.changed
    ]
    return _folded(f"{len(rows)} changes", ("claim", "when", "what", "why"), rows)
