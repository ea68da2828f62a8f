"""What the text of a multilingual run is made of: more languages, their names, translations side by side."""

from __future__ import annotations

import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...family.recorded import Recorded
from ...settings import Settings
from ..training import family as runs_of
from . import family

FIXED = "eng"  # the language whose loss is compared
OTHERS = {"translations": "translations in all rows", "positions reset": "TLM with positions reset"}


@claim("mbt.more_languages.artetxe2019", family=family.ABOUT)
def more_languages(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Held-out loss of English among eight languages less that among two, equal text per language (artetxe2019)."""
    four, eight, half = "four languages", "eight languages", "half the text"
    two = "two languages" if runs.has("two languages") else "shared"  # of Bibles, those of the base
    rows = [
        family.loss(runs, settings, "loss, eight - two languages", eight, two, FIXED),
        family.loss(runs, settings, "loss, half the text - all", half, two, FIXED),
    ]
    if runs.has(four):
        rows.append(family.loss(runs, settings, "loss, four - two languages", four, two, FIXED))
    return family.table(runs, settings, rows, (two, eight, half), (four,))


@claim("mbt.language_ids.wang2019b", family=family.ABOUT)
def language_ids(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Transfer of parts of speech with an embedding of the language at each piece less that without (wang2019b)."""
    given, without = "language ids", "shared"
    rows = [
        family.transfer(runs, settings, "transfer, with - without ids", given, without),
        runs_of.difference(runs, settings, "P@1, with - without ids", given, without, family.retrieved),
        runs_of.score(runs, settings, "retrieval P@1 over chance", without, family.over_chance, group=without),
    ]
    frame = family.table(runs, settings, rows, (without, given))
    frame.attrs["notes"].append("language ids are BERT's token types, one per language")
    return frame


@claim("mbt.tlm.lample2019", family=family.ABOUT)
def tlm(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Translations retrieved after masks on sentences beside their translations too, less after beside any other (lample2019).

    Rows are of the same form with as many pieces of the same text: B is another sentence in A's language, or in every other
    row A's translation. What is retrieved stands alone.
    """
    tlm_, mlm = "half translations", "other sentences"
    rows = [runs_of.difference(runs, settings, "P@1, TLM - MLM", tlm_, mlm, family.retrieved)]
    rows.append(family.transfer(runs, settings, "transfer, TLM - MLM", tlm_, mlm))
    for group, said in OTHERS.items():
        if runs.has(group):
            rows.append(runs_of.difference(runs, settings, f"P@1, {said} - MLM", group, mlm, family.retrieved))
    return family.table(runs, settings, rows, (tlm_, mlm), tuple(OTHERS))
