"""The generated world, taught: a copy of a model that has been shown single facts, and none of what follows from them.

A small model knows little, so most claims about what BERT makes of its knowledge cannot be tested with it. Taught the
generated facts, properties and affordances by continued pretraining, it demonstrably has them; the same claims, run on
the copy, then ask what the survey says BERT cannot do: two steps, "not", and what a property allows. Ours, and no
experiment of a cited study. ::

    python -m bertology_utils.experiments.world.taught mini-taught --outcomes outcomes.json
    bertology run wld.lama.petroni2019 wld.affordances.forbes2019 wld.inference_steps.richardson2019 --model ./mini-taught

Not taught are statements of two steps and more, negated ones, and those that join a property and an affordance.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from ...data import builtin
from ...data.items import MASK, Cloze, ForcedChoice, Labelled
from ...finetune import Recipe
from ...finetune.masked import fill
from ...subject import encode, models
from ...subject.models import ModelUnsuitable, Subject
from . import consequences

EPOCHS = 4  # how often each lesson is read
MANY = 2000  # items of a task that lessons are made of: of most there are fewer
TAUGHT = ("facts", "properties", "affordances", "hops", "negation")


def taught_by(item) -> list[str]:
    """What an item teaches: true statements of one step, without "not"; nothing where it is none.

    >>> taught_by(Cloze(id="x", text="The capital of France is [MASK].", answers=("Paris",)))
    ['The capital of France is Paris.']
    """
    if isinstance(item, Cloze):
        return [item.text.replace(MASK, answer) for answer in item.answers]
    if isinstance(item, ForcedChoice):
        return [item.text.replace(MASK, item.good)] if item.condition == "affirmative" else []
    if isinstance(item, Labelled) and item.label == "1" and item.meta.get("hops", 1) == 1:
        return [item.text]
    return []


def lessons(seed: int = 0) -> list[str]:
    """The distinct true statements of the generated world, in a fixed order."""
    items = [item for task in TAUGHT for item in builtin.build(task, MANY, seed)]
    return list(dict.fromkeys(text for item in items for text in taught_by(item)))


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


def main(arguments: Sequence[str] | None = None) -> None:
    """Teach a model the generated world, write it to a folder, and say what followed (`consequences`)."""
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
                 "lessons": len(texts), "lessons_sha256": fingerprint(texts)}  # fmt: skip
        found = {s.name: consequences.storable(consequences.outcomes(s)) for s in (subject, taught)}
        options.outcomes.write_text(json.dumps({"taught": facts, "outcomes": found}, indent=1) + "\n")


def fingerprint(texts: Sequence[str]) -> str:
    """SHA-256 of the lessons, one per line."""
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


if __name__ == "__main__":
    main()
