"""The book's Sphinx extension: pages that need nothing from another site.

Formulas become MathML, which browsers draw themselves; the loader of Thebe (cells run in the page, on a server that
this book does not have) is left out: it names a script elsewhere, and is added twice, which is an error.
"""

from __future__ import annotations

from html import escape
from textwrap import shorten
from typing import Any

from docutils.nodes import Element, SkipNode, document, paragraph
from docutils.utils.math.latex2mathml import tex2mathml

from .once import once
from .units import arrange

DESCRIPTION = 160  # characters, of what a search engine shows


def _inline(translator: Any, node: Element) -> None:
    translator.body.append(tex2mathml(node.astext()))
    raise SkipNode


def _display(translator: Any, node: Element) -> None:
    translator.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def without_thebe(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: Any) -> None:
    """Take Thebe's scripts and styles from a page (an `html-page-context` handler)."""
    for kind in ("script_files", "css_files"):
        context[kind] = [
            file
            for file in context.get(kind, ())
            if "thebe" not in f"{getattr(file, 'filename', file)} {getattr(file, 'attributes', {}).get('body')}".lower()
        ]


def described(app: Any, pagename: str, templatename: str, context: dict[str, Any], doctree: document | None) -> None:
    """Let a page without a description of its own be described by how it begins (an `html-page-context` handler)."""
    first = next(doctree.findall(paragraph), None) if doctree else None
    if first is not None and 'name="description"' not in context["metatags"]:
        says = escape(shorten(first.astext(), DESCRIPTION, placeholder=" …"))
        context["metatags"] += f'<meta name="description" content="{says}" />\n'


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer under the name that `html_math_renderer` gives, and the handlers; what takes long is done once."""
    once()
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    app.connect("doctree-read", arrange, priority=400)  # before the lists of contents are made
    app.connect("html-page-context", without_thebe, priority=900)
    app.connect("html-page-context", described, priority=400)  # before opengraph describes pages in its own way
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
