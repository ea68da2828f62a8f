"""The generated world, taught: a copy of a model that has been shown single facts, and none of what follows from them.

A small model knows little, so most claims about what BERT makes of its knowledge cannot be tested with it. Taught the
generated facts, properties and affordances by continued pretraining, it demonstrably has them; the same claims, run on
the copy, then ask what the survey says BERT cannot do: two steps, "not", and what a property allows. Ours, and no
experiment of a cited study. The copy is made by `workshop/world`.

Not taught are statements of two steps and more, negated ones, and those that join a property and an affordance.
"""

from __future__ import annotations

from ...data import builtin
from ...data.items import MASK, Cloze, ForcedChoice, Labelled

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
