"""``bertology items``: put into the command line by the entry point of this distribution."""

from __future__ import annotations

import typer

from bertology_utils.cli.base import app


@app.command()
def items() -> None:
    """Generate the items that the package reads from files, anew."""
    from bertology_world import files

    written = files.write()
    typer.echo(f"{len(written)} files, {sum(path.stat().st_size for path in written) / 1e6:.1f} MB")
