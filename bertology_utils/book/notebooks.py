"""Executing notebooks: copies for the book, or the stored ones in place."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import nbformat

from .. import files
from ..settings import PREFIX

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}


class NotebookError(RuntimeError):
    """A notebook did not run to its end, or not silently; the message names notebook and cell."""


def paths(folder: Path) -> list[Path]:
    """The notebooks of a folder, in the book's order."""
    return sorted(folder.glob("*.ipynb"))


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """A kernel's environment: the variables given (an empty one is left out), the rest as it is here."""
    return {name: value for name, value in {**os.environ, **variables}.items() if value or name not in variables}


def switches(folder: Path, model: str = "mini", data: str = "builtin", device: str = "cpu") -> dict[str, str]:
    """What a notebook's kernel is told, so that its figures depend on nothing else of the user's machine.

    Evidence goes to ``folder/evidence`` (the folder is made where it is missing). The mirror is withheld from a run on
    generated data, and so is whatever else is set for this package and what its cache holds: they can have no part in it.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    given = {"model": model, "data": data, "device": device, "evidence": str(folder / "evidence")}
    unset = dict.fromkeys(("dtype", "seed", "batch_tokens", "n", "draws", "noise"), "")
    if data == "builtin":
        others = (name.removeprefix(PREFIX).lower() for name in os.environ if name.startswith(PREFIX))
        unset |= dict.fromkeys(("mirror", *others), "")  # with the models that a comparison may be given
        given["cache"] = str(folder / "cache")
    return {
        **{f"{PREFIX}{name.upper()}": value for name, value in {**unset, **given}.items()},
        "HF_HUB_OFFLINE": "1" if model in ("mini", "mini-multi") else "",
        "TOKENIZERS_PARALLELISM": "false",
        "NO_PROGRESS": "1",
        "OMP_NUM_THREADS": "1",  # sums come out alike however many cores there are
        "MKL_NUM_THREADS": "1",
        "MPLBACKEND": "",
        "IPYTHONDIR": str(folder / "ipython"),  # none of the user's start-up files, nothing in the user's history
    }


def execute(path: Path, variables: Mapping[str, str]) -> float:
    """Execute a notebook where it lies and write its outputs back; the seconds it took.

    The variables are set in its kernel's environment (`environment`).

    Raises
    ------
    NotebookError
        A cell failed, or wrote to stderr: a reader is not to see warnings.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(path, as_version=4)
    notebook.metadata["kernelspec"] = dict(KERNEL)  # whatever kernel it was last saved with
    client = NotebookClient(
        notebook,
        timeout=1800,
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
        coalesce_streams=True,  # where what a cell prints is cut hangs on the machine's load
        extra_arguments=["--log-level=ERROR"],  # the kernel's own remarks are not the notebook's
    )
    start = time.perf_counter()
    try:
        client.execute(env=environment(variables))
    except CellExecutionError as error:
        raise NotebookError(f"{path.name}: {error}") from None
    for number, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            if output.get("name") == "stderr":
                raise NotebookError(f"{path.name}, cell {number} wrote to stderr: {output['text'].strip()}")
    notebook.metadata["language_info"] = {"name": "python"}  # not the interpreter's exact version: a diff a machine
    files.write(path, nbformat.writes(notebook) + "\n")
    return time.perf_counter() - start


def run(
    folder: Path,
    kept: Path,
    model: str = "mini",
    data: str = "builtin",
    device: str = "cpu",
    variables: Mapping[str, str] | None = None,
    only: Sequence[str] = (),
) -> None:
    """Execute the notebooks of a folder, or `only` those of these names; their evidence goes to ``kept/evidence``.

    On the processor one notebook per core at a time: each of them computes on one thread. An accelerator serves one at
    a time. `variables` are set in the kernels' environment over everything else.
    """
    everything = [path for path in paths(folder) if not only or path.stem in only]
    if unknown := set(only) - {path.stem for path in everything}:
        raise NotebookError(
            f"no notebook {', '.join(sorted(unknown))}; there are: {', '.join(p.stem for p in paths(folder))}"
        )
    at_once = max(1, min(len(everything), os.cpu_count() or 1)) if device == "cpu" else 1
    done = 0
    told = {**switches(kept, model, data, device), **(variables or {})}
    with ThreadPoolExecutor(at_once) as pool:
        waiting = {pool.submit(execute, path, told): path for path in everything}
        try:
            for future in as_completed(waiting):
                seconds, done = future.result(), done + 1
                print(f"[{done}/{len(everything)}] {waiting[future].stem} {seconds:.0f} s", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def sync(folder: Path) -> None:
    """Bring each notebook and its percent script to the same text; the one changed last wins, a missing one is made.

    Raises
    ------
    NotebookError
        What the other half says was not committed and would be lost; both are as they were.
    """
    from jupytext.cli import jupytext

    from .halves import lost

    for name in sorted({p.stem for pattern in ("*.ipynb", "*.py") for p in folder.glob(pattern)}):
        path = folder / f"{name}.ipynb"
        if (half := lost(path)) is not None:
            raise NotebookError(
                f"{half}: changed, not committed, and older than its other half, which says something else and would "
                "replace it; bring the two together by hand, or commit this one first"
            )
        path = path if path.exists() else path.with_suffix(".py")
        if jupytext(["--quiet", "--sync", str(path)]):
            raise NotebookError(f"{path}: jupytext could not pair it with its other half")
