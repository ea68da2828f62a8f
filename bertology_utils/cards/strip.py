"""The strip of dots and intervals under a card's head: everybody's figure on one axis, as an SVG drawn from evidence.

A lane begins with a line of words, whose it is and how the clause came out for it; its intervals stand below, of several
each with what it is of to its left. The tint and the dotted line leave the words free.
Text in it is text. Colours are the page's (`--real`, `--mini` and so on), so that the strip follows its theme.
Places along the axis are percentages of whatever width there is, heights and letters are pixels: what is legible on a
desk is legible on a phone.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from ..claims.checks import Check
from ..claims.clauses import ABSENCE, UNTESTED, Clause, Test
from ..claims.evidence import Evidence
from ..claims.rules import ClauseOutcome
from ..data.text import capital
from .concordance import SAME
from .standing import BUILTIN, MINILM, Slot, Standing
from .words import cited, data_name, model_name, outcome, share

LEFT, RIGHT = 2, 12  # per cent of the width; the axis runs between these margins
NAMED, LONGEST = 30, 32  # the margin on the left where intervals have names, and the characters of a name
HEAD, STEP, GAP = 19, 14, 5  # pixels: a lane's line of words, each interval under it, and what is free below
MOST = 6  # intervals drawn in a lane; of more rows the lane shows the dots only
LABELLED = 3  # so many figures of a lane are written beside their intervals
TOP = 20
OTHER_TEXTS = "The same measure, not the same texts: BERT's published outputs are of others than the reruns."
ALL = "All rows must lie in the tinted area; one wholly outside decides against."
NONE = "no outcome of its own"  # of BERT, where no released outputs have this figure


Place = Callable[[float], float]


@dataclass(frozen=True)
class Lane:
    """One subject's figures: (value, low, high) each; low and high may be nan.

    `labels` say how several figures differ, one each; none where there is nothing to tell apart.
    `outcome` is its clause's, `reason` why; a study's own figures are `hollow`, and their reason is its name. `data` and
    `tasks` say what the figures are of; empty where that is not known, or is a study's own.
    """

    name: str
    colour: str
    figures: tuple[tuple[float, float, float], ...]
    outcome: str = ""
    reason: str = ""
    hollow: bool = False
    data: frozenset[str] = frozenset()
    tasks: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()

    def like(self, other: Lane) -> bool:
        """Whether the figures of both are of the same items, as far as that is known."""
        pairs = ((self.data, other.data), (self.tasks, other.tasks))
        return all(not mine or not theirs or mine & theirs for mine, theirs in pairs)


def strip(standing: Standing) -> str:
    """The figures of the clause that decided a claim, under its words; empty where nothing was measured."""
    if (first := leading(standing)) is None:
        return ""
    clause, test = first
    bert, *others = _lanes(standing, clause.name, test)
    together, apart = sides([bert, *(lane for lane in others if lane.figures)])
    axis = f'<p class="strip-axis">{escape(test.measure)}</p>'  # outside of the drawing, where a long name has a second line
    drawn = draw(together, test, clause.kind == ABSENCE) + axis + _reading(standing, clause, test)
    drawn += _texts(standing, together) + _apart(apart)
    return f'<div class="claim-strip"><p class="claim-of">{escape(capital(clause.says))}</p>{drawn}</div>'


def sides(lanes: Sequence[Lane]) -> tuple[list[Lane], list[Lane]]:
    """The lanes that may stand on one axis, and those whose figures are of other items than those of a lane before them.

    >>> mpnet, mini = (Lane(n, "", ((0.8, 0.7, 0.9),), data=frozenset([d])) for n, d in (("mpnet", "cola"), ("mini", "builtin")))
    >>> [[lane.name for lane in side] for side in sides([mpnet, mini])]
    [['mpnet'], ['mini']]
    """
    together: list[Lane] = []
    for lane in lanes:
        if all(lane.like(other) for other in together):
            together.append(lane)
    return together, [lane for lane in lanes if lane not in together]


def _reading(standing: Standing, clause: Clause, test: Test) -> str:
    """How rows are read, where all of them must hold: where a network has several, and all are of one record's."""
    found = [_sources(slot, clause.name, test) for _, slot in standing.slots]
    several = [records for records in found if len(records) > 1]
    every = test.need == "all" and several and all(len({id(r) for r in records}) == 1 for records in several)
    return f'<p class="claim-of">{ALL}</p>' if every else ""


