"""Do the notebooks say the same on other machines? Each is executed as another machine would, and what moves is told.

A variant is an environment that makes the numerical libraries round otherwise: other vector instructions, other
kernels, other numbers of threads, noise of the size of rounding planted in every hidden state. The fresh
outputs are compared with the stored ones as `scores.sameness` defines it. The table shows, per notebook and variant, the
largest movement of a figure in half-widths of its own interval; a tenth is what the tests allow.
"""

from __future__ import annotations

import argparse
import math
import platform
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat

from ..scores import sameness
from . import notebooks

NOISE = "1e-6"
_THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
VARIANTS: dict[str, dict[str, str]] = {
    "as it is": {},
    "no vectors": {"ATEN_CPU_CAPABILITY": "default"},
    "avx2": {"ATEN_CPU_CAPABILITY": "avx2"},
    "avx512": {"ATEN_CPU_CAPABILITY": "avx512"},
    "old kernels": {"ONEDNN_MAX_CPU_ISA": "SSE41", "MKL_CBWR": "COMPATIBLE"},
    "another blas": {"OPENBLAS_CORETYPE": "NEHALEM"},
    "two threads": dict.fromkeys(_THREADS, "2"),
    "noise": {"BERTOLOGY_NOISE": NOISE},
}


@dataclass(frozen=True)
class Moved:
    """How far a notebook's figures moved.

    Attributes
    ----------
    half_widths : float
        The largest movement of a figure with an interval, in half-widths of it.
    differing : tuple of int
        Cells that do not say the same any more.
    """

    half_widths: float
    differing: tuple[int, ...] = ()

    def __str__(self) -> str:
        shown = "words" if math.isinf(self.half_widths) else f"{self.half_widths:.3f}"
        return f"{shown} !{len(self.differing)}" if self.differing else shown


def supported() -> tuple[str, ...]:
    """The variants that this machine can show."""
    import torch

    ranks = ("DEFAULT", "AVX2", "AVX512")
    known = torch.backends.cpu.get_cpu_capability()
    here = ranks.index(known) if known in ranks else 0
    x86 = platform.machine().lower() in ("x86_64", "amd64")
    missing = {"avx512": here < 2, "avx2": here < 1, "old kernels": not x86, "another blas": not x86}
    return tuple(name for name in VARIANTS if not missing.get(name, False))


def outputs(path: Path) -> list[list[tuple[str, str]]]:
    """What of each code cell's outputs is compared: (kind, text)."""
    out = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        streams: dict[str, str] = {}  # in one piece: where a stream is cut depends on the clock
        for o in cell.outputs:
            if "text" in o:
                streams[o["name"]] = streams.get(o["name"], "") + o["text"]
        texts = list(streams.items())
        for o in cell.outputs:
            texts += [(kind, text) for kind, text in o.get("data", {}).items() if kind.startswith("text/")]
        out.append(texts)
    return out


def compare(stored: Path, fresh: Path) -> Moved:
    """How far the figures of two executions of a notebook are apart."""
    before, after = outputs(stored), outputs(fresh)
    if [[kind for kind, _ in cell] for cell in before] != [[kind for kind, _ in cell] for cell in after]:
        return Moved(math.inf, tuple(range(len(before))))
    largest, differing = 0.0, []
    for number, (left, right) in enumerate(zip(before, after)):
        for (_, a), (_, b) in zip(left, right):
            largest = max(largest, sameness.half_widths(a, b))
            if not sameness.same(a, b) and number not in differing:
                differing.append(number)
    return Moved(largest, tuple(differing))


def measure(folder: Path, names: Sequence[str], variables: Mapping[str, str]) -> dict[str, Moved]:
    """Execute copies of some notebooks of a folder (all, if none is named) with the variables; notebook -> how far."""
    with tempfile.TemporaryDirectory(prefix="bertology-portability-") as name:
        copies = Path(name) / "notebooks"
        copies.mkdir()
        chosen = [p for p in notebooks.paths(folder) if not names or any(p.stem.startswith(n) for n in names)]
        for path in chosen:
            shutil.copy2(path, copies)
        notebooks.run(copies, Path(name), variables=variables)
        return {path.stem: compare(path, copies / path.name) for path in chosen}


def table(found: Mapping[str, Mapping[str, Moved]]) -> str:
    """Variants as rows, notebooks as columns."""
    names = sorted({name for row in found.values() for name in row})
    wide = max([14, *map(len, names)]) + 2
    lines = ["largest movement of a figure, in half-widths of its interval; !n: n cells no longer say the same"]
    lines.append(f"{'':16}" + "".join(f"{name:>{wide}}" for name in names))
    lines += [f"{v:16}" + "".join(f"{row[n]!s:>{wide}}" if n in row else "" for n in names) for v, row in found.items()]
    return "\n".join(lines)


def options(parser: argparse.ArgumentParser) -> None:
    """The words of the command line."""
    parser.add_argument("--variants", default="", help=f"some of: {', '.join(VARIANTS)}; comma between")
    parser.add_argument("--notebooks", default="", help="names or numbers of some; comma between")


def main(given: argparse.Namespace, root: Path) -> int:
    """Execute, compare, print the table; 1 if a notebook does not say the same somewhere."""
    names = [n.strip() for n in given.notebooks.split(",") if n.strip()]
    wanted = [v.strip() for v in given.variants.split(",") if v.strip()] or list(supported())
    unknown = sorted(set(wanted) - set(VARIANTS))
    if unknown:
        raise notebooks.NotebookError(f"unknown variants {unknown}; there are {', '.join(VARIANTS)}")
    found: dict[str, dict[str, Moved]] = {}
    for variant in wanted:
        if variant not in supported():
            print(f"{variant}: skipped, this processor has none", file=sys.stderr)
            continue
        print(variant, file=sys.stderr, flush=True)
        found[variant] = measure(root / "notebooks", names, VARIANTS[variant])
    print(table(found))
    return int(any(m.differing for row in found.values() for m in row.values()))
