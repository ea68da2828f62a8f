"""The pages of the book beside its chapters and the claims' own: what a reader must find, whatever the folder holds."""

from __future__ import annotations

PAGES = (
    "intro",
    "how-to-read",
    "how-to-run",
    "scoreboard",
    "methods",
    "models",
    "data",
    "api",
    "glossary",
    "cite",
    "references",
)
