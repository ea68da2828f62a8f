"""A figure with a row of many panels for a phone: the same panels, two beside one another.

Panels keep their size, so that their letters can be read; only where they stand changes.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
COLUMNS = 2
GAP, EDGE = 3, 1  # points: between a panel and the labels of the next, and at the figure's sides
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def stacked(svg: str) -> str:
    """A figure of Matplotlib's whose panels are a grid of more than two columns, in two; empty of any other figure.

    Each row of the grid becomes as many as it takes, so that what stood in different rows still does.

    Examples
    --------
    >>> box = '<g id="axes_{0}"><g><path d="M {1} 30 L {2} 30 L {2} 10 z"/></g></g>'
    >>> panels = "".join(box.format(k, 10 + 40 * k, 40 + 40 * k) for k in range(3))
    >>> drawn = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 125 40"><g>{panels}</g></svg>'
    >>> re.findall(r'viewBox="[^"]*"|translate[^"]*', stacked(drawn))
    ['viewBox="4 0 78 80"', 'translate(0 0)', 'translate(-2 0)', 'translate(-80 40)']
    """
    root = ElementTree.fromstring(svg)
    figure = root.find(f"{SVG}g")
    groups = list(figure) if figure is not None else []
    panels = [g for g in groups if g.get("id", "").startswith("axes_")]
    if len(panels) < len([g for g in groups if g.get("id") != "patch_1"]):  # a legend, say, that would stand anywhere
        return ""
    if any(panel.find(f".//{SVG}path") is None for panel in panels):  # words in a panel's place: it has no frame
        return ""
    boxes = [_box(panel) for panel in panels]
    lefts, tops = (sorted({round(box[k], 1) for box in boxes}) for k in (0, 1))
    if len(lefts) <= COLUMNS or len({round(right - left) for left, _, right, _ in boxes}) > 1:
        return ""
    width, height = map(float, root.get("viewBox", "").split()[2:])
    free = width - max(right for _, _, right, _ in boxes)
    across = boxes[0][2] - free + GAP  # a panel with the labels on its left
    down = tops[1] - tops[0] if len(tops) > 1 else height
    rows = 0
    for top in tops:
        own = [(panel, box) for panel, box in zip(panels, boxes) if round(box[1], 1) == top]
        for k, (panel, box) in enumerate(own):
            x, y = lefts[0] + across * (k % COLUMNS), tops[0] + down * (rows + k // COLUMNS)
            panel.set("transform", f"translate({x - box[0]:g} {y - box[1]:g})")
        rows += -(-len(own) // COLUMNS)
    width, height = COLUMNS * across + 2 * EDGE, height + down * (rows - len(tops))
    root.attrib |= {
        "viewBox": f"{free - EDGE:g} 0 {width:g} {height:g}",
        "width": f"{width:g}pt",
        "height": f"{height:g}pt",
    }
    for ground in root.iterfind(f"./{SVG}g/{SVG}g[@id='patch_1']/{SVG}path"):
        ground.set("d", f"M0 0H{free + width:g}V{height:g}H0z")
    for prefix, address in (("", SVG[1:-1]), ("xlink", "http://www.w3.org/1999/xlink")):
        ElementTree.register_namespace(prefix, address)
    return ElementTree.tostring(root, encoding="unicode")


def _box(panel: ElementTree.Element) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a panel's frame: its first path."""
    path = next(panel.iter(f"{SVG}path"))
    numbers = [float(x) for x in _NUMBER.findall(path.get("d", ""))]
    return min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])
