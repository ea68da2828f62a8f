"""What is to be trained: tiers of one text and one budget, in them named groups that each change something of the base.

A group is trained with seeds 0, 1, …; seed k of two groups sees the text in the same order where both configurations
cut it alike, so that differences are paired by seed. Two names for one configuration are one run (`Member.key`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from .config import FREE, Config, ConfigError
from .reading import from_plain

TRAINING, LANGUAGES = "training", "languages"  # what the runs of a tier differ in
CODE = 1  # raised by hand whenever a change of the training or of the measuring changes what a record would say
GRID = Path(str(files("bertology_utils") / "assets" / "family" / "grid.yaml"))
UNNAMED = {"name", *FREE} - {"eval_length", "eval_mask_rate"}  # of a configuration: what no figure depends on


@dataclass(frozen=True)
class Member:
    """One run of the family.

    Attributes
    ----------
    tier, group : str
    config : Config
        With its seed.
    text : str
        SHA-256 of the text, or over those of its files.
    only : tuple of str
        What is measured of it, as `measure.measure` names it; empty: everything. Of runs that one claim alone compares.
    """

    tier: str
    group: str
    config: Config
    text: str
    only: tuple[str, ...] = ()

    @property
    def seed(self) -> int:
        return self.config.seed

    @property
    def name(self) -> str:
        """``tier/group-seed``."""
        return f"{self.tier}/{self.group}-{self.seed}"

    @property
    def short(self) -> str:
        """``group-seed``: the folder of its model, where that is kept."""
        return f"{self.group}-{self.seed}"

    @property
    def key(self) -> str:
        """Sixteen hexadecimal digits over configuration (its name apart), text and version of the code."""
        return key(self.config, self.text)


@dataclass(frozen=True)
class Tier:
    """A text and the runs on it.

    Attributes
    ----------
    name : str
    data : str
        What evidence from this tier is filed under: ``builtin``, ``few_words``, ``corpus``, ``corpus-large`` or
        ``corpus_multilingual``.
    about : str
        What its runs differ in: ``training`` or ``languages``.
    text : mapping
        ``generated`` (sentences, and of how many ``words`` where not of all), ``multilingual`` (sentences per language) or
        ``files`` (names below the corpus folder), and their ``sha256``.
    says : str
        The tier in a sentence, for notes and pages.
    members : tuple of Member
        In the order in which they are worth running.
    """

    name: str
    data: str
    text: dict[str, Any]
    says: str
    members: tuple[Member, ...]
    about: str = TRAINING

    def group(self, name: str) -> list[Member]:
        """A group's runs by seed.

        Raises
        ------
        ConfigError
            There is no such group.
        """
        found = [m for m in self.members if m.group == name]
        if not found:
            raise ConfigError(f"tier {self.name!r} has no group {name!r}: {', '.join(self.groups)}")
        return found

    @property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(m.group for m in self.members))


def key(config: Config, text: str) -> str:
    """The hash that a run is found by: fields at their defaults do not count, so that new ones change no old hash."""
    told = json.loads(json.dumps(asdict(config)))
    defaults = json.loads(json.dumps({f.name: f.default for f in fields(Config)}, default=str))
    said = {k: v for k, v in told.items() if k not in UNNAMED and v != defaults[k]}
    whole = json.dumps({"config": said, "text": text, "code": CODE}, sort_keys=True)
    return hashlib.sha256(whole.encode()).hexdigest()[:16]


@cache
def tiers(path: str | Path = GRID) -> dict[str, Tier]:
    """The tiers of a grid, by name.

    Raises
    ------
    ConfigError
        A field of a configuration is unknown or contradicts another; the message names the run.
    """
    raw = yaml.safe_load(Path(path).read_text("utf-8"))
    return {name: _tier(name, told) for name, told in raw["tiers"].items()}


def _tier(name: str, told: dict[str, Any]) -> Tier:
    text, found = told["text"], []
    for group, changes in told["groups"].items():
        changes = dict(changes or {})
        seeds, only = changes.pop("seeds", told["seeds"]), tuple(changes.pop("only", told.get("only", ())))
        for seed in range(seeds):
            values = {**told["base"], **changes, "seed": seed, "name": f"{name}-{group}-{seed}"}
            values |= {k: text[k] for k in ("generated", "words", "multilingual") if k in text}
            found.append(Member(name, group, from_plain(values, f"run {values['name']}"), text["sha256"], only))
    return Tier(name, told["data"], text, told["says"], tuple(found), told.get("about", TRAINING))


def members(names: Iterable[str] = (), tier: str | None = None) -> list[Member]:
    """The runs of a tier (all tiers by default), or those whose name, hash, group, tier or ``tier/group`` is among `names`.

    Raises
    ------
    ConfigError
        Nothing is called so.
    """
    known = tiers()
    if tier is not None and tier not in known:
        raise ConfigError(f"no tier {tier!r}: {', '.join(known)}")
    every = [m for t in known.values() for m in t.members if tier in (None, t.name)]
    names = list(names)
    called = {m: {m.name, m.key, m.group, m.tier, f"{m.tier}/{m.group}", m.short} for m in every}
    strange = [n for n in names if not any(n in c for c in called.values())]
    if strange:
        groups = dict.fromkeys(f"{m.tier}/{m.group}" for m in every)
        raise ConfigError(f"no run is called {', '.join(strange)}; the groups are {', '.join(groups)}")
    return [m for m in every if not names or called[m] & set(names)]
