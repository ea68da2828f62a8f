"""``bertology pretrain | adapt | learning-curve | family``: put into the command line by this distribution's entry point."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bertology_utils import files
from bertology_utils.cli.base import Device, app

from .family import commands as family

Minutes = Annotated[float | None, typer.Option(help="Stop with a checkpoint after so long; run again to go on.")]
Cached = Annotated[Path | None, typer.Option(help="Where the tokenised corpus is kept.")]

app.add_typer(family.app, name="family", help="Controlled pretraining runs: run what is missing, list what there is.")


@app.command()
def pretrain(
    out: Annotated[
        Path, typer.Option(help="Folder for checkpoints, log and the exported model; a run there is resumed.")
    ],
    corpus: Annotated[
        list[Path] | None,
        typer.Option(help="Text files (.txt, .txt.xz) or folders; documents end at blank lines. None for `toy`."),
    ] = None,
    config: Annotated[str, typer.Option(help="A configuration that comes with the package, or a YAML file.")] = "mini",
    device: Device = None,
    minutes: Minutes = None,
    tokens: Annotated[float | None, typer.Option(help="Another budget than the configuration's, in pieces.")] = None,
    cache: Cached = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start anew although OUT holds a checkpoint.")] = False,
    prepare: Annotated[bool, typer.Option("--prepare", help="Train the vocabulary and tokenise, no more.")] = False,
    release: Annotated[
        Path | None,
        typer.Option(
            help="Another folder: decay the stable run in OUT there, at once; with --plan, every unfinished one."
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(help="A bundled model, or a folder with an exported one, whose weights the run begins with."),
    ] = None,
    plan: Annotated[
        str | None,
        typer.Option(
            help="Many runs: a plan that comes with the package (full, mini-sittings, seeds), or a YAML file."
        ),
    ] = None,
    scale: Annotated[float, typer.Option(help="With --plan: below 1 a dry run, budgets times this.")] = 1.0,
) -> None:
    """Pretrain a BERT from text (MLM and NSP), or go on with a plan of many runs; also under torchrun."""
    from bertology_pretrain import plan as plans
    from bertology_pretrain import train
    from bertology_pretrain.signals import Interrupted
    from bertology_utils.family.config import ConfigError

    try:
        if plan and start:
            raise ConfigError("a plan's runs begin where their configurations say: leave out --start")
        if plan:
            plans.main(plan, corpus, out, minutes, device, cache, scale, release)
        else:
            train.main(config, corpus, out, device, minutes, tokens, cache, fresh, prepare, release, start)
    except Interrupted as stopped:
        typer.echo(f"bertology: {stopped.says}", err=True)
        raise


@app.command()
def adapt(
    base: Annotated[
        str, typer.Argument(help="A network without a head for masks: a relative's short name, or a folder.")
    ],
    corpus: Annotated[list[Path], typer.Option(help="Text files (.txt, .txt.xz) or folders of them.")],
    out: Annotated[Path, typer.Option(help="Folder of the run; a run there is resumed.")],
    pieces: Annotated[float, typer.Option(help="Stop at so many pieces.")] = 10e6,
    minutes: Minutes = None,
    start: Annotated[Path | None, typer.Option(help="An adapter to begin with.")] = None,
    finish: Annotated[
        Path | None, typer.Option(help="Cool down from there and write the adapter to this folder.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="The network's name on the Hub, for the adapter's file.")] = None,
    device: Device = None,
    set: Annotated[list[str] | None, typer.Option(help="field=value of the plan, as rank=8.")] = None,
) -> None:
    """Train a mask adapter: low-rank maps and a head that give a sentence encoder its mask filling back."""
    from bertology_pretrain import adapt as home
    from bertology_pretrain.signals import Interrupted

    changes = {k: type(getattr(home.Plan(), k))(v) for k, _, v in (pair.partition("=") for pair in set or ())}
    try:
        options: dict[str, Any] = {"pieces": pieces, "minutes": minutes, "start": start, "finish": finish, "name": name}
        typer.echo(home.adapt(base, corpus, out, device=device, **options, **changes))
    except Interrupted as stopped:
        typer.echo(f"bertology: {stopped.says}", err=True)
        raise


@app.command("learning-curve")
def learning_curve(
    runs: Annotated[list[Path], typer.Argument(help="Folders of pretraining runs, with their exported checkpoints.")],
    n: Annotated[int, typer.Option(help="Generated agreement items.")] = 1200,
    pulls: Annotated[bool, typer.Option(help="What draws a verb's form, subject or nearer noun, instead.")] = False,
    corpus: Annotated[
        Path | None, typer.Option(help="Held-out loss on documents of this text instead: the same rows for all models.")
    ] = None,
    config: Annotated[str, typer.Option(help="With --corpus: the configuration whose held-out rows.")] = "mini-second",
    cache: Cached = None,
    out: Annotated[Path | None, typer.Option(help="CSV file to write; else printed.")] = None,
) -> None:
    """Agreement across 0, 1 and 2 attractors at each checkpoint of a run, as rows."""
    import pandas as pd

    from bertology_pretrain import curve

    def rows_of(run: Path) -> pd.DataFrame:
        if corpus:
            return curve.heldout(run, corpus, config, cache)
        return curve.pulls(run) if pulls else curve.agreement(run, n)

    rows = pd.concat([rows_of(run).assign(run=run.name) for run in runs])
    text = rows.to_csv(index=False, float_format="%.4f")
    if out is None:
        typer.echo(text, nl=False)
    else:
        files.write(out, text)
