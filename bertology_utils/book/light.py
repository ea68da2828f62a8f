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

from . import panels, sheets, terms
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
# on a phone it scrolls: a link can be reached
_FIGURE = re.compile(r'(<figure [^>]*>\s*)(<img [^>]*\bsrc="([^"]+)"[^>]*>)')
_GLYPHS = re.compile(r'(?:\.fa-[\w-]+:{1,2}before,?)+\{content:"[^"]*"\}')  # the icon font's table of characters
_FONTS = re.compile(r"@font-face\{[^}]*Font Awesome[^}]*\}")
_REMARK, _SPACE = re.compile(r"/\*.*?\*/", re.DOTALL), re.compile(r"\s+")
# the part of a page from which the search shows an excerpt: not the buttons above the article
_EXCERPT = ("querySelector('[role=\"main\"]')", "querySelector('article')")
WIDE = 768  # pixels, of what has no room beside words
LEAST = 0.75  # of a figure's own size: its smallest letters, 9 points, have 9 pixels then
FOR_PHONES, PHONE = "-phone.svg", 600  # how the file of a figure for a phone ends, and pixels up to which it is shown
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
    size = _size(folder / found[1])
    return f'{found[0]}width="{size[0]}" height="{size[1]}" ' if size else found[0]


def _size(picture: Path) -> tuple[int, int] | None:
    """Width and height in pixels, from the head of a file; None where it is not there or does not say."""
    if not picture.is_file():
        return None
    if picture.suffix == ".svg":
        points = _POINTS.search(picture.read_text(encoding="utf-8"))
        return (round(float(points[1]) * 4 / 3), round(float(points[2]) * 4 / 3)) if points else None
    with picture.open("rb") as stream:
        width, height = struct.unpack(">II", stream.read(24)[16:])
    return width, height


def _whole(folder: Path, found: re.Match[str]) -> str:
    """A figure that leads to its picture; one of several panels is marked, since half a page is too little for its letters.

    Where there is a picture of its panels for phones as well (`panels`), a narrow page shows that one.
    """
    size, narrow = _size(folder / found[3]), found[3].removesuffix(".svg") + FOR_PHONES
    opening, shown = found[1], found[2]
    if size:
        opening = opening.replace('class="', 'class="wide ', 1) if size[0] > WIDE else opening
        least = f"--least: {round(LEAST * size[0])}px"
        if small := _size(folder / narrow):
            least += f"; --narrow: {round(LEAST * small[0])}px"
            source = f'srcset="{narrow}" width="{small[0]}" height="{small[1]}"'
            shown = f'<picture><source media="(max-width: {PHONE}px)" {source}>{shown}</picture>'
        opening = opening.replace("<figure ", f'<figure style="{least}" ', 1)
    return f'{opening}<a class="whole" href="{found[3]}">{shown}</a>'


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

    for picture in sorted((folder / "_images").glob("*.svg")):
        if small := panels.stacked(picture.read_text(encoding="utf-8")):
            picture.with_name(picture.stem + FOR_PHONES).write_text(small, encoding="utf-8")
    for page in folder.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        lighter = _PICTURE.sub('<img loading="lazy" ', _ICONS.sub("", text))
        lighter = _UNSIZED.sub(partial(_sized, page.parent), lighter)
        lighter = _LIST.sub('<div class="citation-list">', lighter)
        lighter = _SCRIPT.sub(partial(_served, text), lighter)
        lighter = _PYTHON.sub(lambda block: _WORD_OF_CODE.sub(unwrapped, block[0]), lighter)
        if ' class="sd-' not in lighter:
            lighter = _DESIGN.sub("", lighter)
        lighter = _FIGURE.sub(partial(_whole, page.parent), lighter)
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
