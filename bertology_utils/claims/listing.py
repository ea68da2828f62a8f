"""What ``bertology list`` shows, kept until a file it rests on changes; and what its words mean.

Deciding all claims from all rows takes seconds and imports what runs models. What came out depends on files alone, so it
is kept under a hash of their names, sizes and times.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from .. import __version__, files
from ..settings import Settings

PACKAGE = Path(__file__).resolve().parents[1]
RESTS_ON = (
    "assets/evidence",
    "assets/ledger",
    "assets/reported",
    "assets/calibration",
    "claims",
    "cards",
    "calibration",
    "scores",
)
WORDS = {  # the words of `list` and `run`, in the order in which they are explained
    "holds": "the whole interval lies beyond the bound",
    "holds, learned": "and the untrained twin is beaten on the same items",
    "holds, untrained too": "it needs no training",
    "mixed": "some of what the sentence says holds, some does not",
    "does not hold": "the whole interval falls short of the bound",
    "fails": "this figure's interval falls short of the bound",
    "open": "the interval lies across the bound, or rests on too few items to say; or some parts hold and the rest is open",
    "untestable": "a check of the instrument failed first",
}
WORDS_AS_TEXT = "What the words mean. " + "; ".join(f"{word}: {means}" for word, means in WORDS.items()) + "."


def legend(text: str) -> str:
    """What those of the words mean that a text has, in a line each.

    >>> print(legend("accuracy: 0.5 [0.4, 0.6]  open"))
        open: the interval lies across the bound, or rests on too few items to say; or some parts hold and the rest is open
    """
    low = text.lower()
    return "\n".join(f"    {word}: {means}" for word, means in WORDS.items() if word in low)


def lines(settings: Settings, make: Callable[[Settings], list[dict[str, Any]]]) -> list[dict[str, Any]]:
    """What `make` gives for the evidence at hand, from the cache where no file has changed since."""
    folder = settings.cache / "list"
    path = folder / f"{fingerprint(settings)}.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        pass
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = make(settings)
    for warning in said:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    if said:  # a record left out is to be said again the next time
        return made
    try:
        for old in folder.glob("*.json"):
            old.unlink(missing_ok=True)
        files.write(path, json.dumps(made, ensure_ascii=False))
    except OSError:  # a cache that cannot be written makes it slow, not wrong
        pass
    return made


def fingerprint(settings: Settings) -> str:
    """A hash over names, sizes and times of everything the list rests on."""
    digest = hashlib.sha256(f"{__version__} {settings.evidence.resolve()}".encode())
    for path in _files(settings):
        status = path.stat()
        digest.update(f"{path} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:32]


def _files(settings: Settings) -> Iterator[Path]:
    for root in (*(PACKAGE / name for name in RESTS_ON), settings.evidence):
        for pattern in ("*.json", "*.yaml", "*.py"):
            yield from sorted(root.rglob(pattern))
