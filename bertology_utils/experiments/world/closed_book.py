"""Questions to a text-to-text model, answered from its weights alone (roberts2020)."""

from __future__ import annotations

import re

import numpy as np
import torch

from ...claims.registry import NotDefined, claim
from ...scores import intervals
from ...subject.companions import companion, how_to_name

QUESTIONS = {  # relation of the generated facts -> how it is asked
    "capital": "What is the capital of {s}?",
    "continent": "On which continent is {s}?",
    "language": "Which language is spoken in {s}?",
    "country": "In which country is {s}?",
    "opposite": "What is the opposite of {s}?",
    "author": "Who wrote {s}?",
    "colour": "What colour is {s}?",
    "female": "What is the female of {s}?",
    "young": "What is the young of {s} called?",
}
NEW = 8  # pieces of an answer at most
ROLE = "partner"  # the same model in another size


def normal(text: str) -> str:
    """Lower case without punctuation and articles: what exact match compares.

    >>> normal("The Nile.")
    'nile'
    """
    return " ".join(w for w in re.sub(r"[^\w\s]", " ", text.lower()).split() if w not in ("a", "an", "the"))


def writes(subject) -> None:
    """Refuse a model that writes no texts.

    Raises
    ------
    NotDefined
        It fills gaps.
    """
    if not getattr(subject.config, "is_encoder_decoder", False):
        raise NotDefined(
            f"wld.closed_book.roberts2020 asks a text-to-text model, and {subject.name} is none: run it with --model, "
            "and name the same model in another size as its partner"
        )


def written(subject, question: str) -> str:
    """The answer that the model generates, the likeliest piece at each step."""
    ids = subject.tokenizer(question, return_tensors="pt").to(subject.device)
    with torch.inference_mode():
        found = subject.model.generate(ids["input_ids"], attention_mask=ids["attention_mask"],
                                       max_new_tokens=NEW, do_sample=False, num_beams=1)  # fmt: skip
    return subject.tokenizer.decode(found[0], skip_special_tokens=True)


def matches(subject, asked: list[tuple[str, tuple[str, ...]]]) -> np.ndarray:
    """Whether the generated answer to each (question, right answers) is one of these; shape (n,)."""
    return np.array([normal(written(subject, q)) in {normal(r) for r in right} for q, right in asked], float)


def size(subject) -> int:
    """How many parameters the model has."""
    return sum(p.numel() for p in subject.model.parameters())


@claim("wld.closed_book.roberts2020", "facts", n=592, text_to_text=True)
def closed_book(subject, data, settings):
    """Exact match of generated answers to questions about generated facts; and what twice the parameters add (roberts2020).

    The subject is a text-to-text model; the second model of the comparison is the same in another size.
    """
    writes(subject)
    asked = [(QUESTIONS[i.condition].format(s=i.meta["subject"]), i.answers, i.meta["subject"])
             for i in data["facts"] if i.condition in QUESTIONS]  # fmt: skip
    right = matches(subject, [a[:2] for a in asked])
    rows = intervals.Rows(settings, groups=[s for *_, s in asked])
    rows.mean("exact match", right)
    other, notes = companion(ROLE, settings, twin=subject.is_twin), []
    if other is None:
        notes.append(f"no second size: {how_to_name(ROLE, settings)}")
        rows.add("exact match per doubling of parameters", (np.nan,) * 3, 0)
    else:
        doublings = np.log2(size(other) / size(subject))
        gain = (matches(other, [a[:2] for a in asked]) - right) / doublings
        rows.mean("exact match per doubling of parameters", gain, signed=True)
    return intervals.table(rows, notes)
