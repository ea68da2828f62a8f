"""A notebook's switches where no shell sets them, by a form; and what its runtime can do with them."""

from __future__ import annotations

import os
import sys
from typing import Any

from .settings import PREFIX, Settings

DEFAULT = "default"
ON_A_GPU = {"model": "bert-base-uncased", "data": "original"}
# Main memory of a whole run at the most, per parameter: a random network of BERT-base's size took 7.5 GiB.
MEMORY = 7.5 * 2**30 / 110e6


def choose(model: str = DEFAULT, data: str = DEFAULT, section: str = "", *, fast: bool = False) -> None:
    """Set the model and the data of everything that this process measures; where a model is chosen, say what that takes.

    Parameters
    ----------
    model, data : str
        As of `Settings`. ``default`` leaves what the environment says; on a hosted GPU runtime it is the real BERT on
        the studies' own data, which is what such a runtime is for.
    section : str
        The section of the survey that the notebook is about; of none, nothing is said.
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
    if on_colab() and gpu():
        wanted = {**{k: v for k, v in ON_A_GPU.items() if f"{PREFIX}{k.upper()}" not in os.environ}, **wanted}
    settings = Settings.of(**wanted)  # whatever is wrong with it is said now
    os.environ.update({f"{PREFIX}{name.upper()}": value for name, value in wanted.items()})
    if asked_for(settings) and (shell := _shell()):
        from .side_by_side import LOG, guard

        guard(shell, settings.evidence / LOG)
    if section and (on_colab() or settings.model != Settings.model):
        print(*outlook(section, settings), sep="\n")


def asked_for(settings: Settings, model: str = Settings.model) -> bool:
    """Whether a reader asks for anything but what the book was made with, where that was made with a model."""
    names = ("data", "n", "seed", "dtype", "fast", "noise")
    return settings.model != model or any(getattr(settings, k) != getattr(Settings(), k) for k in names)


def _shell() -> Any:
    """The notebook that this process runs; None outside one."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython

    return get_ipython()


def outlook(section: str, settings: Settings) -> list[str]:
    """What this runtime is, what a chapter measures on it and how long that may take, in plain lines.

    Raises nothing that a user can mend: a model that cannot be had is one of the lines, and the chapter goes on.
    """
    from .claims import ledger
    from .errors import Refusal
    from .runs import registered, subjects
    from .sweep import plan, planned

    name, memory = gpu(), main_memory()
    fast = settings.fast
    said = [f"This runtime: {name or 'no GPU'}, {memory / 2**30:.0f} GB of main memory."]
    if settings.model == Settings.model and not fast:
        said.append(
            "The figures come from recorded runs, the examples are computed now: a few minutes for the chapter."
        )
        if on_colab() and not name:
            said.append("For the real BERT choose a GPU (Runtime, Change runtime type) and run this cell again.")
        return said
    settings = Settings.of(settings, model=ledger.subject(section, settings.model))
    try:
        (subject,) = subjects(settings, twin=False)
    except Refusal as error:
        return [*said, f"{error}. The chapter shows recorded runs."]
    work, _ = planned([row.id for row in ledger.rows(section) if row.id in registered()], settings)
    first = list(dict(reversed(work)).items())  # a chapter measures on one source of each claim
    seconds, _ = plan.total(first, plan.pace(subject, settings), fast=fast)
    said.append(
        f"{settings.model} is put to {len(first)} claims{' on few items' if fast else ''}: some "
        f"{plan.in_words(seconds)} here for the chapter (extrapolated from recorded runs)."
    )
    if seconds > 3600 and not fast:
        said.append(
            "Tick FAST for a try on few items, or keep the page open: what is measured is kept, claim by claim."
        )
    needed = MEMORY * sum(p.numel() for p in subject.model.parameters())
    if memory < needed:
        said.append(
            f"Such a model took up to {needed / 2**30:.0f} GB of main memory: it may end before the chapter does."
        )
    return said


def on_colab() -> bool:
    """Whether this is a runtime of Colab, which says so in its environment."""
    return "COLAB_RELEASE_TAG" in os.environ


def gpu() -> str:
    """The accelerator's name and memory; empty where there is none."""
    import torch

    if not torch.cuda.is_available():
        return ""
    found = torch.cuda.get_device_properties(0)
    return f"{found.name} ({found.total_memory / 2**30:.0f} GB)"


def main_memory() -> float:
    """Bytes of this machine's main memory; nan where the system does not say (Windows)."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else float("nan")
