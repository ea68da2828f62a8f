"""The landing page's generated parts: the result in figures, a square for every claim, results to begin with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from ..cards import markup, reported
from ..cards.findings import entries, figure, filled, reader, verdict
from ..cards.layout import UNDER
from ..cards.overview import cell
from ..cards.standing import LARGER, Slot, Standing
from ..cards.strip import figures
from ..cards.words import KINDS, OWN, drawn, key, share, squares
from ..claims import ledger
from ..claims.clauses import Clause, Test
from ..claims.rules import FAILS, HOLDS, MIXED, NOT_RERUN, OPEN, TAUGHT, UNTESTABLE, UNTRAINED_TOO
from ..settings import Settings
from . import archive, coverage

COLUMNS = ("claim", "BERT", "the largest network rerun", "its untrained twin")


def answer(found: Sequence[Standing], settings: Settings | None = None) -> str:
    """How many claims hold, and what BERT does and does not, in sentences whose figures are the evidence's (`cards.findings`)."""
    real = Counter(s.real.label for s in found)
    decided = sum(real[k] for k in (HOLDS, MIXED, FAILS))
    came = _listed(
        (real[HOLDS], "hold", "holds"),
        (real[MIXED], "hold in part", "holds in part"),
        (real[FAILS], "do not", "does not"),
    )
    count = (
        f"A survey made {len(found)} claims about how the language model BERT works; here they are tested again. "
        f"BERT's published outputs settle {decided} of them: {came}. For "
        "the rest there are reported figures, and networks that anyone can rerun."
    )
    said = "".join(
        f'<li><a href="../claims/{of["id"]}.html">{escape(of["title"])}</a> {escape(_text("landing", of, settings))}</li>'
        for of in entries("landing")["answer"]
    )
    return f'<p class="lead">{count}</p>\n<ul class="answer">{said}</ul>'


def _text(name: str, entry: Mapping[str, Any], settings: Settings | None) -> str:
    """The text of an entry that has a title too."""
    return filled(name, {k: v for k, v in entry.items() if k not in ("title", "bars", "chance")}, settings)


def result(found: Sequence[Standing]) -> str:
    """The result in short statements, counted from the evidence."""
    real, sized, ours = (Counter(getattr(s, slot).label for s in found) for slot in ("real", "sized", "mini"))
    asked = sum(real[k] for k in (HOLDS, MIXED, FAILS, OPEN, UNTESTABLE))
    holds = _verb(real[HOLDS], "hold", "holds")
    first = _listed(
        (real[MIXED], "hold in part", "holds in part"),
        (real[FAILS], "do not", "does not"),
        (real[OPEN] + real[UNTESTABLE], "stay open", "stays open"),
    )
    boxes = [
        (
            "real",
            f"{real[HOLDS]} of {asked}",
            f"{_verb(asked, 'claims', 'claim')} that published outputs of <b>BERT</b> bear on {holds}.",
            first,
        ),
        _trained(
            "sized",
            sized,
            "<b>a network of its size</b> (mpnet; for many languages me5, half as wide, in 4 bits and tuned on translations)",
        ),
        _trained(
            "mini", ours, "<b>small networks of ours</b> (mini; for many languages mini-multi; runs from scratch)"
        ),
    ]
    drawn = "".join(
        f'<div class="tally tally-{kind}"><span class="tally-count">{count}</span><p>{says}</p>'
        + (f"<p><small>Of the others {rest}.</small></p>" if rest else "")
        + "</div>"
        for kind, count, says, rest in filter(None, boxes)
    )
    return (
        f"<p>A survey of more than 150 studies (its two editions cite {coverage.CITES}) made <b>{len(found)} claims</b> about "
        f'how BERT works. We run them again, on one code base. {reported.sentence(found)}</p>\n<div class="tallies">{drawn}</div>'
    )


