"""``bertology new-claim``: the six pieces of a new claim, each in its place, for somebody to make them real.

They are a row of the ledger, an experiment with its nulls and its planted subject, a notebook cell, a finding, a verdict,
and a test that fails until rule and experiment are real. What is to be written is marked `MARK`; a test finds marks left over.
"""

from __future__ import annotations

import re
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from ..claims import ledger
from ..errors import Refusal
from ..files import write
from .base import app

TEMPLATES = Path(__file__).parents[1] / "assets" / "scaffold"
PACKAGE = "bertology_utils"
MARK = "TO WRITE"
# how a chapter ends, after its claims
CLOSING = re.compile(r"^# %% \[markdown\]\n# \([a-z-]+-(?:since|exercise)\)=\n", re.M)
SHAPE = re.compile(r"(?P<prefix>[a-z]{3})\.(?P<name>[a-z][a-z0-9_]*)\.(?P<study>[a-z][a-z0-9]*)")


class CannotScaffold(Refusal):
    """An id of another shape, one that is taken, or a folder that is no checkout; the message says which."""


def scaffold(id: str, task: str, root: Path) -> list[Path]:
    """Write the pieces of a new claim into a checkout.

    Parameters
    ----------
    id : str
        ``section.topic.study``: the section by its three letters, the study by its key in ``book/references.bib``.
    task : str
        The kind of items, as of `data.items`.
    root : Path
        The checkout's folder.

    Returns
    -------
    list of Path
        What was written or added to.

    Raises
    ------
    CannotScaffold
        See there. Nothing is written then.
    """
    parts = SHAPE.fullmatch(id)
    if not parts:
        raise CannotScaffold(f"{id!r} is not of the form section.topic.study, as in syn.agreement.goldberg2019")
    if not (root / PACKAGE / "assets" / "ledger").is_dir():
        raise CannotScaffold(f"{root} is no checkout of this project: run the command in one, or name it with --root")
    section, file = _section(parts["prefix"], root)
    words = {"anchor": f"{parts['prefix']}-{parts['name'].replace('_', '-')}", "mark": MARK, "id": id, "task": task}
    code = f"{PACKAGE}/experiments/{section}/{parts['name']}.py"
    words |= {"name": parts["name"], "study": parts["study"], "file": code}
    row = root / PACKAGE / "assets" / "ledger" / f"{file}.yaml"
    new = {
        "experiment.py.txt": root / code,
        "test.py.txt": root / "tests" / "experiments" / f"test_{parts['name']}.py",
    }
    longer = {
        "row.yaml": row,
        "finding.yaml": root / PACKAGE / "assets" / "findings" / f"{section}.yaml",
        "verdict.yaml": root / PACKAGE / "assets" / "findings" / "verdicts.yaml",
        "cell.py.txt": root / "notebooks" / f"{file}.py",
    }
    if taken := [str(p) for p in new.values() if p.exists()]:
        raise CannotScaffold(f"{', '.join(taken)} is there already: choose another topic")
    if f"id: {id}\n" in row.read_text("utf-8"):
        raise CannotScaffold(f"{id} is in the ledger already")
    for name, path in (new | longer).items():
        text = Template((TEMPLATES / name).read_text("utf-8")).substitute(words)
        before = path.read_text("utf-8") if name in longer and path.is_file() else ""
        place = CLOSING.search(before) if name == "cell.py.txt" else None
        at = place.start() if place else len(before)
        write(path, before[:at] + text + before[at:])
    return [*new.values(), *longer.values()]


def _section(prefix: str, root: Path) -> tuple[str, str]:
    """Name and chapter of the section whose ids have that prefix."""
    for section in ledger.sections():
        if section.rows[0].id.startswith(f"{prefix}."):
            return section.name, section.chapter
    known = ", ".join(s.rows[0].id.partition(".")[0] for s in ledger.sections())
    raise CannotScaffold(f"no section of the ledger begins its ids with {prefix!r}; there are: {known}")


@app.command("new-claim")
def new_claim(
    id: Annotated[str, typer.Argument(help="section.topic.study, as in syn.agreement.goldberg2019")],
    task: Annotated[str, typer.Option(help="The kind of items, as `agreement` or `treebank`.")] = "agreement",
    root: Annotated[Path, typer.Option(help="The checkout.")] = Path(),
) -> None:
    """Write the pieces of a new claim, for you to make them real: the book's page on writing a claim says how."""
    for path in scaffold(id, task, root):
        typer.echo(path)
    typer.echo(f"Replace every {MARK!r}, add the study to book/references.bib, then: bertology calibrate {id}")
    typer.echo("What else a new row takes: book/writing-a-claim.md, its last section.")
