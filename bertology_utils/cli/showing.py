"""``bertology list | show | report``: what is known, from the evidence at hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from .. import files
from ..claims import ledger, listing
from ..settings import Settings
from .base import app, ids


@app.command("list", epilog=listing.WORDS_AS_TEXT)
def list_(
    section: Annotated[str | None, typer.Option(help="Only this section.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per ledger row, one per line.")] = False,
) -> None:
    """Every claim of the ledger and where it stands: the real BERT, our model, its untrained twin."""
    settings = Settings.of()
    wanted = section and {row.id for row in ledger.rows(section)}
    found = [line for line in listing.lines(settings, _standings) if not wanted or line["plain"]["id"] in wanted]
    for line in found:
        typer.echo(json.dumps(line["plain"], ensure_ascii=False) if as_json else line["text"])
    if not as_json:
        typer.echo(listing.legend(" ".join(line["text"] for line in found)))


def _standings(settings: Settings) -> list[dict]:
    """What `list` shows, made from all evidence (`listing` keeps it until a file changes)."""
    from ..cards.standing import standings

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
def show(claim: Annotated[str, typer.Argument(help="A ledger id.", autocompletion=ids)]) -> None:
    """The claim's card as plain text, from the evidence at hand."""
    from ..cards import card
    from ..runs import registered

    typer.echo(repr(card(claim)))
    if claim in registered():
        name, file, line = registered()[claim].place()
        typer.echo(f"MEASURED   by {name} in {file}, line {line}")


@app.command()
def concordance(
    models: Annotated[list[str], typer.Argument(help="Networks that were measured: by name, as on their records.")],
    out: Annotated[Path | None, typer.Option(help="File for the tables, as JSON.")] = None,
) -> None:
    """How far networks agree with BERT wherever its own figures are known, from the evidence at hand."""
    from ..cards import concordance as of
    from ..cards.standing import standings

    made = of.concordance(standings(settings=Settings.of()), models)
    for model in models:
        typer.echo(of.sentence(made, model, model) or f"{model}: no record of a claim that BERT's own outputs decide")
    if out is not None:
        typer.echo(f"{len(made.figures)} figures in {of.save(made, out)}")


@app.command()
def outcomes(
    out: Annotated[
        Path | None, typer.Option(help="File to write; by default the table that comes with the package.")
    ] = None,
) -> None:
    """Write the table of all shipped outcomes, each with the smallest true effect that its test could have found."""
    from ..claims import outcomes as home

    typer.echo(f"written: {home.write(out or home.STORED)}")


@app.command()
def report(
    out: Annotated[Path | None, typer.Option(help="File to write; else printed.")] = None,
    section: Annotated[str | None, typer.Option(help="Only this section.")] = None,
) -> None:
    """All evidence as one table in Markdown."""
    from ..claims.evidence import find

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
