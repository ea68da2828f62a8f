"""A finished model from an unfinished run: the learning rate of a stable run's checkpoint decayed at any time.

Under the schedule ``stable`` a run goes on for as long as there is work for it; what it would be if it ended now takes only the
decay. That is trained in a folder of its own, so that the stable run can go on afterwards.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import torch

from bertology_utils.family.config import Config, ConfigError

from .checkpoint import CheckpointError
from .rates import stable


def begin(config: Config, run: Path, folder: Path) -> Config:
    """Copy a stable run's checkpoint into a folder, and say with which budget it ends there.

    Parameters
    ----------
    config : Config
        The stable run's.
    run, folder : Path
        The stable run's folder, and the one to decay in; where that has a checkpoint already it is left alone.

    Returns
    -------
    Config
        With the budget of which the decay is the share that `config.decay` says, and all before it has been trained.

    Raises
    ------
    ConfigError
        The schedule is not ``stable``.
    CheckpointError
        There is no checkpoint, or it is not in the stable part.
    """
    if config.schedule != "stable":
        raise ConfigError(f"configuration {config.name!r}: the schedule {config.schedule!r} has no stable part")
    path = folder / "checkpoint.pt"
    if path.is_file():
        state = torch.load(path, map_location="cpu", weights_only=True)
        return replace(config, tokens=state["record"]["config"]["tokens"])
    if not (run / "checkpoint.pt").is_file():
        raise CheckpointError(f"no checkpoint in {run}")
    state = torch.load(run / "checkpoint.pt", map_location="cpu", weights_only=True)
    short = replace(config, tokens=round(state["seen"] / (1 - config.decay)))
    if not (stable(config, state["seen"]) and stable(short, state["seen"])):
        raise CheckpointError(
            f"{run} has seen {state['seen']:,} pieces: that is not in the stable part of its schedule"
        )
    state["record"]["config"]["tokens"] = state["identity"]["tokens"] = short.tokens
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("tokenizer.json", "log.jsonl"):
        shutil.copy2(run / name, folder / name)
    torch.save(state, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)
    return short
