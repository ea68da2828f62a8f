"""The trained models of the tier ``seeds``: found by name in a folder, known by their hash."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ..claims.seeds import Network
from ..errors import Refusal
from ..family.grid import Member, tiers
from ..family.record import SHIPPED, find
from ..settings import Settings
from ..subject.models import Subject, load

TIER = "seeds"
NAME = "mini-s"  # of the models, whatever their seed


class NoModels(Refusal):
    """Models of seeds are not where they should be, or are others; the message names them."""


@dataclass(frozen=True, eq=False)
class Trained:
    """A network and the subject it is loaded as."""

    network: Network
    subject: Subject


def trained(
    folder: Path, settings: Settings, seeds: Iterable[int] = (), *, root: Path = SHIPPED, tier: str = TIER
) -> list[Trained]:
    """The models of a tier that keeps them, by seed.

    Parameters
    ----------
    folder : Path
        The work folder of ``bertology family run``, each model in a folder of its own (`Member.short`).
    settings : Settings
        Device and precision.
    seeds : iterable of int
        Only these; by default all of the tier.
    root : Path
        Folder of the family's records.

    Raises
    ------
    NoModels
        A model is missing, has no record, or is not the one that its record names; or there is no such seed.
    """
    wanted = set(seeds)
    members = [m for m in tiers()[tier].members if not wanted or m.seed in wanted]
    if strange := wanted - {m.seed for m in members}:
        raise NoModels(f"tier {tier!r} has no seed {', '.join(map(str, sorted(strange)))}")
    return [_one(m, folder, settings, root) for m in members]


def _one(member: Member, folder: Path, settings: Settings, root: Path) -> Trained:
    record, path = find(member, root), (folder / member.short).resolve()
    if record is None or not path.is_dir():
        lacks = "no model" if record else "no record"
        raise NoModels(
            f"{member.name} has {lacks} ({path}): bertology family run {member.tier!r} --work {folder} trains it"
        )
    subject = replace(load(str(path), settings), name=NAME)
    if subject.sha256 != record.model:
        raise NoModels(f"{path} is not the model that the record of {member.name} names: it is of another training")
    shape = subject.n_layers, subject.hidden_size
    return Trained(Network(member.seed, member.key, subject.sha256, *shape, record.provenance["tokens"]), subject)
