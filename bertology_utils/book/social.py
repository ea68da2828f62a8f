"""The picture that stands for a claim where its page is linked: title and the three outcomes, 1200 x 630 pixels."""

from __future__ import annotations

import textwrap
from pathlib import Path

from ..cards.standing import Standing
from ..cards.words import SIGNS

SIZE = (1200, 630)
INK, QUIET, GROUND = "#1c2430", "#55606b", "#ffffff"
COLOURS = {"real BERT": "#2b4acb", "mini": "#00755f", "untrained": "#7d6200"}


def draw(s: Standing, path: Path) -> None:
    """Write the picture of a claim as a PNG."""
    import matplotlib
    from PIL import Image, ImageDraw, ImageFont

    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"  # a font that is there wherever figures are drawn

    def font(size: int, bold: bool = False):
        return ImageFont.truetype(str(fonts / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")), size)

    image = Image.new("RGB", SIZE, GROUND)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, 16, SIZE[1]), fill=COLOURS["real BERT"])
    pen.text((70, 56), "BERTology, rerun", font=font(30), fill=QUIET)
    top = 120
    for line in textwrap.wrap(s.row.title, 34)[:3]:
        pen.text((70, top), line, font=font(54, True), fill=INK)
        top += 70
    top = 400
    for name, slot in (("real BERT", s.real), ("mini", s.mini), ("untrained", s.untrained)):
        pen.text((70, top), name, font=font(34, True), fill=COLOURS[name])
        pen.text((330, top), f"{SIGNS[slot.label]} {slot.label}", font=font(34), fill=INK)
        top += 62
    image.save(path, optimize=False)
