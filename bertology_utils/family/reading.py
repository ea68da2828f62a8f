"""Configurations and the course of training, from the plain values of records and files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from .config import Config, ConfigError, Phase

SITTING = ("tokens", "steps", "seconds", "device", "precision")
SECOND_TASKS = {"nsp": "next-sentence", "sop": "sentence-order"}


def plain(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as a file or a record tells them, in those of `Config`: `nsp` says whether there is a second task."""
    raw = dict(raw)
    if "nsp" in raw:
        nsp = raw.pop("nsp")
        pair = raw.setdefault("pair", "nsp" if nsp else "none")
        if not isinstance(nsp, bool) or nsp != (pair != "none"):
            raise ConfigError(f"nsp {nsp!r}, pair {pair!r}: name the second task once, by pair")
    return raw


def from_plain(raw: Mapping[str, Any], where: str = "a record") -> Config:
    """A configuration from plain values, as YAML and records have them; `where` they stand is named in errors.

    Raises
    ------
    ConfigError
        Unknown or missing field, contradiction.
    """
    raw = plain(raw)
    unknown = set(raw) - {f.name for f in fields(Config)}
    if unknown:
        raise ConfigError(f"{where}: unknown field {', '.join(sorted(unknown))}")
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
        raise ConfigError(f"{where}: {error}") from None


def sitting(record: Mapping[str, Any]) -> dict[str, Any]:
    """A run in short, from its ``training.json``.

    Returns
    -------
    dict
        ``name`` and ``seed`` of its configuration; ``tokens`` (pieces), ``steps``, ``seconds``, ``device`` and, where the
        record has it, ``precision``.
    """
    run = record["config"]
    return {"name": run["name"], "seed": run["seed"]} | {k: record[k] for k in SITTING if k in record}


def second_task(run: Mapping[str, Any]) -> str:
    """The second task of a run's configuration in words.

    >>> second_task({"nsp": True}), second_task({"nsp": False})
    (' and next sentence', '')
    """
    return f" and {SECOND_TASKS[run.get('pair', 'nsp')].replace('-', ' ')}" if run["nsp"] else ""
