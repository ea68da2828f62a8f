"""The command line: ``bertology list | run | check | score | calibrate | show | report | pretrain | data``."""

from __future__ import annotations

import errno
import json
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from . import __version__, files
from .claims import ledger, listing
from .errors import Refusal
from .settings import Settings

if TYPE_CHECKING:
    from .claims.evidence import Evidence

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Rerun the experiments of A Primer in BERTology on any BERT.",
)

Model = Annotated[str | None, typer.Option(help="mini, a Hub name (name or name@revision) or a local folder.")]
Source = Annotated[str | None, typer.Option("--data", help="builtin, original, or one data set's name.")]
Folder = Annotated[Path | None, typer.Option(help="Folder with the original data, tried before the network.")]
Out = Annotated[Path | None, typer.Option("--evidence", help="Folder for evidence records.")]


Seed = Annotated[int | None, typer.Option(help="Of generators, bootstrap, probes and twins.")]
Device = Annotated[str | None, typer.Option(help="auto, cpu, cuda, cuda:1, mps or xpu.")]


def _version(asked: bool) -> None:
    if asked:
        from importlib import metadata

        others = ", ".join(f"{name} {metadata.version(name)}" for name in ("torch", "transformers"))
        typer.echo(f"bertology {__version__} ({others})")
        raise typer.Exit()


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say which release this is, and stop.")
    ] = False,
) -> None:
    """Rerun the experiments of A Primer in BERTology on any BERT."""


@app.command("list", epilog=listing.WORDS_AS_TEXT)
def list_(
    section: Annotated[str | None, typer.Option(help="Only this section.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a ledger row, one a line.")] = False,
) -> None:
    """Every claim of the ledger and where it stands: the real BERT, our model, its untrained twin."""
    settings = Settings.of()
    wanted = {row.id for row in ledger.rows(section)}
    found = [line for line in listing.lines(settings, _standings) if line["plain"]["id"] in wanted]
    for line in found:
        typer.echo(json.dumps(line["plain"], ensure_ascii=False) if as_json else line["text"])
    if not as_json:
        typer.echo(listing.legend(" ".join(line["text"] for line in found)))


def _standings(settings: Settings) -> list[dict]:
    """What `list` shows, made from all evidence (`listing` keeps it until a file changes)."""
    from .cards.standing import standings

    out = []
    for found in standings(settings=settings):
        row = found.row
        slots = [(name, slot) for (name, slot) in found.slots]
        status = "; ".join(f"{name}: {slot.label}" + (f" (n = {slot.n:,})" if slot.n else "") for name, slot in slots)
        if row.reason and found.mini.decision is None:
            status = f"{'cited only' if row.how == 'cite' else 'not rerun'}: {row.reason}"
        out.append({"plain": found.plain(), "text": f"{row.id:44} {status}"})
    return out


