"""The card of a mask adapter, from its own ``training.json``: no figure in it is typed by hand."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from bertology_utils.claims.evidence import SHIPPED, find
from bertology_utils.files import write
from bertology_utils.settings import Settings

from .modelcard import SOURCES

BASES = {  # who made the networks, on what, and under which licence: as their own cards say
    "sentence-transformers/all-mpnet-base-v2": (
        "12 layers of width 768, 110 M parameters, BERT's lower-cased word pieces. Pretrained by Microsoft as mpnet-base (masked and "
        "permuted prediction, 160 GB of text), then tuned by sentence-transformers on more than a billion pairs of sentences; "
        "Apache 2.0"
    ),
    "intfloat/multilingual-e5-small": (
        "12 layers of width 384, 250,037 pieces, about 100 languages. Begun as Microsoft's Multilingual-MiniLM-L12-H384, which was "
        "distilled from XLM-R; then tuned by intfloat on about a billion pairs of texts, translations among them; MIT"
    ),
}
PROFILES = {  # (claim, measure) -> what it is called, and the rows that are meant
    ("syn.pos_chunks_deps.tenney2019b", "accuracy"): {
        "named": "part of speech, linear probe",
        "data": "ud_english_ewt",
        "task": "parts of speech",
    },
    ("emb.anisotropy.ethayarajh2019", "mean cosine"): {
        "named": "mean cosine of random words",
        "data": "sts_semeval_2012_2016",
    },
}
USE = """```python
from peft import PeftModel
from transformers import AutoModelForMaskedLM

model = PeftModel.from_pretrained(
    AutoModelForMaskedLM.from_pretrained("{base}"), "FOLDER"
).merge_and_unload()
```"""


def card(folder: str | Path, name: str) -> Path:
    """Write ``README.md`` into an adapter's folder.

    A table ``comparison.csv`` that lies there (columns ``plan, pieces, loss, accuracy``) becomes the card's, and so does the curve
    of ``longer.json``, the ``training.json`` of a run that began with this adapter.

    Raises
    ------
    FileNotFoundError
        The folder has no ``training.json``.
    """
    path = Path(folder)
    training = json.loads((path / "training.json").read_text("utf-8"))
    base = json.loads((path / "adapter_config.json").read_text("utf-8"))["base_model_name_or_path"]
    compared = path / "comparison.csv"
    rows = list(csv.DictReader(compared.read_text("utf-8").splitlines())) if compared.is_file() else []
    layers = path / "profiles.csv"
    profiles = list(csv.DictReader(layers.read_text("utf-8").splitlines())) if layers.is_file() else []
    longer = path / "longer.json"
    on = json.loads(longer.read_text("utf-8")) if longer.is_file() else None
    return write(path / "README.md", text(name, base, training, rows, profiles, on))


def profiles(folder: str | Path, name: str, plain: str | Path) -> Path:
    """Write ``profiles.csv``: what the plain network and the adapted one show layer by layer, from records of both.

    `plain` is an evidence folder with records of ``<name>-plain``, those of the adapted network are shipped.
    """
    lines = []
    for (claim, measure), where in PROFILES.items():
        for model, of in ((f"{name}-plain", Settings(evidence=Path(plain))), (name, Settings(evidence=SHIPPED))):
            record = next(r for r in find(claim, of) if r.model == model and r.data == where["data"])
            lines += [
                {"measure": where["named"], "network": model, "layer": row["layer"], "value": f"{row['value']:.3f}"}
                for row in record.rows
                if row["measure"] == measure and row.get("task") == where.get("task")
            ]
    stream = io.StringIO()
    out = csv.DictWriter(stream, ["measure", "network", "layer", "value"], lineterminator="\n")
    out.writeheader()
    out.writerows(lines)
    return write(Path(folder) / "profiles.csv", stream.getvalue())


def _beside(training: dict[str, Any], base: str) -> str:
    """What of the base's weights the adapter was trained beside, where that is not what is published under its name."""
    if training.get("base") != "me5-q4":
        return ""
    return f" The adapter was trained beside its weights in 4 bits (`me5-q4`); beside `{base}` itself nothing was measured."


def _scored(training: dict[str, Any]) -> str:
    """What the softmax of training went over, where not over the vocabulary; how files were drawn."""
    plan, said = training["plan"], ""
    if training.get("scored"):
        said += (
            f" Training told {training['scored']:,} pieces from one another, those of the first {plan['counted']:,} passages; the head is "
            "of the whole vocabulary, where the others keep the bias that a piece never met begins with."
        )
    if plan.get("power", 1) != 1:
        said += f" Each file's share is its size to the power of {plan['power']:g}."
    return said