def _texts(standing: Standing, lanes: Sequence[Lane]) -> str:
    """A word of warning where BERT's outputs are of other texts than every rerun beside them."""
    bert, *others = lanes
    own = {SAME.get(r.data, r.data) for r in standing.real.records if r.kind == "released"} if bert.figures else set()
    rerun = {name for lane in others for name in lane.data}
    apart = own and rerun and not own & rerun
    return f'<p class="claim-of">{OTHER_TEXTS}</p>' if apart else ""


def _apart(lanes: Sequence[Lane]) -> str:
    """Whose figures are of other items, in words."""
    said = "; ".join(f"{lane.name} {_span(lane)} ({_items(lane)}), {_outcome(lane)[1]}" for lane in lanes)
    return f'<p class="claim-of">Of other items, so not on this axis: {escape(said)}</p>' if said else ""


def _items(lane: Lane) -> str:
    return "generated texts" if lane.data == {BUILTIN} else ", ".join(sorted(lane.tasks or lane.data))


def _span(lane: Lane) -> str:
    values = [v for v, *_ in lane.figures]
    if not values:
        return ""
    return share(values[0]) if len(values) == 1 else f"{share(min(values))} to {share(max(values))}"


def leading(standing: Standing) -> tuple[Clause, Test] | None:
    """The clause and test with a figure of anybody that came out as the claim did for most trained networks; the first such.

    None where nothing was measured.
    """
    tests = [(c, t) for c in standing.row.clauses if c.kind != UNTESTED for t in c.tests]
    measured = [(c, t) for c, t in tests if any(lane.figures for lane in _lanes(standing, c.name, t))]
    return max(measured, key=lambda of: _alike(standing, *of), default=None)


def _alike(standing: Standing, clause: Clause, test: Test) -> int:
    """How many trained networks have figures for a test, and came out of its clause as of the whole claim."""
    trained = [slot for _, slot in standing.slots if slot is not standing.untrained and slot.decision]
    came = [(slot.decision.outcome, outcome_of(slot, clause.name)) for slot in trained if slot.decision]
    return sum(bool(o and o.outcome == whole and _checks(o, test)) for whole, o in came)


def _lanes(standing: Standing, clause: str, test: Test) -> list[Lane]:
    return [
        _of("real BERT", "real", standing.real, clause, test),
        *_reported(standing, test),
        _of(standing.larger, "sized", standing.sized, clause, test),
        _of(MINILM, "relative", standing.relative, clause, test),
        _of(standing.own, "mini", standing.mini, clause, test),
        _of(standing.twin, "untrained", standing.untrained, clause, test),
    ]


def _reported(standing: Standing, test: Test) -> list[Lane]:
    """What studies state of the very quantity: a mark without interval or outcome."""
    found = [(f, tuple((v, np.nan, np.nan) for v in f.marks(test.measure))) for f in standing.reported]
    return [
        Lane("reported", "var(--card-quiet)", marks, reason=f"{cited(f.study)}, {f.where}", hollow=True)
        for f, marks in found
        if marks
    ]


def _of(name: str, colour: str, slot: Slot, clause: str, test: Test) -> Lane:
    decided = outcome_of(slot, clause)
    found = _checks(decided, test)
    tasks = {part for c in found for part in c.key.split(", ") if part.startswith("task ") and part != "task all"}
    return Lane(
        name,
        f"var(--{colour})",
        tuple((c.value, c.low, c.high) for c in found),
        decided.outcome if decided else "",
        decided.reason if decided else "",
        data=frozenset(r.data for r in slot.records if r.kind == "rerun"),
        tasks=frozenset(tasks),
        labels=_labels(found, _sources(slot, clause, test)),
    )


def _sources(slot: Slot, clause: str, test: Test) -> list[Evidence]:
    """The record of each figure that a slot has for a test."""
    own = {
        (check.key, check.value): record
        for record in slot.records
        for decided in (record.decision.clauses if record.decision else ())
        if decided.name == clause
        for check in _checks(decided, test)
    }
    found = [own.get((check.key, check.value)) for check in _checks(outcome_of(slot, clause), test)]
    return [record for record in found if record]


