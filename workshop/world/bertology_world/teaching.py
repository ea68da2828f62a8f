"""The generated world, taught to a copy of a model, and what follows from that: the package's stored outcomes are made here.

python -m bertology_world.teaching mini-taught --outcomes outcomes.json
bertology run wld.lama.petroni2019 wld.affordances.forbes2019 wld.inference_steps.richardson2019 --model ./mini-taught
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch

from bertology_utils.data import builtin
from bertology_utils.data.items import ForcedChoice, Labelled
from bertology_utils.experiments.world.consequences import ITEMS, PAIRED
from bertology_utils.experiments.world.steps import Question, answered, questions
from bertology_utils.experiments.world.taught import lessons
from bertology_utils.finetune import Recipe
from bertology_utils.finetune.masked import fill
from bertology_utils.scores import intervals
from bertology_utils.settings import Settings
from bertology_utils.subject import cloze, encode, models, retrieval
from bertology_utils.subject.models import ModelUnsuitable, Subject

EPOCHS = 4  # how often each lesson is read
WORLD = ("taxonomy", "succession", "places")  # sorts of questions whose premises are known and not in the text


def teach(
    subject: Subject, texts: Sequence[str], *, epochs: int = EPOCHS, seed: int = 0, rate: float | None = None
) -> Subject:
    """A copy of the subject that has learnt to fill one word of each text, another one in each epoch.

    Parameters
    ----------
    epochs : int
        How often each text is read.
    rate : float, optional
        Peak learning rate; by default that of `finetune.Recipe`.

    Raises
    ------
    ModelUnsuitable
        If the model's masked-LM head is not BERT's.
    """
    if not hasattr(subject.model, "cls"):
        raise ModelUnsuitable(f"{subject.name} has no masked-LM head that can be taught here")
    rng = random.Random(seed)
    rows = epochs * encode.tokenize(subject, [text.replace(".", " .").split() for text in texts])
    places = []
    for row in rows:
        word = rng.randrange(max(1, row.n_words - 1))  # the full stop is never asked for
        places.append([t for t, w in enumerate(row.words) if w == word])
    tuned, head = fill(subject, rows, places, Recipe(epochs=1, seed=seed, rate=rate), name=f"{subject.name}-taught")
    tuned.model.get_submodule("cls").predictions = head
    return tuned


def _head(model: torch.nn.Module) -> Any:
    """What a BERT predicts pieces with."""
    return model.get_submodule("cls.predictions")


def write(subject: Subject, folder: Path) -> None:
    """Write a taught model to a folder that `models.load` reads: its head has moved away from the embeddings' weights."""
    model = copy.deepcopy(subject.model)
    decoder = _head(model).decoder
    decoder.bias = torch.nn.Parameter(decoder.bias.detach().clone())  # shared with the head's own, it would be left out
    model.config.tie_word_embeddings = False
    model.save_pretrained(folder)
    subject.tokenizer.save_pretrained(folder)


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


def storable(frame: pd.DataFrame) -> list[dict]:
    """Rows as they are stored: without draws."""
    columns = ["measure", "question", "taught", "value", "low", "high", "n"]
    table = frame[columns].copy()
    for column in ("value", "low", "high"):
        table[column] = np.round(table[column].astype(float), 6)
    return json.loads(table.to_json(orient="records"))


def main(arguments: Sequence[str] | None = None) -> None:
    """Teach a model the generated world, write it to a folder, and say what followed."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", default="mini")
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--outcomes", type=Path, help="file for what came out before and after")
    options = parser.parse_args(arguments)
    subject, texts = models.load(options.model), lessons()
    taught = teach(subject, texts, epochs=options.epochs)
    write(taught, options.folder)
    if options.outcomes:
        facts = {"model": subject.name, "model_sha256": subject.sha256, "epochs": options.epochs,
                 "lessons": len(texts), "lessons_sha256": hashlib.sha256("\n".join(texts).encode()).hexdigest()}  # fmt: skip
        found = {s.name: storable(outcomes(s)) for s in (subject, taught)}
        options.outcomes.write_text(json.dumps({"taught": facts, "outcomes": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
