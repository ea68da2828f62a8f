"""Odds of words at a gap, whatever their number of pieces.

A word of several pieces fills as many masks, and its log-probability is the sum over its pieces, each given those before
it (the within-word correction of kauf2023). More pieces, lower odds: compare a word with itself in other texts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..data.items import MASK
from ..settings import Settings
from . import cloze
from .encode import Row, TooLong, windows
from .models import Subject


def pieces(subject: Subject, word: str) -> list[int]:
    """The vocabulary ids of a word as it stands in a sentence."""
    return subject.tokenizer([word], is_split_into_words=True, add_special_tokens=False)["input_ids"]


def log_odds(
    subject: Subject, texts: Sequence[str], asked: Sequence[tuple[int, str]], settings: Settings | None = None
) -> np.ndarray:
    """log P of words at the masks of texts, in nats; shape (n,).

    Parameters
    ----------
    texts : sequence of str
        With one `[MASK]` each.
    asked : sequence of (int, str)
        Which text, and the word that is asked for in it. A text's words of one piece are read off one prediction.

    Raises
    ------
    TooLong
        If a text is longer than the model takes, with the masks of the longest word asked for in it.
    """
    budget = (settings or Settings.of()).budget
    known = {word: pieces(subject, word) for word in dict.fromkeys(w for _, w in asked)}
    out = np.zeros(len(asked))
    single: dict[int, list[int]] = {}
    several: list[tuple[int, int]] = []  # (place in asked, piece)
    for n, (i, word) in enumerate(asked):
        if len(known[word]) == 1:
            single.setdefault(i, []).append(n)
        else:
            several += [(n, k) for k in range(len(known[word]))]
    members = list(single)
    for k, logs in cloze.log_probabilities(subject, [texts[i] for i in members], settings):
        for n in single[members[k]]:
            out[n] = logs[known[asked[n][1]][0]]
    for _, window in windows(several):
        rows, places = [], []
        for n, k in window:
            row, at = cloze.gap_row(subject, texts[asked[n][0]])
            rows.append(_widened(subject, row, at, known[asked[n][1]], k))
            places.append(at + k)
        for j, logs in cloze._at(subject, rows, places, budget):
            n, k = window[j]
            out[n] += logs[known[asked[n][1]][k]]
    return out


def _widened(subject: Subject, row: Row, at: int, ids: list[int], k: int) -> Row:
    """The row with a word's first k pieces at its mask, and masks for the others."""
    filled = [*ids[:k], *[subject.tokenizer.mask_token_id] * (len(ids) - k)]
    whole = (*row.ids[:at], *filled, *row.ids[at + 1 :])
    if len(whole) > subject.max_length:
        raise TooLong(f"{len(whole)} pieces, {len(ids)} at {MASK}, where {subject.name} takes {subject.max_length}")
    types = (*row.types[:at], *[row.types[at]] * len(filled), *row.types[at + 1 :])
    return Row(whole, types, (-1,) * len(whole), 0)
