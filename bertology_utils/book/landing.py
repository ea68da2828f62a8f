"""The landing page's generated parts: one sentence of result, and a square for every claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from html import escape

from ..cards.findings import entries, filled
from ..cards.standing import Standing, standing
from ..cards.strip import strip
from ..cards.words import KINDS
from ..claims import ledger
from ..claims.rules import FAILS, HOLDS, NOT_FOUND, NOT_RERUN, PART, TAUGHT, UNDECIDED, UNTESTABLE, UNTRAINED_TOO
from ..settings import Settings

SQUARES = {  # how a claim as a whole is drawn: by the real BERT where its outputs decide, else by mini
    "holds": "holds, and training taught it",
    "part": "holds in part, or without training too",
    "not": "does not hold, or is not found in mini",
    "open": "undecided, or cannot be tested here",
    "none": "not rerun",
}


def square(standing: Standing) -> str:
    """The kind of a claim's square.

    Full only where the claim holds and no untrained network does as well; where the real BERT's outputs decide nothing,
    our own model's outcome is drawn.
    """
    real, ours = standing.real.label, standing.mini.label
    label = real if real in (HOLDS, PART, FAILS) else ours if ours != NOT_RERUN else real
    if label == HOLDS and ours == UNTRAINED_TOO:
        label = UNTRAINED_TOO
    return KINDS[label]


def result(found: Sequence[Standing]) -> str:
    """One sentence of result, counted from the evidence."""
    real, ours = Counter(s.real.label for s in found), Counter(s.mini.label for s in found)
    decided = sum(real[k] for k in (HOLDS, PART, FAILS, UNDECIDED))
    rerun = len(found) - ours[NOT_RERUN]
    return (
        f"A survey of some 150 studies made **{len(found)} claims** about how BERT works. We run them again. Of the "
        f"{decided} that outputs of the **real BERT** can decide, **{real[HOLDS]} hold**, {real[PART]} hold in part and "
        f"{real[FAILS]} do not. Of the {rerun} rerun on **mini**, a small BERT that fits on a laptop, **{ours[TAUGHT]} "
        f"hold and are learned**: an untrained network does worse. {ours[UNTRAINED_TOO]} hold with random weights too, "
        f"{ours[PART]} in part, {ours[NOT_FOUND]} are not found at this size, and {ours[UNDECIDED] + ours[UNTESTABLE]} "
        "stay open, each with its reason."
    )


def grid(found: Sequence[Standing]) -> str:
    """A row of squares for each section; each leads to its claim's page."""
    rows = []
    for section in ledger.sections():
        own = [s for s in found if s.row.section == section.name]
        squares = "".join(_square(s) for s in own)
        rows.append(
            f'<div class="grid-row"><span class="grid-name">{escape(section.title)}</span>'
            f'<span class="squares">{squares}</span><span class="grid-count">{len(own)}</span></div>'
        )
    key = "".join(f'<span><i class="sq sq-{kind}"></i> {text}</span>' for kind, text in SQUARES.items())
    return f'<div class="claim-grid">{"".join(rows)}<p class="grid-key">{key}</p></div>'


def _square(s: Standing) -> str:
    said = f"{s.row.title}. Real BERT: {s.real.label}; mini: {s.mini.label}; untrained: {s.untrained.label}."
    kind = square(s)
    return (
        f'<a class="sq sq-{kind}" href="../claims/{escape(s.row.id)}.html" title="{escape(said)}" '
        f'aria-label="{escape(said)}"></a>'
    )


def surprises(settings: Settings | None = None) -> str:
    """The results that surprised us: a heading, what was found in words, the claim's strip, and where to read on."""
    boxes = []
    for entry in entries("surprises").get("three", ()):
        text = filled(entry["id"], {k: v for k, v in entry.items() if k != "title"}, settings)
        drawn = strip(standing(entry["id"], settings))
        link = f'<a href="../claims/{escape(entry["id"])}.html">Read it</a>'
        boxes.append(
            f'<div class="surprise"><b>{escape(entry["title"])}</b><p>{escape(text)}</p>{drawn}<p>{link}</p></div>'
        )
    if not boxes:
        return ""
    return f'## Three results that surprised us\n\n<div class="surprises">{"".join(boxes)}</div>'
