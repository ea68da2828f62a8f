"""``python -m bertology_utils.book build | notebooks``: what the Makefile calls."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from ..claims.evidence import SHIPPED, read, without_seconds
from ..settings import Settings
from . import notebooks, pages, stage, studies


def main(words: list[str] | None = None) -> int:
    """Run one command; errors of the book are one message and exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m bertology_utils.book", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="render the book, from stored outputs or from fresh ones")
    building.add_argument("--execute", action="store_true", help="execute copies of all notebooks first")
    building.add_argument("--model", default="mini")
    building.add_argument("--data", default="builtin")
    building.add_argument("--device", default="cpu")
    building.add_argument("--output", type=Path, default=stage.ROOT / "book" / "_build" / "html")
    commands.add_parser("notebooks", help="execute the stored notebooks in place, with the evidence they show")
    commands.add_parser("studies", help="make the package's copy of the bibliography again")
    given = parser.parse_args(words)
    try:
        if given.command == "notebooks":
            refresh(stage.ROOT)
        elif given.command == "studies":
            studies.write()
        else:
            switches = (given.model, given.data, given.device) if given.execute else None
            print(build(given.output, switches))
    except (stage.BookError, notebooks.NotebookError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def build(output: Path, switches: tuple[str, str, str] | None = None, root: Path = stage.ROOT) -> Path:
    """Render the book; the path of its first page.

    Parameters
    ----------
    output : Path
        Folder the pages go to (replaced).
    switches : (model, data, device), optional
        Execute the notebooks afresh with these; without, their stored outputs are shown.
    """
    with tempfile.TemporaryDirectory(prefix="bertology-book-") as name:
        folder, kept = Path(name) / "source", Path(name)
        folder.mkdir()
        stage.stage(folder, root)
        if switches:
            run(folder / "notebooks", kept, *switches)
        pages.write(
            folder / "book" / "_generated", Settings(evidence=kept / "evidence"), *stage.addresses(folder, root)
        )
        print("rendering", file=sys.stderr, flush=True)
        stage.render(folder, output)
    return output / "index.html"


def run(folder: Path, kept: Path, model: str = "mini", data: str = "builtin", device: str = "cpu") -> None:
    """Execute the notebooks of a folder; their evidence goes to ``kept/evidence``.

    On the processor one notebook a core at a time: each of them computes on one thread. An accelerator serves one at a
    time.
    """
    everything = notebooks.found(folder)
    at_once = max(1, min(len(everything), os.cpu_count() or 1)) if device == "cpu" else 1
    done = 0
    with notebooks.environment(**notebooks.switches(kept, model, data, device)), ThreadPoolExecutor(at_once) as pool:
        waiting = {pool.submit(notebooks.execute, path): path for path in everything}
        try:
            for future in as_completed(waiting):
                seconds, done = future.result(), done + 1
                print(f"[{done}/{len(everything)}] {waiting[future].stem} {seconds:.0f} s", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def refresh(root: Path) -> None:
    """Execute the stored notebooks in place, and let the evidence they show be the evidence the package ships."""
    folder = root / "notebooks"
    notebooks.sync(folder)
    with tempfile.TemporaryDirectory(prefix="bertology-evidence-") as name:
        run(folder, Path(name))
        evidence = Path(name) / "evidence"
        for path in sorted(evidence.glob("*/*.json")):
            shipped = SHIPPED / path.relative_to(evidence)
            # a record that differs in seconds and date alone would be a change without news
            if not shipped.exists() or without_seconds(read(shipped)) != without_seconds(read(path)):
                shipped.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, shipped)
                print(f"evidence: {shipped.relative_to(root)}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
