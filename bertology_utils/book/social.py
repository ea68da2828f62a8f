"""The pictures that stand for a page where it is linked, 1200 x 630 pixels: a claim's outcomes, the book's squares."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..cards.findings import verdict
from ..cards.standing import MINILM, SIZED, Standing
from ..cards.words import KINDS, outcome, untrained
from ..claims import ledger
from ..plotting.theme import INK, QUIET, SUBJECTS

SIZE = (1200, 630)
GROUND = "#ffffff"
OURS, UNTRAINED, REAL, RELATIVE, OF_ITS_SIZE, _ = SUBJECTS
COLOURS = {
    "real BERT": REAL,
    **dict.fromkeys(SIZED.values(), OF_ITS_SIZE),
    MINILM: RELATIVE,
}

SQUARES = {"holds": "#1f6f43", "part": "#855600", "not": "#a8321f", "open": "#55606b", "none": "#d5dbe1"}
SAID = {"holds": "holds", "part": "mixed", "not": "does not hold", "open": "open", "none": "no outcome of its own"}
DRAWN_SIGNS = {"not": "✕", "open": "?"}  # colour alone says nothing
SIDE, GAP = 22, 5


@cache
def _font(size: int, bold: bool = False):
    import matplotlib
    from PIL import ImageFont

    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"  # a font that is there wherever figures are drawn
    return ImageFont.truetype(str(fonts / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")), size)


def draw(s: Standing, path: Path) -> None:
    """Write the picture of a claim as a PNG."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", SIZE, GROUND)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 16, SIZE[1]), fill=COLOURS["real BERT"])
    pen.text((70, 56), "BERTology, rerun", font=_font(30), fill=QUIET)
    top = 120
    for line in textwrap.wrap(s.row.title, 34)[:3]:
        pen.text((70, top), line, font=_font(54, True), fill=INK)
        top += 70
    for line in textwrap.wrap(verdict(s), 68)[:4]:
        pen.text((70, top + 10), line, font=_font(28), fill=INK)
        top += 38
    top = 596 - 42 * len(s.slots)
    for name, slot in s.slots:
        pen.text((70, top), name, font=_font(26, True), fill=UNTRAINED if untrained(name) else COLOURS.get(name, OURS))
        pen.text((330, top), outcome(slot.label, name)[1], font=_font(26), fill=INK)
        top += 42
    image.save(path, optimize=False)


def draw_book(found: Sequence[Standing], path: Path) -> None:
    """Write the picture of the book as a PNG: a square for every claim, a line for every section."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", SIZE, GROUND)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 16, SIZE[1]), fill=COLOURS["real BERT"])
    pen.text((70, 44), "What do we really know about", font=_font(46, True), fill=INK)
    pen.text((70, 100), "how BERT works?", font=_font(46, True), fill=INK)
    top = 190
    for section in ledger.sections():
        own = [s for s in found if s.row.section == section.name]
        pen.text((70, top), section.title, font=_font(20), fill=QUIET)
        for k, s in enumerate(own):
            _square(pen, KINDS[s.real.label], 330 + k * (SIDE + GAP), top)
        top += 40
    left = 70
    for kind, said in SAID.items():
        _square(pen, kind, left, top + 26)
        said = f"BERT: {said}" if left == 70 else said
        pen.text((left + SIDE + 8, top + 26), said, font=_font(20), fill=QUIET)
        left += SIDE + 36 + round(pen.textlength(said, font=_font(20)))
    pen.text((SIZE[0] - 70, 56), "BERTology, rerun", font=_font(22), fill=QUIET, anchor="ra")
    image.save(path, optimize=False)


def _square(pen: Any, kind: str, left: int, top: int) -> None:
    box = (left, top, left + SIDE, top + SIDE)
    pen.rectangle(box, outline=SQUARES[kind], width=2, fill=SQUARES[kind] if kind == "holds" else None)
    if kind == "part":
        pen.polygon((left, top, left + SIDE, top, left, top + SIDE), fill=SQUARES[kind])
    if kind in DRAWN_SIGNS:
        middle = (left + SIDE // 2, top + SIDE // 2)
        pen.text(middle, DRAWN_SIGNS[kind], font=_font(15), fill=SQUARES[kind], anchor="mm")
