"""The second model of a comparison: what a claim about two models is measured against.

Such a claim gives the other model a role (`nonsp`: pretrained without next-sentence prediction; `partner`: pretrained
otherwise; …). Who plays it is said by the settings (``BERTOLOGY_<ROLE>`` in the environment): a bundled model, a Hub
name or a folder; else it is looked for in the cache folder as ``<model>-<role>`` (`mini-nonsp`); else it is what the
claim itself names, if anything.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from ..settings import PREFIX, TWIN, Settings
from . import models
from .models import Subject


def companion(role: str, settings: Settings, *, twin: bool = False, default: str | None = None) -> Subject | None:
    """The model in a role beside the settings' own, or its untrained twin; None where there is none.

    Parameters
    ----------
    role : str
        A field of the settings: ``nonsp``, ``partner`` or ``shallow``.
    default : str, optional
        The model to take where neither the settings nor the cache folder names one.

    Raises
    ------
    ModelUnavailable
        If the model that is named cannot be had.
    """
    folder = _folder(role, settings)
    name = getattr(settings, role) or (str(folder) if (folder / "config.json").is_file() else "") or default
    if not name:
        return None
    # the model depends on these settings alone, so one load serves subject, twin and several claims
    plain = Settings(device=settings.device, dtype=settings.dtype, seed=settings.seed, noise=settings.noise)
    found = _load(name, plain)
    return found.twin(settings.seed) if twin and not found.is_twin else found


def how_to_name(role: str, settings: Settings) -> str:
    """What to do about a companion that is not there, for notes and errors."""
    folder = _folder(role, settings)
    return f"name one in {PREFIX + role.upper()}, or put a folder {folder.name} into the cache folder"


def _folder(role: str, settings: Settings) -> Path:
    return settings.cache / f"{Path(settings.model.removesuffix(TWIN)).name}-{role}"


@lru_cache(maxsize=2)
def _load(name: str, settings: Settings) -> Subject:
    return models.load(name, settings)
