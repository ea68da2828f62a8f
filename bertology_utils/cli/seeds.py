"""``bertology seeds run | list``: claims on several networks that differ in the seed of their pretraining alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ..settings import Settings
from .base import Device, Folder
from .measuring import expand

app = typer.Typer(no_args_is_help=True, help="Claims on several networks that differ in their seed alone.")

Claims = Annotated[list[str] | None, typer.Argument(help="Ledger ids or section names; all live claims by default.")]
Records = Annotated[Path | None, typer.Option(help="Folder of the records; that of the package where none is given.")]


@app.command("run")
def run(
    claims: Claims = None,
    models: Annotated[Path, typer.Option(help="The work folder of `bertology family run seeds/mini-s`.")] = Path(
        "family-runs"
    ),
    seed: Annotated[list[int] | None, typer.Option(help="Only this seed; may be given several times.")] = None,
    n: Annotated[int | None, typer.Option(help="Items per task; by default the claim's own number.")] = None,
    draws: Annotated[int | None, typer.Option(help="Resamples of each interval.")] = None,
    fast: Annotated[bool, typer.Option("--fast", help="As few items as a quick try takes: does it all run?")] = False,
    records: Records = None,
    family: Annotated[
        Path | None, typer.Option(help="Folder of the family's records, which name the models' hashes; the package's.")
    ] = None,
    mirror: Folder = None,
    device: Device = None,
) -> None:
    """Put claims to the seeds' models, on headline data; what has a record is left out, so the same command goes on."""
    from .. import seeds as package
    from ..claims.seeds import SHIPPED
    from ..family.record import SHIPPED as FAMILY
    from ..settings import QUICK

    settings = Settings.of(n=n, draws=draws or (QUICK if fast else None), mirror=mirror, device=device)
    ids, networks = _chosen(claims), package.trained(models, settings, seed or (), root=family or FAMILY)
    failed: list[package.Outcome] = []
    for k, outcome in enumerate(package.many(ids, networks, settings, records or SHIPPED, quick=fast and n is None), 1):
        where = f"[{k}/{len(ids)}] {outcome.claim}"
        if outcome.error:
            failed.append(outcome)
            typer.echo(f"{where}: {outcome.error}", err=True)
        elif outcome.seeds:
            labels = ", ".join(f"{s.network.seed} {s.label}" for s in outcome.seeds)
            typer.echo(f"{where}: {labels} ({outcome.seconds:.0f} s)")
        else:
            typer.echo(f"{where}: recorded before")
    if failed:
        typer.echo(f"bertology: {len(failed)} of {len(ids)} claims could not be measured, the rest was", err=True)
        sys.exit(1 if any(f.bug for f in failed) else 2)


@app.command("list")
def show(claims: Claims = None, records: Records = None) -> None:
    """Which claims have been put to which seeds, and what came out."""
    from ..claims.seeds import SHIPPED, find

    ids, some = _chosen(claims), 0
    for id in ids:
        found = find(id, records or SHIPPED)
        said = [f"{s.network.seed} {'stale' if s.stale else s.label}" for s in found]
        typer.echo(f"{id:44} {', '.join(said) or 'not measured'}")
        some += bool(found)
    typer.echo(f"{some} of {len(ids)} claims have been put to seeds")


def _chosen(claims: list[str] | None) -> list[str]:
    """The live claims among those named; a claim named by itself that is not live is refused.

    Raises
    ------
    NotRunnable
        Naming it.
    """
    from .. import seeds as package
    from ..claims.registry import NotRunnable

    able, named = package.claims(), claims or ["all"]
    chosen = expand(named)
    if strange := [id for id in named if id in chosen and id not in able]:
        raise NotRunnable(f"{', '.join(strange)}: no live claim about mini, so it is not put to seeds of mini-s")
    return [id for id in chosen if id in able]
