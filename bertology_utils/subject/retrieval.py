"""Facts as gaps to fill: which piece of the vocabulary comes first, and where the right ones stand (petroni2019).

A right object that is more than one piece cannot fill one mask, so it is no answer here; `answerable` counts what that
leaves, relation by relation. Ties count against the model: one for which all words are alike knows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..data.items import MASK, Cloze
from ..settings import Settings
from .cloze import _at, filler_id, log_probabilities, with_masks
from .encode import Row, fits, gapped
from .models import Subject


@dataclass(frozen=True)
class Pieces:
    """The pieces that facts ask for.

    Attributes
    ----------
    answers : list of int arrays
        Right pieces of each item.
    candidates : dict, relation -> int array
        Every right piece of some item of the relation.
    """

    answers: list[np.ndarray]
    candidates: dict[str, np.ndarray]


def answerable(subject: Subject, items: Sequence[Cloze]) -> tuple[list[Cloze], pd.DataFrame, str]:
    """The items with an answer of a single piece, their answers cut down to such, and what there was of each relation.

    Returns
    -------
    items : list of Cloze
    coverage : data frame
        A row per relation: ``relation, items, kept``.
    note : str
    """
    known = {w: filler_id(subject, w) is not None for item in items for w in item.answers}
    short = fits(subject, [gapped(i.text) for i in items])
    kept = [
        replace(item, answers=answers)
        for item, ok in zip(items, short)
        if ok and (answers := tuple(w for w in item.answers if known[w]))
    ]
    counted = pd.Series([i.condition for i in items]).value_counts().sort_index()
    held = pd.Series([i.condition for i in kept], dtype=object).value_counts()
    coverage = pd.DataFrame({"relation": counted.index, "items": counted.to_numpy()})
    coverage["kept"] = [int(held.get(r, 0)) for r in coverage["relation"]]
    note = (
        f"{len(kept)} of {len(items)} facts have an object that is a single piece of {subject.name}'s vocabulary, "
        f"in {int((coverage['kept'] > 0).sum())} of {len(coverage)} relations"
    )
    return kept, coverage, note


def pieces(subject: Subject, items: Sequence[Cloze]) -> Pieces:
    """Right pieces of answerable items, and the candidates of their relations."""
    ids = {w: filler_id(subject, w) for item in items for w in item.answers}
    answers = [np.unique([ids[w] for w in item.answers]) for item in items]
    found: dict[str, set[int]] = {}
    for item, right in zip(items, answers):
        found.setdefault(item.condition, set()).update(right.tolist())
    return Pieces(answers, {r: np.array(sorted(c)) for r, c in found.items()})


def rank(logs: np.ndarray, right: np.ndarray) -> int:
    """How many wrong pieces are at least as likely as the likeliest right one; 0: a right one comes first.

    >>> rank(np.log([0.1, 0.4, 0.2, 0.3]), np.array([2]))
    2
    """
    ahead = logs >= logs[right].max()
    ahead[right] = False
    return int(ahead.sum())


def retrieve(
    subject: Subject, items: Sequence[Cloze], settings: Settings | None = None, *, known: Pieces | None = None
) -> pd.DataFrame:
    """What the model puts into the gap of each fact.

    Parameters
    ----------
    items : sequence of Cloze
        As `answerable` gives them.
    known : Pieces, optional
        As `pieces` gives them, where they are at hand.

    Returns
    -------
    data frame, a row per item
        ``rank``: of the best right piece in the whole vocabulary, other right ones left out, 0 for the first;
        ``first``: the likeliest piece; ``among``: whether a right piece is the likeliest of the relation's candidates.
    """
    known = known or pieces(subject, items)
    found = [
        _scored(logs, i, items, known) for i, logs in log_probabilities(subject, [i.text for i in items], settings)
    ]
    frame = pd.DataFrame(found, columns=["item", "rank", "first", "among"])
    return frame.set_index("item").sort_index()


def _scored(logs: np.ndarray, i: int, items: Sequence[Cloze], known: Pieces) -> tuple[int, int, int, bool]:
    right, candidates = known.answers[i], known.candidates[items[i].condition]
    wrong = np.setdiff1d(candidates, right)
    among = bool(logs[right].max() > logs[wrong].max()) if len(wrong) else True
    return i, rank(logs, right), int(logs.argmax()), among


def without_subject(
    subject: Subject, templates: Sequence[str], settings: Settings | None = None
) -> dict[str, np.ndarray]:
    """The distribution (V,) at the object of each template, its subject masked: what the wording alone says.

    Parameters
    ----------
    templates : sequence of str
        With ``[X]`` for the subject and ``[Y]`` for the object.
    """
    rows, places = [], []
    unique = sorted(set(templates))
    for template in unique:
        ids = with_masks(subject.tokenizer, template.replace("[X]", MASK).replace("[Y]", MASK))["input_ids"]
        (masks,) = np.nonzero(np.array(ids) == subject.tokenizer.mask_token_id)
        rows.append(Row(tuple(ids), (0,) * len(ids), (-1,) * len(ids), 0))
        places.append(int(masks[int(template.index("[Y]") > template.index("[X]"))]))
    budget = (settings or Settings.of()).budget
    return {unique[i]: logs for i, logs in _at(subject, rows, places, budget)}


def log_frequency(subject: Subject, words: Sequence[str]) -> np.ndarray:
    """Log frequency of words up to a constant and Zipf's exponent, by their place in the vocabulary; shape (n,).

    Vocabularies of pieces are learnt by merging what is frequent, so their order is roughly that of frequency: the log
    of a word's place stands for the log of its rank. A word of several pieces is as frequent as its rarest one, and
    then rarer by a factor for each further piece.
    """
    out = np.empty(len(words))
    for k, word in enumerate(words):
        ids = subject.tokenizer(word, add_special_tokens=False)["input_ids"] or [subject.config.vocab_size]
        out[k] = -np.log1p(max(ids)) - (len(ids) - 1)
    return out


def majority(relations: Sequence[str], answers: Sequence[Sequence]) -> np.ndarray:
    """Whether the object that is right most often in its relation is right of each item; shape (n,), bool (petroni2019).

    An oracle among the baselines: the object is counted on the items themselves. Ties go to the first in order.

    >>> majority(["P1", "P1", "P1", "P2"], [["a"], ["b"], ["b", "a"], ["c"]]).tolist()
    [True, False, True, True]
    """
    counts: dict[str, dict] = {}
    for relation, right in zip(relations, answers):
        own = counts.setdefault(relation, {})
        for x in right:
            own[x] = own.get(x, 0) + 1
    best = {relation: min(own, key=lambda x: (-own[x], x)) for relation, own in counts.items()}
    return np.array([best[r] in set(right) for r, right in zip(relations, answers)], bool)


def commonest_words(subject: Subject, candidates: Mapping[str, np.ndarray]) -> dict[str, int]:
    """Of each relation's candidate pieces the most frequent one: the first in the vocabulary (see `log_frequency`)."""
    return {relation: int(found.min()) for relation, found in candidates.items()}
