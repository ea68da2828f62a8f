"""Which commit of the code is running: part of every record of a figure and of a training run."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path


@cache
def commit() -> str | None:
    """The commit of the checkout the package runs from, ``+`` behind it if tracked files differ; None outside one."""
    here = Path(__file__).resolve().parent

    def git(*words: str) -> str:
        return subprocess.run(
            ["git", "-C", str(here), *words], capture_output=True, text=True, check=True, timeout=10
        ).stdout.strip()

    try:
        if not git("ls-files", "--", __file__):
            return None
        return git("rev-parse", "HEAD") + (
            "+" if git("status", "--porcelain", "--untracked-files=no", "--", "*.py") else ""
        )
    except (OSError, subprocess.SubprocessError):
        return None
