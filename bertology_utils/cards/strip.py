"""The strip of dots and intervals under a card's head: everybody's figure on one axis, as an SVG drawn from evidence.

Text in it is text. Colours are the page's (`--real`, `--mini`, `--untrained`), so that the strip follows its theme.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from ..claims.checks import Check
from ..claims.clauses import UNTESTED, Test
from .standing import Slot, Standing
from .words import share

WIDTH, LEFT, RIGHT = 640, 150, 56  # user units; the axis runs between the margins
LANE, STEP = 26, 9  # height of a lane with one interval, and of each further one
MOST = 6  # intervals drawn in a lane; of more rows the lane shows the dots and their span


@dataclass(frozen=True)
class Lane:
    """One subject's figures: (value, low, high) each; low and high may be nan."""

    name: str
    colour: str
    figures: tuple[tuple[float, float, float], ...]
    hollow: bool = False


def strip(standing: Standing) -> str:
    """The SVG for the first tested clause of a claim; empty where nothing was measured for it."""
    for clause in standing.row.clauses:
        if clause.kind == UNTESTED:
            continue
        for test in clause.tests:
            lanes = _lanes(standing, clause.name, test)
            if any(lane.figures for lane in lanes):
                return draw([lane for lane in lanes if lane.figures], test)
    return ""


def _lanes(standing: Standing, clause: str, test: Test) -> list[Lane]:
    paper = [
        (float(v), float("nan"), float("nan"))
        for r in standing.row.reported
        for name, v in r.figures.items()
        if name == test.measure and isinstance(v, (int, float))
    ]
    return [
        Lane("paper", "var(--card-ink)", tuple(paper), hollow=True),
        Lane("real BERT", "var(--real)", _figures(standing.real, clause, test)),
        Lane("mini", "var(--mini)", _figures(standing.mini, clause, test)),
        Lane("untrained", "var(--untrained)", _figures(standing.untrained, clause, test)),
    ]


def _figures(slot: Slot, clause: str, test: Test) -> tuple[tuple[float, float, float], ...]:
    found: Sequence[Check] = [
        c for o in (slot.decision.clauses if slot.decision else ()) if o.name == clause for c in o.checks
    ]
    return tuple((c.value, c.low, c.high) for c in found if c.measure == test.measure and np.isfinite(c.value))


def draw(lanes: Sequence[Lane], test: Test) -> str:
    """The SVG of some lanes with the threshold and the least effect of a test.

    >>> draw([Lane("mini", "teal", ((0.8, 0.7, 0.9),))], Test(measure="accuracy", above=0.5, by=0.05, unit="", why=""))[:4]
    '<svg'
    """
    every = np.array([x for lane in lanes for f in lane.figures for x in f] + [test.threshold, test.bound()])
    low, high = float(np.nanmin(every)), float(np.nanmax(every))
    pad = 0.06 * ((high - low) or 1.0)
    ticks = _ticks(low - pad, high + pad)
    low, high = min(low - pad, ticks[0]), max(high + pad, ticks[-1])

    def x(value: float) -> float:
        return round(LEFT + (value - low) / (high - low) * (WIDTH - LEFT - RIGHT), 1)

    rows = [1 if len(lane.figures) > MOST else len(lane.figures) for lane in lanes]
    heights = [LANE + STEP * (k - 1) for k in rows]
    bottom = 24 + sum(heights)
    out = [_background(test, x, bottom, low, high)]
    top = 24
    for lane, height in zip(lanes, heights):
        out.append(_lane(lane, top, height, x))
        top += height
    axis = f'<line x1="{LEFT}" y1="{bottom}" x2="{WIDTH - RIGHT}" y2="{bottom}" class="axis"/>'
    marks = "".join(
        f'<text class="tick" x="{x(t)}" y="{bottom + 16}" text-anchor="middle">{_tick(t, ticks)}</text>' for t in ticks
    )
    label = f'<text class="tick" x="{WIDTH - RIGHT}" y="{bottom + 33}" text-anchor="end">{escape(test.measure)}</text>'
    return (
        f'<svg class="strip" viewBox="0 0 {WIDTH} {bottom + 40}" role="img" aria-label="{escape(_aria(lanes, test))}">'
        + "".join(out)
        + axis
        + marks
        + label
        + "</svg>"
    )


def _background(test: Test, x, bottom: float, low: float, high: float) -> str:
    at, bound = x(test.threshold), x(test.bound())
    line = f'<line class="chance" x1="{at}" x2="{at}" y1="14" y2="{bottom}"/>'
    if test.side == "within":
        return line
    start, end = (bound, x(high)) if test.side == "above" else (x(low), bound)
    zone = f'<rect class="zone" x="{start}" y="14" width="{max(end - start, 0):.1f}" height="{bottom - 14}"/>'
    shift, anchor = (4, "start") if test.side == "above" else (-4, "end")
    words = f"holds beyond {share(test.bound())}"
    return f'{zone}{line}<text class="tick" x="{bound + shift}" y="11" text-anchor="{anchor}">{words}</text>'


def _lane(lane: Lane, top: float, height: float, x) -> str:
    middle = top + height / 2
    out = [f'<text x="{LEFT - 10}" y="{middle + 4:.1f}" text-anchor="end">{escape(lane.name)}</text>']
    many = len(lane.figures) > MOST
    for k, (value, low, high) in enumerate(sorted(lane.figures)):
        y = middle if many or len(lane.figures) == 1 else round(top + LANE / 2 + STEP * k, 1)
        if not many and np.isfinite(low) and np.isfinite(high):
            out.append(
                f'<line x1="{x(low)}" x2="{x(high)}" y1="{y}" y2="{y}" stroke="{lane.colour}" stroke-width="3"/>'
            )
        look = f'fill="none" stroke="{lane.colour}" stroke-width="2"' if lane.hollow else f'fill="{lane.colour}"'
        look += ' fill-opacity=".6"' if many else ""
        out.append(f'<circle cx="{x(value)}" cy="{y}" r="{4 if many else 5}" {look}/>')
    if len(lane.figures) == 1:
        value, _, high = lane.figures[0]
        out.append(
            f'<text class="tick" x="{x(high if np.isfinite(high) else value) + 9}" y="{middle + 4:.1f}">{share(value)}</text>'
        )
    return "".join(out)


def _ticks(low: float, high: float) -> list[float]:
    """Three to six round numbers inside a range."""
    step = 10 ** np.floor(np.log10(high - low))
    for finer in (1, 0.5, 0.25, 0.2, 0.1):
        found = np.arange(np.ceil(low / (step * finer)), np.floor(high / (step * finer)) + 1) * step * finer
        if len(found) >= 3:
            return [float(t) for t in found]
    return [low, high]


def _tick(value: float, ticks: Sequence[float]) -> str:
    value = 0.0 if abs(value) < 1e-12 else value
    digits = max(0, int(np.ceil(-np.log10(abs(ticks[1] - ticks[0])) - 1e-9)))
    text = f"{value:.{max(digits, 1) if abs(value) % 1 else digits}f}".replace("-", "−")
    return text.replace("0.", ".", 1) if text.lstrip("−").startswith("0.") else text


def _aria(lanes: Sequence[Lane], test: Test) -> str:
    said = []
    for lane in lanes:
        values = [v for v, *_ in lane.figures]
        span = share(values[0]) if len(values) == 1 else f"{share(min(values))} to {share(max(values))}"
        said.append(f"{lane.name} {span}")
    return f"{test.measure} with 95% intervals: {', '.join(said)}; holds beyond {share(test.bound())}"