def _labels(found: Sequence[Check], records: Sequence[Evidence]) -> tuple[str, ...]:
    """What tells some figures apart: data set, else network and the parts of their keys that not all of them have as well."""
    if not 1 < len(found) == len(records) <= MOST:
        return ()
    names = tuple(data_name(record.data) for record in records)
    if len(set(names)) == len(names):
        return names
    parts = [[data_name(r.data), model_name(r.model), *c.key.split(", ")] for c, r in zip(found, records)]
    shared = set.intersection(*map(set, parts))
    return tuple(", ".join(part for part in own if part not in shared) for own in parts)


def figures(slot: Slot, clause: str, test: Test) -> tuple[tuple[float, float, float], ...]:
    """What a slot has for a test: value, low, high of each; low and high may be nan."""
    return tuple((c.value, c.low, c.high) for c in _checks(outcome_of(slot, clause), test))


def outcome_of(slot: Slot, clause: str) -> ClauseOutcome | None:
    """How a slot decided a clause; None where it has no outcome."""
    return next((o for o in (slot.decision.clauses if slot.decision else ()) if o.name == clause), None)


def _checks(decided: ClauseOutcome | None, test: Test) -> list[Check]:
    checks = decided.checks if decided else ()
    return [c for c in checks if c.measure == test.measure and np.isfinite(c.value)]


def draw(lanes: Sequence[Lane], test: Test, absence: bool = False) -> str:
    """The SVG of some lanes, with the threshold of a test and the stretch in which it holds.

    >>> draw([Lane("mini", "teal", ((0.8, 0.7, 0.9),))], Test(measure="accuracy", above=0.5, by=0.05, unit="", why=""))[:4]
    '<svg'
    """
    zone = _zone(test, absence)
    ends = [end for end in (test.threshold, *zone) if np.isfinite(end)]
    every = np.array([x for lane in lanes for f in lane.figures for x in f] + ends)
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    pad = 0.06 * ((high - low) or 1.0)
    ticks = _ticks(low - pad, high + pad)
    low, high = min(low - pad, ticks[0]), max(high + pad, ticks[-1])
    left = NAMED if any(lane.labels for lane in lanes) else LEFT

    def x(value: float) -> float:
        """The place of a value, in per cent of the width."""
        return round(left + (value - low) / (high - low) * (100 - left - RIGHT), 1)

    heights = [HEAD + GAP + STEP * (1 if len(lane.figures) > MOST else len(lane.figures)) for lane in lanes]
    bottom = TOP + sum(heights)
    tops = [bottom - sum(heights[k:]) for k in range(len(lanes))]
    rows = [(top + HEAD, height - HEAD) for top, height, lane in zip(tops, heights, lanes) if lane.figures]
    out = [_background(test, zone, x, rows, low, high)]
    out += [_lane(lane, top, x) for lane, top in zip(lanes, tops)]
    out.append(f'<line x1="{left}%" y1="{bottom}" x2="{100 - RIGHT}%" y2="{bottom}" class="axis"/>')
    out += [
        f'<text class="tick" x="{x(t)}%" y="{bottom + 16}" text-anchor="middle">{_tick(t, ticks)}</text>' for t in ticks
    ]
    return (
        f'<svg class="strip" width="100%" height="{bottom + 22}" role="img" aria-label="{escape(_aria(lanes, test, zone))}">'
        f"{''.join(out)}</svg>"
    )


def _zone(test: Test, absence: bool) -> tuple[float, float]:
    """Where an interval must lie for the test to hold."""
    if test.side == "within":
        return test.threshold - test.by, test.threshold + test.by
    bound = test.bound(absence)
    return (bound, np.inf) if test.side == "above" else (-np.inf, bound)


def _holds(zone: tuple[float, float]) -> str:
    low, high = zone
    if np.isfinite(low) and np.isfinite(high):
        return f"holds from {_bound(low)} to {_bound(high)}"
    return f"holds above {_bound(low)}" if np.isfinite(low) else f"holds below {_bound(high)}"


def _bound(value: float) -> str:
    """A bound in its rule's own digits, two at least: .05, .005."""
    return share(value, 3 if abs(value - round(value, 2)) > 1e-9 else 2)


