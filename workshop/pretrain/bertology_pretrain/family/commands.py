"""``bertology family run | list``: the controlled pretraining runs of the training chapter."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bertology_utils.cli.base import Device
from bertology_utils.family import find, members
from bertology_utils.family.record import SHIPPED

app = typer.Typer(no_args_is_help=True, help="Many small pretraining runs that differ in one thing each.")

Names = Annotated[
    list[str] | None,
    typer.Argument(help="Tiers, groups (base, tier/base) or runs (base-0, or a hash); all where none is named."),
]
Which = Annotated[str | None, typer.Option(help="generated, few-words, english, english-large, bilingual or bibles.")]
Records = Annotated[Path | None, typer.Option(help="Folder of the records; those of the package where none is given.")]


@app.command("run")
def run(
    names: Names = None,
    tier: Which = None,
    work: Annotated[Path, typer.Option(help="Folder for checkpoints: interrupted runs go on from there.")] = Path(
        "family-runs"
    ),
    records: Records = None,
    corpus: Annotated[Path | None, typer.Option(help="Folder of text, for the tiers english and bibles.")] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time, one process each.")] = 1,
    cache: Annotated[Path | None, typer.Option(help="Where the tokenised text is kept.")] = None,
    device: Device = None,
    minutes: Annotated[float | None, typer.Option(help="Begin no run after so long.")] = None,
) -> None:
    """Train, measure and record the runs that have no record yet, or go on with those that were interrupted."""
    from . import train

    chosen = members(names or (), tier)
    root = records or SHIPPED
    left = train.missing(chosen, root)
    typer.echo(f"{len(chosen)} runs, {len(left)} without a record")
    for member in left if jobs == 1 else [None]:
        some = left if member is None else [member]
        options: dict[str, Any] = {
            "root": root,
            "corpus": corpus,
            "jobs": jobs,
            "cache": cache,
            "device": device,
            "minutes": minutes,
        }
        for line in train.run(some, work, **options):
            typer.echo(line)


@app.command("cost")
def cost(
    names: Names = None,
    tier: Which = None,
    records: Records = None,
    corpus: Annotated[Path | None, typer.Option(help="Folder of text, for the tiers english and bibles.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Where the tokenised text is kept.")] = None,
) -> None:
    """Time the training of recorded runs again, one after the other; the least processor time counts."""
    from . import train

    for member in members(names or (), tier):
        for line in train.again([member], root=records or SHIPPED, corpus=corpus, cache=cache):
            typer.echo(line)


@app.command("list")
def show(names: Names = None, tier: Which = None, records: Records = None) -> None:
    """Which runs have a record, with their held-out loss, and which have none."""
    root = records or SHIPPED
    found = [(m, find(m, root)) for m in members(names or (), tier)]
    for member, record in found:
        state = "missing" if record is None else record.says
        typer.echo(f"{member.key}  {member.name:40} {state}")
    typer.echo(f"{sum(r is not None for _, r in found)} of {len(found)} runs are recorded")
