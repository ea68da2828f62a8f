"""The book's HTML templates (`book/templates`): what is put into them is escaped."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, Template

from .stage import ROOT

FOLDER = ROOT / "book" / "templates"


@cache
def template(name: str) -> Template:
    """A template by its file's name."""
    return Environment(loader=FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True).get_template(name)


def rendered(name: str, data: Any, /, **given: Any) -> str:
    """A template's HTML for a page in Markdown, with data for the page's script (``quoted`` in the template).

    No `</` is left in the data, which would end the script; no blank line, which would end the HTML.
    """
    quoted = json.dumps(data, ensure_ascii=False).replace("</", "<\\/")
    html = template(name).render(quoted=quoted, **given)
    return "\n".join(line for line in html.splitlines() if line.strip())
