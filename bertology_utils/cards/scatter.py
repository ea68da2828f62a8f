"""What was saved against what was kept, as a picture to be asked: a point says what it is, kinds can be left out.

An SVG with places in per cent of whatever width there is and letters in pixels, as `strip` has it. What stands in it is text
and titles: without scripts it is a whole picture, beside a table with the same figures. ``tradeoff.js`` of the book adds
the controls, the line that says a point's figures, and the arrow keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import log2

import pandas as pd

from .savings import FAST, FEWER, RELEASED, SHARE, SURVEY

LEFT, RIGHT = 13.0, 3.0  # per cent of the width
TOP, HEIGHT, FOOT = 14, 380, 44  # pixels
LEAST, PER_DOUBLING = 4.0, 1.6  # radius of a point that is no faster, and what twice as fast adds
KINDS = {SURVEY: "survey", RELEASED: "real"}  # classes; any other model is ours


@dataclass(frozen=True)
class Scatter:
    """Compressed models as points; a notebook shows it by itself.

    Attributes
    ----------
    rows : data frame
        Columns as `savings.points` and `savings.survey` give them.

    Examples
    --------
    >>> from .savings import survey
    >>> page = Scatter(survey())._repr_html_()
    >>> page.count('class="pt '), "<script" in page
    (26, False)
    """

    rows: pd.DataFrame

    def __repr__(self) -> str:
        return f"{len(self.rows)} compressed models: {FEWER} against {SHARE}, in the tables"

    def _repr_html_(self) -> str:
        scale = Scale.of(self.rows)
        ours = ~self.rows["model"].isin(list(KINDS))
        parts = [scale.axes(), _front(self.rows[ours & self.rows["on the front"]], scale)]
        # the survey's first, ours on top
        order = self.rows["model"].map({SURVEY: 0, RELEASED: 1}).fillna(2).sort_values(kind="stable").index
        parts += [_point(row, scale) for row in self.rows.loc[order].to_dict("records")]
        label = f"{FEWER}, against {SHARE}: {len(self.rows)} compressed models; the tables have the same figures"
        svg = f'<svg width="100%" height="{HEIGHT}" role="group" aria-label="{escape(label)}">{"".join(parts)}</svg>'
        return f'<div class="tradeoff">{_key(self.rows)}{svg}<p class="tradeoff-said" role="status"></p></div>'


@dataclass(frozen=True)
class Scale:
    """From figures to places: x in per cent, along doublings; y in pixels."""

    x: tuple[float, float]
    y: tuple[float, float]

    @classmethod
    def of(cls, rows: pd.DataFrame) -> Scale:
        """The least that holds all points, with a margin; one point alone has room too."""
        x = log2(rows[FEWER].min()), log2(rows[FEWER].max())
        low, high = rows["low"].fillna(rows[SHARE]).min(), rows["high"].fillna(rows[SHARE]).max()
        pad = 0.06 * (high - low) + 0.01
        return cls((x[0] - 0.5, x[1] + 0.5), (low - pad, high + pad))

    def across(self, factor: float) -> float:
        """Place of a factor, in per cent of the width."""
        low, high = self.x
        return round(LEFT + (log2(factor) - low) / (high - low) * (100 - LEFT - RIGHT), 2)

    def up(self, share: float) -> float:
        """Place of a share, in pixels from the top."""
        low, high = self.y
        return round(TOP + (high - share) / (high - low) * (HEIGHT - TOP - FOOT), 1)

    def axes(self) -> str:
        """Lines and ticks: doublings, and tenths of the score."""
        bottom = HEIGHT - FOOT
        out = []
        for k in range(int(self.x[0]), int(self.x[1]) + 1):
            at = self.across(2.0**k)
            out.append(f'<line class="rule" stroke="currentColor" x1="{at}%" x2="{at}%" y1="{TOP}" y2="{bottom}"/>')
            out.append(f'<text class="tick" x="{at}%" y="{bottom + 16}" text-anchor="middle">{2.0**k:g}</text>')
        for tenth in range(round(10 * self.y[0] + 0.5), int(10 * self.y[1]) + 1):
            y = self.up(tenth / 10)
            line = f'x1="{LEFT}%" x2="{100 - RIGHT}%" y1="{y}" y2="{y}"'
            out.append(f'<line class="rule{" whole" if tenth == 10 else ""}" stroke="currentColor" {line}/>')
            out.append(f'<text class="tick" x="{LEFT}%" dx="-6" y="{y + 4}" text-anchor="end">{10 * tenth}%</text>')
        names = ((f"{100 - RIGHT}%", bottom + 36, "end", FEWER), (f"{LEFT}%", TOP - 3, "start", SHARE))
        out += [f'<text class="tick" x="{x}" y="{y}" text-anchor="{a}">{escape(n)}</text>' for x, y, a, n in names]
        return "".join(out)


def description(row: dict) -> str:
    """A point in words: what, whose, times fewer bytes, share kept with its interval, how fast.

    >>> description({"what is saved": "8 bits", "model": "mini", "bytes, times fewer": 3.9, "score kept": 1.0, "from": 0.97,
    ...       "to": 1.03, "times as fast": float("nan")})
    '8 bits (mini): bytes, times fewer 3.9; score kept 100.0%, from 97.0% to 103.0%; not timed'
    """
    kept = f"{SHARE} {row[SHARE]:.1%}"
    if row["from"] == row["from"]:
        kept += f", from {row['from']:.1%} to {row['to']:.1%}"
    fast = f"{row[FAST]:.3g} {FAST}" if row[FAST] == row[FAST] else "not timed"
    return f"{row['what is saved']} ({row['model']}): {FEWER} {row[FEWER]:.3g}; {kept}; {fast}"


def _point(row: dict, scale: Scale) -> str:
    x, y = scale.across(row[FEWER]), scale.up(row[SHARE])
    fast = row[FAST] if row[FAST] == row[FAST] else 1.0
    radius = LEAST + PER_DOUBLING * max(0.0, log2(fast))
    whose = KINDS.get(row["model"], "ours")
    spread = ""
    if row["low"] == row["low"]:
        ends = f'x1="{x}%" x2="{x}%" y1="{scale.up(row["low"])}" y2="{scale.up(row["high"])}"'
        spread = f'<line class="spread" stroke="currentColor" {ends}/>'
    words = escape(description(row))
    circle = f'<circle cx="{x}%" cy="{y}" r="{radius:.1f}" stroke="currentColor" fill-opacity="0.35"/>'
    asked = f'role="img" aria-label="{words}" data-whose="{whose}" data-way="{escape(row["way"])}"'
    return f'<g class="pt pt-{whose}" {asked}><title>{words}</title>{spread}{circle}</g>'


def _front(rows: pd.DataFrame, scale: Scale) -> str:
    """Steps through the points on the front, from that which keeps most: none that saves as much keeps more."""
    points = [(scale.across(f), scale.up(s)) for f, s in rows.sort_values(FEWER)[[FEWER, SHARE]].to_numpy()]
    out = []
    for (x1, y1), (x2, y2) in pairwise(points):
        out.append(f'<line stroke="currentColor" x1="{x1}%" x2="{x1}%" y1="{y1}" y2="{y2}"/>')
        out.append(f'<line stroke="currentColor" x1="{x1}%" x2="{x2}%" y1="{y2}" y2="{y2}"/>')
    return f'<g class="front pt-ours">{"".join(out)}</g>' if out else ""


def _key(rows: pd.DataFrame) -> str:
    """Whose points there are, by colour and in words."""
    ours: Sequence[str] = [m for m in rows["model"].unique() if m not in KINDS]
    names = [("ours", f"{m}, measured here") for m in ours]
    names += [(KINDS[m], m) for m in (RELEASED, SURVEY) if (rows["model"] == m).any()]
    told = "".join(f'<span class="pt-{kind}" data-whose="{kind}">{escape(name)}</span>' for kind, name in names)
    return f'<p class="tradeoff-key">{told}</p>'
