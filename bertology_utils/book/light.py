"""Rendered pages made lighter, and the glossary brought to them.

A chapter's page loads what it shows and no more: no script of 1.5 MB and no font of 0.3 MB for a dozen
icons (`cards.css` draws them), no rule of a style sheet that nothing here matches (`sheets`), no script without its part of
a page (`SCRIPTS`), no element for a word of code that has the colour of its block, pictures when they come into view, and
then in a place of their size. A figure leads to itself, alone and whole, and has colours for both themes.
"""

from __future__ import annotations

import re
import shutil
import struct
from collections import Counter
from functools import partial
from pathlib import Path

from . import sheets, terms
from .themed import palette, themed

_ICONS = re.compile(r'[ \t]*<script defer src="[^"]*fontawesome\.js[^"]*"></script>\n?')
_LIST = re.compile(r'<div role="list" class="citation-list">')  # its entries are `doc-biblioentry`, no list items
_DESIGN = re.compile(r"[ \t]*<link[^>]*sphinx-design[^>]*/>\n?")
_SCRIPT = re.compile(r'[ \t]*<script [^>]*src="[^"]*?([\w-]+\.js)[^"]*"></script>\n?')
_BLOCK_OF_CODE = re.compile(r"(\S+) \.highlight \{([^}]*)\}")
_CODE = re.compile(r"(\S+) \.highlight \.(\w+) \{([^}]*)\}")
_PYTHON = re.compile(r'<div class="highlight-python.*?</pre>', re.DOTALL)
_WORD_OF_CODE = re.compile(r'<span class="(\w+)">([^<>]*)</span>')
_PICTURE = re.compile(r"<img (?![^>]*\bloading=)")
_UNSIZED = re.compile(r'<img (?![^>]*\bwidth=)(?=[^>]*\bsrc="([^"]+\.(?:png|svg))")')
_POINTS = re.compile(r'<svg [^>]*?\bwidth="([\d.]+)pt" height="([\d.]+)pt"')
_FIGURE = re.compile(
    r'(<figure [^>]*>\s*)(<img [^>]*\bsrc="([^"]+)"[^>]*>)'
)  # on a phone it scrolls: a link can be reached
_GLYPHS = re.compile(r'(?:\.fa-[\w-]+:{1,2}before,?)+\{content:"[^"]*"\}')  # the icon font's table of characters
_FONTS = re.compile(r"@font-face\{[^}]*Font Awesome[^}]*\}")
_REMARK, _SPACE = re.compile(r"/\*.*?\*/", re.DOTALL), re.compile(r"\s+")
# the part of a page from which the search shows an excerpt: not the buttons above the article
_EXCERPT = ("querySelector('[role=\"main\"]')", "querySelector('article')")
WIDE = 768  # pixels, of what has no room beside words
LEAST = 0.75  # of a figure's own size: its smallest letters, 9 points, have 9 pixels then
WITH_TERMS = ("notebooks", "claims")
SCRIPTS = {  # script -> what a page has where the script has something to do
    **dict.fromkeys(("searchtools.js", "language_data.js", "searchindex.js"), "search-results"),
    "design-tabs.js": "sd-tab-set",
    "scoreboard.js": "scoreboard-filter",
    "lines.js": "claim-grid",
    "tradeoff.js": "tradeoff-said",
    "tables.js": "family-runs",
}


def _sized(folder: Path, found: re.Match[str]) -> str:
    """A picture's tag with the attributes that keep its place until it is loaded, from the head of its file."""
    picture = folder / found[1]
    if not picture.is_file():
        return found[0]
    if picture.suffix == ".svg":
        points = _POINTS.search(picture.read_text(encoding="utf-8"))
        if points is None:
            return found[0]
        width, height = (round(float(side) * 4 / 3) for side in points.groups())
    else:
        with picture.open("rb") as stream:
            width, height = struct.unpack(">II", stream.read(24)[16:])
    return f'{found[0]}width="{width}" height="{height}" '


def _whole(found: re.Match[str]) -> str:
    """A figure that leads to its picture; one of several panels is marked, since half a page is too little for its letters."""
    width = re.search(r'\bwidth="(\d+)"', found[2])
    opening = found[1].replace('class="', 'class="wide ', 1) if width and int(width[1]) > WIDE else found[1]
    if width:
        opening = opening.replace("<figure ", f'<figure style="--least: {round(LEAST * int(width[1]))}px" ', 1)
    return f'{opening}<a class="whole" href="{found[3]}">{found[2]}</a>'


def _served(text: str, tag: re.Match[str]) -> str:
    """A script's tag if the page has what the script is for; else nothing."""
    return tag[0] if SCRIPTS.get(tag[1], "") in text else ""


def plain(css: str) -> set[str]:
    """Classes for words of code that have the colour of the block they stand in, in each theme, and nothing else.

    >>> plain("[a] .highlight { color: #111 } [a] .highlight .n { color: #111 } [a] .highlight .k { color: #222 }")
    {'n'}
    """
    blocks = {theme: said.split("color: ")[-1].strip() for theme, said in _BLOCK_OF_CODE.findall(css)}
    same = Counter(name for theme, name, said in _CODE.findall(css) if said.strip() == f"color: {blocks[theme]}")
    return {name for name, themes in same.items() if themes == len(blocks)}


def lighten(folder: Path) -> None:
    """Change the pages of a rendered book in place."""
    glossary = folder / terms.GLOSSARY
    known = terms.read(glossary.read_text(encoding="utf-8")) if glossary.is_file() else {}
    static = folder / "_static"
    uncoloured = plain((static / "pygments.css").read_text(encoding="utf-8"))

    def unwrapped(word: re.Match[str]) -> str:
        return word[2] if word[1] in uncoloured else word[0]

    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        lighter = _PICTURE.sub('<img loading="lazy" ', _ICONS.sub("", text))
        lighter = _UNSIZED.sub(partial(_sized, page.parent), lighter)
        lighter = _LIST.sub('<div class="citation-list">', lighter)
        lighter = _SCRIPT.sub(partial(_served, text), lighter)
        lighter = _PYTHON.sub(lambda block: _WORD_OF_CODE.sub(unwrapped, block[0]), lighter)
        if ' class="sd-' not in lighter:
            lighter = _DESIGN.sub("", lighter)
        lighter = _FIGURE.sub(_whole, lighter)
        if page.parent.name in WITH_TERMS:
            lighter = terms.explain(lighter, known, f"../{terms.GLOSSARY}")
        if lighter != text:
            page.write_text(lighter, encoding="utf-8")
    search = static / "searchtools.js"
    search.write_text(search.read_text(encoding="utf-8").replace(*_EXCERPT), encoding="utf-8")
    colours = palette((static / "cards.css").read_text(encoding="utf-8"))
    for picture in (folder / "_images").glob("*.svg"):
        picture.write_text(themed(picture.read_text(encoding="utf-8"), colours), encoding="utf-8")
    for sheet in static.rglob("*.css"):
        rules = _FONTS.sub("", _GLYPHS.sub("", sheet.read_text(encoding="utf-8")))
        sheet.write_text(_SPACE.sub(" ", _REMARK.sub("", rules)), encoding="utf-8")
    for path in {*(static / "scripts").glob("fontawesome*"), *static.rglob("*.map")}:
        path.unlink()
    shutil.rmtree(static / "vendor" / "fontawesome", ignore_errors=True)
    sheets.shorten(folder)
