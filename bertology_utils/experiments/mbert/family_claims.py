"""What runs on several languages differ in: their text, their pieces, a new language for a body that is there."""

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


ROUND, REAL = "turned round", "two languages"
TWICE, TWICE_ROUND, WIDER = "English twice", "English twice, turned round", "English twice, wider"
OTHER_LANGUAGES = ("French", "Finnish", "Russian")  # beside English, their pieces shared as they are


@claim("mbt.wordpiece_overlap.wang2019b", family=family.ABOUT)
def wordpiece_overlap(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Transfer of parts of speech with half of the pieces shared less that with none (wang2019b).

    In the generated tier the second language is English in pieces of its own ("fake English"): one grammar, half of the pieces
    in common or none. Its sentences turned round have no order in common either. What a real pair of languages does is told
    beside it. In Bibles it is German, its pieces shared as they are or none of them; beside it stand English twice in pieces of
    its own, turned round, and in a model of three times the width (dufter2020), and three more languages.
    """
    shared, disjoint = "shared", "disjoint"
    rows = [
        family.transfer(runs, settings, "transfer, shared - disjoint", shared, disjoint),
        runs_of.difference(runs, settings, "P@1, shared - disjoint", shared, disjoint, family.retrieved),
        runs_of.score(runs, settings, "retrieval P@1 over chance", shared, family.over_chance, group=shared),
    ]
    if runs.has(ROUND):
        said = "P@1, order kept - turned round"
        rows.append(runs_of.difference(runs, settings, said, disjoint, ROUND, family.retrieved))
    if all("pieces" in r.items["retrieval"] for r in runs.group(shared).values()):
        said = "retrieval P@1 over shared pieces"
        rows.append(runs_of.score(runs, settings, said, shared, family.over_pieces, group=shared))
    for other, said in ((TWICE_ROUND, "order kept - turned round"), (WIDER, "narrow - wider")):
        if runs.has(TWICE) and runs.has(other):
            said = f"P@1, English twice, {said}"
            rows.append(runs_of.difference(runs, settings, said, TWICE, other, family.retrieved))
    return family.table(
        runs, settings, rows, (shared, disjoint), (ROUND, REAL, TWICE, TWICE_ROUND, WIDER, *OTHER_LANGUAGES)
    )


@claim("mbt.vocabulary_swap.artetxe2019", family=family.ABOUT)
def vocabulary_swap(runs: Recorded, data: Data, settings: Settings) -> pd.DataFrame:
    """Transfer to a language whose embeddings alone were learnt, over that with a body that never was (artetxe2019).

    Both kinds of runs see the first language, then the second, with equal pieces; the control learns embeddings alone in
    both. The probe is fitted in the first language.
    """
    new, control = "new embeddings", "random body"
    rows = [
        family.transfer(runs, settings, "transfer over random body", new, control),
        runs_of.difference(runs, settings, "P@1 over random body", new, control, family.retrieved),
    ]
    if runs.has("disjoint"):
        said = "transfer, both languages together - one after the other"
        rows.append(family.transfer(runs, settings, said, "disjoint", new))
    return family.table(runs, settings, rows, (new,), (control,))
