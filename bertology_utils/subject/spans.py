"""Log-probabilities of chosen pieces, with any others of the row hidden: what scores of several words are made of.

One pass per row, whatever it is asked for: pieces of a span are predicted side by side, each with all of the span
masked. (A chain that fills them in one by one takes as many passes as there are pieces.)
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import torch

from ..settings import Settings
from .encode import Row, batches, forward, windows
from .models import Subject


def pieces_of(row: Row, words: Collection[int]) -> list[int]:
    """Places of the pieces of some words of a row.

    >>> pieces_of(Row((2, 8, 9, 5, 3), (0,) * 5, (-1, 0, 0, 1, -1), 2), [0])
    [1, 2]
    """
    return [t for t, word in enumerate(row.words) if word in words and word >= 0]


def others_of(row: Row, words: Collection[int]) -> list[int]:
    """Places of the pieces of all the other words; special tokens are nobody's."""
    return [t for t, word in enumerate(row.words) if word >= 0 and word not in words]


def log_probabilities(
    subject: Subject,
    rows: Sequence[Row],
    wanted: Sequence[Sequence[int]],
    hidden: Sequence[Sequence[int]] | None = None,
    settings: Settings | None = None,
) -> list[np.ndarray]:
    """Natural-log probability of the pieces at some places of each row, with some places masked.

    Parameters
    ----------
    rows : sequence of Row
        As `encode.tokenize` gives them, nothing masked.
    wanted : sequence of places, one per row
        Which pieces are asked for.
    hidden : sequence of places, one per row, optional
        Which pieces are masked; by default those that are asked for. Those that are asked for and not masked are read
        where they stand: a cheap measure of how well a text reads.

    Returns
    -------
    list of float arrays (pieces asked for,)

    Raises
    ------
    ValueError
        If there are not as many lists of places as rows.
    """
    hidden = wanted if hidden is None else hidden
    if not len(rows) == len(wanted) == len(hidden):
        raise ValueError(f"{len(rows)} rows, but places for {len(wanted)} and {len(hidden)}")
    budget, mask = (settings or Settings.of()).budget, subject.tokenizer.mask_token_id
    out: list[np.ndarray] = [np.empty(0)] * len(rows)
    for start, window in windows(rows):
        covered = [_covered(row, hidden[start + k], mask) for k, row in enumerate(window)]
        for batch in batches(subject, covered, budget):
            states = forward(subject, batch).last_hidden_state  # (B, T, H)
            owner = [b for b, i in enumerate(batch.index) for _ in wanted[start + i]]
            place = [t for i in batch.index for t in wanted[start + i]]
            if not place:
                continue
            target = [window[i].ids[t] for i in batch.index for t in wanted[start + i]]
            with torch.inference_mode():
                logs = torch.log_softmax(subject.predict(states[owner, place]).float(), -1)  # (P, V)
            found = logs[range(len(target)), target].double().cpu().numpy()
            ends = np.cumsum([len(wanted[start + i]) for i in batch.index])
            for i, part in zip(batch.index, np.split(found, ends[:-1])):
                out[start + i] = part
    return out


def _covered(row: Row, places: Sequence[int], mask: int) -> Row:
    chosen = set(places)
    return Row(tuple(mask if t in chosen else x for t, x in enumerate(row.ids)), row.types, row.words, row.n_words)
