"""``bertology run | check | calibrate``: what is measured, and measured again."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .. import files
from ..claims import listing
from ..settings import QUICK, Settings, SettingsError
from . import table
from .base import Claims, Device, Folder, Model, Out, Seed, Source, app

if TYPE_CHECKING:
    from ..claims.evidence import Evidence
    from ..sweep import Outcome


FAILED = "failed.txt"  # in the evidence folder


@app.command()
def run(
    claims: Claims,
    model: Model = None,
    data: Source = None,
    device: Device = None,
    dtype: Annotated[str | None, typer.Option(help="float32, bfloat16 or float16.")] = None,
    n: Annotated[int | None, typer.Option(help="Items per task.")] = None,
    seed: Seed = None,
    batch_tokens: Annotated[int | None, typer.Option(help="Token budget per batch; by default the device's.")] = None,
    mirror: Folder = None,
    evidence: Out = None,
    twin: Annotated[bool, typer.Option(help="Also run the untrained twin.")] = True,
    save: Annotated[bool, typer.Option(help="Keep the evidence.")] = True,
    missing: Annotated[
        bool, typer.Option("--missing", help="Only what the evidence folder has no such record of.")
    ] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1, help="Processes at work at the same time; one that is killed takes its claim alone with it."
        ),
    ] = None,
    fast: Annotated[
        bool,
        typer.Option(
            "--fast", help=f"Few items ({QUICK} of most), {QUICK} resamples, no twin: does it all run? Never counts."
        ),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be run: claim and data.")] = False,
    items: Annotated[
        Path | None, typer.Option(help="A file of your own, CSV or CoNLL-U, that one claim is measured on.")
    ] = None,
) -> None:
    """Rerun claims on a model and print what came out."""
    from ..data import load
    from ..runs import expand, get
    from ..sweep import many, planned

    settings = Settings.of(
        model=model,
        data=data,
        device=device,
        dtype=dtype,
        n=n,
        draws=QUICK if fast else None,
        seed=seed,
        batch_tokens=batch_tokens,
        mirror=mirror,
        evidence=evidence,
    )
    twin, quick = twin and not fast, fast and n is None
    nothing = f"nothing is missing: {settings.evidence} has a record of all that was asked for"
    ids, kept = expand(claims), 0
    if dry_run:
        work = planned(ids, settings, twin=twin, missing=missing, quick=quick)[0]
        for claim, source in work:
            typer.echo(f"{claim} {source}")
        if missing and not work:
            typer.echo(nothing)
        return
    if items and (missing or len(ids) > 1):
        raise SettingsError("--items goes with one claim, and without --missing")
    own = load(get(ids[0]).tasks[0], path=items) if items else None
    outcomes: list[Outcome] = []
    said: list[str] = []
    stopped = False
    try:
        for outcome in many(ids, settings, jobs, twin=twin, save=save, missing=missing, quick=quick, items=own):
            outcomes.append(outcome)
            if outcome.error:
                skipped = outcome.skipped and len(ids) > 1
                typer.echo(f"{'skipped' if skipped else 'bertology'}: {outcome.error}", err=True)
            for record in outcome.records:
                said.append(_in_words(record))
                typer.echo(said[-1])
            kept += len(outcome.records) * save
    except KeyboardInterrupt:
        stopped = True
    failed = [o for o in outcomes if o.error and not (o.skipped and len(ids) > 1)]
    if said:
        typer.echo(listing.legend(" ".join(said)))
    if kept:
        typer.echo(f"{kept} records are in {settings.evidence}; those that come with the package stay as they are")
    if missing and not stopped and all(o.skipped for o in outcomes):
        typer.echo(nothing)
    if save and len(ids) > 1:
        _keep_failures(failed, settings.evidence / FAILED)
    if len(ids) > 1:
        typer.echo(table.of(outcomes, planned(ids, settings)[0], settings))
    if stopped:
        typer.echo("bertology: stopped; the same command with --missing measures what is missing", err=True)
        sys.exit(130)
    if failed:
        sys.exit(2 if all(f.mendable for f in failed) else 1)


def _keep_failures(failed: list[Outcome], file: Path) -> None:
    """What went wrong in a long run, in a file: on a screen it is far above by the end. A run without failures removes it."""
    if not failed:
        file.unlink(missing_ok=True)
        return
    files.write(file, "\n\n".join(f"{f.claim} on {f.source}: {f.error}" for f in failed) + "\n")
    typer.echo(f"bertology: {len(failed)} could not be measured, the rest was; {file} says why", err=True)


def _in_words(record: Evidence) -> str:
    """A record's verdict, the figures that decided it, and what was left out."""
    from ..claims.checks import figure

    decision = record.judged()
    lines = [f"{record.claim}  {record.model} on {record.data} (n = {record.n}): {decision.outcome.upper()}"]
    for check in decision.checks:
        sign = {True: "holds", False: "fails", None: "open"}[check.holds]
        key = f" ({check.key})" if check.key else ""
        lines.append(f"    {check.measure}{key}: {figure(check.value, check.low, check.high)}  {sign}")
    return "\n".join([*lines, *(f"    note: {note}" for note in record.notes)])


@app.command()
def check(
    n: Annotated[int, typer.Option(min=1, help="Records.")] = 3,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    device: Device = None,
    mirror: Folder = None,
    shipped: Annotated[Path | None, typer.Option(help="Folder of records; those that come with the package.")] = None,
) -> None:
    """Rerun shipped records drawn at random: does this machine measure the same? (original data where a mirror is)"""
    from .. import reproduce

    settings, failed = Settings.of(device=device, mirror=mirror), 0
    for found in reproduce.reproduce(settings, n, seed=seed, root=shipped or reproduce.SHIPPED):
        name = f"{found.record.claim}  {found.record.model} on {found.record.data}"
        if found.skipped:
            typer.echo(f"{name}: not rerun: {found.skipped}")
            continue
        failed += bool(found.differences)
        typer.echo(
            f"{name}: {'DIFFERS' if found.differences else 'the same'}; largest {found.largest:.2f} of what may be"
        )
        for line in found.differences[:10]:
            typer.echo(f"    {line}")
    if failed:
        sys.exit(1)


@app.command()
def calibrate(
    claims: Claims,
    model: Model = None,
    data: Source = None,
    n: Annotated[int | None, typer.Option(help="Items per task.")] = None,
    mirror: Folder = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the records; by default none are kept.")] = None,
) -> None:
    """Try the claims' rules on models that lack the property, and on one that has it planted."""
    from .. import calibrate as home

    settings = Settings.of(model=model, data=data, n=n, mirror=mirror)
    ids, wrong = home.expand(claims), 0
    lacking = [id for id in home.lacking() if id in ids]
    for id in ids:
        if id in lacking:
            continue  # named together below
        trials = home.calibrate(id, settings, save=out)
        wrong += sum(bool(t.wrong) for t in trials)
        for line in home.in_words(trials):
            typer.echo(line)
    home.harness.complain(lacking)
    if wrong:
        typer.echo(f"bertology: {wrong} stand-ins came out as they must not", err=True)
        sys.exit(1)
