"""``python -m bertology_utils.book COMMAND``: what the Makefile calls. `main` names the commands."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ..claims.evidence import SHIPPED, read, shelves, without_seconds
from ..settings import TWIN, Settings
from . import (
    bootstrap,
    folding,
    heads,
    layers,
    notebooks,
    pages,
    picture,
    portability,
    stage,
    stored_cards,
    studies,
    survey_figures,
    trying,
)


def main() -> int:
    """Run one command; errors of the book are one message and exit code 1."""
    parser = argparse.ArgumentParser(prog="python -m bertology_utils.book", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build", help="render the book, from stored outputs or from fresh ones")
    building.add_argument("--execute", action="store_true", help="execute copies of all notebooks first")
    building.add_argument("--model", default="mini")
    building.add_argument("--data", default="builtin")
    building.add_argument("--device", default="cpu")
    building.add_argument("--own", default="", metavar="MODEL", help="show your own records of this model as well")
    building.add_argument("--output", type=Path, default=stage.ROOT / "book" / "_build" / "html")
    refreshing = commands.add_parser(
        "notebooks", help="execute the stored notebooks in place, with the evidence they show"
    )
    refreshing.add_argument("names", nargs="*", metavar="NAME", help="as 06_layers; all where none is named")
    commands.add_parser(
        "cards", help="make the cards in the stored notebooks again from the records; nothing is executed"
    )
    commands.add_parser("bootstrap", help="give every notebook its first code cells, with the package's address")
    taking = commands.add_parser("picture", help="take the README's picture of the landing page of the rendered book")
    taking.add_argument("--pages", type=Path, default=stage.ROOT / "book" / "_build" / "html")
    moving = commands.add_parser("portability", help="execute the notebooks as other machines would; what moves?")
    portability.options(moving)
    commands.add_parser("studies", help="make the package's copy of the bibliography again")
    commands.add_parser("try", help="make the stored answers of the page Try it yourself again (needs mpnet)")
    commands.add_parser(
        "look",
        help="make again what the pages on heads, layers and the survey's figures show (needs mpnet and a mirror)",
    )
    given = parser.parse_args()
    try:
        if given.command == "notebooks":
            refresh(stage.ROOT, given.names)
        elif given.command == "cards":
            for name, ids in stored_cards.renew(stage.ROOT / "notebooks").items():
                print(f"{name}: {', '.join(ids) or 'as they were'}")
        elif given.command == "portability":
            return portability.main(given, stage.ROOT)
        elif given.command == "bootstrap":
            print(*bootstrap.put(stage.ROOT / "notebooks"), sep="\n")
        elif given.command == "picture":
            print(picture.take(given.pages))
        elif given.command == "studies":
            studies.write()
        elif given.command == "try":
            print(trying.store())
        elif given.command == "look":
            print(heads.store(), layers.store(), survey_figures.store())
        else:
            switches = (given.model, given.data, given.device) if given.execute else None
            print(build(given.output, switches, own=given.own))
    except (stage.BookError, notebooks.NotebookError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def build(output: Path, switches: tuple[str, str, str] | None = None, root: Path = stage.ROOT, own: str = "") -> Path:
    """Render the book; the path of its first page.

    Parameters
    ----------
    output : Path
        Folder the pages go to (replaced).
    switches : (model, data, device), optional
        Execute the notebooks afresh with these; without, their stored outputs are shown.
    own : str
        A model whose records in the settings' evidence folder are shown beside what the package ships (`bring`).
    """
    with tempfile.TemporaryDirectory(prefix="bertology-book-") as name:
        folder, kept = Path(name) / "source", Path(name)
        folder.mkdir()
        stage.stage(folder, root)
        if own:
            mine = Settings.of().evidence
            print(f"{bring(own, mine, kept / 'evidence')} records of {own} from {mine}", file=sys.stderr, flush=True)
        if switches:
            notebooks.run(folder / "notebooks", kept, *switches)
        pages.write(
            folder / "book" / "_generated", Settings(evidence=kept / "evidence"), *stage.addresses(folder, root)
        )
        weights = (folder / "book" / "_static" / "try" / trying.NAME).stat().st_size
        forms = {("examples", claim): form for claim, form in trying.forms(weights).items()}
        links = {("card", claim): line for claim, line in heads.links().items()}
        folding.fold_all(folder / "notebooks", forms | links)
        print("rendering", file=sys.stderr, flush=True)
        stage.render(folder, output)
    return output / "index.html"


def bring(model: str, source: Path, target: Path) -> int:
    """Copy a model's records, and its twin's, to the evidence folder that a book is made from; how many there were.

    The book is otherwise made without whatever else lies in the user's folder, so that it does not depend on it.
    """
    counting, beside = shelves(settings=Settings(evidence=source))
    found = [r for r in (*counting, *beside) if r.kind == "rerun" and r.model in (model, model + TWIN)]
    for record in found:
        record.save(target)
    return len(found)


def refresh(root: Path, names: Sequence[str] = ()) -> None:
    """Execute stored notebooks in place (none named: all), and let the evidence they show be the evidence the package ships."""
    folder = root / "notebooks"
    notebooks.sync(folder)
    with tempfile.TemporaryDirectory(prefix="bertology-evidence-") as name:
        notebooks.run(folder, Path(name), only=names)
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
