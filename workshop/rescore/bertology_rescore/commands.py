"""``bertology score``: put into the command line by the entry point of this distribution."""

from __future__ import annotations

from typing import Annotated

import typer

from bertology_utils.claims import ledger
from bertology_utils.cli.base import Folder, Out, app
from bertology_utils.settings import Settings


@app.command()
def score(
    claims: Annotated[list[str], typer.Argument(help="Ledger ids, or `all`.")],
    mirror: Folder = None,
    evidence: Out = None,
) -> None:
    """Score the released outputs of the real BERT again (needs a mirror that holds them)."""
    import bertology_rescore as released
    from bertology_rescore import rescoring

    settings = Settings.of(mirror=mirror, evidence=evidence)
    ids = released.claims() if claims == ["all"] else [ledger.row(id).id for id in claims]
    for id in ids:
        if id not in released.claims():
            typer.echo(f"{id}: no released outputs are registered", err=True)
        for record in rescoring.score(id, settings):
            typer.echo(
                f"{id}  {record.model} [{record.label}] {record.data}: "
                f"{len(record.rows)} figures, {record.decision.outcome if record.decision else record.stance}"
            )
