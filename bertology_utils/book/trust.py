"""The methods page's tables: what each rule was tried on, which rules were changed after figures."""

from __future__ import annotations

from html import escape

from ..calibration import table
from ..cards.standing import TOY, standing, standings
from ..claims import ledger, outcomes
from ..claims.rules import TAUGHT, UNTESTABLE


def calibration() -> str:
    """A row for each claim and source: nulls tried, what came of them, whether the planted subject was found.

    Beside them, what the rule says of the model that has learnt the generated language.
    """
    stored = table.stored()
    taught = {id: standing(id).taught.label for id in dict.fromkeys(stored["claim"])}
    rows = "".join(_row(r, taught[r["claim"]]) for r in stored.to_dict("records"))
    passed = int(stored["passed"].map(len).sum()) if len(stored) else 0
    found = int(stored["found"].sum()) if len(stored) else 0
    tried = sum(len(nulls) for nulls in stored["nulls"]) if len(stored) else 0
    learned = sum(label == TAUGHT for label in taught.values())
    stopped = sum(label == UNTESTABLE for nulls in stored["nulls"] for _, label in nulls)
    return (
        f"**{tried} nulls** were put to the rules of **{len(taught)} claims**; {passed} passed; "
        f"{stopped} were stopped by a gate. The planted subject was found in "
        f"{found} of {len(stored)} trials. `{TOY}`, a small BERT that has learnt the generated language and nothing else, has "
        f"learned what {learned} of the claims say, which shows that a network can pass those.\n\n"
        "<details><summary>The whole table</summary><div class='claim-scroll'>"
        '<table class="facts trust"><thead><tr><th>claim</th><th>on</th><th>scored</th><th>nulls tried</th>'
        f"<th>planted</th><th><code>{TOY}</code></th></tr></thead><tbody>{rows}</tbody></table></div></details>"
    )


def _row(r: dict, taught: str) -> str:
    nulls = ", ".join(f"{escape(str(name))} ({escape(str(label))})" for name, label in r["nulls"])
    planted = f"{escape(str(r['planted']))}: {escape(str(r['outcome']))}" if r["planted"] else "–"
    link = f'<a href="../claims/{escape(r["claim"])}.html">{escape(r["title"])}</a>'
    return (
        f"<tr><td>{link}</td><td>{escape(r['data'])}</td><td>{r['n']}</td><td>{nulls}</td><td>{planted}</td>"
        f"<td>{escape(taught)}</td></tr>"
    )


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
        f'<tr><td><a href="../claims/{escape(row.id)}.html">{escape(row.title)}</a></td><td>{escape(c.date)}</td>'
        f"<td>{escape(c.what)}</td><td>{escape(c.why)}</td></tr>"
        for row in ledger.rows()
        for c in row.changed
    ]
    return (
        f"<details><summary>{len(rows)} changes</summary><div class='claim-scroll'><table class=\"facts trust\"><thead>"
        "<tr><th>claim</th><th>when</th><th>what</th><th>why</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div></details>"
    )
