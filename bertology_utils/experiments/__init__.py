"""The experiments, one package per section of the survey; each function is registered with its claim."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache


@cache
def register() -> None:
    """Import every experiment, so that the registry of claims is complete."""
    for module in pkgutil.walk_packages(__path__, __name__ + "."):
        importlib.import_module(module.name)
