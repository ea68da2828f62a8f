"""Configurations by name and from YAML files."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import yaml

from bertology_utils.family.config import Config, ConfigError
from bertology_utils.family.reading import from_plain, plain

from .checks import checked

FOLDER = Path(__file__).parent / "configs"


def names() -> list[str]:
    """The configurations that come with the package."""
    return sorted(p.stem for p in FOLDER.glob("*.yaml"))


def load(name_or_path: str | Path | Config, **changes: Any) -> Config:
    """Read a configuration by name or from a YAML file.

    Parameters
    ----------
    name_or_path : str or Path or Config
        One of `names()`, a ``.yaml`` file, or a record as it is.
    **changes
        Fields to replace; None leaves a field as it is.

    Raises
    ------
    ConfigError
        Unknown name, unknown or missing field, contradiction.
    """
    changes = plain({k: v for k, v in changes.items() if v is not None})
    if isinstance(name_or_path, Config):
        return checked(replace(name_or_path, **changes))
    path = Path(name_or_path)
    if path.suffix not in (".yaml", ".yml"):
        path = FOLDER / f"{name_or_path}.yaml"
    if not path.is_file():
        raise ConfigError(f"no configuration {str(name_or_path)!r}: give a .yaml file or one of {', '.join(names())}")
    raw = yaml.safe_load(path.read_text("utf-8"))
    if not isinstance(raw, dict):
        raise ConfigError(f"{path} holds no fields")
    raw = plain(raw)
    if base := raw.pop("base", None):
        beside = path.parent / f"{base}.yaml"
        parent = load(beside if beside.is_file() else base)
        raw = {f.name: getattr(parent, f.name) for f in fields(Config)} | {"name": path.stem} | raw
    raw = {"name": path.stem} | raw | changes
    return checked(from_plain(raw, str(path)))
