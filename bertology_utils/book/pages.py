"""The generated parts of the book's pages: written at build time from ledger, evidence, models and data, never by hand.

Each part is a file that a page of `book/` includes. The same inputs give the same bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from html import escape
from math import prod
from pathlib import Path

from safetensors import safe_open

from ..cards import badge, headline, status
from ..claims import ledger
from ..claims.evidence import Evidence, find
from ..claims.ledger import Row, Section
from ..claims.rules import LABELS, NOT_RERUN
from ..settings import Settings
from ..subject import models
from . import cards_of_models, samples

BOOK_MODEL = "mini"


def write(folder: Path, settings: Settings, repository: str = "") -> None:
    """Write every generated part into a folder.

    Parameters
    ----------
    folder : Path
        Made where it is missing.
    settings : Settings
        Its evidence folder is read beside what the package ships.
    repository : str
        Address for the line that installs the package on a hosted notebook; empty where it is not known.
    """
    folder.mkdir(parents=True, exist_ok=True)
    chapters = {p.stem for p in (folder.parent.parent / "notebooks").glob("*.ipynb")}
    parts = {
        "glance": glance(settings),
        "model": model_in_words(),
        "scoreboard": scoreboard(settings, chapters),
        "colab": colab(repository),
        "licences": samples.licences(),
        "samples": samples.page(),
        "models": cards_of_models.page(folder),
    }
    for name, text in parts.items():
        (folder / f"{name}.md").write_text(text.rstrip() + "\n", encoding="utf-8")


def verdict(records: list[Evidence]) -> str:
    """The label of the headline record; `not rerun` where there is none."""
    first = headline(records, BOOK_MODEL)
    return first.decision.label(ours=True) if first and first.decision else NOT_RERUN


def glance(settings: Settings) -> str:
    """How many claims each section has and how they came out: a table with a bar a section."""
    counts = [(s.title, Counter(verdict(status(r.id, settings)) for r in s.rows)) for s in ledger.sections()]
    total = sum((c for _, c in counts), Counter())
    claims, rerun = sum(total.values()), sum(total.values()) - total[NOT_RERUN]
    reruns = [e for e in find(settings=settings) if e.kind == "rerun" and e.decision and e.data == "builtin"]
    twins = [e for e in reruns if e.is_twin and e.model.removesuffix(models.TWIN) == BOOK_MODEL]
    passed, measured = sum(e.decision.outcome == "holds" for e in twins), len(twins)
    rows = "".join(_glance_row(title, c) for title, c in counts)
    text = [
        f"The survey makes **{claims} claims** that this book follows up; **{rerun}** of them have been rerun so far.",
    ]
    if measured:
        text.append(
            f"On generated data, the untrained twin was measured for {measured} claims and met the same prediction for "
            f"{passed} of them: there the measurement does not need training, and the card says so."
        )
    return "\n".join(
        (
            " ".join(text),
            "",
            '<table class="glance"><thead><tr><th>section</th><th>claims</th><th>verdicts</th></tr></thead>'
            f"<tbody>{rows}</tbody><tfoot>{_glance_row('all', total)}</tfoot></table>",
        )
    )


def _glance_row(title: str, counts: Counter) -> str:
    """A section's claims as a stacked bar, and below it the same in words."""
    present = [(label, label.replace(" ", "-")) for label in LABELS if counts[label]]
    bar = "".join(f'<span class="verdict-{name}" style="flex-grow:{counts[label]}"></span>' for label, name in present)
    said = ", ".join(f'<span class="count count-{name}">{counts[label]} {label}</span>' for label, name in present)
    return (
        f'<tr><th scope="row">{escape(title)}</th><td>{sum(counts.values())}</td>'
        f'<td><div class="glance-bar" aria-hidden="true">{bar}</div><small>{said}</small></td></tr>'
    )


def model_in_words() -> str:
    """What the book's model is, in one line from its own files."""
    folder = models.bundled().get(BOOK_MODEL)
    if folder is None:
        return f"`{BOOK_MODEL}` is a small BERT."
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    with safe_open(folder / "model.safetensors", framework="numpy") as weights:
        size = sum(prod(weights.get_slice(name).get_shape()) for name in weights.keys())  # noqa: SIM118
    return (
        f"[`{BOOK_MODEL}`](models.md) is a small BERT: {config['num_hidden_layers']} layers of hidden size "
        f"{config['hidden_size']}, {size / 1e6:.1f} million parameters (BERT-base has 12 layers and 110 million)."
    )


def scoreboard(settings: Settings, chapters: set[str]) -> str:
    """Every row of the ledger with its status, a table a section.

    Parameters
    ----------
    chapters : set of str
        The chapters in the book; rows of others are not linked.
    """
    text = ['<div class="scoreboard-filter" hidden></div>']
    for section in ledger.sections():
        rows = "".join(_score(row, section, settings, section.chapter in chapters) for row in section.rows)
        text += [
            "",
            f"## {section.title}",
            "",
            f'<table class="scoreboard" data-section="{escape(section.title)}"><thead><tr><th>claim</th>'
            "<th>our reruns</th><th>untrained twin</th><th>released outputs</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>",
        ]
    return "\n".join(text)


def _score(row: Row, section: Section, settings: Settings, linked: bool) -> str:
    records = find(row.id, settings)
    title = escape(row.title)
    if linked and headline(records, BOOK_MODEL):
        title = f'<a href="../notebooks/{section.chapter}.html#{escape(row.id)}">{title}</a>'
    reruns = sorted(
        (e for e in records if e.kind == "rerun"), key=lambda e: (e.model != BOOK_MODEL, e.data != "builtin", e.key)
    )
    ours = [_line(e, f"{e.model}, {e.data}") for e in reruns if not e.is_twin]
    twins = [_line(e, f"{e.model.removesuffix(models.TWIN)}, {e.data}") for e in reruns if e.is_twin]
    released = [_line(e, f"{e.model}, {e.data}") for e in records if e.kind == "released"]
    if not ours:
        why = ("cited: " if row.how == "cite" else "") + row.reason if row.reason else "yet"
        ours = [f"{badge(NOT_RERUN)} <small>{escape(why)}</small>"]
    cells = "".join(
        f'<td data-label="{label}">{"<br>".join(lines)}</td>'
        for label, lines in (("our reruns", ours), ("untrained twin", twins), ("released outputs", released))
    )
    return (
        f'<tr data-verdict="{escape(verdict(records))}"><th scope="row">{title}<br><code>{escape(row.id)}</code></th>'
        f"{cells}</tr>"
    )


def _line(e: Evidence, on: str) -> str:
    label, reason = (e.decision.outcome, e.decision.reason) if e.decision else (e.stance, "our reading")
    return f"{badge(label, reason)} <small>{escape(on)}</small>"


def colab(repository: str) -> str:
    """The line that brings the package to a hosted notebook."""
    address = f"git+{repository}" if repository else "git+https://github.com/OWNER/NAME"
    note = "" if repository else "\n\n`OWNER/NAME` stands for the repository this copy of the book was built from."
    return f"```python\n%pip install -q {address}\n```{note}"
