"""The model card of a trained folder, from its own ``training.json``: no figure in it is typed by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml

from bertology_utils.family.reading import SECOND_TASKS, second_task, sitting

from . import units

SOURCES = Path(__file__).parent / "sources.yaml"


ABOUT = """made for this
book: small enough to come with the package and to be studied on a laptop. It is no substitute for BERT-base, and no figure
measured on it is a figure of BERT-base."""
CONTROL = """made for this
book as a positive control: pretrained on the package's own generated language (`bertology_pretrain.generated`), so that
it has the grammar that the generated items ask about. It knows no English beyond those few thousand words, and no figure
measured on it says anything of BERT."""


def write(folder: str | Path, name: str, agreement: str = "") -> Path:
    """Write ``README.md`` into a model's folder.

    Parameters
    ----------
    folder : str or Path
        With ``training.json`` as `export` leaves it.
    name : str
        What the model is called.
    agreement : str
        What it scores on generated items, measured elsewhere, in Markdown.

    Raises
    ------
    FileNotFoundError
        The folder has no ``training.json``.
    """
    path = Path(folder)
    training = json.loads((path / "training.json").read_text("utf-8"))
    known = yaml.safe_load(SOURCES.read_text("utf-8"))
    log = path / "curves.jsonl"
    curves = [json.loads(line) for line in log.read_text("utf-8").splitlines()] if log.is_file() else []
    path = path / "README.md"
    path.write_text(text(name, training, known, agreement, curves), "utf-8")
    return path


def text(
    name: str,
    training: dict[str, Any],
    sources: dict[str, dict[str, str]],
    agreement: str = "",
    curves: Sequence[dict[str, Any]] = (),
) -> str:
    """The card in Markdown; `curves` are the rows of the run's log."""
    run, held = training["config"], training["heldout"]
    tongues = languages([file["name"] for file in training["files"]])
    unit = "pieces" if len(tongues) > 1 else "words"  # not every script parts its words by blanks
    rows = []
    for file in training["files"]:
        called = file["name"]
        source = sources.get(called) or sources.get(f"{called}.xz") or {}  # the text may have been unpacked
        rows.append(
            f"| {source.get('title', called)} | {file[unit] / 1e6:.1f} M | {source.get('from', 'not recorded')} "
            f"| {source.get('licence', 'not recorded')} |"
        )
    phases = "\n".join(f"| {n} | {s:.0%} | {d} | {b:,} |" for n, s, d, b in schedule(run, curves))
    if "heldout_rtd" in held:
        figures = [
            f"loss of detection {held['heldout_rtd']:.4f} nats per piece",
            f"{held['heldout_detected']:.3f} of replaced and of original pieces told rightly, on average (chance 0.5)",
        ]
    else:
        figures = [f"masked-word loss {held['heldout_mlm']:.3f} nats", f"top-1 accuracy {held['heldout_top1']:.3f}"]
    for pair, task in SECOND_TASKS.items():
        if f"heldout_{pair}" not in held:
            continue
        figures.append(
            f"{task} accuracy {held[f'heldout_{pair}']:.3f}, where always saying one class gives "
            f"{max(held['heldout_random'], 1 - held['heldout_random']):.3f}"
        )
    whole = training["tokens"] + training.get("start", {}).get("tokens", 0)
    versions = ", ".join(f"{k} {v}" for k, v in training["versions"].items())
    generated = bool(run.get("generated"))
    early = ""
    if (budget := run.get("tokens", 0)) and schedule(run, curves) != schedule(run, ()):
        early = f" for {round((1 - run['decay']) * budget):,} pieces, then the same with `--release`"
    limits = "a small fraction of what BERT-base saw; encyclopaedic and literary English only"
    if generated:
        limits = "the generated language only"
    elif len(tongues) > 1:
        limits = f"few for {len(tongues)} languages: Bibles, mostly old prose and some articles"
    return f"""# {name}

A BERT ({run["layers"]} layers, hidden size {run["hidden"]}, {run["heads"]} heads, {run["vocab"]:,} word pieces) {CONTROL if generated else ABOUT}

## Training text

| source | {unit} | taken from | licence |
|---|---|---|---|
{chr(10).join(rows)}

One document in {round(1 / run["held_out"])} was held out. {"The text is made anew by the same command, from a seed." if generated else "The texts are not part of the package."}

## Training

{"The last sitting: " if training.get("start") else ""}{training["tokens"]:,} pieces in {training["steps"]:,} steps, {training["seconds"] / 60:.0f} minutes on {training["device"]}; {versions}.{begun(training)}
Objective: {objective(run)}, {optimiser(run)}, learning rate
{run["learning_rate"]:g} with warm-up and {decay(run)}. The schedule, a share of the pieces at each row length and depth (a shallower
model is stacked to the next depth):

| pieces per row | share | layers | pieces per batch |
|---|---|---|---|
{phases}

Train it again: `bertology pretrain --config {run["name"]}{"" if generated else " --corpus FOLDER"} --out RUN`{early}.

## Held-out figures

On {held["heldout_predictions"]:,} masked pieces of documents never trained on: {"; ".join(figures)}.
{agreement}

## Limits

Trained on {whole / 1e6:,.0f} M pieces, {limits}; rows
longer than {run["max_positions"]} pieces are refused; what it predicts repeats the biases of its sources.
"""


