"""What follows from what was taught: "not", two steps and more, and from a property to what it allows. Ours, of no study.

A model that is taught the generated world (`taught`) has its single facts. Asked the same way before and after, it shows
whether what follows from them came along. ::

    python -m bertology_utils.experiments.world.taught mini-taught --outcomes outcomes.json
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib import resources

import numpy as np
import pandas as pd

from ...data import builtin
from ...data.items import ForcedChoice, Labelled
from ...scores import intervals
from ...settings import Settings
from ...subject import cloze, retrieval
from ...subject.models import Subject
from .steps import Question, answered, questions

ITEMS = 800  # of a task; the lessons are made of these and more
WORLD = ("taxonomy", "succession", "places")  # sorts of questions whose premises are known and not in the text
PAIRED = {"properties": "property of an object", "affordances": "affordance of an object",
          "property_affordance": "affordance from a property"}  # fmt: skip


def pairs(items: Sequence[Labelled]) -> list[Question]:
    """Each true statement with the false one beside it, as a question of one step; its words in common are the context.

    Raises
    ------
    ValueError
        If true and false do not take turns.
    """
    out = []
    for true, false in zip(items[::2], items[1::2]):
        if (true.label, false.label) != ("1", "0"):
            raise ValueError(f"{true.id} and {false.id} are no true statement and its false twin")
        unit = str(true.meta["object"] or true.meta["property"])
        out.append(Question.of(unit, 1, true.condition, (true, false), right=0))
    return out


def frames(subject: Subject, settings: Settings) -> Iterator[tuple[str, bool, pd.DataFrame]]:
    """A kind of question, whether its answers were taught, and a row per question: ``right, unit`` and ``hops``."""
    known, _, _ = retrieval.answerable(subject, builtin.build("facts", ITEMS, 0))
    first = retrieval.retrieve(subject, known, settings)["rank"].to_numpy() == 0
    yield "fact (first of all words)", True, pd.DataFrame({"right": first, "unit": [i.meta["subject"] for i in known]})
    asked: list[ForcedChoice] = builtin.build("negation", ITEMS, 0)
    asked, _ = cloze.single_piece(subject, asked)
    right = cloze.choose(subject, asked, settings) > 0
    said = pd.DataFrame({"right": right, "unit": [i.good for i in asked], "kind": [i.condition for i in asked]})
    for kind, part in said.groupby("kind"):
        yield f"completion, {kind}", kind == "affirmative", part
    for task, name in PAIRED.items():
        yield name, task != "property_affordance", _gains(subject, pairs(builtin.build(task, ITEMS, 0)), settings)
    found = [q for q in questions(builtin.build("hops", ITEMS, 0)) if q.sort in WORLD]
    steps = _gains(subject, found, settings)
    for hops, part in steps.groupby("hops"):
        yield f"steps: {hops}", hops == 1, part


def _gains(subject: Subject, asked: list[Question], settings: Settings) -> pd.DataFrame:
    return answered(subject, asked, settings).rename(columns={"chain": "unit"})


def outcomes(subject: Subject, settings: Settings | None = None) -> pd.DataFrame:
    """Share right by kind of question, with its interval over what is asked about (facts: P@1; the others: of two).

    Returns
    -------
    data frame
        Tidy rows of the measure ``share right``; ``question``, and ``taught``: whether the answers were.
    """
    settings = settings or Settings.of()
    rows = intervals.Rows(settings)
    for name, shown, frame in frames(subject, settings):
        rows.mean("share right", frame["right"].to_numpy(float), groups=frame["unit"], question=name, taught=shown)
    return intervals.table(rows)


def shipped() -> dict[str, pd.DataFrame]:
    """What came out for `mini` before and after, by model: tidy rows that are kept with the package."""
    text = resources.files("bertology_utils").joinpath("assets/taught.json").read_text(encoding="utf-8")
    return {name: pd.DataFrame(rows) for name, rows in json.loads(text)["outcomes"].items()}


def storable(frame: pd.DataFrame) -> list[dict]:
    """Rows as they are stored: without draws."""
    columns = ["measure", "question", "taught", "value", "low", "high", "n"]
    table = frame[columns].copy()
    for column in ("value", "low", "high"):
        table[column] = np.round(table[column].astype(float), 6)
    return json.loads(table.to_json(orient="records"))
