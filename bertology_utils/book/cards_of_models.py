"""The models page: what each bundled model is, read off its own files, and how its training went."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

from ..family.reading import second_task, sitting
from ..plotting import KINDS, MARKERS, NARROW, style
from ..subject import models

_CURVES = {"mlm": "training, masked-word loss", "heldout_mlm": "held out, masked-word loss"}
_HELD_OUT = {
    "heldout_mlm": ("masked-word loss", "{:.3f} nats"),
    "heldout_top1": ("masked words guessed", "{:.3f}"),
    "heldout_predictions": ("masked words", "{:,.0f}"),
    "heldout_nsp": ("next-sentence accuracy", "{:.3f}"),
    "heldout_sop": ("sentence-order accuracy", "{:.3f}"),
    "heldout_random": ("random next sentences", "{:.3f}"),
    "heldout_rows": ("pairs of sentences", "{:,.0f}"),
}


def page(folder: Path) -> str:
    """A section a bundled model; pictures are written into the folder beside it.

    Raises
    ------
    FileNotFoundError
        A model folder has no ``training.json``, ``curves.jsonl`` or ``README.md``: a model that says nothing of its training
        is not to be bundled.
    """
    return "\n\n".join(_section(name, path, folder) for name, path in models.bundled().items())


def _section(name: str, path: Path, folder: Path) -> str:
    training = json.loads((path / "training.json").read_text(encoding="utf-8"))
    text = [f"## `{name}`", _table(facts(path, training))]
    rows = [json.loads(line) for line in (path / "curves.jsonl").read_text(encoding="utf-8").splitlines()]
    draw(rows, name, folder / f"curve-{name}.svg")
    last = [r["heldout_mlm"] for r in rows if "heldout_mlm" in r][-1]
    text.append(
        f"```{{figure}} {folder.name}/curve-{name}.svg\n:alt: Loss of {name} against the pieces seen in training, falling.\n"
        f"\nTraining of `{name}`: loss (nats) against pieces seen."
        f" On the run's own held-out rows it ends at {last:.3f} nats (table: fixed rows).\n```"
    )
    text.append(_body((path / "README.md").read_text(encoding="utf-8")))
    return "\n\n".join(text)


def facts(path: Path, training: dict[str, Any]) -> dict[str, str]:
    """What the model's own files say of it, in words."""
    config = json.loads((path / "config.json").read_text(encoding="utf-8"))
    run, sittings = training["config"], [*training.get("start", {}).get("sittings", []), sitting(training)]
    return {
        "architecture": f"{config['num_hidden_layers']} layers, {config['num_attention_heads']} heads each, hidden size "
        f"{config['hidden_size']}, feed-forward {config['intermediate_size']}",
        "vocabulary": f"{config['vocab_size']:,} word pieces, {'lower case' if run['lowercase'] else 'cased'}",
        "longest row": f"{config['max_position_embeddings']} pieces",
        "file": f"{(path / 'model.safetensors').stat().st_size / 1e6:.1f} MB, safetensors",
        "objective": "masked words" + second_task(run),
        "trained on": f"{sum(s['tokens'] for s in sittings):,} pieces in {sum(s['steps'] for s in sittings):,} steps"
        + (f", in {len(sittings)} sittings" if len(sittings) > 1 else "")
        + ("" if training["finished"] else f" of {run['tokens']:,} planned (stopped early)"),
        "time": f"{sum(s['seconds'] for s in sittings) / 3600:.1f} h on {training['device']}",
        **{f"held out: {_HELD_OUT[k][0]}": _HELD_OUT[k][1].format(v) for k, v in training["heldout"].items()},
        "configuration": f"{run['name']} ({training['config_sha256'][:12]})",
    }


def _table(rows: dict[str, str]) -> str:
    body = "".join(f'<tr><th scope="row">{escape(k)}</th><td>{escape(v)}</td></tr>' for k, v in rows.items())
    return f'<table class="facts"><tbody>{body}</tbody></table>'


def _body(card: str) -> str:
    """A model card without its front matter and first heading, the others two levels down (the page has its own)."""
    if card.startswith("---\n"):
        card = card.split("\n---\n", 1)[1]
    lines, fenced = [], False
    for line in card.strip().splitlines():
        fenced ^= line.startswith("```")
        if line.startswith("# ") and not fenced:
            continue
        lines.append(f"#{line}" if line.startswith("##") and not fenced else line)
    return "\n".join(lines).strip()


def draw(rows: list[dict[str, Any]], name: str, target: Path) -> None:
    """Draw the losses against pieces seen (logarithmic: most of the fall is at the start)."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    with style():
        figure, ax = plt.subplots(figsize=(NARROW, 3.0))
        for k, (key, label) in enumerate(_CURVES.items()):
            chosen = [r for r in rows if key in r]
            ax.plot(
                [r["tokens"] for r in chosen],
                [r[key] for r in chosen],
                color=KINDS[k],
                label=label,
                marker=MARKERS[k] if key.startswith("heldout") else "",
                markersize=4,
                linewidth=1.2,
            )
        ax.set(xscale="log", xlabel="pieces seen", ylabel="loss (nats)", title=f"Training of {name}")
        ax.legend()
        figure.savefig(target, metadata={"Date": None, "Creator": None})
        plt.close(figure)
