"""``bertology data list | get | check | check-own | pin``: what the registry knows, and what of it is here."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path
from typing import Annotated

import typer

from bertology_utils.data import original
from bertology_utils.data.original import check as checks
from bertology_utils.data.original import registry
from bertology_utils.settings import Settings, SettingsError

app = typer.Typer(no_args_is_help=True, help="The studies' own data: list, get, check.")

Mirror = Annotated[Path | None, typer.Option(help="Folder with the data, tried before the network.")]
Cache = Annotated[Path | None, typer.Option(help="Folder for downloads.")]
Names = Annotated[list[str] | None, typer.Argument(help="Data sets; all if none is named.")]


def _places(mirror: Path | None, cache: Path | None) -> dict[str, Path | None]:
    settings = Settings.of(mirror=mirror, cache=cache)
    if settings.mirror is not None and not settings.mirror.is_dir():  # else the network would be tried for every file
        raise SettingsError(f"mirror is {settings.mirror}: there is no such folder")
    return {"mirror": settings.mirror, "cache": settings.cache}


@app.command("check-own")
def check_own(
    file: Annotated[Path, typer.Argument(help="A treebank (.conllu) or a table (.csv).")],
    task: Annotated[str, typer.Option(help="What its items are for, as agreement.")],
) -> None:
    """Read a file of one's own as a task's items and say what was read; nothing is measured."""
    from bertology_utils.data import builtin, own

    if task not in builtin.tasks():
        raise own.OwnDataError(f"there is no task {task!r}; there are {', '.join(sorted(builtin.tasks()))}")
    typer.echo(own.described(file, task))


@app.command("list")
def list_(mirror: Mirror = None, cache: Cache = None) -> None:
    """The data sets: whether they are here, their size, their tasks."""
    places = _places(mirror, cache)
    typer.echo(f"{'data set':32s} {'here':4s} {'files':>5s} {'MB':>6s}  tasks")
    for name, data in registry.datasets().items():
        present = "yes" if original.available(name, **places) else "no"
        tasks = ", ".join(original.tasks(name)) or "(figures only)"
        typer.echo(f"{name:32s} {present:4s} {len(data.files):5d} {data.bytes / 1e6:6.1f}  {tasks}")


@app.command()
def get(
    names: Annotated[list[str], typer.Argument(help="Data sets.")], mirror: Mirror = None, cache: Cache = None
) -> None:
    """Fetch what the readers of data sets need, and read it once."""
    for name in names:
        registry.dataset(name)
    places = _places(mirror, cache)
    for name in names:
        for outcome in checks.check_dataset(name, **places):
            if outcome.problem:
                raise original.DataUnavailable(f"{name} {outcome.task}: {outcome.problem}")
            typer.echo(f"{name} {outcome.task}: {outcome.total:,}")


@app.command()
def check(
    names: Names = None,
    mirror: Mirror = None,
    cache: Cache = None,
    processes: Annotated[int, typer.Option(min=1, help="Data sets checked at a time.")] = 2,
    notes: Annotated[bool, typer.Option(help="Show what was left out, and why.")] = False,
) -> None:
    """Verify every file and parse every item; the exit code is 1 if anything is wrong."""
    start, bad, total = time.perf_counter(), 0, 0
    typer.echo(f"{'data set':32s} {'task':22s} {'train':>8s} {'dev':>7s} {'test':>8s} {'s':>5s}")
    for outcome in checks.check(names or (), processes=processes, **_places(mirror, cache)):
        bad += bool(outcome.problem)
        counts = outcome.counts
        if outcome.task == checks.FILES:
            absent = f", {counts['absent']} not needed and not here" if counts.get("absent") else ""
            columns = f"{counts.get('verified', 0)} files verified{absent}"
        else:
            total += outcome.total
            columns = " ".join(f"{counts.get(s, 0) or '':>{w}}" for s, w in (("train", 8), ("dev", 7), ("test", 8)))
        typer.echo(f"{outcome.dataset:32s} {outcome.task:22s} {columns:25s} {outcome.seconds:5.1f}")
        for line in (outcome.problem and f"FAILED: {outcome.problem}", *(outcome.notes if notes else ())):
            if line:
                typer.echo(textwrap.fill(line, 118, initial_indent="    ", subsequent_indent="    "))
    typer.echo(
        f"{total:,} items in {time.perf_counter() - start:.0f} s; {bad or 'no'} failure{'' if bad == 1 else 's'}"
    )
    if bad:
        raise typer.Exit(1)


@app.command()
def pin(
    name: Annotated[str, typer.Argument(help="A data set with an entry in datasets.yaml.")],
    paths: Annotated[list[str], typer.Argument(help="Its files, as they lie below its folder in the mirror.")],
    mirror: Mirror = None,
) -> None:
    """Write sizes and hashes of a data set's files into the registry: what a reader is given is these files or nothing."""
    folder = _places(mirror, None)["mirror"]
    if folder is None:
        raise SettingsError("pin takes files from a mirror: give its folder as --mirror or BERTOLOGY_MIRROR")
    registry.pin(name, paths, folder)
    typer.echo(
        f"{len(paths)} in {registry.FILES}; next: a reader (data/original/readers), then bertology data check {name}"
    )
