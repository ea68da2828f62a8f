"""What a model pretrained on the generated language has learnt of it: every kind of generated item it could be asked.

The figures of the bundled `toy`'s card. Sentences that the training text holds are left out: of the open tasks none
does, while the builders stay as they are (see `generated.reserved`), of the hand-written tables three quarters are in it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import bertology_world as builtin
from bertology_utils.data.items import Cloze, Item, MinimalPair
from bertology_utils.scores.intervals import mean_interval
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze
from bertology_utils.subject.models import Subject, load

from . import generated, modelcard

TASKS = (
    "agreement",
    "npi_cloze",
    "npi_pairs",
    "negation",
    "roles",
    "size_comparison",
    "facts",
    "completion",
    "name_origin",
)
PASSED = 0.95
FIGURES = "competence.csv"
COLUMNS = ("task", "condition", "measure", "value", "low", "high", "n")


def new(items: Iterable[Any], task: str) -> list[Any]:
    """The items none of whose right sentences a text of the generated language may hold."""
    return [i for i in items if task not in generated.TABLES or all(map(generated.unseen, generated.spoken(i)))]


def condition(item: Item) -> str:
    """What the items of a row have in common: of agreement the construction, whether nonce, and the attractors."""
    if "attractors" in item.meta:
        count = min(item.meta["attractors"], 2)
        return f"{'nonce ' if item.meta.get('nonce') else ''}{item.condition}, {count} attractor{'s' * (count != 1)}"
    return item.condition if not isinstance(item, Cloze) else ""


def ranks(subject: Subject, items: Sequence[Cloze], settings: Settings) -> np.ndarray:
    """Rank of the best-placed answer of each item (one of them is one piece) in the whole vocabulary, 0 for the top; int (n,)."""
    ids = [[cloze.filler_id(subject, w) for w in item.answers] for item in items]
    out = np.empty(len(items), int)
    for i, logs in cloze.log_probabilities(subject, [item.text for item in items], settings):
        best = max(logs[f] for f in ids[i] if f is not None)
        out[i] = int((logs > best).sum())
    return out


def rows(subject: Subject, n: int = 2000, seed: int = 0, settings: Settings | None = None) -> pd.DataFrame:
    """Accuracy by task and condition, with 95 % intervals over the items.

    Parameters
    ----------
    subject : Subject
    n, seed : int
        Items per task, before those that the training text may hold are left out.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`; the measure is ``accuracy`` (the right filler or sentence preferred to the wrong one, chance
        0.5) or ``precision at 1`` (an answer is the likeliest of the vocabulary).
    """
    settings = settings or Settings.of()
    out = []
    for task in TASKS:
        items = new(builtin.build(task, n, seed), task)
        if isinstance(items[0], MinimalPair):
            words = [[*s.rstrip(".?").split(), s[-1]] for i in items for s in (i.good, i.bad)]
            scores = cloze.pseudo_log_likelihood(subject, words, settings=settings)
            measure, right = "accuracy", scores[::2] > scores[1::2]
        elif isinstance(items[0], Cloze):
            items = [i for i in items if any(cloze.filler_id(subject, a) is not None for a in i.answers)]
            measure, right = "precision at 1", ranks(subject, items, settings) == 0
        else:
            items, _ = cloze.single_piece(subject, items)
            measure, right = "accuracy", cloze.choose(subject, items, settings) > 0
        frame = pd.DataFrame({"condition": [condition(i) for i in items], "right": np.asarray(right, float)})
        for name, part in frame.groupby("condition"):
            interval = mean_interval(part.right, seed=seed, draws=settings.draws)
            out.append((task, name, measure, *interval, len(part)))
    return pd.DataFrame(out, columns=list(COLUMNS))


def write(folder: str | Path, name: str, note: str = "", settings: Settings | None = None) -> Path:
    """Measure a folder's model and its untrained twin, and write ``competence.csv`` and the model card with the figures.

    Parameters
    ----------
    folder : str or Path
        As `export` leaves it.
    name : str
        What the model is called in its card.
    note : str
        What else there is to say of the figures.
    """
    settings, folder = settings or Settings.of(device="cpu"), Path(folder)
    subject = load(str(folder.resolve()), settings)
    twin = rows(subject.twin(), settings=settings)
    frame = rows(subject, settings=settings).merge(twin[["task", "condition", "value"]], on=["task", "condition"])
    frame = frame.rename(columns={"value_x": "value", "value_y": "twin"})
    frame.to_csv(folder / FIGURES, index=False, float_format="%.3f")
    return card(folder, name, note)


def card(folder: str | Path, name: str, note: str = "") -> Path:
    """Write the model card from the figures that `write` has left."""
    frame = pd.read_csv(Path(folder) / FIGURES, keep_default_na=False)
    return modelcard.write(folder, name, table(frame) + (f"\n\n{note}" if note else ""))


def table(frame: pd.DataFrame) -> str:
    """The figures as a table in Markdown; a row is passed where its whole interval is above 0.95."""
    lines = [
        "| task | condition | measure | n | value | 95 % interval | untrained twin |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in frame.itertuples():
        value = f"**{row.value:.3f}**" if row.low > PASSED else f"{row.value:.3f}"
        interval = f"[{row.low:.3f}, {row.high:.3f}]"
        lines.append(
            f"| {row.task} | {row.condition} | {row.measure} | {row.n} | {value} | {interval} | {row.twin:.3f} |"
        )
    return (
        "\nOn generated items (seed 0) whose right sentences the training text does not hold; in bold what it has learnt, the "
        f"whole interval above {PASSED}. Nonce sentences have words of the right categories but no meaning, and none is in "
        "the text. Of the hand-written tables (negation and below) other sentences about the same things are in the text.\n\n"
        + "\n".join(lines)
    )


if __name__ == "__main__":  # python -m bertology_pretrain.competence FOLDER NAME NOTE
    given, called, said = sys.argv[1:4]
    print(write(given, called, said))
