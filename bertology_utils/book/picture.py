"""The picture of the landing page that the README shows, taken of a rendered book."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from .stage import ROOT, BookError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
TARGET = ROOT / "book" / "_static" / "landing.png"
SIZE = (1280, 960)
MOST = 200_000  # bytes


def take(pages: Path, target: Path = TARGET) -> Path:
    """Write the picture; its path.

    Parameters
    ----------
    pages : Path
        Folder of a rendered book.

    Raises
    ------
    BookError
        There is no rendered book, no Chromium, or the picture is larger than `MOST`.
    """
    page = pages / "book" / "intro.html"
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not page.is_file() or binary is None:
        raise BookError("no Chromium is installed" if binary is None else f"{page} is missing: render the book first")
    from PIL import Image

    with tempfile.TemporaryDirectory(prefix="bertology-picture-") as name:
        shot = Path(name) / "shot.png"
        flags = (
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={name}/profile",
        )
        size = f"--window-size={SIZE[0]},{SIZE[1]}"
        subprocess.run(
            [binary, *flags, size, "--virtual-time-budget=3000", f"--screenshot={shot}", page.resolve().as_uri()],
            check=True,
            capture_output=True,
            timeout=120,
        )
        Image.open(shot).convert("RGB").quantize(128).save(target, optimize=True)
    if target.stat().st_size > MOST:
        raise BookError(f"{target} has {target.stat().st_size:,} bytes, more than {MOST:,}")
    return target