def begun(training: dict[str, Any]) -> str:
    """What the run began with, in words; nothing where that was chance."""
    if not (before := training.get("start")):
        return ""
    whose = f"another model (`{before['name']}`, SHA-256 {before['sha256'][:16]}), which"
    if parts := before.get("average"):
        whose = "an average (" + ", ".join(f"{p['share']:g} of `{p['name']}`" for p in parts) + "), which"
    return (
        f"\nIt began with the weights of {whose} had seen "
        f"{before['tokens']:,} pieces: {training['tokens'] + before['tokens']:,} in all.{table(training)}"
    )


def table(training: dict[str, Any]) -> str:
    """All runs that a model goes back to, and its own, a row each; nothing where the record does not name them."""
    if not (before := training["start"].get("sittings")):
        return ""
    rows = "\n".join(
        f"| {number} | `{r['name']}` | {r['tokens']:,} | {r['steps']:,} | {r['seconds'] / 60:.0f} | {r['device']} "
        f"| {r.get('precision', 'not recorded')} |"
        for number, r in enumerate([*before, sitting(training)], 1)
    )
    return (
        "\n\n| sitting | configuration | pieces | steps | minutes | device | precision |\n"
        f"|---|---|---|---|---|---|---|\n{rows}\n\nWhat follows is the last sitting's."
    )


def schedule(run: dict[str, Any], curves: Sequence[dict[str, Any]]) -> list[tuple[int, float, int, int]]:
    """Length of rows, share of the pieces, depth and pieces per batch of the phases.

    As the configuration says, or as the log does where that is another: a stable run that was decayed early has spent
    more of its pieces in its first phases.

    >>> run = {"layers": 4, "batch_tokens": 64, "phases": [{"length": 8, "share": 0.5, "layers": 2}, {"length": 8, "share": 0.5}]}
    >>> schedule(run, [{"tokens": 80, "length": 8, "layers": 2}, {"tokens": 100, "length": 8, "layers": 4}])
    [(8, 0.8, 2, 64), (8, 0.2, 4, 64)]
    """
    said = [
        (p["length"], p["share"], p.get("layers") or run["layers"], p.get("batch_tokens") or run["batch_tokens"])
        for p in run["phases"]
    ]
    seen: dict[tuple[int, int], int] = {}
    before = 0
    for row in curves:
        place = (row["length"], row["layers"])
        seen[place] = seen.get(place, 0) + row["tokens"] - before
        before = row["tokens"]
    if len({(n, d) for n, _, d, _ in said}) < len(said) or set(seen) != {(n, d) for n, _, d, _ in said}:
        return said  # two phases alike, or a log that lacks one
    return [(n, round(seen[n, d] / before, 3), d, b) for n, _, d, b in said]


def languages(files: Iterable[str]) -> set[str]:
    """Languages of text files by their names; English where they name none.

    >>> sorted(languages(["bible_deu.txt.xz", "prose_deu.txt.xz", "simplewiki.txt.xz"]))
    ['deu', 'eng']
    """
    named = (re.search(r"_([a-z]{3})\.txt", name) for name in files)
    return {found[1] if found else "eng" for found in named}


def objective(run: dict[str, Any]) -> str:
    """What the model was trained to do, in words; options that are not named are BERT's own."""
    hidden = {
        "word": "whole words",
        "span": "spans of words",
        "entity": "whole words and named entities",
        "verb": f"pieces, {units.FIRST:.0%} of the verb forms that show number first of all",
    }
    shown = {"unk": ", [UNK] for [MASK]", "random": ", random pieces for [MASK]"}.get(run.get("mask_symbol", ""), "")
    still = ", the same at every pass" if run.get("static_masks") else ""
    masks = f"masked {hidden.get(run.get('masking', ''), 'pieces')} ({run['mask_rate']:.0%}; 80/10/10{shown}{still})"
    if run.get("objective") == "rtd":
        return f"replaced pieces told from original ones, {masks} being filled in by a small generator"
    return masks + second_task(run)


def optimiser(run: dict[str, Any]) -> str:
    """The optimiser in words; records of older runs name none."""
    if run.get("optimiser", "adamw") == "adamw":
        return "AdamW"
    if run["optimiser"] == "lamb":
        return "LAMB"
    return f"Muon for the encoder's matrices (at {run['muon_factor']:g} times the rate) and AdamW for the rest"


def decay(run: dict[str, Any]) -> str:
    """What the learning rate does after its warm-up, in words."""
    if run.get("schedule", "linear") == "linear":
        return "linear decay"
    return f"linear decay over the last {run['decay']:.0%}, stable between"
