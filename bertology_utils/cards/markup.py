"""Pieces of HTML that cards and pages have in common."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def link(id: str, title: str) -> str:
    """A claim's title, which leads to its page.

    >>> link("syn.npi.warstadt2019", "NPIs")
    '<a href="../claims/syn.npi.warstadt2019.html">NPIs</a>'
    """
    return f'<a href="../claims/{escape(id)}.html">{escape(title)}</a>'


def table(kind: str, columns: Iterable[str], rows: Iterable[str], caption: str = "") -> str:
    """A table of some classes: the names of its columns and its rows are HTML already.

    >>> table("facts", ["claim"], ["<tr><td>NPIs</td></tr>"])
    '<table class="facts"><thead><tr><th scope="col">claim</th></tr></thead><tbody><tr><td>NPIs</td></tr></tbody></table>'
    """
    head = "".join(f'<th scope="col">{name}</th>' for name in columns)
    said = f"<caption>{caption}</caption>" if caption else ""
    return f'<table class="{kind}">{said}<thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def scrolled(table: str, label: str) -> str:
    """A table that is moved sideways by itself where it is too wide, named for those who hear it."""
    return f'<div class="family-runs" role="region" tabindex="0" aria-label="{escape(label)}">{table}</div>'
