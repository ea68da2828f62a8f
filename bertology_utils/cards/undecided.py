"""Claims that nothing decided, a line each: what can be said of them, and what it would take to decide them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from ..claims.checks import Check, figure
from ..claims.clauses import LEARNED, Clause, Test
from ..claims.rules import OPEN, UNTESTABLE, ClauseOutcome, needed
from . import markup, reported, words
from .findings import verdict
from .standing import REPORTED, Standing

MANY = 100  # times the sample, beyond which no number is given
COLUMNS = ("claim", "what can be said")
TAKES = "What it would take to decide them"
AS_TAKEN = (
    "Intervals are as the rule takes them: where one of several data sets would do, wider than elsewhere on the page."
)


def table(found: Iterable[Standing]) -> str:
    """The HTML of the table; a claim's line has its anchor, and leads to its page. Under it, folded, what each would take."""
    alike: dict[str, list[Standing]] = {}
    for s in found:
        alike.setdefault(takes(s), []).append(s)
    links = {s.row.id: markup.link(s.row.id, s.row.title) for group in alike.values() for s in group}
    rows = (
        f'<tr id="{escape(s.row.id)}"><th scope="row">{links[s.row.id]}</th>'
        f'<td data-label="{COLUMNS[1]}">{escape(known(s))}</td></tr>'
        for group in alike.values()
        for s in group
    )
    items = "".join(
        f"<li>{'; '.join(links[s.row.id] for s in group)}: {escape(take)}</li>" for take, group in alike.items()
    )
    return (
        markup.table("scoreboard undecided", COLUMNS, rows)
        + f'<details class="unit-fold"><summary>{TAKES}</summary><p>{AS_TAKEN}</p><ul>{items}</ul></details>'
    )


def known(s: Standing) -> str:
    """The verdict, and what a study reported of BERT unless the verdict says it."""
    told = verdict(s)
    if s.known != REPORTED or "eport" in told:
        return told
    first = s.reported[0]
    return f"{told} Reported: {first.text(reported.SHOWN)}, {first.measure}, {words.cited(first.study)}."


def takes(s: Standing) -> str:
    """What it would take to decide a claim: a check passed, the sample for a surer figure, or what was not there to rerun.

    It is of the network nearest to BERT that was put to the claim.

    Examples
    --------
    >>> from .standing import standing
    >>> print(takes(standing("trn.nsp.liu2019b")).split(" (")[0])
    Its check must pass: the runs have come near their plateau
    >>> print(takes(standing("trn.knowledge.zhang2019")))
    Needs aligned knowledge graphs.
    """
    who, slot = next(((n, each) for n, each in s.slots if each.decision and each is not s.untrained), ("", s.real))
    outcomes = [c for c in (slot.decision.clauses if slot.decision else ()) if c.outcome in (OPEN, UNTESTABLE)]
    if not outcomes:
        told = s.row.reason or next((c.reason for c in s.row.clauses if c.reason), None) or f"a rerun: {s.row.rerun}"
        return f"{told[:1].upper()}{told[1:].rstrip('.')}."
    clause = next(c for c in s.row.clauses if c.name == outcomes[0].name)
    told = (_passed if outcomes[0].outcome == UNTESTABLE else _surer)(clause, outcomes[0])
    return told.format(who=who)


def _passed(clause: Clause, outcome: ClauseOutcome) -> str:
    """The first check that was not passed, with its figure and the bound."""
    check = next(c for c in outcome.gates if c.holds is not True)
    says = next(gate.says for gate in clause.gates if gate.measure == check.measure)
    bound = f"{check.measure} {check.side} {check.bound:.3g}"
    return f"Its check must pass: {says.removeprefix(f'{OPEN} at this budget: ')} ({bound}; {{who}}: {_figure(check)})."


def _surer(clause: Clause, outcome: ClauseOutcome) -> str:
    """How large a sample would decide the clause if its figures stay what they are, which way, and by which of them.

    It does not hold as soon as one of its tests does not, and holds when all do.
    """
    found = [
        (test, [c for c in outcome.checks if (c.measure, c.side) == (test.measure, test.side)]) for test in clause.tests
    ]
    settled = [_settled(test, [c for c in rows if c.n >= test.least]) for test, rows in found]
    fails = [each for each in settled if not each[0]]
    holds, times, edge, check = (
        min(fails, key=lambda each: each[1]) if fails else max(settled, key=lambda each: each[1])
    )
    if not times or check is None:
        return "More items of {who}, or a surer lead over the untrained network."
    many = f"More than {MANY}" if times > MANY else f"About {max(times, 1.1):.2g}"  # "1 times" is what there is
    against = f"{edge:.3g}".replace("-", "−")
    which = f"{check.measure}, {check.key}" if check.key else check.measure
    lead = " and its lead over the untrained network" if holds and clause.kind == LEARNED else ""
    way = f"if the figure{lead} stay{'' if lead else 's'}, this part then {'holds' if holds else 'does not hold'}"
    return f"{many} times the sample; {way} ({which}; {{who}}: {_figure(check)}, against {against})."


def _settled(test: Test, rows: Sequence[Check]) -> tuple[bool, float, float, Check | None]:
    """Whether a test is met if its figures stay, the sample's growth that shows it, and the bound and check it hangs on.

    Examples
    --------
    >>> test = Test(measure="gain", above=0.0, by=0.1, unit="points", why="", need="all")
    >>> sure, unsure = (Check("gain", "", v, v - 0.2, v + 0.2, 50, 0.1, "above", h) for v, h in ((0.4, True), (0.0, None)))
    >>> _settled(test, [sure, unsure])[:3]
    (False, 4.0, 0.1)
    """
    grown = [(0.0, c.bound, c) if c.holds is not None else (*_times(c, test), c) for c in rows]
    met = [_met(c, test) for c in rows]
    wanted = needed(test, len(rows))
    holds = sum(met) >= wanted
    hang = sorted((each for each, yes in zip(grown, met) if yes is holds), key=lambda each: each[0])
    if not hang:
        return holds, 0.0, 0.0, None
    return holds, *hang[wanted - 1 if holds else len(rows) - wanted]


def _met(check: Check, test: Test) -> bool:
    """Whether a figure lies on the side of its bound that is asked for, surely or not."""
    if test.side == "within":
        return abs(check.value - test.threshold) < test.by
    return check.holds is True or (check.holds is None and (check.value > check.bound) == (test.side == "above"))


def _times(check: Check, test: Test) -> tuple[float, float]:
    """By how much a sample must grow for the interval to shrink until it leaves a bound, and that bound.

    Examples
    --------
    >>> test = Test(measure="accuracy", above=0.5, by=0.25, unit="share of items", why="")
    >>> _times(Check("accuracy", "", 1.0, 0.5, 1.5, 50, 0.75, "above", None), test)
    (4.0, 0.75)
    """
    edges = (check.bound,) if test.side != "within" else (test.threshold - test.by, test.threshold + test.by)
    halves = [(check.high - check.value if edge > check.value else check.value - check.low, edge) for edge in edges]
    return max(((half / (abs(edge - check.value) or 1e-9)) ** 2, edge) for half, edge in halves)


def _figure(check: Check) -> str:
    return figure(check.value, check.low, check.high, 2).replace("-", "−")
