"""Rendered pages made lighter: no script of 1.5 MB for a dozen icons, pictures loaded when they come into view.

The icons are drawn by the book's own style sheet (`cards.css`).
"""

from __future__ import annotations

import re
from pathlib import Path

_ICONS = re.compile(r'[ \t]*<script defer src="[^"]*fontawesome\.js[^"]*"></script>\n?')
_PICTURE = re.compile(r"<img (?![^>]*\bloading=)")


def lighten(folder: Path) -> None:
    """Change the pages of a rendered book in place."""
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        lighter = _PICTURE.sub('<img loading="lazy" ', _ICONS.sub("", text))
        if lighter != text:
            page.write_text(lighter, encoding="utf-8")
    scripts = folder / "_static" / "scripts"
    for path in {*scripts.glob("fontawesome*"), *scripts.glob("*.map")}:
        path.unlink()
