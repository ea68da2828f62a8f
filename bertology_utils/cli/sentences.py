"""``bertology fill | compare | attend``: one's own sentence put to a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..settings import Settings
from .base import Device, Model, app

Text = Annotated[str, typer.Argument(help="A sentence.")]


@app.command()
def fill(
    text: Annotated[str, typer.Argument(help="A sentence with one [MASK].")],
    k: Annotated[int, typer.Option("-k", min=1, help="How many fillers.")] = 5,
    model: Model = None,
    device: Device = None,
) -> None:
    """The likeliest fillers of a gap, with their probabilities."""
    from ..worked_examples import sentences

    found = sentences.fill(text, k=k, settings=Settings.of(model=model, device=device))
    typer.echo(found.to_string(index=False, formatters={"probability": "{:.3f}".format}))


@app.command()
def compare(first: Text, second: Text, model: Model = None, device: Device = None) -> None:
    """Which of two sentences is likelier: log-probabilities in nats, each piece masked in turn."""
    from ..worked_examples import sentences

    found = sentences.compare(first, second, settings=Settings.of(model=model, device=device))
    typer.echo(found.to_string(index=False, float_format="{:.2f}".format))
    margin = found["log P"][0] - found["log P"][1]
    typer.echo(f"the {'first' if margin > 0 else 'second'} is likelier, by {abs(margin):.2f} nats")
    if found["pieces"][0] != found["pieces"][1]:
        typer.echo("they differ in length, and a longer sentence tends to have the lower sum: see per piece")


@app.command()
def attend(
    text: Text,
    layer: Annotated[int | None, typer.Option(help="Counted from 0; by default the mean of all.")] = None,
    head: Annotated[int | None, typer.Option(help="Counted from 0; by default the mean of all.")] = None,
    svg: Annotated[Path | None, typer.Option(help="Draw it to this file.")] = None,
    model: Model = None,
    device: Device = None,
) -> None:
    """How much each word (a row) attends to each other one (a column)."""
    from ..worked_examples import sentences

    found = sentences.attend(text, layer=layer, head=head, settings=Settings.of(model=model, device=device))
    if svg is None:
        typer.echo(found.to_string(float_format="{:.2f}".format))
    else:
        from .. import plotting

        with plotting.style():
            plotting.attention(found)
            plotting.plt.savefig(svg, format="svg")
            plotting.plt.close()
        typer.echo(svg)
