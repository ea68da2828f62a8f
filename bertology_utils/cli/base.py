"""The application that the commands are put into, and the options that several of them have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from typer.core import TyperGroup

from .. import __version__
from ..errors import Refusal
from ..settings import SettingsError

# commands that come with a distribution beside the package -> its folder in workshop/
BESIDE = {
    "score": "rescore",
    "items": "world",
    **dict.fromkeys(("pretrain", "adapt", "learning-curve", "family"), "pretrain"),
}


class Commands(TyperGroup):
    """The commands by name; of one whose distribution is not installed it says how to have it."""

    def get_command(self, ctx, name):
        found = super().get_command(ctx, name)
        if found is None and name in BESIDE:
            raise Refusal(
                f"{name} is a command of workshop/{BESIDE[name]}: in a checkout, make setup, or pip install -e for each folder "
                "of workshop"
            )
        return found


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Rerun the experiments of A Primer in BERTology on any BERT.",
)

Model = Annotated[str | None, typer.Option(help="mini, a Hub name (name or name@revision) or a local folder.")]
Source = Annotated[str | None, typer.Option("--data", help="builtin, original, or one data set's name.")]
Folder = Annotated[
    Path | None,
    typer.Option(help="Folder with the original data, tried before the network.", callback=lambda p: there(p)),
]
Out = Annotated[Path | None, typer.Option("--evidence", help="Folder for evidence records.")]
Seed = Annotated[int | None, typer.Option(help="Of generators, bootstrap, probes and twins.")]
Device = Annotated[str | None, typer.Option(help="auto, cpu, cuda, cuda:1, mps or xpu.")]


def known(names: list[str]) -> list[str]:
    """The names, each of them a ledger id, a section or `all`: said before what runs models is imported.

    Raises
    ------
    NoSuchRow
        One is none; the nearest are named.
    """
    from ..claims import ledger

    sections = {section.name for section in ledger.sections()}
    for name in names:
        if name != "all" and name not in sections:
            ledger.row(name)
    return names


def there(folder: Path | None) -> Path | None:
    """A folder that must be there: without it the network would be tried for each of its files.

    Raises
    ------
    SettingsError
    """
    if folder is not None and not folder.expanduser().is_dir():
        raise SettingsError(f"mirror is {folder}: there is no such folder")
    return folder


def ids(incomplete: str) -> list[str]:
    """Ledger ids and sections that begin like this, for the shell's completion."""
    from ..claims import ledger

    names = ["all", *(s.name for s in ledger.sections()), *(row.id for row in ledger.rows())]
    return [name for name in names if name.startswith(incomplete)]


Claims = Annotated[
    list[str],
    typer.Argument(help="Ledger ids, section names, or `all`.", callback=known, autocompletion=ids),
]


def _version(asked: bool) -> None:
    if asked:
        from importlib import metadata

        others = ", ".join(f"{name} {metadata.version(name)}" for name in ("torch", "transformers"))
        typer.echo(f"bertology {__version__} ({others})")
        raise typer.Exit()


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which release this is, and stop.")
    ] = False,
) -> None:
    """Rerun the experiments of A Primer in BERTology on any BERT."""