def _background(
    test: Test, zone: tuple[float, float], x: Place, rows: Sequence[tuple[int, int]], low: float, high: float
) -> str:
    """Where a test holds and its threshold, behind the intervals of each lane: `rows` are where they begin, and how high."""
    at = x(test.threshold)
    start, end = x(max(zone[0], low)), x(min(zone[1], high))
    words_at = start if np.isfinite(zone[0]) else end
    anchor = "start" if words_at < 50 else "end"  # where there is room for the words
    behind = (
        f'<rect class="zone" x="{start}%" y="{top}" width="{max(end - start, 0):.2f}%" height="{height}"/>'
        f'<line class="chance" x1="{at}%" x2="{at}%" y1="{top}" y2="{top + height}"/>'
        for top, height in rows
    )
    words = f'<text class="tick" x="{words_at}%" y="11" text-anchor="{anchor}">{_holds(zone)}</text>'
    return "".join((*behind, words))


def _lane(lane: Lane, top: float, x: Place) -> str:
    kind, said = _outcome(lane)
    told = f' <tspan dx="6" class="outcome outcome-{kind}">{escape(said)}</tspan>' if said else ""
    why = f"<title>{escape(lane.reason)}</title>" if lane.outcome and lane.reason else ""
    out = [f'<text x="0" y="{top + 14}">{why}<tspan class="lane">{escape(lane.name)}</tspan>{told}</text>']
    many = len(lane.figures) > MOST
    lines, marks = [], []
    labels = lane.labels or [""] * len(lane.figures)
    for k, ((value, low, high), label) in enumerate(sorted(zip(lane.figures, labels))):
        y = f"{top + HEAD + STEP * (0.5 if many else k + 0.5):g}"
        if label:  # an inner drawing cuts what is too long for a narrow screen
            shown = textwrap.shorten(label, LONGEST, placeholder=" …")
            whole = "" if shown == label else f"<title>{escape(label)}</title>"
            out.append(
                f'<svg y="{float(y) - 7:g}" width="{NAMED - 1}%" height="{STEP}">{whole}'
                f'<text class="tick" y="11">{escape(shown)}</text></svg>'
            )
        interval = not many and np.isfinite(low) and np.isfinite(high)
        if interval:
            lines.append(f'<line x1="{x(low)}%" x2="{x(high)}%" y1="{y}" y2="{y}"/>')
        look = f' fill="none" stroke="{lane.colour}" stroke-width="2"' if lane.hollow else ""
        look += ' fill-opacity=".6"' if many else ""
        marks.append(f'<circle cx="{x(value)}%" cy="{y}" r="{4 if many else 5}"{look}/>')
        if len(lane.figures) <= LABELLED:
            end = x(high) if interval else x(value)
            out.append(
                f'<text class="tick" x="{end}%" dx="9" y="{float(y) + 4:g}">{share(value, 2 + lane.hollow)}</text>'
            )
    if lines:
        out.append(f'<g stroke="{lane.colour}" stroke-width="3">{"".join(lines)}</g>')
    return "".join(out) + f'<g fill="{lane.colour}">{"".join(marks)}</g>' * bool(marks)


def _outcome(lane: Lane) -> tuple[str, str]:
    """The kind and words of a lane's outcome; of BERT's without figures how it has one, of a study's figures whose they are."""
    if lane.hollow or not lane.figures:
        decided = lane.outcome not in ("", UNTESTED)
        return (
            "none",
            lane.reason if lane.hollow else f"{outcome(lane.outcome)[1]}, by another measure" if decided else NONE,
        )
    return outcome(lane.outcome, lane.name) if lane.outcome else ("", "")


def _ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers inside a range."""
    step = 10 ** np.floor(np.log10(high - low))
    for finer in (5, 2, 1, 0.5, 0.2, 0.1):
        found = np.arange(np.ceil(low / (step * finer)), np.floor(high / (step * finer)) + 1) * step * finer
        if len(found) >= 3:
            return [float(t) for t in found]
    return [low, high]


def _tick(value: float, ticks: Sequence[float]) -> str:
    value = 0.0 if abs(value) < 1e-12 else value
    digits = max(0, int(np.ceil(-np.log10(abs(ticks[1] - ticks[0])) - 1e-9)))
    text = f"{value:.{max(digits, 1) if abs(value) % 1 else digits}f}".replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _aria(lanes: Sequence[Lane], test: Test, zone: tuple[float, float]) -> str:
    said = ", ".join(" ".join(filter(None, (lane.name, _span(lane), _outcome(lane)[1]))) for lane in lanes)
    return f"{test.measure} with 95% intervals: {said}; {_holds(zone)}"