def _time(training: dict[str, Any]) -> str:
    if device := training.get("device"):
        return f"{training['seconds'] / 60:.0f} minutes of one {device}"
    return f"{training['seconds'] / 3600:.1f} hours of one processor core"


def _curve(curve: Sequence[dict[str, Any]], before: int = 0) -> str:
    lines = "\n".join(f"| {before + r['pieces']:,} | {r['loss']:.3f} | {r['accuracy']:.3f} |" for r in curve)
    return f"| pieces | held-out loss (nats) | accuracy |\n|---|---|---|\n{lines}"


def text(
    name: str,
    base: str,
    training: dict[str, Any],
    compared: list[dict[str, str]],
    profiled: Sequence[dict[str, str]] = (),
    longer: dict[str, Any] | None = None,
) -> str:
    """The card in Markdown."""
    plan, curve = training["plan"], training["curve"]
    known = yaml.safe_load(SOURCES.read_text("utf-8"))
    last = curve[-1]
    sources = "\n".join(
        f"- {known[file]['title']} ({known[file]['from']}; {known[file]['licence']})" if file in known else f"- {file}"
        for file in training["files"]
    )
    table = _curve(curve)
    parts = [
        f"# Mask adapter `{name}`",
        f"It lets `{base}` fill masks, which as published it has no head for. The network itself is not changed: "
        f"beside every linear map of its layers a product of two matrices of rank {plan['rank']} is added, with all biases, and a head "
        "(dense, GELU, layer norm, decoder tied to the word embeddings).",
        f"**Base.** {BASES.get(base, 'See its own card')}.{_beside(training, base)}",
        f"**Training.** {training['pieces']:,} pieces of plain text in {_time(training)}; "
        f"{plan['hidden']:.0%} of the pieces hidden, rates {plan['rate']:g} (adapter) and {plan['head_rate']:g} (head), constant and in the "
        f"last {plan['cooldown']:,} pieces falling to nought. No text was chosen for what the book's items ask.{_scored(training)}",
        f"**Held out.** {last['loss']:.3f} nats per piece, {last['accuracy']:.1%} guessed out of the whole vocabulary "
        f"({last['n']:,} pieces, 15 % hidden).",
        table,
    ]
    if longer:
        end, seen = longer["curve"][-1], training["pieces"]
        parts.append(
            f"**Longer?** A run that began with this adapter, its rates rising and falling anew, read {longer['pieces']:,} pieces more: "
            f"{end['loss']:.3f} nats and {end['accuracy']:.1%} after {seen + longer['pieces']:,} pieces, where this one has {last['loss']:.3f} "
            f"and {last['accuracy']:.1%}. The book's figures are of this one.\n\n{_curve(longer['curve'], seen)}"
        )
    if compared:
        lines = "\n".join(f"| {r['plan']} | {int(r['pieces']):,} | {r['loss']} | {r['accuracy']} |" for r in compared)
        parts.append(
            "**Compared on a small budget**, each on the same text and cooled down; what a plan does not name is as above.\n\n"
            f"| plan | pieces | loss | accuracy |\n|---|---|---|---|\n{lines}"
        )
    if profiled:
        by: dict[tuple[str, str], list[str]] = {}
        for r in profiled:
            by.setdefault((r["measure"], r["network"]), []).append(r["value"])
        depth = max(map(len, by.values()))
        head = f"| measure | network | {' | '.join(map(str, range(depth)))} |\n|{'---|' * (depth + 2)}\n"
        lines = "\n".join(f"| {measure} | {network} | {' | '.join(row)} |" for (measure, network), row in by.items())
        parts.append(f"**Plain and adapted, layer by layer** (0: the embeddings).\n\n{head}{lines}")
    if of := training.get("languages"):
        lines = "\n".join(f"| {code} | {r['loss']:.3f} | {r['accuracy']:.3f} | {r['n']:,} |" for code, r in of.items())
        parts.append(
            f"**Held out, by language.**\n\n| language | loss (nats) | accuracy | pieces |\n|---|---|---|---|\n{lines}"
        )
    parts += [
        f"**Text.**\n\n{sources}",
        "**Licence.** The adapter's numbers: MIT, as the package's; text under CC BY-SA was read in training (above). The base has its own.",
        "**Use.**\n\n" + USE.replace("{base}", base),
    ]
    return "\n\n".join(parts) + "\n"
