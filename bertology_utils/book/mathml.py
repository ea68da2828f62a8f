"""A Sphinx extension: formulas as MathML, which browsers draw themselves. No script, nothing fetched from another site."""

from __future__ import annotations

from typing import Any

from docutils.nodes import Element, SkipNode
from docutils.utils.math.latex2mathml import tex2mathml


def _inline(translator: Any, node: Element) -> None:
    translator.body.append(tex2mathml(node.astext()))
    raise SkipNode


def _display(translator: Any, node: Element) -> None:
    translator.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer under the name that `html_math_renderer` gives."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