@app.command()
def run(
    claims: Annotated[list[str], typer.Argument(help="Ledger ids, section names, or `all`.")],
    model: Model = None,
    data: Source = None,
    device: Device = None,
    dtype: Annotated[str | None, typer.Option(help="float32, bfloat16 or float16.")] = None,
    n: Annotated[int | None, typer.Option(help="Items a task.")] = None,
    seed: Seed = None,
    batch_tokens: Annotated[int | None, typer.Option(help="Token budget per batch; by default the device's.")] = None,
    mirror: Folder = None,
    evidence: Out = None,
    twin: Annotated[bool, typer.Option(help="Also run the untrained twin.")] = True,
    save: Annotated[bool, typer.Option(help="Keep the evidence.")] = True,
    missing: Annotated[
        bool, typer.Option("--missing", help="Only what the evidence folder has no such record of.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, help="Processes at work at the same time.")] = 1,
) -> None:
    """Rerun claims on a model and print what came out."""
    from .sweep import many

    settings = Settings.of(
        model=model,
        data=data,
        device=device,
        dtype=dtype,
        n=n,
        seed=seed,
        batch_tokens=batch_tokens,
        mirror=mirror,
        evidence=evidence,
    )
    bugs = refused = kept = 0
    said = []
    for outcome in many(_expand(claims), settings, jobs, twin=twin, save=save, missing=missing):
        if outcome.error:
            bugs += not outcome.mendable
            refused += outcome.mendable and not outcome.skipped
            typer.echo(f"{'skipped' if outcome.skipped else 'bertology'}: {outcome.error}", err=True)
        for record in outcome.records:
            said.append(_in_words(record))
            typer.echo(said[-1])
        kept += len(outcome.records) * save
    if said:
        typer.echo(listing.legend(" ".join(said)))
    if kept:
        typer.echo(f"{kept} records are in {settings.evidence}; those that come with the package stay as they are")
    if bugs or refused:
        sys.exit(1 if bugs else 2)


def _in_words(record: Evidence) -> str:
    """A record's verdict, the figures that decided it, and what was left out."""
    from .claims.checks import figure

    lines = [f"{record.claim}  {record.model} on {record.data} (n = {record.n}): {record.decision.outcome.upper()}"]
    for check in record.decision.checks:
        sign = {True: "holds", False: "fails", None: "open"}[check.holds]
        key = f" ({check.key})" if check.key else ""
        lines.append(f"    {check.measure}{key}: {figure(check.value, check.low, check.high)}  {sign}")
    return "\n".join([*lines, *(f"    note: {note}" for note in record.notes)])


def _expand(names: list[str]) -> list[str]:
    """Ledger ids for ids, section names and `all`; of a section only what can be run."""
    from .runs import get, registered

    sections = {s.name: s for s in ledger.sections()}
    out: list[str] = []
    for name in names:
        if name == "all":
            out += list(registered())
        elif name in sections:
            out += [r.id for r in sections[name].rows if r.id in registered()]
        else:
            out.append(get(name).id)
    return list(dict.fromkeys(out))


@app.command()
def check(
    n: Annotated[int, typer.Option(min=1, help="Records.")] = 3,
    seed: Annotated[int, typer.Option(help="Of the draw.")] = 0,
    device: Device = None,
    mirror: Folder = None,
    shipped: Annotated[Path | None, typer.Option(help="Folder of records; those that come with the package.")] = None,
) -> None:
    """Rerun shipped records drawn at random: does this machine measure the same? (original data where a mirror is)"""
    from . import reproduce

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
def score(
    claims: Annotated[list[str], typer.Argument(help="Ledger ids, or `all`.")],
    mirror: Folder = None,
    evidence: Out = None,
) -> None:
    """Score the released outputs of the real BERT again (needs a mirror that holds them)."""
    from . import released
    from .released import rescoring

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


@app.command()
def calibrate(
    claims: Annotated[list[str], typer.Argument(help="Ledger ids, section names, or `all`.")],
    model: Model = None,
    data: Source = None,
    n: Annotated[int | None, typer.Option(help="Items a task.")] = None,
    mirror: Folder = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the records; by default none are kept.")] = None,
) -> None:
    """Try the claims' rules on models that lack the property, and on one that has it planted."""
    from . import calibrate as home

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


@app.command()
def show(claim: Annotated[str, typer.Argument(help="A ledger id.")]) -> None:
    """The claim's card as plain text, from the evidence at hand."""
    from .cards import card

    typer.echo(repr(card(claim)))


@app.command()
def report(
    out: Annotated[Path | None, typer.Option(help="File to write; else printed.")] = None,
    section: Annotated[str | None, typer.Option(help="Only this section.")] = None,
) -> None:
    """All evidence as one table in Markdown."""
    from .claims.evidence import find

    lines = ["| claim | kind | model | data | n | verdict | why |", "|---|---|---|---|---|---|---|"]
    for row in ledger.rows(section):
        for e in find(row.id):
            label, why = (e.decision.outcome, e.decision.reason) if e.decision else (e.stance, "our reading")
            lines.append(f"| `{row.id}` | {e.kind} | {e.model} | {e.data} | {e.n} | {label} | {why} |")
    text = "\n".join(lines) + "\n"
    if out is None:
        typer.echo(text, nl=False)
    else:
        files.write(out, text)
        typer.echo(f"{len(lines) - 2} records in {out}")


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
    minutes: Annotated[
        float | None, typer.Option(help="Stop with a checkpoint after so long; run again to go on.")
    ] = None,
    tokens: Annotated[float | None, typer.Option(help="Another budget than the configuration's, in pieces.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Where the tokenised corpus is kept.")] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Start anew although OUT holds a checkpoint.")] = False,
    prepare: Annotated[bool, typer.Option("--prepare", help="Train the vocabulary and tokenise, no more.")] = False,
    release: Annotated[
        Path | None, typer.Option(help="Another folder: decay the stable run in OUT there, at once.")
    ] = None,
    plan: Annotated[
        str | None, typer.Option(help="Many runs: a plan that comes with the package (full, seeds), or a YAML file.")
    ] = None,
    scale: Annotated[float, typer.Option(help="With --plan: below 1 a dry run, budgets times this.")] = 1.0,
) -> None:
    """Pretrain a BERT from text (MLM and NSP), or go on with a plan of many runs; also under torchrun."""
    from . import pretrain as package
    from .pretrain.signals import Interrupted

    try:
        if plan:
            package.plan.main(plan, corpus, out, minutes, device, cache, scale)
        else:
            package.main(config, corpus, out, device, minutes, tokens, cache, fresh, prepare, release)
    except Interrupted as stopped:
        typer.echo(f"bertology: {stopped.says}", err=True)
        raise


@app.command("learning-curve")
def learning_curve(
    runs: Annotated[list[Path], typer.Argument(help="Folders of pretraining runs, with their exported checkpoints.")],
    n: Annotated[int, typer.Option(help="Generated agreement items.")] = 1200,
    out: Annotated[Path | None, typer.Option(help="CSV file to write; else printed.")] = None,
) -> None:
    """Agreement across 0, 1 and 2 attractors at each checkpoint of a run, as rows."""
    import pandas as pd

    from .pretrain import curve

    rows = pd.concat([curve.agreement(run, n).assign(run=run.name) for run in runs])
    text = rows.to_csv(index=False, float_format="%.4f")
    if out is None:
        typer.echo(text, nl=False)
    else:
        files.write(out, text)


def _mount_data() -> None:
    from .data.cli import app as data_app

    app.add_typer(data_app, name="data", help="The studies' own data: list, get, check, licences.")


_mount_data()


def main() -> None:
    """Entry point: what a user can mend is one line on stderr and exit code 2; a bug keeps its traceback."""
    warnings.showwarning = _one_line
    try:
        app()
    except Refusal as error:
        _end(str(error))
    except OSError as error:  # a place that cannot be read or written, wherever it was met
        if error.errno not in files.PLACE or (error.filename is None and error.errno != errno.ENOSPC):
            raise
        _end(f"{error.filename or 'a file'}: {error.strerror}")


def _end(message: str) -> None:
    typer.echo(f"bertology: {' '.join(message.split())}", err=True)
    sys.exit(2)


def _one_line(message, category, filename, lineno, file=None, line=None) -> None:
    """A warning for somebody at a prompt: what, not where in the code."""
    typer.echo(f"bertology: {' '.join(str(message).split())}", err=True)


if __name__ == "__main__":
    main()
