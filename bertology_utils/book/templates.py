"""The book's HTML templates (`book/templates`): what is put into them is escaped."""

from __future__ import annotations

from jinja2 import Environment, FileSystemLoader, Template

from .stage import ROOT

FOLDER = ROOT / "book" / "templates"


def template(name: str) -> Template:
    """A template by its file's name."""
    return Environment(loader=FileSystemLoader(FOLDER), autoescape=True, trim_blocks=True).get_template(name)
