"""What follows from what was taught: "not", two steps and more, and from a property to what it allows. Ours, of no study.

A model that is taught the generated world (`taught`) has its single facts. Asked the same way before and after, it shows
whether what follows from them came along.
"""

from __future__ import annotations

import json
from importlib import resources

import pandas as pd

ITEMS = 800  # of a task; the lessons are made of these and more
PAIRED = {"properties": "property of an object", "affordances": "affordance of an object",
          "property_affordance": "affordance from a property"}  # fmt: skip


def shipped() -> dict[str, pd.DataFrame]:
    """What came out for `mini` before and after, by model: tidy rows that are kept with the package."""
    text = resources.files("bertology_utils").joinpath("assets/taught.json").read_text(encoding="utf-8")
    return {name: pd.DataFrame(rows) for name, rows in json.loads(text)["outcomes"].items()}
