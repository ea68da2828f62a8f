"""A notebook's two switches where no shell sets them: on a hosted runtime, by a form."""

from __future__ import annotations

import os
from typing import Any

from .settings import PREFIX, Settings

DEFAULT = "default"
ON_A_GPU = {"model": "bert-base-uncased", "data": "original"}


def choose(model: str = DEFAULT, data: str = DEFAULT, section: str = "", *, fast: bool = False) -> None:
    """Set the model and the data of everything that this process measures.

    Parameters
    ----------
    model, data : str
        As of `Settings`. ``default`` leaves what the environment says; on a hosted GPU runtime it is the real BERT on
        the studies' own data, which is what such a runtime is for.
    section : str
        The section of the survey that the notebook is about.
    fast : bool
        Take few items of everything: does it all run?

    Raises
    ------
    SettingsError
        A value is impossible; the environment is left as it was.

    Examples
    --------
    >>> choose("default", "default")
    """
    wanted: dict[str, Any] = {name: value for name, value in (("model", model), ("data", data)) if value != DEFAULT}
    if fast:
        wanted["fast"] = "1"
    if on_colab() and _gpu():
        wanted = {**{k: v for k, v in ON_A_GPU.items() if f"{PREFIX}{k.upper()}" not in os.environ}, **wanted}
    Settings.of(**wanted)  # whatever is wrong with it is said now
    os.environ.update({f"{PREFIX}{name.upper()}": value for name, value in wanted.items()})


def on_colab() -> bool:
    """Whether this is a runtime of Colab, which says so in its environment."""
    return "COLAB_RELEASE_TAG" in os.environ


def _gpu() -> bool:
    import torch

    return torch.cuda.is_available()
