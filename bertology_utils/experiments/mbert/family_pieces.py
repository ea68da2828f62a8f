"""Which pieces two languages share, and a new language for a body that is there."""

from __future__ import annotations

import pandas as pd

from ...claims.registry import claim
from ...data.items import Data
from ...family.recorded import Recorded
from ...settings import Settings
from ..training import family as runs_of
from . import family

ROUND, REAL = "turned round", "two languages"
TWICE, TWICE_ROUND, WIDER = "English twice", "English twice, turned round", "English twice, wider"
OTHERS = ("French", "Finnish", "Russian")  # beside English, their pieces shared as they are


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
    return family.table(runs, settings, rows, (shared, disjoint), (ROUND, REAL, TWICE, TWICE_ROUND, WIDER, *OTHERS))


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
