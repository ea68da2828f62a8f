"""The card of a mask adapter, from its own ``training.json``: no figure in it is typed by hand."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import yaml

from bertology_utils.files import write

from .modelcard import SOURCES

BASES = {  # who made the networks, on what, and under which licence: as their own cards say
    "sentence-transformers/all-mpnet-base-v2": (
        "12 layers of width 768, 110 M parameters, BERT's lower-cased word pieces. Pretrained by Microsoft as mpnet-base (masked and "
        "permuted prediction, 160 GB of text), then tuned by sentence-transformers on more than a billion pairs of sentences; "
        "Apache 2.0"
    ),
    "intfloat/multilingual-e5-small": (
        "12 layers of width 384, 250,037 pieces, about 100 languages; tuned by intfloat on pairs of texts, translations among them; MIT"
    ),
}
USE = """```python
from peft import PeftModel
from transformers import AutoModelForMaskedLM

model = PeftModel.from_pretrained(AutoModelForMaskedLM.from_pretrained("{base}"), "FOLDER").merge_and_unload()
```"""


def card(folder: str | Path, name: str) -> Path:
    """Write ``README.md`` into an adapter's folder.

    A table ``comparison.csv`` that lies there (columns ``plan, pieces, loss, accuracy``) becomes the card's.

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
    return write(path / "README.md", text(name, base, training, rows))


def text(name: str, base: str, training: dict[str, Any], compared: list[dict[str, str]]) -> str:
    """The card in Markdown."""
    plan, curve = training["plan"], training["curve"]
    known = yaml.safe_load(SOURCES.read_text("utf-8"))
    last = curve[-1]
    sources = "\n".join(
        f"- {known[file]['title']} ({known[file]['from']}; {known[file]['licence']})" if file in known else f"- {file}"
        for file in training["files"]
    )
    table = "\n".join(f"| {r['pieces']:,} | {r['loss']:.3f} | {r['accuracy']:.3f} |" for r in curve)
    parts = [
        f"# Mask adapter `{name}`",
        f"It gives back to `{base}` what its tuning on sentences took: the filling of masks. The network itself is not changed: "
        f"beside every linear map of its layers a product of two matrices of rank {plan['rank']} is added, with all biases, and a head "
        "(dense, GELU, layer norm, decoder tied to the word embeddings).",
        f"**Base.** {BASES.get(base, 'See its own card')}.",
        f"**Training.** {training['pieces']:,} pieces of plain text in {training['seconds'] / 3600:.1f} hours of one processor core; "
        f"{plan['hidden']:.0%} of the pieces hidden, rates {plan['rate']:g} (adapter) and {plan['head_rate']:g} (head), constant and in the "
        f"last {plan['cooldown']:,} pieces falling to nought. No text was chosen for what the book's items ask.",
        f"**Held out.** {last['loss']:.3f} nats per piece, {last['accuracy']:.1%} guessed out of the whole vocabulary "
        f"({last['n']:,} pieces, 15 % hidden).",
        f"| pieces | held-out loss (nats) | accuracy |\n|---|---|---|\n{table}",
    ]
    if compared:
        lines = "\n".join(f"| {r['plan']} | {int(r['pieces']):,} | {r['loss']} | {r['accuracy']} |" for r in compared)
        parts.append(
            "**Compared first**, each on the same text with a cool-down of 60,000 pieces; what is not named is rank 16, rate 0.001, 20 % "
            f"hidden, all six maps.\n\n| plan | pieces | loss | accuracy |\n|---|---|---|---|\n{lines}"
        )
    parts += [
        f"**Text.**\n\n{sources}",
        "**Licence.** The adapter's numbers: MIT, as the package's; text under CC BY-SA was read in training (above). The base has its own.",
        "**Use.**\n\n" + USE.replace("{base}", base),
    ]
    return "\n\n".join(parts) + "\n"
