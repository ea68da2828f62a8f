"""The experiments, one package per section of the survey; each function is registered with its claim."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path


@cache
def register(claim: str = "") -> None:
    """Import every experiment, so that the registry of claims is complete; of one claim, the modules that name it."""
    here = Path(__file__).parent
    for path in sorted(here.rglob("[!_]*.py")):
        if not claim or f'"{claim}"' in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join((__name__, *path.relative_to(here).with_suffix("").parts)))
