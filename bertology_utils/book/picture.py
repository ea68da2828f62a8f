"""The picture of the landing page that the README shows, taken of a rendered book.

The file says which counts it shows, so that a test can tell when they are no longer those of the evidence.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from .stage import ROOT, BookError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
TARGET = ROOT / "book" / "_static" / "landing.png"
SIZE = (1280, 960)
MOST = 200_000  # bytes
COUNTS = "Counts"


def counts(html: str) -> str:
    """The landing page's counts, one after the other.

    >>> counts('<span class="tally-count">18 of 29</span> <span class="tally-count">12 of 60</span>')
    '18 of 29; 12 of 60'
    """
    return "; ".join(re.findall(r'class="tally-count">([^<]+)<', html))


def take(pages: Path) -> Path:
    """Write the picture of a rendered book, which lies in the folder `pages`; its path.

    Raises
    ------
    BookError
        There is no rendered book, no Chromium, or the picture is larger than `MOST`.
    """
    page = pages / "book" / "intro.html"
    binary = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not page.is_file() or binary is None:
        raise BookError("no Chromium is installed" if binary is None else f"{page} is missing: render the book first")
    from PIL import Image, PngImagePlugin

    told = PngImagePlugin.PngInfo()
    told.add_text(COUNTS, counts(page.read_text(encoding="utf-8")))
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
        Image.open(shot).convert("RGB").quantize(128).save(TARGET, optimize=True, pnginfo=told)
    if TARGET.stat().st_size > MOST:
        raise BookError(f"{TARGET} has {TARGET.stat().st_size:,} bytes, more than {MOST:,}")
    return TARGET
