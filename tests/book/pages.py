"""The pages of the book: those beside the chapters, and the chapters."""

from __future__ import annotations

from bertology_utils.book import notebooks, stage

PAGES = (
    "intro",
    "try",
    "heads",
    "layers",
    "how-to-read",
    "how-to-run",
    "scoreboard",
    "methods",
    "models",
    "coverage",
    "data",
    "faults",
    "writing-a-claim",
    "api",
    "glossary",
    "cite",
    "references",
)
CHAPTERS = [path.stem for path in notebooks.paths(stage.ROOT / "notebooks")]
