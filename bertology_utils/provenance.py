"""What a record says of where a figure comes from: the commit of the code, the hashes of files."""

from __future__ import annotations

import hashlib
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


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