def _trained(kind: str, found: Counter[str], said: str) -> tuple[str, str, str, str] | None:
    """The statement about a network that was rerun beside its untrained twin; None where nothing was."""
    learned, rerun = found[TAUGHT], found.total() - found[NOT_RERUN]
    rest = _listed(
        (found[HOLDS], "hold but say nothing about training", "holds but says nothing about training"),
        (found[MIXED], "are mixed", "is mixed"),
        (found[UNTRAINED_TOO], "hold with random weights too", "holds with random weights too"),
        (found[FAILS], "do not hold", "does not hold"),
        (found[OPEN] + found[UNTESTABLE], "stay open, each with its reason", "stays open, with its reason"),
    )
    claims = (
        f"{_verb(rerun, 'claims', 'claim')} that could be put to {said} {_verb(learned, 'hold', 'holds')} there "
        "<b>because of training</b>: an untrained network does worse."
    )
    return (kind, f"{learned} of {rerun}", claims, rest) if rerun else None


def _verb(n: int, several: str, one: str) -> str:
    return one if n == 1 else several


def _listed(*counts: tuple[int, str, str]) -> str:
    """Counts with their verbs as an enumeration; what counts nothing is left out.

    >>> _listed((2, "hold", "holds"), (0, "fall", "falls"), (1, "fail", "fails"))
    '2 hold and 1 fails'
    """
    said = [f"{n} {_verb(n, several, one)}" for n, several, one in counts if n]
    return " and ".join(filter(None, [", ".join(said[:-1]), *said[-1:]]))


def lines(found: Sequence[Standing]) -> str:
    """A line per claim in a fold per chapter, over which BERT's squares are drawn; whole and readable without a script."""
    folds = []
    for section in ledger.sections():
        own = [s for s in found if s.row.section == section.name]
        shown = squares("BERT", (drawn(s, s.real) for s in own)) + squares(
            own[0].larger, (drawn(s, s.sized) for s in own)
        )
        folds.append(
            f'<details class="lines-of"><summary><span class="grid-name">{escape(section.title)}</span>'
            f'<span aria-hidden="true">{shown}</span>'
            f'<span class="grid-count">{len(own)} claims. {outcomes(own)}</span></summary>{table(own)}</details>'
        )
    names = ", ".join(f"<b>{name}</b> is {who}" for name, who in (("BERT", OWN), *((n, UNDER[n]) for n in LARGER)))
    said = f'<p class="overview-names">A square per claim, in the order of the chapter. {names}.</p>'
    return f'<div class="claim-grid">{"".join(folds)}{key()}{said}</div>'


def table(found: Sequence[Standing]) -> str:
    """A line per claim: its verdict, the outcome and figure of BERT, of the largest network rerun by name, of that one's twin."""
    return markup.table("lines", COLUMNS, map(_line, found))


def outcomes(found: Sequence[Standing]) -> str:
    """What came out for BERT and, by name, for the largest network rerun on each claim, in a few words."""
    counts = {
        who: _listed((holds, "hold", "holds"), (fails, "do not", "does not")) for who, holds, fails in came(found)
    }
    return "; ".join(f"{who}: {said}" for who, said in counts.items()) or "none decided"


def came(found: Sequence[Standing]) -> list[tuple[str, int, int]]:
    """The same in numbers: of how many claims it holds, and of how many not, for whom any was decided."""
    kinds = {name: Counter[str]() for name in ("BERT", found[0].larger)}
    for s in found:
        name, nearest, _ = s.nearest
        for who, slot in (("BERT", s.real), (name, nearest)):
            kinds.setdefault(who, Counter())[KINDS[slot.label]] += 1
    return [(who, n["holds"], n["not"]) for who, n in kinds.items() if n["holds"] or n["not"]]


