"""``bertology plan``: how long a run of claims may take here, before it begins."""

from __future__ import annotations

from typing import Annotated

import typer

from ..claims import ledger
from ..settings import Settings
from .base import Claims, Device, Folder, Model, Source, app


@app.command()
def plan(
    claims: Claims,
    model: Model = None,
    data: Source = None,
    device: Device = None,
    mirror: Folder = None,
    twin: Annotated[bool, typer.Option(help="With the untrained twin.")] = True,
    fast: Annotated[bool, typer.Option("--fast", help="Of a quick try on few items.")] = False,
) -> None:
    """Estimate how long `run` would take here: seconds of shipped records, times how fast the model reads on this machine."""
    from ..runs import expand, settings_for, subjects
    from ..sweep import plan as estimate
    from ..sweep import planned

    settings = Settings.of(model=model, data=data, device=device, mirror=mirror)
    work, left_out = planned(expand(claims), settings)
    (subject,) = subjects(settings_for(work[0][0], settings), twin=False)
    pace = estimate.pace(subject, settings)
    typer.echo(f"{subject.name} reads a word piece in {1000 * pace:.3f} ms on {subject.device}")
    whole = 0.0
    for section in ledger.sections():
        own = [(id, source) for id, source in work if id in {row.id for row in section.rows}]
        if own:
            seconds, lacking = estimate.total(own, pace, twin=twin and not fast, fast=fast)
            whole += seconds
            guessed = f", {lacking} of them without a record: their mean" if lacking else ""
            typer.echo(f"{section.name:12} {len(own):4} measurements{guessed}: {estimate.in_words(seconds)}")
    typer.echo(f"in all {estimate.in_words(whole)}, extrapolated; {len(left_out)} claims measure no such model")
