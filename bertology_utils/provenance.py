"""What a record says of where a figure comes from: code, versions, machine and settings, the hashes of files."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from datetime import datetime, timezone
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from .settings import Settings


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


@cache
def versions() -> dict[str, str]:
    """Versions of what a figure may depend on."""
    names = ("bertology-utils", "torch", "transformers", "tokenizers", "numpy", "scipy", "scikit-learn")

    def version(name: str) -> str:
        try:
            return metadata.version(name)
        except metadata.PackageNotFoundError:
            return "not installed"

    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def requested(settings: Settings) -> dict[str, Any]:
    """What a record of these settings says of what was asked for."""
    noise = settings.noise or None
    return {"asked": settings.n, "seed": settings.seed, "dtype": settings.dtype, "noise": noise}


def scoring(settings: Settings) -> dict[str, Any]:
    """How figures were computed, whatever ran the model."""
    return {
        "versions": versions(),
        "git": commit(),
        "seed": settings.seed,
        "draws": settings.draws,
        "asked": settings.n,  # items per task; None for the claim's own number
        "date": datetime.now(timezone.utc).date().isoformat(),
        **({"noise": settings.noise} if settings.noise else {}),
    }


def measured(settings: Settings, seconds: float, **hashes: object) -> dict[str, Any]:
    """Where and how a figure was measured."""
    import torch

    device = settings.torch_device()
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else platform.machine()
    where = {"device": str(device), "device_name": name, "dtype": settings.dtype, "seconds": round(seconds, 1)}
    return {**hashes, **where, **scoring(settings)}
