"""Configurations by name, from YAML files and from the records of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import yaml

from .config import Config, ConfigError, Phase

FOLDER = Path(__file__).parent / "configs"


def from_record(values: Mapping[str, Any]) -> Config:
    """The configuration that a ``training.json`` or a checkpoint tells of."""
    values = plain(values)
    values["phases"] = tuple(Phase(**p) for p in values["phases"])
    values |= {name: tuple(values[name]) for name in ("betas", "exclude")}
    return Config(**values | {"layouts": tuple(map(tuple, values["layouts"]))})


def plain(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as a file or a record tells them, in those of `Config`: `nsp` says whether there is a second task."""
    raw = dict(raw)
    if "nsp" in raw:
        nsp = raw.pop("nsp")
        pair = raw.setdefault("pair", "nsp" if nsp else "none")
        if not isinstance(nsp, bool) or nsp != (pair != "none"):
            raise ConfigError(f"nsp {nsp!r}, pair {pair!r}: name the second task once, by pair")
    return raw


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
        return replace(name_or_path, **changes)
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
    unknown = set(raw) - {f.name for f in fields(Config)}
    if unknown:
        raise ConfigError(f"{path}: unknown field {', '.join(sorted(unknown))}")
    try:
        raw["phases"] = tuple(p if isinstance(p, Phase) else Phase(**p) for p in raw.get("phases", ()))
        for key in ("betas", "exclude"):
            if key in raw:
                raw[key] = tuple(raw[key])
        if "layouts" in raw:
            raw["layouts"] = tuple(tuple(pair) for pair in raw["layouts"])
        for key in ("tokens", "batch_tokens", "eval_tokens"):  # YAML reads 2.5e+9 as a float
            if key in raw:
                raw[key] = int(float(raw[key]))
        return Config(**raw)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from None
