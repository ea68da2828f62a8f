"""A notebook and its percent script say the same; where they do not, nothing that is written nowhere else is lost."""

from __future__ import annotations

import subprocess
from pathlib import Path

import jupytext
import nbformat

Said = list[tuple]

LAYOUT = ("lines_to_next_cell",)  # blank lines of the script


def content(notebook: nbformat.NotebookNode) -> Said:
    """What a notebook says, cell by cell: kind, source, tags and other metadata; its outputs are no part of it."""
    return [(c.cell_type, c.source, {k: v for k, v in c.metadata.items() if k not in LAYOUT}) for c in notebook.cells]


def halves(notebook: Path) -> tuple[Said, Said]:
    """What the percent script and the stored notebook beside it say."""
    return content(jupytext.read(notebook.with_suffix(".py"))), content(nbformat.read(notebook, as_version=4))


def lost(notebook: Path) -> Path | None:
    """The half whose changes `jupytext --sync` would throw away: the older of two that differ, if git has it otherwise.

    Of two halves that differ jupytext takes the one changed last. That is as it should be where the other is as it was
    committed. Where both were changed, or the older one alone, what it says would be lost unseen. None outside a checkout.
    """
    script = notebook.with_suffix(".py")
    if not (notebook.exists() and script.exists()):
        return None
    texts, cells = halves(notebook)
    if texts == cells:
        return None
    older, now = (script, texts) if script.stat().st_mtime < notebook.stat().st_mtime else (notebook, cells)
    before = committed(older)
    if before is None or content(jupytext.reads(before, fmt=older.suffix.lstrip("."))) == now:
        return None
    return older


def committed(path: Path) -> str | None:
    """The file as it was last committed; None where it was not, or without git."""
    try:
        asked = ["git", "-C", str(path.parent), "show", f"HEAD:./{path.name}"]
        return subprocess.run(asked, capture_output=True, encoding="utf-8", check=True, timeout=10).stdout
    except (OSError, subprocess.SubprocessError):
        return None