def _line(s: Standing) -> str:
    name, nearest, twin = s.nearest
    first = next((_named(s, slot) for slot in (s.real, nearest) if slot.leading), None)
    named = f"<small>{name}</small> " if nearest.decision else ""
    cells = ""
    for column, who, slot in zip(COLUMNS[1:], ("real", "sized", "untrained"), (s.real, nearest, twin)):
        said = cell(s, who, slot, slot.decision.reason if slot.decision else "")
        cells += f'<td data-label="{column}">{named if slot is nearest else ""}{said}{_figure(slot, first)}</td>'
    known = f'data-real="{KINDS[s.real.label]}" data-sized="{KINDS[s.sized.label]}" data-known="{s.known}"'
    link = markup.link(s.row.id, s.row.title)
    return f'<tr {known}><th scope="row">{link} <small>{escape(verdict(s))}</small></th>{cells}</tr>'


def _named(s: Standing, slot: Slot) -> tuple[Clause, Test] | None:
    """The clause and test whose figures stand in a claim's line: those by which a slot came out as it did."""
    check, outcomes = slot.leading, slot.decision.clauses if slot.decision else ()
    clause = next((o.name for o in outcomes if check in o.checks), "")
    tests = ((c, t) for c in s.row.clauses if c.name == clause for t in c.tests)
    return next(((c, t) for c, t in tests if check and t.measure == check.measure), None)


def _figure(slot: Slot, first: tuple[Clause, Test] | None) -> str:
    """A slot's figure in the measure that the line names, of several the least and the greatest; empty where it has none."""
    values = sorted(f[0] for f in figures(slot, first[0].name, first[1])) if first else []
    ends = dict.fromkeys(map(share, values[:1] + values[-1:]))
    return f' <span class="line-figure">{" to ".join(ends)}</span>' if ends else ""


def surprises(found: Sequence[Standing], settings: Settings | None = None) -> str:
    """Three results that are written up as surprises, each with a bar for every figure that its text names."""
    by_id, boxes = {s.row.id: s for s in found}, []
    for entry in entries("surprises")["three"]:
        text = _text(entry["id"], entry, settings)
        row = by_id[entry["id"]].row
        link = f'<a href="../claims/{escape(row.id)}.html">Read the card<span class="sr-only">: {escape(row.title)}</span></a>'
        words = f"<b>{escape(entry['title'])}</b><p>{escape(text)}</p>"
        boxes.append(f'<div class="surprise">{words}{bars(entry, settings)}<p>{link}</p></div>')
    return (
        "## Three results that surprised us\n\nA bar is dark up to where the 95% interval begins, and light within it.\n\n"
        f'<div class="surprises">{"".join(boxes)}</div>'
    )


def bars(entry: Mapping[str, Any], settings: Settings | None = None) -> str:
    """The figures of a surprise that are shares, a bar each with its interval: `bars` has a figure's key, label and subject.

    Where there is a `chance`, bars have a mark there.
    """
    read, rows = reader(settings), []
    for name, label, subject in entry["bars"]:
        parts = ({**entry["figures"][name], "part": part, "as": ".4f"} for part in ("value", "low", "high"))
        value, low, high = (float(figure(entry["id"], name, spec, read)) for spec in parts)
        style = f"--bar: var(--{subject}); --low: {100 * low:.1f}%; --high: {100 * high:.1f}%"
        style += f"; --chance: {entry['chance']:.0%}" if "chance" in entry else ""
        ends = f"<b>{value:.0%}</b> <small>{low:.0%} to {high:.0%}</small>"
        rows.append(f'<li style="{style}">{escape(label)} {ends}</li>')
    return f'<ul class="surprise-bars">{"".join(rows)}</ul>'


def doors() -> str:
    """Where to go from here, as buttons."""
    ways = (
        ("scoreboard.html", "All claims: the scoreboard"),
        ("try.html", "Type a sentence"),
        ("heads.html", "Look into heads"),
        ("how-to-run.html", "Run it yourself"),
        (f"../_static/{archive.NAME}", "Download the evidence"),
        ("cite.html", "Cite"),
    )
    links = " ".join(f'<a href="{href}">{text}</a>' for href, text in ways)
    return f'<p class="doors">{links}</p>'
