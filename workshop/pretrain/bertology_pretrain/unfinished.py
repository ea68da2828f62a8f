"""Finished models of a plan's unfinished stages, when there is no more time for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from bertology_utils.family.config import ConfigError

from .checkpoint import CheckpointError
from .plan import budget, finished, load, summary
from .train import run as train


def decayed(
    plan: str | Path,
    corpus: str | Path,
    out: str | Path,
    folder: str | Path,
    *,
    minutes: float | None = None,
    device: str | None = None,
    cache: str | Path | None = None,
    scale: float = 1.0,
    say: Callable[[str], None] = print,
) -> None:
    """A finished model of each stage that time did not last for: its learning rate is decayed at once (`release.begin`).

    Parameters
    ----------
    plan, corpus, out, device, cache, scale
        As of `run`, which can go on with the stages afterwards.
    folder : str or Path
        Other than `out`: a folder per stage is made in it.
    minutes : float, optional
        For all stages; the next call goes on.
    say : callable
        Told one line per stage that has begun: what it came to, or why it cannot be decayed.
    """
    deadline = time.monotonic() + 60 * minutes if minutes else float("inf")
    for stage in load(plan):
        run_, made = Path(out) / stage.name, Path(folder) / stage.name
        left = (deadline - time.monotonic()) / 60
        if finished(run_) or finished(made) or left <= 0 or not (run_ / "checkpoint.pt").is_file():
            continue
        config, text = stage.configuration(out, scale), Path(corpus) / stage.corpus
        config = replace(config, tokens=budget(stage, config, Path(corpus), run_, device, cache, scale))
        options: dict[str, Any] = {"device": device, "minutes": min(left, 1e6), "cache": cache, "exits": True}
        try:
            train(config, text, run_, release=made, **options)
        except (CheckpointError, ConfigError) as error:
            say(f"{stage.name}: {error}")
        else:
            say(summary(stage, made))
