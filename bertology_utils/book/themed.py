"""Figures in two themes: an SVG that names the site's colours follows the colour scheme of whatever page shows it.

A notebook's figure has the light colours written in and is right by itself. In the rendered book each becomes the variable of
`cards.css` that has this light value, so that a subject has one colour on cards and in figures, in either theme.
"""

from __future__ import annotations

import re

_BLOCK = re.compile(r'^(?::root|html\[data-theme="dark"\]) \{([^}]*)\}', re.M)
_VARIABLE = re.compile(r"--([\w-]+): (#[0-9a-f]{6});")
_STYLED = re.compile(r'<(\w+)[^>]*?\bstyle="[^"]*"')
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_HATCHED = re.compile(r'\bfill="(#[0-9a-f]{6})"')  # the ground of a hatch has an attribute where all else has a style


def palette(css: str) -> dict[str, tuple[str, str]]:
    """Light value -> name and dark value of each variable that a style sheet gives for both themes.

    Examples
    --------
    >>> palette(':root {\\n --mini: #00738c;\\n}\\nhtml[data-theme="dark"] {\\n --mini: #4cc9e8;\\n}')
    {'#00738c': ('mini', '#4cc9e8')}
    """
    light, dark = (dict(_VARIABLE.findall(block)) for block in _BLOCK.findall(css)[:2])
    return {light[name]: (name, dark[name]) for name in light}


def themed(svg: str, colours: dict[str, tuple[str, str]]) -> str:
    """A figure with variables in place of colours; what is black, as letters are by default, has the ink's.

    White letters stay white: they stand on a cell of a matrix. A hatched bar has its colour too.

    Examples
    --------
    >>> known = {"#1c2430": ("card-ink", "#e6eaf0"), "#ffffff": ("card-inner", "#14181e")}
    >>> figure = themed('<svg><path style="fill: #ffffff"/><text style="fill: #ffffff">1</text></svg>', known)
    >>> figure.partition("</style>")[2]
    '<path style="fill: var(--card-inner)"/><text style="fill: #ffffff">1</text></svg>'
    """
    svg = _HATCHED.sub(r'style="fill: \1"', svg)
    names = {light: name for light, (name, _) in colours.items()} | {"#000000": "card-ink"}

    def named(found: re.Match[str]) -> str:
        kept = "#ffffff" if found[1] == "text" else ""
        return _COLOUR.sub(lambda c: f"var(--{names[c[0]]})" if c[0] in names and c[0] != kept else c[0], found[0])

    light = ";".join(f"--{name}:{value}" for value, (name, _) in colours.items())
    dark = ";".join(f"--{name}:{value}" for name, value in colours.values())
    rules = f"<style>:root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}text{{fill:var(--card-ink)}}</style>"
    return re.sub(r"<svg[^>]*>", lambda opening: opening[0] + rules, _STYLED.sub(named, svg), count=1)
